// tests/sim/embedded_simulation_test.cpp - time steps with hard contact, loops in minimal coordinates
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/sim/mechanisms.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/sim/snapshot.hpp"
#include "support/embedded_cases.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

DofSpec& dof_of(ModelSpec& spec, const std::string& joint) {
  for (JointSpec& j : spec.joints)
    if (j.name == joint) {
      if (j.dofs.empty()) j.dofs.resize(1);
      return j.dofs[0];
    }
  throw std::invalid_argument(joint);
}
void add_shape(ModelSpec& spec, const std::string& body, ShapeKind kind, double size, const Vec3<double>& at_point,
               double restitution = 0) {
  ShapeSpec s;
  s.name = body + "_shape", s.body = body, s.kind = kind, s.size = {size, 0, 0}, s.friction = 0.4;
  s.restitution = restitution;
  s.pose.r = at_point;
  spec.shapes.push_back(s);
}

// A four-bar that swings down: its rocker has a stop, its coupler a ball that meets the ground, every joint some
// friction, springs and dampers, and the crank a motor.
ModelSpec struck_four_bar(double restitution = 0) {
  ModelSpec spec = mechanisms::four_bar();
  spec.shapes.clear();
  add_shape(spec, "coupler", ShapeKind::sphere, 0.03, {0.2, 0, 0}, restitution);
  add_shape(spec, spec.world, ShapeKind::plane, 0, {0, 0, 0.55}, restitution);
  for (JointSpec& j : spec.joints) {
    DofSpec& d = dof_of(spec, j.name);
    d.damping = 0.01, d.friction = 0.02;
  }
  dof_of(spec, "crank_pin").stiffness = 0.5;
  ActuatorSpec a;
  a.name = "motor", a.target = "crank_joint", a.bias = {0, -0.5, -0.01}, a.gain = {1, 0, 0};
  spec.actuators.push_back(a);
  spec.timestep = 1e-3;
  return spec;
}

struct Pair {
  explicit Pair(const ModelSpec& spec, double dt)
      : model(compile(spec).value()),
        rows(model, {.dt = dt}),
        embedded(model, {.dt = dt, .loops = LoopMethod::embed}) {}
  Model model;
  Simulation rows, embedded;
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

// Both steps are of first order. That with rows leaves its loops by e0 = O(dt^2) and takes a share of it back in each
// step, a velocity of e0 / dt: so much do the two differ, times a number of seconds that does not depend on dt. Where
// the mechanism comes to rest there is nothing to drift, and both rest at the same place.
void expect_same_motion(const ModelSpec& spec, double seconds, double factor, double at_rest) {
  double last = 0;
  for (const double dt : {2e-3, 1e-3, 5e-4}) {
    SCOPED_TRACE(dt);
    Pair p(spec, dt);
    double worst = 0;
    while (p.rows.state.time < seconds - dt / 2) {
      p.rows.step(), p.embedded.step();
      worst = std::max(worst, largest_difference(p.rows.state.q, p.embedded.state.q));
    }
    EXPECT_GT(p.rows.totals().contact_steps, 50);
    EXPECT_GT(p.rows.totals().worst_drift, 1e-8);
    EXPECT_LT(worst, factor * p.rows.totals().worst_drift / dt);
    EXPECT_TRUE(is_small(p.embedded.totals().worst_drift, 3e-13));
    EXPECT_EQ(p.embedded.totals().unsolved, 0);
    if (last > 0) {
      EXPECT_GT(std::log2(last / worst), 0.7);
    }
    last = worst;
    if (at_rest > 0) {
      EXPECT_TRUE(near(p.embedded.state.q, p.rows.state.q, 1, 0, at_rest));
    }
    EXPECT_LT(std::abs(p.embedded.unaccounted_energy()), 0.02);
  }
}

TEST(EmbeddedSimulation, FourBarHitsTheGround) { expect_same_motion(struck_four_bar(), 1, 0.15, 2e-12); }

TEST(EmbeddedSimulation, FourBarRollsOnTheGround) {
  ModelSpec spec = struck_four_bar();
  for (ShapeSpec& s : spec.shapes) s.friction_law = FrictionLaw::rolling, s.rolling_friction = 0.01;
  expect_same_motion(spec, 1, 0.15, 2e-12);
}

// Stops of the crank, of the rocker and of a joint between them: each is independent in some runs and dependent in
// others.
TEST(EmbeddedSimulation, FourBarHitsAStopOfAnyJoint) {
  for (const char* joint : {"crank_joint", "crank_pin", "rocker_joint"}) {
    SCOPED_TRACE(joint);
    ModelSpec spec = struck_four_bar();
    spec.shapes.clear();
    const Model free = compile(spec).value();
    Simulation fall(free, {.dt = 1e-3, .loops = LoopMethod::embed});
    while (fall.state.time < 0.3) fall.step();
    const int q = free.find_joint(joint)->q;
    const double start = free.neutral()[at(q)], there = fall.state.q[at(q)];
    (there > start ? dof_of(spec, joint).upper : dof_of(spec, joint).lower) = there;
    const Model m = compile(spec).value();
    Simulation rows(m, {.dt = 1e-3}), embedded(m, {.dt = 1e-3, .loops = LoopMethod::embed});
    while (rows.state.time < 0.6) rows.step(), embedded.step();
    EXPECT_NEAR(embedded.state.q[at(q)], there, slack(1e-9, "the tolerance of the solver may show"));
    EXPECT_TRUE(near(embedded.state.q, rows.state.q, slack(1, "they arrive at times that differ"), 0, 1e-3));
    EXPECT_LT(embedded.totals().work.stops, -0.01);
    EXPECT_TRUE(is_small(embedded.totals().worst_drift, 3e-13));
  }
}

// A leg with geared rotors that lands on its foot, held by springs.
TEST(EmbeddedSimulation, GearedLegStandsOnTheFloor) {
  ModelSpec spec = geared_leg();
  for (const char* joint : {"hip", "knee", "ankle"}) {
    DofSpec& d = dof_of(spec, joint);
    d.stiffness = 800, d.damping = 20;
  }
  ShapeSpec foot;
  foot.name = "sole", foot.body = "foot", foot.kind = ShapeKind::box, foot.size = {0.12, 0.12, 0.02};
  foot.pose.r = {0, 0, -0.15}, foot.friction = 0.8;
  spec.shapes.push_back(foot);
  add_shape(spec, spec.world, ShapeKind::plane, 0, {0, 0, -1.19});
  spec.timestep = 1e-3;
  const Model m = compile(spec).value();
  Simulation rows(m, {.dt = 1e-3}), embedded(m, {.dt = 1e-3, .loops = LoopMethod::embed});
  for (int i = 0; i < 400; ++i) {
    rows.step(), embedded.step();
    ASSERT_TRUE(near(embedded.state.q, rows.state.q, slack(1, "gears are linear: rows do not drift"), 0, 1e-6));
  }
  EXPECT_GE(embedded.totals().most_contacts, 4);
  EXPECT_EQ(embedded.totals().unsolved, 0);
  ASSERT_NE(embedded.embedding(), nullptr);
  EXPECT_EQ(embedded.embedding()->freedoms, m.nv() - 3);
  EXPECT_EQ(rows.embedding(), nullptr);
  EXPECT_EQ(embedded.describe().back(), (std::pair<std::string, std::string>("loops", "embed")));
}

// A scissor lift that comes down onto a table.
ModelSpec lift_on_a_table(int stages) {
  ModelSpec spec = mechanisms::scissor_lift({.stages = stages, .local_loops = true});
  spec.shapes.clear();
  const Model m = compile(spec).value();
  KinematicsWorkspace<double> ws(m);
  calc_kinematics<double>(m, ws, m.neutral());
  const std::string top = "rising" + std::to_string(stages);
  const double height = get_body_pose(m, ws, *m.find_body(top)).r.z;
  add_shape(spec, top, ShapeKind::sphere, 0.02, {});
  add_shape(spec, spec.world, ShapeKind::plane, 0, {0, 0, height - 0.05});
  spec.timestep = 1e-3;
  return spec;
}

TEST(EmbeddedSimulation, LiftComesDownOnATable) { expect_same_motion(lift_on_a_table(5), 0.5, 1, 0); }

// Without friction Poisson's law is Newton's: the ball leaves with 0.6 of the speed that it came with, whatever
// mechanism carries it. The energy that the first collision takes is that of the rows.
TEST(EmbeddedSimulation, FourBarBounces) {
  ModelSpec spec = struck_four_bar(0.6);
  for (ShapeSpec& s : spec.shapes) s.friction = 0;
  const double dt = 1e-4;
  Pair p(spec, dt);
  const int coupler = *p.model.find_body("coupler");
  std::vector<BodyMotion> motions;
  const auto speed = [&] {  // of the ball, upwards
    p.embedded.calc_body_motions(motions);
    const auto& [pose, v] = motions[at(coupler)];
    return point_velocity(v, apply_inverse(pose.E, Vec3<double>{0.2, 0, 0})).z;
  };
  double before = 0;
  while (p.embedded.totals().collisions == 0) before = speed(), p.embedded.step();
  EXPECT_LT(before, -0.5);
  EXPECT_NEAR(speed() / before, -0.6, slack(3e-3, "weight and turning of a step of 0.1 ms"));
  while (p.rows.totals().collisions == 0) p.rows.step();
  EXPECT_NEAR(p.embedded.totals().work.collisions / p.rows.totals().work.collisions, 1, 2e-4);
}

// A crank that turns round, in the rocker's angle at first: that turns back.
TEST(EmbeddedSimulation, ChangesOfCoordinatesAreCountedAndNamed) {
  ModelSpec spec = mechanisms::four_bar();
  spec.shapes.clear();
  for (JointSpec& j : spec.joints) j.dofs.clear();
  const Model m = compile(spec).value();
  const ConstraintSet set(m);
  const int rocker = m.find_joint("rocker_joint")->v;
  State start{{m.neutral().begin(), m.neutral().end()}, {30, 0, 0}, 0};
  EmbeddingWorkspace ws(m, set, {.independent = {0}});
  close_loops(m, set, ws, start.q, start.v);
  Simulation crank(m, set, {.dt = 1e-4, .loops = LoopMethod::embed});
  Simulation s(make_embedded_mechanism(m, set, {.independent = {rocker}}), {.dt = 1e-4});
  crank.state = s.state = start;
  for (int i = 0; i < 5000; ++i) crank.step(), s.step();
  EXPECT_GT(std::abs(s.state.q[0] - start.q[0]), 6);
  EXPECT_TRUE(near(s.state.q, crank.state.q, slack(1, "steps of first order in two coordinates"), 0, 0.05));
  EXPECT_TRUE(is_small(s.totals().worst_drift, 3e-13));
  EXPECT_TRUE(crank.embedding()->changes.empty());
  ASSERT_FALSE(s.embedding()->changes.empty());
  EXPECT_EQ(s.embedding()->changes.front().left, (std::vector<int>{rocker}));
  EXPECT_NE(describe(s.embedding()->changes.front(), m).find("takes over from joint 'rocker_joint'"),
            std::string::npos);
}

// A parallelogram that swings into its flat position.
TEST(EmbeddedSimulation, SingularPositionsAreRefusedWithTheStateBefore) {
  ModelSpec spec = mechanisms::four_bar({.ground = 0.4, .crank = 0.2, .coupler = 0.4, .rocker = 0.2, .angle = 0.01});
  spec.gravity = {}, spec.shapes.clear();
  for (JointSpec& j : spec.joints) j.dofs.clear();
  const Model m = compile(spec).value();
  Simulation s(m, {.dt = 1e-3, .loops = LoopMethod::embed});
  s.state.v[0] = -1;
  State before;
  try {
    for (int i = 0; i < 100; ++i) {
      before = s.state;
      s.step();
    }
    ADD_FAILURE() << "the flat position was not refused";
  } catch (const StepRefused& e) {
    EXPECT_NE(std::string(e.what()).find("cannot be embedded"), std::string::npos) << e.what();
    EXPECT_EQ(s.state.v, before.v);
    EXPECT_EQ(s.state.time, before.time);
  }
}

TEST(EmbeddedSimulation, StepsAllocateNothing) {
  const Model m = compile(struck_four_bar(0.3)).value();
  Simulation s(m, {.dt = 1e-3, .loops = LoopMethod::embed});
  for (int i = 0; i < 5; ++i) s.step();
  const AllocationCount allocations;
  for (int i = 0; i < 600; ++i) s.step();
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_GT(s.totals().contact_steps, 100);
  EXPECT_GT(s.totals().collisions, 0);
}

TEST(EmbeddedSimulation, SnapshotsAreForInspection) {
  const Model m = compile(struck_four_bar()).value();
  Simulation s(m, {.dt = 1e-3, .loops = LoopMethod::embed});
  s.step();
  EXPECT_THROW(s.restore(s.make_snapshot()), std::invalid_argument);
  Simulation rows(m, {.dt = 1e-3});
  EXPECT_THROW(rows.restore(s.make_snapshot()), std::invalid_argument);
  EXPECT_THROW(s.restore(rows.make_snapshot()), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
