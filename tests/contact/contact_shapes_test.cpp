// tests/contact/contact_shapes_test.cpp - which shapes touch, where, and which may not
#include "sinew/contact/contact_shapes.hpp"

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Free balls of radius 0.1, and a floor.
ModelSpec balls(int n) {
  ModelBuilder b("balls");
  for (int i = 1; i <= n; ++i) {
    const std::string name = "ball" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
    b.spec().shapes.back().name = name;
    b.free(name + " flies", "world", name);
  }
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  return std::move(b.spec());
}
std::vector<ContactPoint> find(const Model& m, const std::vector<double>& q, double reach) {
  ContactShapes shapes(m);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  std::vector<ContactPoint> out;
  shapes.find(ws, reach, out);
  return out;
}
void place(std::vector<double>& q, int ball, const Vec3<double>& at) {
  const auto i = static_cast<std::size_t>(7 * ball + 4);
  q[i] = at.x, q[i + 1] = at.y, q[i + 2] = at.z;
}

}  // namespace

TEST(ContactShapes, ASphereOnAPlaneAndOnASphere) {
  ModelSpec spec = balls(2);
  spec.shapes[0].friction = 0.3, spec.shapes[1].friction = 0.7, spec.shapes[2].friction = 0.5;
  spec.shapes[0].restitution = 0.9;
  const Model m = compile(spec).value();
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  place(q, 0, {1, 2, 0.1 + 1e-3});
  place(q, 1, {1, 2, 0.3});
  EXPECT_TRUE(find(m, q, -2e-3).empty());
  const std::vector<ContactPoint> c = find(m, q, 2e-3);
  ASSERT_EQ(c.size(), 2u);
  // ball against ball: overlaps by 1 mm, normal from the second to the first
  EXPECT_EQ(c[0].node_a, 1);
  EXPECT_EQ(c[0].node_b, 2);
  EXPECT_NEAR(c[0].gap, -1e-3, 1e-15);
  EXPECT_TRUE(near(c[0].normal, Vec3<double>{0, 0, -1}, 10));
  EXPECT_TRUE(near(c[0].point, Vec3<double>{1, 2, 0.2005}, 10));
  EXPECT_EQ(c[0].friction, 0.7);
  EXPECT_EQ(c[0].restitution, 0.9);
  // ball on floor
  EXPECT_EQ(c[1].node_a, 1);
  EXPECT_EQ(c[1].node_b, 0);
  EXPECT_NEAR(c[1].gap, 1e-3, 1e-15);
  EXPECT_TRUE(near(c[1].normal, Vec3<double>{0, 0, 1}, 10));
  EXPECT_TRUE(near(c[1].point, Vec3<double>{1, 2, 0.0005}, 10, 1));
  EXPECT_EQ(c[1].friction, 0.5);
  EXPECT_EQ(ContactShapes(m).pair_name(c[1]), "sphere 'ball1' on plane 'floor'");
}

TEST(ContactShapes, FiltersOfTheModel) {
  const auto count = [](const ModelSpec& spec) { return ContactShapes(compile(spec).value()).pairs(); };
  EXPECT_EQ(count(balls(3)), 6);
  ModelSpec spec = balls(3);
  spec.exclusions.push_back({"ball2", "ball1", {}});
  EXPECT_EQ(count(spec), 5);
  spec.shapes[2].collides = false;
  EXPECT_EQ(count(spec), 2);
  spec = balls(2);
  spec.shapes[0].contact_type = 2, spec.shapes[0].contact_affinity = 0;
  spec.shapes[1].contact_type = 0, spec.shapes[1].contact_affinity = 2;
  EXPECT_EQ(count(spec), 1);
  // A pair by name stands even where the bits forbid it, and has its own friction.
  spec.pairs.push_back({.name = "by hand", .shape_a = "floor", .shape_b = "ball1", .friction = 0.25});
  EXPECT_EQ(count(spec), 2);
  const Model m = compile(spec).value();
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  place(q, 1, {5, 5, 5});
  const auto c = find(m, q, 0);
  ASSERT_EQ(c.size(), 1u);
  EXPECT_EQ(c[0].friction, 0.25);
  // Links of the pendulum: every pair but neighbours, and each with floor and wall.
  EXPECT_EQ(count(mechanisms::pendulum(5)), 5 * 4 / 2 - 4 + 10);
}

TEST(ContactShapes, AKindThatIsNotHandledIsNamedUnlessNothingCanTouchIt) {
  ModelSpec spec = balls(1);
  spec.shapes.push_back(spec.shapes[0]);
  spec.shapes.back().name = "crate", spec.shapes.back().kind = ShapeKind::ellipsoid,
  spec.shapes.back().size = {1, 1, 1}, spec.shapes.back().body = "world";
  try {
    ContactShapes shapes(compile(spec).value());
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("ellipsoid 'crate'"), std::string::npos) << e.what();
  }
  spec.exclusions.push_back({"ball1", "world", {}});
  EXPECT_EQ(ContactShapes(compile(spec).value()).pairs(), 0);
}

TEST(ContactShapes, SpheresWithOneCentreHaveANormal) {
  const Model m = compile(balls(2)).value();
  const auto c = find(m, {m.neutral().begin(), m.neutral().end()}, 0);
  ASSERT_EQ(c.size(), 3u);
  EXPECT_EQ(norm(c[0].normal), 1);
  EXPECT_NEAR(c[0].gap, -0.2, 1e-15);
}

}  // namespace sinew::test
