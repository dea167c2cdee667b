// tests/contact/contact_meshes_test.cpp - hulls, surfaces of triangles and heightfields in contact
#include <algorithm>
#include <numbers>

#include "sinew/contact/contact_shapes.hpp"
#include "sinew/contact/polytope.hpp"
#include "sinew/contact/triangle_surface.hpp"
#include "sinew/model/builder.hpp"
#include "support/cube_mesh.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/touch.hpp"

namespace sinew::test {
namespace {

using V = Vec3<double>;

// n x n cells over [-1, 1]^2 at the given heights.
template <class Height>
TriangleMesh sheet(int n, Height height) {
  TriangleMesh m;
  for (int r = 0; r <= n; ++r)
    for (int c = 0; c <= n; ++c) {
      const double x = 2.0 * c / n - 1, y = 2.0 * r / n - 1;
      m.vertices.push_back({x, y, height(x, y)});
    }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const int i = r * (n + 1) + c, up = i + n + 1;
      m.triangles.push_back({i, i + 1, up + 1});
      m.triangles.push_back({i, up + 1, up});
    }
  return m;
}
PlacedShape placed(const TriangleSurface& s) { return {ShapeKind::mesh, {}, {1, 1, 1}, nullptr, &s}; }
double least(const std::vector<TouchPoint>& points) {
  double out = INFINITY;
  for (const TouchPoint& p : points) out = std::min(out, p.gap);
  return out;
}

}  // namespace

TEST(Polytope, FacesOfAHullAreWhole) {
  const Polytope cube = make_polytope(cube_mesh(0.5));
  EXPECT_EQ(cube.vertices.size(), 8u);
  ASSERT_EQ(cube.faces.size(), 6u);
  for (const Polytope::Face& f : cube.faces) EXPECT_EQ(f.count, 4);
  EXPECT_EQ(*std::max_element(cube.edges.begin(), cube.edges.end()), 11);
  // A prism over a polygon of 12 corners, with points in the middle of its caps that are no corners.
  std::vector<V> points{{0, 0, 0.2}, {0, 0, -0.2}};
  for (int i = 0; i < 12; ++i)
    for (const double z : {-0.2, 0.2})
      points.push_back({std::cos(i * std::numbers::pi / 6), std::sin(i * std::numbers::pi / 6), z});
  const Polytope prism = make_polytope(convex_hull(points).value());
  EXPECT_EQ(prism.vertices.size(), 24u);
  EXPECT_EQ(prism.faces.size(), 14u);
}

TEST(Polytope, SupportByClimbingIsTheFarthestVertex) {
  Random rng(3);
  std::vector<V> points;
  for (int i = 0; i < 500; ++i) points.push_back(random_unit(rng));
  const Polytope ball = make_polytope(convex_hull(points).value());
  ASSERT_EQ(ball.vertices.size(), 500u);
  for_seeds(200, [&](Random& r) {
    const V d = random_unit(r);
    const auto far = std::max_element(ball.vertices.begin(), ball.vertices.end(),
                                      [&](const V& a, const V& b) { return dot(a, d) < dot(b, d); });
    EXPECT_EQ(ball.find_support(d), far - ball.vertices.begin());
  });
}

TEST(Polytope, AFaceOnAPlaneHasItsCornersAndADiscConverges) {
  const PlacedShape plane{ShapeKind::plane, {}, {}, nullptr, nullptr};
  double missing[2] = {};  // of the disc's radius, in the direction of least support
  for (const int n : {5, 8, 12, 16}) {
    std::vector<V> points;
    for (int i = 0; i < n; ++i)
      for (const double z : {-0.1, 0.1})
        points.push_back({std::cos(2 * std::numbers::pi * i / n), std::sin(2 * std::numbers::pi * i / n), z});
    const Polytope prism = make_polytope(convex_hull(points).value());
    const PlacedShape a{ShapeKind::mesh, shift_frame(V{0, 0, 0.1}), {1, 1, 0.1}, &prism, nullptr};
    const auto touching = touch(a, plane, 1e-9);
    EXPECT_EQ(touching.size(), static_cast<std::size_t>(n));
    // Between two corners the support reaches to the middle of an edge, cos(pi / n).
    double support = -1;
    const double between = std::numbers::pi / n;
    for (const TouchPoint& p : touching)
      support = std::max(support, p.point.x * std::cos(between) + p.point.y * std::sin(between));
    EXPECT_NEAR(support, std::cos(between), 1e-15);
    if (n == 8) missing[0] = 1 - support;
    if (n == 16) missing[1] = 1 - support;
  }
  EXPECT_NEAR(std::log2(missing[0] / missing[1]), 2, 0.02);  // of second order in 1 / n
}

TEST(TriangleSurface, ABallDoesNotFeelTheEdgesOfAFlatSheet) {
  const TriangleSurface flat(sheet(10, [](double, double) { return 0.0; }));
  const PlacedShape floor = placed(flat);
  for_seeds(200, [&](Random& rng) {
    PlacedShape ball{ShapeKind::sphere, {}, {0.3, 0, 0}, nullptr, nullptr};
    // Also exactly over an edge or a corner.
    const double x = rng.uniform(-0.6, 0.6), y = rng.uniform(-0.6, 0.6), z = 0.3 + rng.uniform(-0.02, 0.02);
    ball.X.r = {std::round(5 * x) / 5, rng.uniform(0, 1) < 0.5 ? y : std::round(5 * y) / 5, z};
    if (rng.uniform(0, 1) < 0.5) ball.X.r.x = x;
    const auto points = touch(ball, floor, 0.05);
    ASSERT_EQ(points.size(), 1u) << ball.X.r.x << " " << ball.X.r.y;
    EXPECT_NEAR(points[0].gap, z - 0.3, 1e-15);
    EXPECT_TRUE(near(points[0].normal, V{0, 0, 1}, 4));
  });
}

TEST(TriangleSurface, ABoxOnAFlatSheetHasItsCornersAndLittleElse) {
  const TriangleSurface flat(sheet(10, [](double, double) { return 0.0; }));
  for_seeds(50, [&](Random& rng) {
    const double gap = rng.uniform(-1e-3, 1e-3);
    PlacedShape box{
        ShapeKind::box, {rotation_z(rng.uniform(-3, 3)), {0.1, 0.05, 0.2 + gap}}, {0.3, 0.25, 0.2}, nullptr, nullptr};
    const auto points = touch(box, placed(flat), 5e-3);
    EXPECT_LE(points.size(), 16u);
    for (const double sx : {-0.3, 0.3})
      for (const double sy : {-0.25, 0.25}) {
        const V corner = apply_inverse_to_point(box.X, V{sx, sy, -0.2});
        EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const TouchPoint& p) {
          return norm(p.point - V{corner.x, corner.y, gap / 2}) < 1e-9;
        }));
      }
    for (const TouchPoint& p : points) {
      EXPECT_NEAR(p.gap, gap, 2e-14);
      EXPECT_TRUE(near(p.normal, V{0, 0, 1}, 4));
    }
  });
}

namespace {

constexpr double kReach = 0.1;

// As far apart; where they overlap a little, pushed out at least as much.
void expect_same_distance(const std::vector<TouchPoint>& of_surface, const std::vector<TouchPoint>& of_solid,
                          double deep) {
  const double expected = least(of_solid), found = least(of_surface);
  if (expected > 1e-9) {
    EXPECT_EQ(std::isinf(expected), std::isinf(found));
    if (expected < kReach) {
      EXPECT_NEAR(found, expected, 2e-14);
    }
  } else if (expected > -deep) {
    EXPECT_LE(found, expected + 1e-9);
  }
}
// Something of that kind anywhere near: touched by a surface as by the solid that it bounds.
void expect_surface_like_solid(ShapeKind kind, const Polytope& pebble, const TriangleSurface& surface,
                               const PlacedShape& solid, double nearest, double farthest, Random& rng) {
  SCOPED_TRACE(to_string(kind));
  PlacedShape a{kind, random_transform(rng), {0.2, 0.3, 0.25}, nullptr, nullptr};
  if (kind == ShapeKind::mesh) a.polytope = &pebble;
  const double far = rng.uniform(nearest, farthest);
  a.X.r = far * random_unit(rng);
  expect_same_distance(touch(a, placed(surface), kReach), touch(a, solid, kReach), 0.02);
}
std::vector<V> points_of_ellipsoid(Random& rng, int count, const V& radii) {
  std::vector<V> out;
  for (int i = 0; i < count; ++i) {
    const V u = random_unit(rng);
    out.push_back({radii.x * u.x, radii.y * u.y, radii.z * u.z});
  }
  return out;
}

}  // namespace

TEST(TriangleSurface, AClosedConvexOneTouchesAsItsHullDoes) {
  const TriangleSurface cube(cube_mesh(0.5));
  const PlacedShape box{ShapeKind::box, {}, {0.5, 0.5, 0.5}, nullptr, nullptr};
  Random pebbles(5);
  const Polytope pebble = make_polytope(convex_hull(points_of_ellipsoid(pebbles, 30, {0.2, 0.3, 0.25})).value());
  for (const ShapeKind kind : kSolids)
    for_seeds(2000, [&](Random& rng) { expect_surface_like_solid(kind, pebble, cube, box, 0.4, 1.2, rng); });
}

// Edges and corners sharper and blunter than a cube's, facets smaller than what touches them.
TEST(TriangleSurface, AnyHullTouchesAsASolidDoes) {
  for (const int corners : {4, 6, 12, 40})
    for_seeds(25, [&](Random& rng) {
      SCOPED_TRACE(testing::Message() << corners << " corners");
      const TriangleMesh mesh = convex_hull(points_of_ellipsoid(rng, corners, {0.5, 0.6, 0.4})).value();
      const TriangleSurface surface(mesh);
      const Polytope hull = make_polytope(mesh);
      const Polytope pebble = make_polytope(convex_hull(points_of_ellipsoid(rng, 12, {0.2, 0.3, 0.25})).value());
      const PlacedShape solid{ShapeKind::mesh, {}, {0.5, 0.6, 0.4}, &hull, nullptr};
      for (const ShapeKind kind : kSolids)
        for (int i = 0; i < 12; ++i) expect_surface_like_solid(kind, pebble, surface, solid, 0.3, 0.9, rng);
    });
}

// Deeper than its triangles are wide: the way past a triangle into the next is no way out.
TEST(TriangleSurface, ASolidDeepInAFineSheetIsPushedStraightUp) {
  const TriangleSurface fine(sheet(50, [](double, double) { return 0.0; }));
  for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder, ShapeKind::ellipsoid})
    for_seeds(50, [&](Random& rng) {
      SCOPED_TRACE(to_string(kind));
      PlacedShape a{kind, random_transform(rng), {0.2, 0.3, 0.25}, nullptr, nullptr};
      const double x = rng.uniform(-0.4, 0.4), depth = rng.uniform(0.06, 0.1);
      a.X.r = {x, rng.uniform(-0.4, 0.4), 0};
      const PlacedShape ground{ShapeKind::plane, {}, {}, nullptr, nullptr};
      a.X.r.z = -least(touch(a, ground, 1)) - depth;
      const auto points = touch(a, placed(fine), 0);
      EXPECT_NEAR(least(points), -depth, 2e-14);
      for (const TouchPoint& p : points) EXPECT_TRUE(near(p.normal, V{0, 0, 1}, 10));
    });
}

TEST(TriangleSurface, StandsOnABoxAsItsHullDoes) {
  const TriangleSurface surface(cube_mesh(0.5));
  for (const double gap : {-1e-3, -1e-6, -1e-9, 0.0, 1e-9, 1e-3}) {
    PlacedShape cube = placed(surface);
    cube.X = {rotation_z(0.3), {0.1, 0.2, 0.5 + gap}};
    const PlacedShape table{ShapeKind::box, shift_frame(V{0, 0, -1}), {2, 2, 1}, nullptr, nullptr};
    const auto points = touch(cube, table, 2e-3);
    EXPECT_GE(points.size(), 4u);
    for (const TouchPoint& p : points) {
      EXPECT_NEAR(p.gap, gap, 2e-14);
      EXPECT_TRUE(near(p.normal, V{0, 0, 1}, 10));
    }
  }
}

TEST(TriangleSurface, ABallInAHollowTouchesBothSides) {
  const TriangleSurface valley(sheet(2, [](double x, double) { return std::abs(x); }));
  const double r = 0.2;
  const PlacedShape ball{
      ShapeKind::sphere, shift_frame(V{0, 0.3, r * std::numbers::sqrt2}), {r, 0, 0}, nullptr, nullptr};
  const auto points = touch(ball, placed(valley), 1e-6);
  ASSERT_EQ(points.size(), 2u);
  for (const TouchPoint& p : points) {
    EXPECT_NEAR(p.gap, 0, 1e-14);
    EXPECT_NEAR(p.normal.z, 1 / std::numbers::sqrt2, 1e-14);
  }
}

TEST(TriangleSurface, ABoxOnAPeakIsPushedStraightUp) {
  const TriangleSurface peak(sheet(2, [](double x, double y) { return -2 * (std::abs(x) + std::abs(y)); }));
  for (const double gap : {-1e-9, 0.0, 1e-3}) {
    const PlacedShape box{
        ShapeKind::box, {rotation_z(0.3), {0.05, 0.02, 0.2 + gap}}, {0.3, 0.25, 0.2}, nullptr, nullptr};
    const auto points = touch(box, placed(peak), 5e-3);
    ASSERT_FALSE(points.empty());
    for (const TouchPoint& p : points) {
      EXPECT_NEAR(p.gap, gap, 2e-14);
      EXPECT_TRUE(near(p.normal, V{0, 0, 1}, 10));
      EXPECT_TRUE(is_small(norm(p.point), 1e-2));
    }
  }
}

TEST(TriangleSurface, ARodUnderATableDoesNotTouchItsTop) {
  const TriangleSurface table(cube_mesh(0.5));  // from -0.5 to 0.5
  // Leaning: below the cube on one side, above its top far away on the other.
  const V along{std::cos(0.5), 0, std::sin(0.5)};
  PlacedShape rod{ShapeKind::capsule, {rotation_y(std::numbers::pi / 2 - 0.5), {}}, {0.02, 3, 0}, nullptr, nullptr};
  ASSERT_TRUE(near(apply_inverse(rod.X.E, V{0, 0, 1}), along, 10));
  rod.X.r = {0.8, 0, -0.6};
  EXPECT_TRUE(touch(rod, placed(table), 0.01).empty());
}

// Closed, not convex: an L-shaped prism would do; here a cube with a pit of half its depth in the upper side.
TriangleMesh cube_with_pit() {
  const TriangleMesh flat = sheet(4, [](double, double) { return 0.0; });
  TriangleMesh m;
  for (const double side : {1.0, -1.0})
    for (const V& v : flat.vertices) {
      const bool pit = side > 0 && std::abs(v.x) < 0.3 && std::abs(v.y) < 0.3;
      m.vertices.push_back({v.x, v.y, pit ? 0.5 : side});
    }
  const int n = static_cast<int>(flat.vertices.size());
  for (const auto& t : flat.triangles) {
    m.triangles.push_back(t);
    m.triangles.push_back({t[0] + n, t[2] + n, t[1] + n});
  }
  for (int i = 0; i < 4; ++i) {  // walls
    const auto corner = [&](int k, bool top) {
      const int at[4][2] = {{k, 0}, {4, k}, {4 - k, 4}, {0, 4 - k}};
      return at[i][1] * 5 + at[i][0] + (top ? 0 : n);
    };
    for (int k = 0; k < 4; ++k) {
      m.triangles.push_back({corner(k, false), corner(k + 1, false), corner(k + 1, true)});
      m.triangles.push_back({corner(k, false), corner(k + 1, true), corner(k, true)});
    }
  }
  return m;
}

TEST(TriangleSurface, OneStandsOnAnother) {
  const TriangleSurface surface(cube_with_pit());
  for (const auto& f : surface.facets())
    for (const int g : f.across) ASSERT_GE(g, 0);
  // Upright on a flat sheet, and upside down: the rim around the pit, not the pit.
  const TriangleSurface flat(sheet(3, [](double, double) { return 0.0; }));
  for (const double gap : {-1e-9, 0.0, 1e-3})
    for (const double turn : {0.0, std::numbers::pi}) {
      PlacedShape a = placed(surface);
      a.X = {rotation_x(turn), {0.03, 0.02, 1 + gap}};
      const PlacedShape floor{ShapeKind::mesh, {}, {4, 4, 1}, nullptr, &flat};
      SCOPED_TRACE(testing::Message() << "gap " << gap << ", turned by " << turn);
      const auto points = touch(a, floor, 2e-3);
      ASSERT_GE(points.size(), 4u);
      double low = INFINITY, high = -INFINITY;
      for (const TouchPoint& p : points) {
        EXPECT_NEAR(p.gap, gap, 2e-14);
        EXPECT_TRUE(near(p.normal, V{0, 0, 1}, 10));
        low = std::min(low, p.point.x), high = std::max(high, p.point.x);
      }
      EXPECT_NEAR(low, -0.97, 2e-14);
      EXPECT_NEAR(high, 1, 2e-14);  // where the sheet ends
    }
  // A cube over the pit, level with the rim, touches nothing; lower it meets the slopes.
  const TriangleSurface cube(cube_mesh(0.2));
  PlacedShape inside = placed(cube);
  const PlacedShape pit = placed(surface);
  inside.X.r = {0, 0, 1.2};
  EXPECT_TRUE(touch(inside, pit, 0.02).empty());
  inside.X.r.z = 0.9 - 1e-4;
  EXPECT_FALSE(touch(inside, pit, 0).empty());
}

TEST(TriangleSurface, TwoOfThemMeetAsTheirHullsDoIfConvex) {
  constexpr double kDeep = 5e-4;  // edges that cross deeper than a thousandth of the facets are not told from others
  for_seeds(100, [&](Random& rng) {
    const int corners = 4 + static_cast<int>(rng.uniform(0, 6));
    const bool cubes = rng.uniform(0, 1) < 0.5;
    const auto make = [&] {
      return cubes ? cube_mesh(0.5) : convex_hull(points_of_ellipsoid(rng, corners, {0.5, 0.6, 0.4})).value();
    };
    const TriangleMesh mesh_a = make(), mesh_b = make();
    const TriangleSurface surface_a(mesh_a), surface_b(mesh_b);
    const Polytope hull_a = make_polytope(mesh_a), hull_b = make_polytope(mesh_b);
    for (int i = 0; i < 20; ++i) {
      PlacedShape a = placed(surface_a), b = placed(surface_b);
      a.X = random_transform(rng);
      const double far = rng.uniform(0.6, 1.5);
      a.X.r = far * random_unit(rng);
      const PlacedShape solid_a{ShapeKind::mesh, a.X, {0.5, 0.6, 0.5}, &hull_a, nullptr};
      const PlacedShape solid_b{ShapeKind::mesh, b.X, {0.5, 0.6, 0.5}, &hull_b, nullptr};
      expect_same_distance(touch(a, b, kReach), touch(solid_a, solid_b, kReach), kDeep);
    }
  });
}

TEST(TriangleSurface, NothingIsAllocatedOnceThereIsRoom) {
  const TriangleSurface flat(sheet(20, [](double x, double y) { return 0.1 * x * y; }));
  std::vector<TouchPoint> out;
  const PlacedShape box{ShapeKind::box, shift_frame(V{0, 0, 0.1}), {0.3, 0.25, 0.1}, nullptr, nullptr};
  collide(box, placed(flat), 0.1, out);
  out.clear();
  const AllocationCount allocations;
  collide(box, placed(flat), 0.1, out);
  EXPECT_EQ(allocations.count(), 0);
}

// Through a model ---------------------------------------------------------------------------------------------------

namespace {

ModelSpec ball_and_mesh(const TriangleMesh& mesh, bool hull) {
  ModelBuilder b("ball and mesh");
  b.body("ball").mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
  b.spec().shapes.back().name = "ball";
  b.free("flies", "world", "ball");
  MeshSpec m;
  m.name = "thing", m.vertices = mesh.vertices, m.triangles = mesh.triangles;
  b.spec().meshes.push_back(m);
  ShapeSpec s;
  s.name = "thing", s.body = "world", s.kind = ShapeKind::mesh, s.asset = "thing", s.hull = hull;
  b.spec().shapes.push_back(s);
  return std::move(b.spec());
}
// Two cubes apart, in one mesh.
TriangleMesh two_cubes() {
  TriangleMesh out = cube_mesh(0.5), other = out;
  const int n = static_cast<int>(out.vertices.size());
  for (V& v : out.vertices) v.x -= 1;
  for (V v : other.vertices) v.x += 1, out.vertices.push_back(v);
  for (const auto& t : other.triangles) out.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  return out;
}
std::vector<ContactPoint> find_contacts_at(const Model& m, const V& at, double reach) {
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  q[4] = at.x, q[5] = at.y, q[6] = at.z;
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  std::vector<ContactPoint> out;
  ContactShapes(m).find(ws, reach, out);
  return out;
}

}  // namespace

TEST(ContactMeshes, AHullThatIsNotTheMeshIsRemarkedOn) {
  const Model convex = compile(ball_and_mesh(cube_mesh(0.5), true)).value();
  EXPECT_TRUE(ContactShapes(convex).remarks().empty());
  const Model hull = compile(ball_and_mesh(two_cubes(), true)).value();
  const auto remarks = ContactShapes(hull).remarks();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(
      remarks[0],
      "mesh 'thing' touches with the convex hull of mesh 'thing', which is not convex: it fills 67 % of its hull");
  EXPECT_EQ(find_contacts_at(hull, {0, 0, 0.6}, 1e-6).size(), 1u);  // over the space between the cubes
  const Model whole = compile(ball_and_mesh(two_cubes(), false)).value();
  EXPECT_TRUE(ContactShapes(whole).remarks().empty());
  EXPECT_TRUE(find_contacts_at(whole, {0, 0, 0.6}, 1e-6).empty());
  const auto on_top = find_contacts_at(whole, {1, 0.1, 0.6}, 1e-6);
  ASSERT_EQ(on_top.size(), 1u);
  EXPECT_NEAR(on_top[0].gap, 0, 1e-15);
}

TEST(ContactMeshes, AFlatMeshHasNoHullAndTouchesAsItIs) {
  const TriangleMesh flat{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  const Model m = compile(ball_and_mesh(flat, true)).value();
  const auto remarks = ContactShapes(m).remarks();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0], "mesh 'thing': mesh 'thing' is flat, has no hull and touches as it is");
  EXPECT_EQ(find_contacts_at(m, {0.3, 0.1, 0.1}, 1e-6).size(), 1u);
  EXPECT_THROW(ContactShapes(compile(ball_and_mesh({flat.vertices, {}}, true)).value()), std::invalid_argument);
}

TEST(ContactMeshes, AMeshThatHasNotBeenReadIsRefused) {
  const Model m = compile(ball_and_mesh({}, true)).value();
  try {
    ContactShapes shapes(m);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("mesh 'thing' has not been read"), std::string::npos) << e.what();
  }
}

TEST(ContactMeshes, ABallOnAHeightfield) {
  ModelSpec spec = ball_and_mesh(cube_mesh(0.5), true);
  spec.shapes[1].kind = ShapeKind::heightfield, spec.shapes[1].asset = "hills";
  HeightfieldSpec h;
  h.name = "hills", h.rows = 11, h.cols = 21, h.size = {2, 1, 0.5, 0.1};
  for (int r = 0; r < h.rows; ++r)
    for (int c = 0; c < h.cols; ++c) h.elevation.push_back(c / 20.0);  // a ramp, 0.5 up over 4
  spec.heightfields.push_back(h);
  const Model m = compile(spec).value();
  const double length = std::hypot(4, 0.5);
  const V normal{-0.5 / length, 0, 4 / length};
  for_seeds(30, [&](Random& rng) {
    const double x = rng.uniform(-1.5, 1.5), y = rng.uniform(-0.8, 0.8), gap = rng.uniform(-0.01, 0.01);
    const auto found = find_contacts_at(m, V{x, y, 0.5 * (x + 2) / 4} + (0.1 + gap) * normal, 0.02);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].gap, gap, 1e-14);
    EXPECT_TRUE(near(found[0].normal, normal, 10));
  });
}

}  // namespace sinew::test
