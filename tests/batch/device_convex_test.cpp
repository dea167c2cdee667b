// tests/batch/device_convex_test.cpp - contacts of convex solids with a device's room are those of the CPU
#include "sinew/batch/kernel/device_convex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/contact/collide.hpp"
#include "sinew/contact/polytope.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {
namespace {

using device::SceneShape;
using device::WideShape;

struct Found {
  std::vector<TouchPoint> points;
  void add(const Vec3<double>& p, const Vec3<double>& n, double gap, std::uint32_t a, std::uint32_t b) {
    points.push_back({p, n, gap, a, b});
  }
  std::size_t size() const { return points.size(); }
  void resize(std::size_t n) { points.resize(n); }
};

constexpr ShapeKind kSolids[] = {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule, ShapeKind::cylinder,
                                 ShapeKind::ellipsoid};

Transform<double> random_pose(Random& random, double spread) {
  Quaternion<double> q{random.normal(), random.normal(), random.normal(), random.normal()};
  // Every other one stands along the axes, as things that rest do.
  if (random.uniform(0, 1) < 0.5) q = {1, 0, 0, 0};
  return {to_rotation(normalized(q)), {spread * random.normal(), spread * random.normal(), spread * random.normal()}};
}
PlacedShape random_shape(Random& random, ShapeKind kind, double spread) {
  PlacedShape out;
  out.kind = kind, out.X = random_pose(random, spread);
  for (double& x : out.size) x = random.uniform(0.1, 0.4);
  return out;
}
contact::HullView view_of(const Polytope& p) {
  contact::HullView out;
  out.count = static_cast<int>(p.vertices.size()), out.extent = p.extent, out.vertices = p.vertices.data();
  out.faces = p.faces.data(), out.corners = p.corners.data(), out.edges = p.edges.data(), out.start = p.start.data();
  out.neighbours = p.neighbours.data(), out.around = p.around.data();
  return out;
}
template <class R>
std::vector<TouchPoint> collide_on_device(const PlacedShape& a, const PlacedShape& b, double reach) {
  const auto widen = [](const PlacedShape& s) {
    SceneShape<R> shape;
    shape.kind = s.kind;
    for (std::size_t k = 0; k < 3; ++k) shape.size[k] = static_cast<R>(s.size[k]);
    return WideShape<R>(shape, cast<R>(s.X), s.polytope ? view_of(*s.polytope) : contact::HullView{});
  };
  Found out;
  device::collide_wide(widen(a), widen(b), reach, out);
  return out.points;
}
double smallest_gap(const std::vector<TouchPoint>& points) {
  double out = INFINITY;
  for (const TouchPoint& p : points) out = std::min(out, p.gap);
  return out;
}

TEST(DeviceConvex, PointsAreThoseOfTheCpu) {
  Random random(4);
  for (const ShapeKind first : kSolids)
    for (const ShapeKind second : kSolids) {
      if (!device::is_wide_pair(first, second) || first > second) continue;
      SCOPED_TRACE(std::string(to_string(first)) + " and " + std::string(to_string(second)));
      const bool flat = first <= ShapeKind::capsule && second <= ShapeKind::capsule;
      int touching = 0;
      for (int i = 0; i < 400; ++i) {
        const PlacedShape a = random_shape(random, first, 0.2), b = random_shape(random, second, 0.2);
        std::vector<TouchPoint> cpu;
        collide(a, b, 0.05, cpu);
        const std::vector<TouchPoint> points = collide_on_device<double>(a, b, 0.05);
        ASSERT_LE(points.size(), static_cast<std::size_t>(device::kMostConvexPoints));
        ASSERT_EQ(points.empty(), cpu.empty());
        if (cpu.empty()) continue;
        ++touching;
        if (!flat) {  // overlaps of smooth solids are found with less room
          if (smallest_gap(cpu) < -0.05) continue;
          EXPECT_TRUE(is_small(smallest_gap(points) - smallest_gap(cpu), 1e-14));
          continue;
        }
        ASSERT_EQ(points.size(), cpu.size());
        for (std::size_t k = 0; k < points.size(); ++k) {
          EXPECT_TRUE(points[k].point == cpu[k].point && points[k].normal == cpu[k].normal);
          EXPECT_TRUE(points[k].feature_a == cpu[k].feature_a && points[k].feature_b == cpu[k].feature_b);
        }
      }
      EXPECT_GT(touching, 100);
    }
}

// A hull of points in a box or on an ellipsoid: few corners, or so many that they are found by a climb.
Polytope random_hull(Random& random, int points) {
  std::vector<Vec3<double>> at_random(static_cast<std::size_t>(points));
  for (Vec3<double>& p : at_random) {
    p = {random.normal(), random.normal(), random.normal()};
    p = (0.3 / norm(p)) * p;
    p.z *= 0.5;
  }
  return make_polytope(convex_hull(at_random).value());
}
PlacedShape place_hull(Random& random, const Polytope& p) {
  PlacedShape out = random_shape(random, ShapeKind::mesh, 0.2);
  Vec3<double> high = p.vertices[0], low = high;
  for (const Vec3<double>& v : p.vertices) {
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
  }
  out.polytope = &p, out.size = {(high.x - low.x) / 2, (high.y - low.y) / 2, (high.z - low.z) / 2};
  return out;
}

TEST(DeviceConvex, HullsTouchAsOnTheCpu) {
  Random random(7);
  for (const int points : {5, 12, 200}) {
    const Polytope hull = random_hull(random, points), other = random_hull(random, 30);
    for (const ShapeKind first : {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule, ShapeKind::mesh}) {
      SCOPED_TRACE(std::string(to_string(first)) + " and a hull of " + std::to_string(points));
      int touching = 0;
      for (int i = 0; i < 200; ++i) {
        const PlacedShape a = first == ShapeKind::mesh ? place_hull(random, other) : random_shape(random, first, 0.2);
        const PlacedShape b = place_hull(random, hull);
        std::vector<TouchPoint> cpu;
        collide(a, b, 0.05, cpu);
        const std::vector<TouchPoint> on_device = collide_on_device<double>(a, b, 0.05);
        ASSERT_EQ(on_device.empty(), cpu.empty());
        if (cpu.empty()) continue;
        ++touching;
        EXPECT_TRUE(is_small(smallest_gap(on_device) - smallest_gap(cpu), 1e-14));
        if (smallest_gap(cpu) < 0) continue;  // overlaps are found with less room
        ASSERT_EQ(on_device.size(), cpu.size());
        for (std::size_t k = 0; k < cpu.size(); ++k) EXPECT_EQ(on_device[k].point, cpu[k].point);
      }
      EXPECT_GT(touching, 50);
    }
  }
}

// On planes the same corners, in an order of their own where there are many.
TEST(DeviceConvex, HullsStandOnPlanesAsOnTheCpu) {
  Random random(8);
  int many = 0;
  for (const int points : {6, 40, 300}) {
    const Polytope hull = random_hull(random, points);
    for (int i = 0; i < 200; ++i) {
      const PlacedShape a = place_hull(random, hull);
      PlacedShape b;
      b.kind = ShapeKind::plane, b.X = random_pose(random, 0.1);
      for (const double reach : {0.01, 0.3}) {
        std::vector<TouchPoint> cpu, on_device = collide_on_device<double>(a, b, reach);
        collide(a, b, reach, cpu);
        many += cpu.size() >= 13 ? 1 : 0;
        ASSERT_LE(on_device.size(), static_cast<std::size_t>(device::kMostConvexPoints));
        const auto before = [](const TouchPoint& p, const TouchPoint& q) { return p.feature_a < q.feature_a; };
        std::sort(cpu.begin(), cpu.end(), before), std::sort(on_device.begin(), on_device.end(), before);
        ASSERT_EQ(on_device.size(), cpu.size());
        for (std::size_t k = 0; k < cpu.size(); ++k) {
          EXPECT_EQ(on_device[k].feature_a, cpu[k].feature_a);
          EXPECT_EQ(on_device[k].point, cpu[k].point);
        }
      }
    }
  }
  EXPECT_GT(many, 50);
}

// Places and sizes are rounded to floats; contacts move by no more than that.
TEST(DeviceConvex, PlacesInFloatGiveTheSameDistances) {
  Random random(5);
  for (const ShapeKind first : kSolids)
    for (const ShapeKind second : kSolids) {
      if (!device::is_wide_pair(first, second) || first > second) continue;
      SCOPED_TRACE(std::string(to_string(first)) + " and " + std::string(to_string(second)));
      for (int i = 0; i < 200; ++i) {
        const PlacedShape a = random_shape(random, first, 0.2), b = random_shape(random, second, 0.2);
        const auto in_double = collide_on_device<double>(a, b, 0.05), in_float = collide_on_device<float>(a, b, 0.05);
        if (in_double.empty() || smallest_gap(in_double) > 0.049 || smallest_gap(in_double) < -0.1) continue;
        ASSERT_FALSE(in_float.empty());
        EXPECT_TRUE(is_small(smallest_gap(in_float) - smallest_gap(in_double), 1e-6));
      }
    }
}

// A box lies on a box that is turned by the rounding errors of floats: all four corners touch.
TEST(DeviceConvex, FacesInFloatTouchWithAllCorners) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    PlacedShape a, b;
    a.kind = b.kind = ShapeKind::box, a.size = {0.1, 0.12, 0.05}, b.size = {0.3, 0.3, 0.2};
    const Quaternion<double> q =
        normalized(Quaternion<double>{random.normal(), random.normal(), random.normal(), random.normal()});
    a.X.E = b.X.E = to_rotation(q);
    b.X.r = {random.normal(), random.normal(), random.normal()};
    a.X.r = b.X.r + apply_inverse(b.X.E, Vec3<double>{0.01, 0.02, 0.25});
    const auto points = collide_on_device<float>(a, b, 1e-4);
    ASSERT_EQ(points.size(), 4u);
    for (const TouchPoint& p : points) EXPECT_TRUE(is_small(p.gap, 3e-6));
  }
}

}  // namespace
}  // namespace sinew::test
