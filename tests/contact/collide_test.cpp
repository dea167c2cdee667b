// tests/contact/collide_test.cpp - pairs of shapes: gaps against a slow search, manifolds by hand, symmetry, stability
#include "sinew/contact/collide.hpp"

#include <algorithm>
#include <numbers>
#include <set>

#include "sinew/contact/polytope.hpp"
#include "support/cube_mesh.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/touch.hpp"

namespace sinew::test {
namespace {

using V = Vec3<double>;

// The corners of a box and a few more points: a convex mesh.
const Polytope& gem() {
  static const Polytope p = make_polytope(
      convex_hull(
          {{.3, .2, .1}, {-.3, .2, .1}, {.3, -.2, .1}, {-.3, -.2, .1}, {.2, .1, -.3}, {-.2, .1, -.2}, {0, -.3, -.2}})
          .value());
  return p;
}

PlacedShape make(ShapeKind kind, const Transform<double>& X = {}) {
  PlacedShape s{kind, X, {}, nullptr, nullptr};
  switch (kind) {
    case ShapeKind::sphere: s.size = {0.3, 0, 0}; break;
    case ShapeKind::box: s.size = {0.3, 0.2, 0.4}; break;
    case ShapeKind::capsule:
    case ShapeKind::cylinder: s.size = {0.2, 0.3, 0}; break;
    case ShapeKind::ellipsoid: s.size = {0.3, 0.2, 0.4}; break;
    case ShapeKind::mesh: s.polytope = &gem(), s.size = {0.3, 0.3, 0.3}; break;
    default: break;
  }
  return s;
}

// The farthest point along n, written out anew.
V support(const PlacedShape& s, const V& world_n) {
  const V n = apply(s.X.E, world_n);
  const auto sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
  const auto [a, b, c] = s.size;
  V p;
  switch (s.kind) {
    case ShapeKind::sphere: p = a * n; break;
    case ShapeKind::capsule: p = a * n + V{0, 0, sign(n.z) * b}; break;
    case ShapeKind::box: p = {sign(n.x) * a, sign(n.y) * b, sign(n.z) * c}; break;
    case ShapeKind::cylinder: {
      const double r = std::hypot(n.x, n.y);
      p = {r > 0 ? a * n.x / r : 0, r > 0 ? a * n.y / r : 0, sign(n.z) * b};
      break;
    }
    case ShapeKind::ellipsoid: {
      const double r = std::sqrt(a * a * n.x * n.x + b * b * n.y * n.y + c * c * n.z * n.z);
      p = {a * a * n.x / r, b * b * n.y / r, c * c * n.z / r};
      break;
    }
    default: {
      const auto& v = s.polytope->vertices;
      p = *std::max_element(v.begin(), v.end(), [&](const V& x, const V& y) { return dot(x, n) < dot(y, n); });
    }
  }
  return apply_inverse_to_point(s.X, p);
}
// How far a is from b along n. A plane parts what is above it only along its own normal.
double separation(const PlacedShape& a, const PlacedShape& b, const V& n) {
  if (b.kind == ShapeKind::plane) {
    const V up = apply_inverse(b.X.E, V{0, 0, 1});
    return dot(n, up) > 1 - 1e-12 ? dot(n, support(a, -n) - b.X.r) : -INFINITY;
  }
  return dot(n, support(a, -n) - support(b, n));
}
// The largest separation: many directions, then uphill from the best few with ever smaller steps. Never too large.
double search_gap(const PlacedShape& a, const PlacedShape& b) {
  if (b.kind == ShapeKind::plane) return separation(a, b, apply_inverse(b.X.E, V{0, 0, 1}));
  constexpr int kDirections = 300;
  std::vector<std::pair<double, V>> found;
  for (int i = 0; i < kDirections; ++i) {
    const double z = 1 - 2 * (i + 0.5) / kDirections, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * i;
    const V n{r * std::cos(angle), r * std::sin(angle), z};
    found.emplace_back(separation(a, b, n), n);
  }
  std::sort(found.begin(), found.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = -INFINITY;
  for (std::size_t k = 0; k < 4; ++k) {
    auto [gap, n] = found[k];
    for (double step = 0.1; step > 1e-9;) {
      const V side = std::abs(n.x) < 0.6 ? V{1, 0, 0} : V{0, 1, 0}, u = cross(n, side), v = cross(n, u);
      bool better = false;
      for (int i = 0; i < 8 && !better; ++i) {
        V m = n + (step * std::cos(i * std::numbers::pi / 4)) * u + (step * std::sin(i * std::numbers::pi / 4)) * v;
        m = (1 / norm(m)) * m;
        if (const double g = separation(a, b, m); g > gap) gap = g, n = m, better = true;
      }
      if (!better) step /= 3;
    }
    best = std::max(best, gap);
  }
  return best;
}

const TouchPoint& deepest(const std::vector<TouchPoint>& points) {
  return *std::min_element(points.begin(), points.end(), [](const auto& p, const auto& q) { return p.gap < q.gap; });
}
Transform<double> at(double x, double y, double z) { return shift_frame(V{x, y, z}); }

// Calls body(a, b, rng) for every pair of kinds in random poses where they are near each other.
template <class Body>
void for_pairs(int seeds, Body&& body) {
  for (const ShapeKind ka : kSolids)
    for (const ShapeKind kb : {ShapeKind::plane, ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule,
                               ShapeKind::cylinder, ShapeKind::ellipsoid, ShapeKind::mesh}) {
      SCOPED_TRACE(std::string(to_string(ka)) + " and " + std::string(to_string(kb)));
      for_seeds(seeds, [&](Random& rng) {
        PlacedShape a = make(ka, random_transform(rng)), b = make(kb, random_transform(rng));
        a.X.r = b.X.r + rng.uniform(0.05, 0.8) * random_unit(rng);
        body(a, b, rng);
      });
    }
}

}  // namespace

TEST(Collide, EveryPairKnowsItsGap) {
  for_pairs(10, [](const PlacedShape& a, const PlacedShape& b, Random& rng) {
    constexpr double reach = 0.2;
    const auto points = touch(a, b, reach);
    const double gap = search_gap(a, b);
    if (gap > reach + 1e-7) {
      EXPECT_TRUE(points.empty()) << gap;
      return;
    }
    if (gap > reach - 1e-7) return;
    ASSERT_FALSE(points.empty()) << gap;
    const TouchPoint& p = deepest(points);
    EXPECT_NEAR(norm(p.normal), 1, 1e-14);
    // It is the separation along its normal, and none is larger.
    EXPECT_NEAR(p.gap, separation(a, b, p.normal), 1e-13);
    EXPECT_GE(p.gap, gap - 1e-9);
    for (const TouchPoint& q : points) EXPECT_LE(q.gap, reach);
    // It lies between points of both.
    for (int i = 0; i < 50; ++i) {
      const V d = random_unit(rng), on_a = p.point + (p.gap / 2) * p.normal, on_b = p.point - (p.gap / 2) * p.normal;
      EXPECT_LE(dot(d, on_a), dot(d, support(a, d)) + 1e-5);
      if (b.kind != ShapeKind::plane) {
        EXPECT_LE(dot(d, on_b), dot(d, support(b, d)) + 1e-5);
      }
    }
  });
}

TEST(Collide, SwappedShapesHaveTheSamePointsAndOppositeNormals) {
  for_pairs(20, [](const PlacedShape& a, const PlacedShape& b, Random&) {
    const auto points = touch(a, b, 0.1), swapped = touch(b, a, 0.1);
    if (a.kind == b.kind) {  // another way through: the same gap
      ASSERT_EQ(points.empty(), swapped.empty());
      if (!points.empty()) {
        EXPECT_NEAR(deepest(points).gap, deepest(swapped).gap, 3e-14);
      }
      return;
    }
    ASSERT_EQ(points.size(), swapped.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].gap, swapped[i].gap);
      EXPECT_EQ(points[i].point, swapped[i].point);
      EXPECT_EQ(points[i].normal, -swapped[i].normal);
      EXPECT_EQ(points[i].feature_a, swapped[i].feature_b);
    }
  });
}

TEST(Collide, GapsDoNotDependOnWhereTheWorldIs) {
  for_pairs(20, [](PlacedShape a, PlacedShape b, Random& rng) {
    const auto before = touch(a, b, 0.1);
    const Transform<double> moved = random_transform(rng);
    a.X = a.X * moved, b.X = b.X * moved;
    const auto after = touch(a, b, 0.1);
    ASSERT_EQ(before.empty(), after.empty());
    if (before.empty()) return;
    EXPECT_NEAR(deepest(before).gap, deepest(after).gap, 1e-13);
  });
}

TEST(Collide, GapsFollowAMoveAlongTheNormal) {
  for_pairs(20, [](PlacedShape a, PlacedShape b, Random&) {
    const auto before = touch(a, b, 0.1);
    if (before.empty()) return;
    constexpr double step = 1e-5;
    const TouchPoint p = deepest(before);
    a.X.r += step * p.normal;
    const auto after = touch(a, b, 0.1 + step);
    ASSERT_FALSE(after.empty());
    // Overlapping shapes may part more easily another way; they never come out slower.
    EXPECT_GE(deepest(after).gap - p.gap, step - 1e-11);
    if (p.gap > 0) {
      EXPECT_NEAR(deepest(after).gap - p.gap, step, 2e-14);
    }
  });
}

TEST(Collide, GapsNearZeroAreExact) {
  for_pairs(8, [](PlacedShape a, PlacedShape b, Random& rng) {
    // Apart, then as near as wanted along the normal.
    a.X.r = b.X.r + 0.9 * (b.kind == ShapeKind::plane ? apply_inverse(b.X.E, V{0, 0, 1}) : random_unit(rng));
    const auto apart = touch(a, b, 2);
    ASSERT_FALSE(apart.empty());
    const TouchPoint p = deepest(apart);
    if (p.gap < 1e-3) return;
    const V from = a.X.r;
    // Corners that meet corners or edges have no normal of their own once they touch.
    a.X.r = from + (-1e-5 - p.gap) * p.normal;
    if (norm(deepest(touch(a, b, 0.01)).normal - p.normal) > 1e-3) return;
    for (const double gap : {1e-3, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 0.0, -1e-12, -1e-10, -1e-8, -1e-6}) {
      SCOPED_TRACE(gap);
      a.X.r = from + (gap - p.gap) * p.normal;
      const auto points = touch(a, b, 0.01);
      ASSERT_FALSE(points.empty());
      const TouchPoint& q = deepest(points);
      EXPECT_NEAR(q.gap, gap, 3e-14);
      EXPECT_TRUE(is_small(norm(q.normal - p.normal), 5e-6));
    }
  });
}

// Two cylinders that cross touch with their sides, also where rounding leans one to either end.
TEST(Collide, SidesThatCrossKeepTheirFeaturesWhenTheyRock) {
  const PlacedShape b = make(ShapeKind::cylinder, {rotation_x(std::numbers::pi / 2), {}});
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const double lean : {-1e-3, -1e-9, -1e-16, 0.0, 1e-16, 1e-9, 1e-3})
    for (const double turn : {-0.3, 0.0, 0.3}) {
      const Rotation<double> E = rotation_y(std::numbers::pi / 2 + lean) * rotation_z(turn);
      const auto points = touch(make(ShapeKind::cylinder, {E, {0.01, 0.02, 0.4}}), b, 0.01);
      ASSERT_EQ(points.size(), 1u);
      seen.emplace(points[0].feature_a, points[0].feature_b);
    }
  EXPECT_EQ(seen.size(), 1u);
}

TEST(Collide, NumbersOfFeaturesAreUniqueAndSmall) {
  for_pairs(20, [](const PlacedShape& a, const PlacedShape& b, Random&) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    for (const TouchPoint& p : touch(a, b, 0.3)) {
      EXPECT_TRUE(seen.emplace(p.feature_a, p.feature_b).second);
      EXPECT_LT(std::max(p.feature_a, p.feature_b), 64u);
    }
  });
}

// What stands or lies on something flat -----------------------------------------------------------------------------

TEST(Collide, ABoxOnAPlaneHasItsCorners) {
  const PlacedShape plane = make(ShapeKind::plane);
  PlacedShape box = make(ShapeKind::box, at(1, 2, 0.4 + 1e-3));
  const auto flat = touch(box, plane, 0.01);
  ASSERT_EQ(flat.size(), 4u);
  for (const TouchPoint& p : flat) {
    EXPECT_NEAR(p.gap, 1e-3, 1e-15);
    EXPECT_NEAR(std::abs(p.point.x - 1), 0.3, 1e-15);
    EXPECT_NEAR(std::abs(p.point.y - 2), 0.2, 1e-15);
    EXPECT_NEAR(p.point.z, 0.5e-3, 1e-15);
  }
  // On an edge, then on a corner.
  box.X = {rotation_y(0.5), {0, 0, 0.3 * std::sin(0.5) + 0.4 * std::cos(0.5)}};
  EXPECT_EQ(touch(box, plane, 1e-9).size(), 2u);
  box.X.E = rotation_x(0.5) * rotation_y(0.5);
  box.X.r.z = -dot(V{0, 0, 1}, support(make(ShapeKind::box, {box.X.E, {}}), {0, 0, -1}));
  EXPECT_EQ(touch(box, plane, 1e-9).size(), 1u);
}

TEST(Collide, ACylinderOnAPlane) {
  const PlacedShape plane = make(ShapeKind::plane);
  EXPECT_EQ(touch(make(ShapeKind::cylinder, at(0, 0, 0.3)), plane, 1e-9).size(), 8u);
  EXPECT_EQ(touch(make(ShapeKind::cylinder, {rotation_y(std::numbers::pi / 2), {0, 0, 0.2}}), plane, 1e-9).size(), 2u);
  // Tilted a little: the lowest point of the rim is one of them.
  const double tilt = 1e-3;
  const PlacedShape tilted = make(ShapeKind::cylinder, {rotation_z(0.2) * rotation_y(tilt), {0, 0, 0.3}});
  const auto points = touch(tilted, plane, 0.01);
  EXPECT_EQ(points.size(), 9u);
  EXPECT_NEAR(deepest(points).gap, 0.3 - 0.3 * std::cos(tilt) - 0.2 * std::sin(tilt), 1e-15);
}

// Its lowest point would run along the rim while a tilt of next to nothing changes: the points fixed on it are enough.
TEST(Collide, ACylinderThatStandsNearlyFlatHasTheFixedPointsOfItsRim) {
  PlacedShape box = make(ShapeKind::box, at(0, 0, -1)),
              below = make(ShapeKind::cylinder, {rotation_z(0.1), {0, 0, -1}});
  box.size = {1, 1, 1}, below.size = {1, 1, 0};
  for (const PlacedShape& b : {make(ShapeKind::plane), box, below})
    for (const double tilt : {0.0, 1e-9, 1e-6, 9e-5, 2e-4})
      for (const double direction : {0.2, 0.39, 2.0}) {
        SCOPED_TRACE(std::string(to_string(b.kind)) + " tilt " + std::to_string(tilt));
        const PlacedShape a = make(ShapeKind::cylinder, {rotation_y(tilt) * rotation_z(direction), {0, 0, 0.3}});
        const auto points = touch(a, b, 0.01);
        EXPECT_TRUE(tilt > 1e-4 || points.size() == 8u);
        const double lowest = 0.3 - 0.3 * std::cos(tilt) - 0.2 * std::sin(tilt), high = deepest(points).gap - lowest;
        EXPECT_GE(high, -1e-15);
        EXPECT_LE(high, tilt > 1e-4 ? 1e-15 : 0.0762 * 0.2 * tilt + 1e-15);
      }
}

// A box of 2 x 2 x 2 below z = 0, turned about z so that nothing lines up by chance.
PlacedShape table() {
  PlacedShape s = make(ShapeKind::box, {rotation_z(0.3), {0, 0, -1}});
  s.size = {1, 1, 1};
  return s;
}

TEST(Collide, WhatStandsOnABoxHasAllItsPointsAndExactGaps) {
  Polytope cube = make_polytope(cube_mesh(0.1));
  EXPECT_EQ(cube.faces.size(), 6u);
  PlacedShape mesh = make(ShapeKind::mesh);
  mesh.polytope = &cube, mesh.size = {.1, .1, .1};
  struct Case {
    PlacedShape shape;
    double height;
    std::size_t points;
  };
  const PlacedShape lying_capsule = make(ShapeKind::capsule, {rotation_y(std::numbers::pi / 2), {}});
  const PlacedShape lying_cylinder = make(ShapeKind::cylinder, {rotation_y(std::numbers::pi / 2), {}});
  const Case cases[] = {{make(ShapeKind::sphere), 0.3, 1},    {make(ShapeKind::box), 0.4, 4},
                        {make(ShapeKind::capsule), 0.5, 1},   {lying_capsule, 0.2, 2},
                        {make(ShapeKind::cylinder), 0.3, 8},  {lying_cylinder, 0.2, 2},
                        {make(ShapeKind::ellipsoid), 0.4, 1}, {mesh, 0.1, 4}};
  for (const Case& c : cases)
    for (const double gap : {-1e-3, -1e-6, -1e-9, -1e-12, 0.0, 1e-12, 1e-9, 1e-6, 1e-3})
      for_seeds(4, [&](Random& rng) {
        SCOPED_TRACE(std::string(to_string(c.shape.kind)) + " at " + std::to_string(gap));
        PlacedShape a = c.shape, b = table();
        a.X.E = a.X.E * rotation_z(rng.uniform(-3, 3));
        a.X.r = {rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), c.height + gap};
        const Transform<double> tilted = random_transform(rng);
        a.X = a.X * tilted, b.X = b.X * tilted;
        const V up = apply_inverse(tilted.E, V{0, 0, 1});
        const auto points = touch(a, b, 2e-3);
        EXPECT_EQ(points.size(), c.points);
        for (const TouchPoint& p : points) {
          EXPECT_NEAR(p.gap, gap, 1e-14);
          EXPECT_TRUE(near(p.normal, up, 10));
        }
      });
}

TEST(Collide, ABoxOnABoxTouchesOverTheFaceTheyShare) {
  PlacedShape top = make(ShapeKind::box, at(0.9, 0, 0.4));
  PlacedShape below = make(ShapeKind::box, at(0, 0, -1));
  below.size = {1, 1, 1};
  const auto points = touch(top, below, 1e-6);  // x from 0.6 to 1.2, cut at 1
  ASSERT_EQ(points.size(), 4u);
  double low = INFINITY, high = -INFINITY;
  for (const TouchPoint& p : points) low = std::min(low, p.point.x), high = std::max(high, p.point.x);
  EXPECT_NEAR(low, 0.6, 1e-15);
  EXPECT_NEAR(high, 1, 1e-15);
  // Turned by 45 degrees, and of one size: an octagon.
  top.size = below.size = {1, 1, 1};
  top.X = {rotation_z(std::numbers::pi / 4), {0, 0, 1}};
  const auto octagon = touch(top, below, 1e-6);
  ASSERT_EQ(octagon.size(), 8u);
  for (const TouchPoint& p : octagon)
    EXPECT_NEAR(std::hypot(p.point.x, p.point.y), 1 / std::cos(std::numbers::pi / 8), 1e-14);
  // Exactly one on the other: four corners, whatever rounding says about the sides.
  top.X = {rotation_z(std::numbers::pi / 2), {0, 0, 1}};
  EXPECT_EQ(touch(top, below, 1e-6).size(), 4u);
}

TEST(Collide, CrossedEdgesTouchInOnePoint) {
  PlacedShape a = make(ShapeKind::box, {rotation_x(std::numbers::pi / 4), {}});
  PlacedShape b = make(ShapeKind::box, {rotation_y(std::numbers::pi / 4), {}});
  a.size = b.size = {0.5, 0.5, 0.5};
  a.X.r.z = 2 * std::numbers::sqrt2 / 2 * 0.5 * 2 - 0.001;  // two half diagonals
  const auto points = touch(a, b, 1e-9);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points[0].gap, -0.001, 1e-15);
  EXPECT_TRUE(near(points[0].normal, V{0, 0, 1}, 10));
}

// A box with its edge over the face of another: the edge and one of the face are parallel but for a little, and the
// square to both is the normal of the face.
TEST(Collide, NearlyParallelEdgesHaveUnitNormals) {
  Random rng(3);
  const PlacedShape below = make(ShapeKind::box);
  for (int i = 0; i < 1000; ++i) {
    const double turn = std::pow(10, rng.uniform(-6, -4));
    const double lean = rng.uniform(0.2, 1.2), height = 0.3 * std::sin(lean) + 0.4 * std::cos(lean);
    const PlacedShape box = make(ShapeKind::box, {rotation_y(lean) * rotation_z(turn), {0, 0, 0.4 + height + 1e-3}});
    for (const TouchPoint& p : touch(box, below, 1e-2)) ASSERT_NEAR(norm(p.normal), 1, 1e-14) << "turn " << turn;
  }
}

TEST(Collide, ContactsKeepTheirNumbersWhileAShapeMovesALittle) {
  for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder, ShapeKind::mesh, ShapeKind::capsule}) {
    for_seeds(10, [&](Random& rng) {
      PlacedShape a = make(kind), b = table();
      const double lowest = -support(a, {0, 0, -1}).z;
      a.X = {rotation_z(rng.uniform(-3, 3)), {rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), lowest}};
      const auto before = touch(a, b, 1e-3);
      a.X.E = to_rotation(normalized(Quaternion<double>{1, 1e-6 * rng.normal(), 1e-6 * rng.normal(), 1e-5})) * a.X.E;
      a.X.r += 1e-6 * random_unit(rng);
      const auto after = touch(a, b, 1e-3);
      for (const TouchPoint& p : before) {
        const auto same = std::find_if(after.begin(), after.end(), [&](const TouchPoint& q) {
          return q.feature_a == p.feature_a && q.feature_b == p.feature_b;
        });
        ASSERT_NE(same, after.end());
        EXPECT_TRUE(is_small(norm(same->point - p.point), 1e-5));
        EXPECT_TRUE(is_small(norm(same->normal - p.normal), 2e-14));
      }
    });
  }
}

TEST(Collide, AllocatesNothingOnceThereIsRoom) {
  std::vector<TouchPoint> out;
  out.reserve(64);
  long count = 0;
  for_pairs(3, [&](const PlacedShape& a, const PlacedShape& b, Random&) {
    out.clear();
    const AllocationCount allocations;
    collide(a, b, 0.1, out);
    count += allocations.count();
  });
  EXPECT_EQ(count, 0);
}

TEST(Collide, TwoPlanesAreRefused) {
  std::vector<TouchPoint> out;
  EXPECT_THROW(collide(make(ShapeKind::plane), make(ShapeKind::plane), 0, out), std::invalid_argument);
}

}  // namespace sinew::test
