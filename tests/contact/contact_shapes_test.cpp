// tests/contact/contact_shapes_test.cpp - which shapes touch, where, and which may not
#include "sinew/contact/contact_shapes.hpp"

#include <set>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tolerance.hpp"
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
  spec.shapes.push_back(spec.shapes.back());
  spec.shapes.back().name = "shield", spec.shapes.back().body = "ball1";
  try {
    ContactShapes shapes(compile(spec).value());
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("plane 'floor' may touch plane 'shield'"), std::string::npos) << e.what();
  }
  spec.exclusions.push_back({"ball1", "world", {}});
  EXPECT_EQ(ContactShapes(compile(spec).value()).pairs(), 0);
}

TEST(ContactShapes, AJointOfSeveralAxesJoinsItsBodies) {
  ModelBuilder b("arm");
  for (const char* name : {"upper", "lower"}) b.body(name).mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
  b.free("flies", "world", "upper");
  JointSpec turn, bend;
  turn.name = "turn", bend.name = "bend", bend.axis = {1, 0, 0};
  b.composite("elbow", "upper", "lower", {turn, bend});
  EXPECT_EQ(ContactShapes(compile(b.spec()).value()).pairs(), 0);
}

TEST(ContactShapes, FrictionlessOnlyAgainstItsLike) {
  ModelSpec spec = balls(1);
  spec.shapes[0].friction = 0.9, spec.shapes[0].friction_law = FrictionLaw::none;
  const auto friction = [&] {
    const Model m = compile(spec).value();
    return find(m, {m.neutral().begin(), m.neutral().end()}, 0).at(0).friction;
  };
  EXPECT_EQ(friction(), 1);
  spec.shapes[1].friction_law = FrictionLaw::none;
  EXPECT_EQ(friction(), 0);
}

// The later law and the larger numbers of two shapes; those of the higher priority; those of a pair.
TEST(ContactShapes, FrictionOfTwo) {
  ModelSpec spec = balls(1);
  ShapeSpec &a = spec.shapes[0], &b = spec.shapes[1];
  a.friction = 0.3, a.torsional_friction = 0.02, a.rolling_friction = 0.004, a.friction_law = FrictionLaw::torsional;
  b.friction = 0.5, b.torsional_friction = 0.01, b.rolling_friction = 0.005;
  const auto numbers = [&] {
    const Model m = compile(spec).value();
    const ContactPoint c = find(m, {m.neutral().begin(), m.neutral().end()}, 0).at(0);
    return std::array{c.friction, c.torsional_friction, c.rolling_friction};
  };
  EXPECT_EQ(numbers(), (std::array{0.5, 0.02, 0.0}));
  b.friction_law = FrictionLaw::rolling;
  EXPECT_EQ(numbers(), (std::array{0.5, 0.02, 0.005}));
  a.priority = 1;
  EXPECT_EQ(numbers(), (std::array{0.3, 0.02, 0.0}));
  EXPECT_NE(ContactShapes(compile(spec).value()).find_spin_friction(), "");
  a.name = "a", b.name = "b";
  spec.pairs.push_back({.shape_a = "a", .shape_b = "b", .friction = 0.7, .torsional_friction = 0.1});
  EXPECT_EQ(numbers(), (std::array{0.7, 0.0, 0.0}));
  a.friction_law = b.friction_law = FrictionLaw::sliding;
  EXPECT_EQ(ContactShapes(compile(spec).value()).find_spin_friction(), "");
  spec.pairs[0].friction_law = FrictionLaw::rolling;
  EXPECT_EQ(numbers(), (std::array{0.7, 0.1, 0.0001}));
  EXPECT_NE(ContactShapes(compile(spec).value()).find_spin_friction(), "");
}

TEST(ContactShapes, SpheresWithOneCentreHaveANormal) {
  const Model m = compile(balls(2)).value();
  const auto c = find(m, {m.neutral().begin(), m.neutral().end()}, 0);
  ASSERT_EQ(c.size(), 3u);
  EXPECT_EQ(norm(c[0].normal), 1);
  EXPECT_NEAR(c[0].gap, -0.2, 1e-15);
}

// A few of each kind, flying about in a small room.
ModelSpec crowd(int n) {
  ModelSpec spec = balls(n);
  constexpr ShapeKind kKinds[] = {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule, ShapeKind::cylinder,
                                  ShapeKind::ellipsoid};
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    spec.shapes[i].kind = kKinds[i % 5];
    spec.shapes[i].size = {0.1, 0.15, 0.1};
    spec.shapes[i].margin = i % 7 == 0 ? 0.02 : 0;
  }
  return spec;
}

TEST(ContactShapes, NothingNearIsMissedAndHistoryDoesNotMatter) {
  for_seeds(5, [](Random& rng) {
    const Model m = compile(crowd(40)).value();
    ContactShapes shapes(m);
    KinematicsWorkspace<double> ws(m);
    std::vector<ContactPoint> found, again;
    std::vector<double> q(m.neutral().begin(), m.neutral().end());
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 40; ++i) {
        place(q, i, {rng.uniform(0, 1), rng.uniform(0, 0.8), rng.uniform(0, 0.5)});
        const Quaternion<double> turn = random_quaternion(rng);
        const auto k = static_cast<std::size_t>(7 * i);
        q[k] = turn.w, q[k + 1] = turn.x, q[k + 2] = turn.y, q[k + 3] = turn.z;
      }
      calc_kinematics(m, ws, q);
      shapes.find(ws, 0.01, found);
      ContactShapes(m).find(ws, 0.01, again);
      ASSERT_EQ(found.size(), again.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].id, again[i].id);
        EXPECT_EQ(found[i].gap, again[i].gap);
      }
      // Every pair by itself.
      std::size_t expected = 0;
      std::vector<TouchPoint> points;
      const auto& specs = m.spec().shapes;
      const auto placed = [&](std::size_t i) {
        const BodyEntry& body = m.bodies()[*m.find_body(specs[i].body)];
        const Transform<double> X = specs[i].pose * body.in_node * ws.X[body.node];
        return PlacedShape{specs[i].kind, X, specs[i].size, nullptr, nullptr};
      };
      for (std::size_t i = 0; i < specs.size(); ++i)
        for (std::size_t j = i + 1; j < specs.size(); ++j) {
          points.clear();
          collide(placed(i), placed(j), 0.01 + std::max(specs[i].margin, specs[j].margin), points);
          expected += points.size();
        }
      EXPECT_GT(expected, 100u);
      EXPECT_EQ(found.size(), expected);
      std::set<std::uint64_t> ids;
      for (const ContactPoint& c : found) EXPECT_TRUE(ids.insert(c.id).second) << shapes.pair_name(c);
    }
    const AllocationCount allocations;
    shapes.find(ws, 0.01, found);
    EXPECT_EQ(allocations.count(), 0);
  });
}

// Shapes in a row in flight: what moves alike cannot push, however fast; once one meets something all of them count.
TEST(ContactShapes, ThoseThatFlyAlikeAreLeftOut) {
  const Model m = compile(balls(3)).value();
  State s = make_state(m);
  const auto count = [&](double height, double faster) {
    for (int i = 0; i < 3; ++i) {
      place(s.q, i, {0.21 * i, 0, height});
      const auto k = static_cast<std::size_t>(6 * i);
      std::fill_n(s.v.begin() + 6 * i, 6, 0.0);
      s.v[k + 3] = i == 0 ? faster : 0, s.v[k + 5] = -20;
    }
    ContactShapes shapes(m);
    VelocityWorkspace<double> ws(m);
    calc_velocities(m, ws, s.q, s.v);
    std::vector<ContactPoint> out;
    shapes.find_within(ws, 1e-2, out);
    return out.size();
  };
  EXPECT_EQ(count(50, 0), 0u);
  EXPECT_EQ(count(50, 2), 2u);   // the first closes on the second, which may then meet the third
  EXPECT_EQ(count(0.2, 0), 6u);  // all meet the floor
}

// Bodies that meet are found however they are turned, in the air too. One that is turned about the vertical by half a
// turn and moves to the right has the velocity, along its own axes, of one that moves to the left.
TEST(ContactShapes, TurnedBodiesThatMeetInTheAirAreFound) {
  const Model m = compile(balls(2)).value();
  State s = make_state(m);
  place(s.q, 0, {0, 0, 50}), place(s.q, 1, {0.21, 0, 50});
  const std::size_t q = 0, v = 3;
  const auto count = [&] {
    ContactShapes shapes(m);
    VelocityWorkspace<double> ws(m);
    calc_velocities(m, ws, s.q, s.v);
    std::vector<ContactPoint> out;
    shapes.find_within(ws, 1e-2, out);
    return out.size();
  };
  s.v[v] = 2, s.v[v + 6] = -2;
  EXPECT_EQ(count(), 1u);
  s.q[q] = 0, s.q[q + 3] = 1;  // half a turn about z; velocities are along the body's axes
  s.v[v] = -2;
  EXPECT_EQ(count(), 1u);
  s.v[v] = 2;  // now both move to the left
  EXPECT_EQ(count(), 0u);
}

// What falls together has the contacts that it has at rest, however fast it falls.
TEST(ContactShapes, SpeedInCommonAddsNoContacts) {
  ModelBuilder b("figure");
  b.body("trunk").mass(solid_sphere(1, 0.1), {}).sphere(0.1);
  b.free("root", "world", "trunk");
  for (int i = 0; i < 4; ++i) {
    const std::string name = "limb" + std::to_string(i);
    b.body(name).mass(solid_sphere(1, 0.1), {}).sphere(0.1, shift_frame(Vec3<double>{0.25 + 0.25 * i, 0, 0}));
    b.revolute("joint" + std::to_string(i), i == 0 ? "trunk" : "limb" + std::to_string(i - 1), name).axis({0, 1, 0});
  }
  b.body("guest").mass(solid_sphere(1, 0.1), {}).sphere(0.1);
  b.free("guest", "world", "guest");
  const Model m = b.build().value();
  State s = make_state(m);
  const auto count = [&](double fall, double meet) {
    ContactShapes shapes(m);
    VelocityWorkspace<double> ws(m);
    const std::size_t guest_q = s.q.size() - 7, guest_v = s.v.size() - 6;
    s.q[guest_q + 4] = 0, s.q[guest_q + 5] = 0.2005, s.q[guest_q + 6] = 0;
    s.v[5] = -fall, s.v[guest_v + 5] = -fall, s.v[guest_v + 4] = -meet;
    calc_velocities(m, ws, s.q, s.v);
    std::vector<ContactPoint> out;
    shapes.find_within(ws, 1e-3, out);
    return out.size();
  };
  EXPECT_EQ(count(0, 1), 1u);
  for (const double fall : {10.0, 100.0, 1000.0}) {
    EXPECT_EQ(count(fall, 1), 1u);
    EXPECT_EQ(count(fall, 0), 0u);
  }
}

// An arm on a base that is welded to the world: its first link starts inside the base, its second would.
TEST(ContactShapes, WhatOverlapsTheBaseItIsJointedToIsLeftOutAndNamed) {
  const auto make = [](bool welded, double apart) {
    ModelBuilder b("arm");
    const std::string base = welded ? "base" : "world";
    if (welded) b.body("base").mass(solid_sphere(1, 0.1), {}), b.fixed("weld", "world", "base");
    ShapeSpec foot;
    foot.name = "foot", foot.body = base, foot.kind = ShapeKind::sphere, foot.size = {0.1, 0, 0};
    b.spec().shapes.push_back(foot);
    b.body("upper").mass(solid_sphere(1, 0.1), {}).sphere(0.1, shift_frame(Vec3<double>{apart, 0, 0}));
    b.spec().shapes.back().name = "upper";
    b.revolute("shoulder", base, "upper").axis({0, 1, 0});
    b.body("lower").mass(solid_sphere(1, 0.1), {}).sphere(0.1, shift_frame(Vec3<double>{apart, 0, 0}));
    b.spec().shapes.back().name = "lower";
    b.revolute("elbow", "upper", "lower").axis({0, 1, 0});
    return b.build().value();
  };
  const ContactShapes on_base(make(true, 0.15));
  ASSERT_EQ(on_base.remarks().size(), 1u);
  EXPECT_EQ(on_base.remarks()[0].find("sphere 'foot' on sphere 'upper': a joint joins their bodies"), 0u);
  EXPECT_EQ(on_base.pairs(), 1);  // foot and lower, which no joint joins
  EXPECT_EQ(ContactShapes(make(true, 0.2)).pairs(), 2);
  EXPECT_TRUE(ContactShapes(make(true, 0.2)).remarks().empty());
  EXPECT_EQ(ContactShapes(make(false, 0.15)).pairs(), 2);  // the world's own shapes are no base
}

}  // namespace sinew::test
