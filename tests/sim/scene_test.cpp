// tests/sim/scene_test.cpp - floors, places, start poses, what may touch and what is held
#include "sinew/sim/scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "sinew/contact/contact_shapes.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/random_spatial.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

std::string scene_message(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

// One body on a free joint with one shape of each kind that can be low.
ModelBuilder shapes_in_space(int kind, const Pose& pose) {
  ModelBuilder b("shapes");
  BodyBuilder body = b.body("thing").mass(solid_sphere(1, 0.1));
  switch (kind) {
    case 0: body.sphere(0.2, pose); break;
    case 1: body.box({0.1, 0.2, 0.3}, pose); break;
    case 2: body.capsule(0.1, 0.3, pose); break;
    case 3: body.cylinder(0.15, 0.25, pose); break;
    case 4: body.ellipsoid({0.1, 0.2, 0.3}, pose); break;
    default: body.mesh("wedge", pose).hull();
  }
  MeshSpec wedge;
  wedge.name = "wedge";
  wedge.vertices = {{0, 0, 0}, {0.3, 0, 0.1}, {0, 0.4, 0}, {0.1, 0.1, 0.5}};
  wedge.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  b.add_mesh(wedge);
  b.free("base", "world", "thing");
  return b;
}

// The gap to a floor, found by the colliders.
double smallest_gap(const Model& m, const std::vector<double>& q) {
  ContactShapes shapes(m);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics<double>(m, ws, q);
  std::vector<ContactPoint> contacts;
  shapes.find(ws, 100, contacts);
  double least = INFINITY;
  for (const ContactPoint& c : contacts) least = std::min(least, c.gap);
  return least;
}

TEST(Scene, LowestPointIsWhatTheFloorTouches) {
  for (int kind = 0; kind < 6; ++kind) {
    Random random(static_cast<std::uint64_t>(40 + kind));
    const Pose pose = random_transform(random);
    ModelBuilder b = shapes_in_space(kind, pose);
    const Model alone = b.build().value();
    const Vec3<double> up = (1 / norm(Vec3<double>{0.3, -0.4, 1})) * Vec3<double>{0.3, -0.4, 1};
    add_floor(b.spec(), {.normal = 3.0 * up, .height = -2});
    const Model with_floor = b.build().value();
    const std::vector<double> q = random_configuration(alone, random);
    const auto lowest = find_lowest_point(alone, q, up);
    ASSERT_TRUE(lowest) << kind;
    EXPECT_NEAR(*lowest + 2, smallest_gap(with_floor, q), 5e-14) << kind;
  }
}

TEST(Scene, BodiesAreSetOnTheFloor) {
  for (const Vec3<double> up : {Vec3<double>{0, 0, 1}, Vec3<double>{0, 0.6, 0.8}, Vec3<double>{0, 0, -1}}) {
    Random random(3);
    ModelBuilder b = shapes_in_space(1, random_transform(random));
    SceneOptions o;
    o.floor = FloorOptions{.normal = up, .height = 0.7};
    o.on_floor = true;
    const Scene s = make_scene(b.spec(), o).value();
    EXPECT_TRUE(is_small(smallest_gap(s.model, s.start.q), 1e-14));
    EXPECT_EQ(s.model.spec().timestep, kUsualStep);
    ASSERT_EQ(s.notes.size(), 2u);
    EXPECT_NE(s.notes[0].find("1 ms"), std::string::npos);
    EXPECT_NE(s.notes[1].find("place: moved by"), std::string::npos);
  }
}

// A fixed arm that hangs below the floor's zero gets a lower floor; one that does not keeps it.
TEST(Scene, FloorUnderAFixedBase) {
  ModelBuilder b("arm");
  b.body("link").mass(solid_sphere(1, 0.1), make_placement({0, 0, -0.5})).sphere(0.1, make_placement({0, 0, -0.5}));
  b.revolute("hinge", "world", "link").axis({0, 1, 0});
  SceneOptions o;
  o.floor = FloorOptions{};
  const Scene hangs = make_scene(b.spec(), o).value();
  EXPECT_NEAR(hangs.model.spec().shapes.back().pose.r.z, -0.6, 1e-15);
  o.set = {{"hinge", {std::numbers::pi}}};
  EXPECT_EQ(make_scene(b.spec(), o).value().model.spec().shapes.back().pose.r.z, 0);
  o.on_floor = true;
  EXPECT_NE(scene_message([&] { (void)make_scene(b.spec(), o); }).find("free joint"), std::string::npos);
}

TEST(Scene, GainsComeFromTheInertiaBeyondTheJoint) {
  ModelBuilder b("arm");
  b.body("upper").mass(2, {0, 0, -0.3}, Sym3<double>::diagonal(0.01, 0.02, 0.01));
  b.body("slide").mass(3, {0, 0, 0}, Sym3<double>::diagonal(0.01, 0.01, 0.01));
  b.revolute("shoulder", "world", "upper").axis({0, 1, 0}).armature(0.5);
  b.prismatic("slider", "upper", "slide").at({0, 0, -1}).axis({1, 0, 0});
  const Model m = b.build().value();
  const HoldOptions o{.frequency = 2, .damping_ratio = 0.7, .gains = {}};
  const std::vector<HeldJoint> held = find_hold(m, m.neutral(), o);
  ASSERT_EQ(held.size(), 2u);
  const double w = 4 * std::numbers::pi, I = 0.5 + 0.02 + 2 * 0.09 + 0.01 + 3 * 1.0;
  EXPECT_NEAR(held[0].stiffness, w * w * I, 1e-11);
  EXPECT_NEAR(held[0].damping, 1.4 * w * I, 1e-12);
  EXPECT_NEAR(held[1].stiffness, w * w * 3, 1e-11);
  EXPECT_TRUE(held[0].turns && !held[1].turns);
}

// Without gains the motion of a tip without mass would not be defined.
TEST(Scene, AJointWithoutInertiaIsHeldLikeTheLightest) {
  ModelBuilder b("fingers");
  b.body("arm").mass(2, {0, 0, -0.3}, Sym3<double>::diagonal(0.01, 0.02, 0.01));
  b.body("hand").mass(0.5, {0, 0, -0.1}, Sym3<double>::diagonal(0.001, 0.002, 0.001));
  b.body("turner"), b.body("finger");
  b.revolute("shoulder", "world", "arm").axis({0, 1, 0});
  b.revolute("wrist", "arm", "hand").at({0, 0, -0.6}).axis({0, 1, 0});
  b.revolute("turn", "hand", "turner").axis({0, 1, 0});
  b.prismatic("grip", "hand", "finger").axis({1, 0, 0});
  SceneOptions o;
  o.hold = HoldOptions{.frequency = 1 / (2 * std::numbers::pi)};
  Scene scene = make_scene(b.spec(), o).value();
  ASSERT_EQ(scene.held.size(), 4u);
  const double wrist = 0.002 + 0.5 * 0.01;
  EXPECT_NEAR(scene.held[1].stiffness, wrist, 1e-16);
  EXPECT_EQ(scene.held[2].stiffness, scene.held[1].stiffness);  // turns, as the wrist does
  EXPECT_NEAR(scene.held[3].stiffness, 1e-3, 1e-17);            // slides, as no other does
  EXPECT_TRUE(!scene.held[1].moves_nothing && scene.held[2].moves_nothing && scene.held[3].moves_nothing);
  EXPECT_NE(scene.notes.at(2).find("nothing it moves has inertia: 'turn', 'grip'"), std::string::npos)
      << scene.notes.at(2);
  Simulation s(scene.model);
  s.state = scene.start, s.control = scene.control;
  for (int i = 0; i < 100; ++i) s.step();
  EXPECT_NEAR(s.state.q[2], 0, 1e-14);
}

// Over the valley of a mesh a ball falls in, over its hull it does not.
TEST(Scene, MeshesTouchWithTheirHullsOrAsTheyAre) {
  ModelBuilder b("valley");
  b.body("ball").mass(solid_sphere(1, 0.1), {}).sphere(0.1, {});
  b.free("flies", "world", "ball");
  MeshSpec valley;
  valley.name = "valley";  // a V along y
  valley.vertices = {{-1, -1, 1}, {0, -1, 0}, {1, -1, 1}, {-1, 1, 1}, {0, 1, 0}, {1, 1, 1}};
  valley.triangles = {{0, 1, 3}, {1, 4, 3}, {1, 2, 4}, {2, 5, 4}};
  b.add_mesh(valley);
  b.world().mesh("valley");
  const auto height_after = [&](MeshContact meshes) {
    SceneOptions o;
    o.meshes = meshes;
    o.place = make_placement({0, 0, 1.15});
    Scene scene = make_scene(b.spec(), o).value();
    Simulation s(scene.model);
    s.state = scene.start;
    for (int i = 0; i < 1500; ++i) s.step();
    return s.state.q[6];
  };
  EXPECT_NEAR(height_after(MeshContact::hull), 1.1, 2e-14);
  EXPECT_NEAR(height_after(MeshContact::exact), 0.1 * std::sqrt(2), 1e-14);
  EXPECT_EQ(height_after(MeshContact::as_stated), height_after(MeshContact::exact));
}

// On a loose tree an ankle moves what is above it: the body of 10 kg, 0.8 m away.
TEST(Scene, LooseTreesAreHeldByTheirHeavierSide) {
  ModelBuilder b("leg");
  b.body("trunk").mass(10, {0, 0, 0}, Sym3<double>::diagonal(0.2, 0.3, 0.2));
  b.body("foot").mass(1, {0, 0, -0.1}, Sym3<double>::diagonal(0.001, 0.002, 0.001));
  b.free("base", "world", "trunk");
  b.revolute("ankle", "trunk", "foot").at({0, 0, -0.8}).axis({0, 1, 0});
  const Model m = b.build().value();
  const std::vector<HeldJoint> held = find_hold(m, m.neutral(), {.frequency = 1 / (2 * std::numbers::pi)});
  ASSERT_EQ(held.size(), 1u);
  EXPECT_NEAR(held[0].stiffness, 0.3 + 10 * 0.64, 1e-13);
}

// At rest  stiffness (target - q) = m g l sin(q):  the pendulum sags by that, and no more.
TEST(Scene, AHeldPendulumSagsAsItsSpringSays) {
  ModelBuilder b("pendulum");
  b.body("bob").mass(solid_sphere(2, 0.1), make_placement({0, 0, -0.5}));
  b.revolute("hinge", "world", "bob").axis({0, 1, 0});
  SceneOptions o;
  o.set = {{"hinge", {1.2}}};
  o.hold = HoldOptions{};
  Scene scene = make_scene(b.spec(), o).value();
  ASSERT_EQ(scene.held.size(), 1u);
  Simulation s(scene.model);
  s.state = scene.start, s.control = scene.control;
  for (int i = 0; i < 3000; ++i) s.step();
  const double q = s.state.q[0];
  EXPECT_NEAR(scene.held[0].stiffness * (1.2 - q), 2 * 9.81 * 0.5 * std::sin(q), 2e-10);
  EXPECT_GT(std::abs(1.2 - q), 1e-3);
  EXPECT_NEAR(s.state.v[0], 0, 2e-12);
  // A limit of 5 N m is too little for 9.1 N m of weight: it falls.
  b.spec().joints[0].dofs.resize(1);
  b.spec().joints[0].dofs[0].max_effort = 5;
  scene = make_scene(b.spec(), o).value();
  Simulation weak(scene.model);
  weak.state = scene.start, weak.control = scene.control;
  for (int i = 0; i < 1000; ++i) weak.step();
  EXPECT_LT(weak.state.q[0], 0.9);
}

ModelBuilder three_links() {
  ModelBuilder b("chain");
  std::string last = "world";
  for (const char* name : {"a", "b", "c"}) {
    b.body(name).mass(solid_sphere(1, 0.1)).sphere(0.12).named(std::string(name) + "_ball");
    b.revolute(std::string("to_") + name, last, name).at({0, 0, last == "world" ? 2.0 : -0.1}).axis({0, 1, 0});
    last = name;
  }
  return b;
}

// a and c are 0.2 m apart and 0.24 m thick together; neighbours do not count.
TEST(Scene, OverlapsAtTheStartAreLeftOut) {
  ModelBuilder b = three_links();
  const Model m = b.build().value();
  const std::vector<Overlap> found = find_self_overlaps(m, m.neutral());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].body_a + found[0].body_b, "ac");
  EXPECT_NEAR(found[0].depth, 0.04, 1e-15);
  for (const SelfCollision how : {SelfCollision::on, SelfCollision::start, SelfCollision::off}) {
    SceneOptions o;
    o.self_collision = how;
    const Scene s = make_scene(b.spec(), o).value();
    EXPECT_EQ(ContactShapes(s.model).pairs(), how == SelfCollision::on ? 1 : 0);
    EXPECT_EQ(s.left_out.size(), how == SelfCollision::start ? 1u : 0u);
  }
  // Folded by half a turn at b, they are 0 apart; straight to the side at b, 0.14 apart: other poses, other pairs.
  EXPECT_EQ(find_self_overlaps(m, std::vector<double>{0, 0, 0}).size(), 1u);
}

TEST(Scene, SelfCollisionOffLeavesTheFloorAndOtherBodies) {
  ModelBuilder b = three_links();
  b.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1);
  b.free("flies", "world", "ball").neutral({1, 0, 0, 0, 5, 0, 1});
  SceneOptions o;
  o.floor = FloorOptions{};
  o.self_collision = SelfCollision::off;
  // Floor with four balls, ball with three links.
  EXPECT_EQ(ContactShapes(make_scene(b.spec(), o).value().model).pairs(), 7);
}

TEST(Scene, StartsWithinItsStops) {
  ModelBuilder b("arm");
  b.body("a").mass(solid_sphere(1, 0.1)), b.body("b").mass(solid_sphere(1, 0.1)),
      b.body("c").mass(solid_sphere(1, 0.1));
  b.revolute("one", "world", "a").limits(0.5, 1);
  b.revolute("two", "a", "b");
  b.revolute("three", "b", "c");
  b.gear("first", "three", "two", 3, 0.1);
  b.gear("second", "two", "one", 2);
  SceneOptions o;
  EXPECT_EQ(make_scene(b.spec(), o).value().start.q, (std::vector<double>{0, 0, 0}));
  o.fit_start = true;
  const Scene s = make_scene(b.spec(), o).value();
  EXPECT_EQ(s.start.q[0], 0.5);
  EXPECT_EQ(s.start.q[1], 1.0);
  EXPECT_NEAR(s.start.q[2], 3.1, 1e-15);
  EXPECT_NE(s.notes.back().find("'one' at 0.5"), std::string::npos);
  o.set = {{"one", {0.7}}};  // what is said stays
  EXPECT_EQ(make_scene(b.spec(), o).value().start.q[0], 0.7);
}

TEST(Scene, KeyframesAndStates) {
  ModelBuilder b = three_links();
  KeyframeSpec k;
  k.name = "bent", k.time = 2, k.q = {0.1, 0.2, 0.3}, k.v = {1, 2, 3};
  b.keyframe(k);
  SceneOptions o;
  o.keyframe = "bent";
  o.set_velocity = {{"to_b", {-5}}};
  const Scene s = make_scene(b.spec(), o).value();
  EXPECT_EQ(s.start.q, k.q);
  EXPECT_EQ(s.start.v, (std::vector<double>{1, -5, 3}));
  EXPECT_EQ(s.start.time, 2);
}

TEST(Scene, WrongOptionsAreNamed) {
  ModelBuilder chain = three_links();
  const ModelSpec spec = chain.spec();
  const auto says = [&](const auto& change) {
    SceneOptions o;
    change(o);
    return scene_message([&] { (void)make_scene(spec, o); });
  };
  EXPECT_NE(says([](SceneOptions& o) { o.set = {{"to_bb", {1}}}; }).find("did you mean 'to_b'"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.set = {{"to_b", {1, 2}}}; }).find("2 are given"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.set = {{"to_b", {NAN}}}; }).find("not finite"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.q = {1}; }).find("the model has 3"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.keyframe = "home"; }).find("has none"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.friction = -1; }).find("friction is -1"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.restitution = 1.5; }).find("at most 1"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.restitution = NAN; }).find("restitution is nan"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.timestep = -1e-3; }).find("step"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.gravity = Vec3<double>{0, INFINITY, 0}; }).find("gravity"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.floor = FloorOptions{.normal = {}}; }).find("normal"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.on_floor = true; }).find("needs a floor"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.place = Pose{}; }).find("free joint"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.hold = HoldOptions{.frequency = 0}; }).find("frequency"), std::string::npos);
  EXPECT_NE(says([](SceneOptions& o) { o.hold = HoldOptions{.gains = std::pair(-1.0, 1.0)}; }).find("stiffness"),
            std::string::npos);
}

TEST(Scene, ModelsThatAreRefusedComeBackAsDiagnostics) {
  ModelBuilder b = three_links();
  b.spec().bodies[0].mass = -1;
  EXPECT_FALSE(make_scene(b.spec()).ok());
}

}  // namespace
}  // namespace sinew::test
