// tests/contact/touch_slopes_test.cpp - how contact points move, against differences of the colliders themselves
#include "sinew/contact/touch_slopes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "sinew/base/random.hpp"
#include "sinew/spatial/exponential.hpp"
#include "support/tolerance.hpp"
#include "support/touch.hpp"

namespace sinew::test {
namespace {

PlacedShape make_random_shape(ShapeKind kind, Random& rng) {
  PlacedShape s;
  s.kind = kind;
  for (double& x : s.size) x = rng.uniform(0.1, 0.3);
  s.X.E = to_rotation(normalized(Quaternion<double>{rng.normal(), rng.normal(), rng.normal(), rng.normal()}));
  s.X.r = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
  return s;
}

// a moved by the twist about a point: turned by w through it, then shifted.
PlacedShape moved(const PlacedShape& a, const Vec3<double>& about, const Vec3<double>& w, const Vec3<double>& shift) {
  PlacedShape out = a;
  const Rotation<double> turn = to_rotation(exp(w));  // new axes <- old, so its inverse turns vectors
  out.X.E = a.X.E * turn;
  out.X.r = about + apply_inverse(turn, a.X.r - about) + shift;
  return out;
}

const TouchPoint* find_same(const std::vector<TouchPoint>& points, const TouchPoint& p) {
  for (const TouchPoint& x : points)
    if (x.feature_a == p.feature_a && x.feature_b == p.feature_b && norm(x.point - p.point) < 1e-3) return &x;
  return nullptr;
}

struct Tally {
  int compared = 0, unknown = 0, lost = 0;
  double worst = 0;
};

// Random pairs with gaps of -5 to 20 mm.
Tally compare(ShapeKind kind_a, ShapeKind kind_b, int cases, std::uint64_t seed) {
  Random rng(seed);
  Tally t;
  for (int i = 0; i < cases; ++i) {
    PlacedShape a = make_random_shape(kind_a, rng), b = make_random_shape(kind_b, rng);
    // Brought together along the line of their centres.
    std::vector<TouchPoint> touching = touch(a, b, 10);
    if (touching.empty()) continue;
    for (int k = 0; k < 6 && !touching.empty(); ++k) {
      const auto near =
          std::min_element(touching.begin(), touching.end(), [](auto& x, auto& y) { return x.gap < y.gap; });
      a.X.r = a.X.r - (near->gap - 0.005) * near->normal;
      touching = touch(a, b, 10);
    }
    a.X.r.x += rng.uniform(-0.01, 0.01), a.X.r.y += rng.uniform(-0.01, 0.01), a.X.r.z += rng.uniform(-0.01, 0.01);
    for (const TouchPoint& p : touch(a, b, 0.02)) {
      TouchSlopes slopes;
      if (!calc_touch_slopes(a, b, p, slopes)) {
        ++t.unknown;
        continue;
      }
      double worst = 0;
      bool lost = slopes.tie;
      for (std::size_t k = 0; k < 6 && !lost; ++k) {
        const auto differ = [&](double h, Vec3<double>& point, Vec3<double>& normal, double& gap) {
          const auto unit = [&](std::size_t j) { return j == k ? h : 0.0; };
          const Vec3<double> w{unit(0), unit(1), unit(2)}, y{unit(3), unit(4), unit(5)};
          const std::vector<TouchPoint> up = touch(moved(a, p.point, w, y), b, 0.03),
                                        down = touch(moved(a, p.point, -w, -y), b, 0.03);
          const TouchPoint *x = find_same(up, p), *z = find_same(down, p);
          if (!x || !z) return false;
          point = (0.5 / h) * (x->point - z->point), normal = (0.5 / h) * (x->normal - z->normal);
          gap = (x->gap - z->gap) / (2 * h);
          return true;
        };
        Vec3<double> p1, n1, p2, n2;
        double g1 = 0, g2 = 0;
        if (!differ(1e-4, p1, n1, g1) || !differ(5e-5, p2, n2, g2)) {
          lost = true;
          continue;
        }
        const Vec3<double> point = (1. / 3) * (4.0 * p2 - p1), normal = (1. / 3) * (4.0 * n2 - n1);
        // Where the two disagree a feature has changed within the step.
        if (norm(p2 - p1) > 1e-3 * (1 + norm(p2)) || norm(n2 - n1) > 1e-3 * (1 + norm(n2))) lost = true;
        worst = std::max({worst, norm(point - slopes.point[k]) / (1 + norm(point)),
                          norm(normal - slopes.normal[k]) / (1 + norm(normal)),
                          std::abs((4 * g2 - g1) / 3 - slopes.gap[k])});
      }
      if (lost) {
        ++t.lost;
        continue;
      }
      ++t.compared;
      if (worst > 1e-4)
        ADD_FAILURE() << fmt::format("{} on {}: case {}, features {} {}, error {}", to_string(kind_a),
                                     to_string(kind_b), i, p.feature_a, p.feature_b, worst);
      t.worst = std::max(t.worst, worst);
    }
  }
  return t;
}

}  // namespace

TEST(TouchSlopes, AreThoseOfTheColliders) {
  using enum ShapeKind;
  const std::pair<ShapeKind, ShapeKind> pairs[] = {
      {sphere, plane},   {capsule, plane}, {box, plane},       {cylinder, plane}, {ellipsoid, plane}, {sphere, sphere},
      {sphere, capsule}, {sphere, box},    {capsule, capsule}, {box, box},        {box, capsule}};
  for (const auto& [a, b] : pairs) {
    const Tally t = compare(a, b, 200, 17);
    fmt::print("{} on {}: {} compared, {} lost a feature, {} unknown, worst {:.1e}\n", to_string(a), to_string(b),
               t.compared, t.lost, t.unknown, t.worst);
    EXPECT_GT(t.compared, 190) << to_string(a) << " on " << to_string(b);
    EXPECT_LT(t.lost + t.unknown, t.compared / 10) << to_string(a) << " on " << to_string(b);
    // Where edges cross at a small angle the point is far quicker than the shapes, and differences are worse.
    const double most = b == box && a == box ? 2e-6 : b == capsule ? 1e-9 : 1e-10;
    EXPECT_TRUE(is_small(t.worst, slack(most, "differences, of several pairs")))
        << to_string(a) << " on " << to_string(b);
  }
}

}  // namespace sinew::test
