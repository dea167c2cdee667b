// tests/sim/shapes_test.cpp - what stands, stays; what slides and rolls does so on every kind of ground
#include <numbers>

#include "sinew/model/builder.hpp"
#include "sinew/model/triangle_mesh.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/ball_world.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

enum class Ground { plane, box, mesh, heightfield };
constexpr Ground kGrounds[] = {Ground::plane, Ground::box, Ground::mesh, Ground::heightfield};

// A body of 1 kg with one shape, free above a ground whose upper side is z = 0.
ModelSpec scene(ShapeSpec shape, Ground ground, double friction) {
  ModelBuilder b("scene");
  b.gravity({0, 0, -kGravity});
  b.body("thing").mass(solid_sphere(1, 0.1), {});
  b.free("moves", "world", "thing");
  ModelSpec spec = b.spec();
  shape.name = "thing", shape.body = "thing";
  ShapeSpec below;
  below.name = "ground", below.body = "world";
  const int n = 6;
  HeightfieldSpec field;
  field.name = "flat", field.rows = field.cols = n + 1, field.size = {2, 2, 1, 0.1};
  field.elevation.assign(static_cast<std::size_t>((n + 1) * (n + 1)), 0.0);
  MeshSpec sheet;
  sheet.name = "sheet";
  for (int r = 0; r <= n; ++r)
    for (int c = 0; c <= n; ++c) sheet.vertices.push_back({4.0 * c / n - 2, 4.0 * r / n - 2, 0});
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const int i = r * (n + 1) + c, up = i + n + 1;
      sheet.triangles.push_back({i, i + 1, up + 1});
      sheet.triangles.push_back({i, up + 1, up});
    }
  MeshSpec cube;
  cube.name = "cube";
  for (int i = 0; i < 8; ++i) cube.vertices.push_back({i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1});
  const TriangleMesh hull = convex_hull(cube.vertices).value();
  cube.vertices = hull.vertices, cube.triangles = hull.triangles;
  switch (ground) {
    case Ground::plane: below.kind = ShapeKind::plane; break;
    case Ground::box: below.kind = ShapeKind::box, below.size = {2, 2, 1}, below.pose.r.z = -1; break;
    case Ground::mesh: below.kind = ShapeKind::mesh, below.asset = "sheet"; break;
    case Ground::heightfield: below.kind = ShapeKind::heightfield, below.asset = "flat"; break;
  }
  spec.meshes = {sheet, cube};
  spec.heightfields = {field};
  spec.shapes = {shape, below};
  for (ShapeSpec& s : spec.shapes) s.friction = friction;
  return spec;
}

ShapeSpec make(ShapeKind kind, bool lying = false) {
  ShapeSpec s;
  s.kind = kind;
  s.size = {0.1, 0.1, 0.1};
  if (kind == ShapeKind::mesh) s.asset = "cube", s.hull = true;
  if (lying) s.pose.E = rotation_y(std::numbers::pi / 2);
  return s;
}

Simulation& settle(Simulation& s, double height, double seconds) {
  s.state.q[6] = height;
  for (long i = 0; i < std::lround(seconds / 1e-3); ++i) s.step();
  EXPECT_EQ(s.totals().unsolved, 0);
  return s;
}

}  // namespace

TEST(ShapesInMotion, WhatStandsStays) {
  struct Case {
    ShapeSpec shape;
    std::size_t points;
  };
  const Case cases[] = {{make(ShapeKind::box), 4},           {make(ShapeKind::mesh), 4},
                        {make(ShapeKind::cylinder), 8},      {make(ShapeKind::cylinder, true), 2},
                        {make(ShapeKind::capsule, true), 2}, {make(ShapeKind::ellipsoid), 1},
                        {make(ShapeKind::sphere), 1}};
  for (const Ground ground : kGrounds)
    for (const Case& c : cases) {
      SCOPED_TRACE(testing::Message() << to_string(c.shape.kind) << " on ground " << static_cast<int>(ground));
      const Model m = compile(scene(c.shape, ground, 0.5)).value();
      const ConstraintSet set(m);
      Simulation s(m, set, {.dt = 1e-3});
      s.state.q[4] = 0.03, s.state.q[5] = 0.02;
      settle(s, 0.1 + 1e-4, 0.1);
      const std::vector<double> rest = s.state.q;
      EXPECT_NEAR(rest[6], 0.1, 2e-14);
      for (int i = 0; i < 200; ++i) s.step();
      EXPECT_GE(s.contacts().size(), c.points);
      for (std::size_t k = 0; k < rest.size(); ++k) EXPECT_NEAR(s.state.q[k], rest[k], 2e-14) << k;
      EXPECT_TRUE(is_small(s.totals().deepest, 2e-14));
    }
}

TEST(ShapesInMotion, ABoxSlidesToAStop) {
  for (const Ground ground : kGrounds) {
    SCOPED_TRACE(static_cast<int>(ground));
    const Model m = compile(scene(make(ShapeKind::box), ground, 0.3)).value();
    const ConstraintSet set(m);
    Simulation s(m, set, {.dt = 1e-3});
    s.state.q[6] = 0.1, s.state.q[4] = -0.5, s.state.v[3] = 1;
    for (int i = 0; i < 500; ++i) s.step();
    EXPECT_EQ(s.totals().unsolved, 0);
    EXPECT_NEAR(s.state.q[4] + 0.5, 1 / (2 * 0.3 * kGravity), 1e-3);
    EXPECT_NEAR(s.state.q[5], 0, 2e-14);
    EXPECT_NEAR(s.state.q[6], 0.1, 1e-12);
  }
}

TEST(ShapesInMotion, ABallRollsOverTrianglesWithoutABump) {
  for (const Ground ground : kGrounds) {
    SCOPED_TRACE(static_cast<int>(ground));
    const Model m = compile(scene(make(ShapeKind::sphere), ground, 0.5)).value();
    const ConstraintSet set(m);
    Simulation s(m, set, {.dt = 1e-3});
    s.state.q[6] = 0.1, s.state.q[4] = -1;
    s.state.v = {-3, 10, 0, 1, 0.3, 0};  // rolling: v = w x r
    for (int i = 0; i < 1000; ++i) {
      s.step();
      ASSERT_NEAR(s.state.q[6], 0.1, 2e-13) << i;
    }
    EXPECT_NEAR(s.state.q[4], 0, 1e-13);
    EXPECT_NEAR(s.state.q[5], 0.3, 4e-13);
  }
}

}  // namespace sinew::test
