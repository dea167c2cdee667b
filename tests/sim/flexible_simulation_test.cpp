// tests/sim/flexible_simulation_test.cpp - steps with contact for bodies that bend
#include "sinew/sim/flexible_simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "sinew/operators/beam.hpp"
#include "sinew/sim/flexible_dynamics.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

void add_floor(ModelBuilder& b, double height) {
  ShapeSpec s;
  s.name = "floor", s.body = "world", s.kind = ShapeKind::plane, s.friction = 0.5;
  s.pose.r = {0, 0, height};
  b.spec().shapes.push_back(s);
}
// A beam of 1 m and 1 kg along x on the given joint, with a ball of 0.1 m and `load` kg welded to its tip.
Model beam_with_ball(JointKind kind, double load, double floor, double friction = 0.5) {
  ModelBuilder b("beam");
  b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
  JointSpec j;
  j.name = "root", j.parent = "world", j.child = "beam", j.kind = kind, j.axis = {0, 1, 0};
  b.spec().joints.push_back(j);
  b.body("ball").mass(load, {}, Sym3<double>::diagonal(1e-3, 1e-3, 1e-3)).sphere(0.1);
  b.fixed("weld", "beam", "ball").at({1, 0, 0});
  add_floor(b, floor);
  b.spec().timestep = 1e-3;
  for (ShapeSpec& s : b.spec().shapes) s.friction = friction;
  return b.build().value();
}
sko::FlexibleBody bending_beam(int modes, double stiffness, double damping = 0.05) {
  return sko::make_beam({.body = "beam",
                         .length = 1,
                         .mass = 1,
                         .bending_z = stiffness,
                         .modes_z = modes,
                         .damping_ratio = damping,
                         .stations = {{"tip", 1}}});
}

// A clamped beam whose tip is held up by a floor at its own height: the reaction is 3/8 of its weight, and all of the
// ball's. The tip does not sink.
TEST(FlexibleSimulation, ProppedCantileverRestsOnTheFloor) {
  const Model m = beam_with_ball(JointKind::fixed, 0.2, -0.1, 0);
  const sko::FlexibleModel flexible(m, {bending_beam(8, 50, 0.3)});
  FlexibleSimulation s(flexible, {.dt = 2e-3});
  for (int i = 0; i < 1500; ++i) s.step();
  ASSERT_EQ(s.contacts().size(), 1U);
  const double force = s.impulses()[0] / s.step_length(), want = (3. / 8 + 0.2) * 9.81;
  EXPECT_NEAR(force / want, 1, 2e-3);
  EXPECT_EQ(s.report().unsolved, 0);
  EXPECT_TRUE(is_small(s.report().worst_residual, 2e-10));
  EXPECT_TRUE(is_small(s.report().deepest, slack(1e-9, "rounding, of any solver")));
  EXPECT_TRUE(
      is_small(std::abs(s.sko().get_pose(s.sko().find_place("ball")).r.z), slack(1e-9, "rounding, of any solver")));
}

// Without bodies that bend it is the Simulation of the rigid model.
TEST(FlexibleSimulation, RigidModelsAreThoseOfTheSimulation) {
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -0.7);
  const sko::FlexibleModel rigid(m, {});
  FlexibleSimulation s(rigid, {.dt = 1e-3});
  Simulation want(m, {.dt = 1e-3});
  double touched = 0;
  for (int i = 0; i < 900; ++i) s.step(), want.step(), touched += static_cast<double>(!s.contacts().empty());
  EXPECT_GT(touched, 100);
  EXPECT_NEAR(s.state.q[0], want.state.q[0], slack(1e-5, "one of them solves again where surfaces curve"));
  EXPECT_GT(std::abs(s.state.q[0]), 0.5);
}

// A stiff beam hits the floor as a rigid one does, and comes to rest there.
TEST(FlexibleSimulation, StiffBeamIsTheRigidOne) {
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -0.7);
  Simulation rigid(m, {.dt = 1e-3});
  const sko::FlexibleModel flexible(m, {bending_beam(3, 1e7)});
  FlexibleSimulation s(flexible, {.dt = 1e-3});
  for (int i = 0; i < 900; ++i) s.step(), rigid.step();
  EXPECT_NEAR(s.state.q[0], rigid.state.q[0], slack(1e-4, "the beam bends by 1e-6, steps differ"));
  EXPECT_TRUE(is_small(s.report().deepest, slack(1e-9, "rounding, of any solver")));
}

// Steps converge to the integrator's motion, by the first power of the step.
TEST(FlexibleSimulation, ConvergesToTheSmoothMotion) {
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -5);
  const sko::FlexibleModel flexible(m, {bending_beam(2, 30)});
  Integrator run(m, make_flexible_dynamics(flexible), {.relative = 1e-9, .extra = 2 * flexible.modes()});
  run.set_state(make_state(m), std::vector<double>(4, 0.0));
  run.advance(0.5);
  const auto error = [&](double dt) {
    FlexibleSimulation s(flexible, {.dt = dt});
    while (s.state.time < 0.5 - 0.5 * dt) s.step();
    return std::abs(s.state.q[0] - run.state().q[0]) + std::abs(s.state.q[1] - run.extra()[0]);
  };
  const double coarse = error(2e-3), fine = error(5e-4);
  EXPECT_LT(coarse, 0.05);
  EXPECT_GT(coarse / fine, 3);
  EXPECT_LT(coarse / fine, 6);
}

// A stop of the joint holds the beam's root, and the beam swings on beyond it and back.
TEST(FlexibleSimulation, StopsHold) {
  ModelBuilder b("beam");
  b.body("beam").mass(1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12});
  b.revolute("root", "world", "beam").axis({0, 1, 0}).limits(-1, 0.4).damping(0.01);
  const Model m = b.build().value();
  const sko::FlexibleModel flexible(m, {bending_beam(3, 20)});
  FlexibleSimulation s(flexible, {.dt = 1e-3});
  double farthest = 0, bent = 0;
  for (int i = 0; i < 2000; ++i) {
    s.step();
    farthest = std::max(farthest, s.state.q[0]), bent = std::min(bent, s.state.q[1]);
  }
  EXPECT_NEAR(farthest, 0.4, 1e-11);
  EXPECT_LT(bent, -0.05);
}

TEST(FlexibleSimulation, WhatIsNotSupportedIsNamed) {
  const auto refused = [](const Model& m, const std::vector<sko::FlexibleBody>& bodies, const std::string& word) {
    try {
      const sko::FlexibleModel flexible(m, bodies);
      FlexibleSimulation s(flexible, {.dt = 1e-3});
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  };
  ModelSpec spec = beam_with_ball(JointKind::revolute, 0.5, -1).spec();
  ShapeSpec s;
  s.name = "skin", s.body = "beam", s.kind = ShapeKind::capsule, s.size = {0.01, 0.5, 0};
  spec.shapes.push_back(s);
  refused(compile(spec).value(), {bending_beam(2, 1)}, "capsule 'skin' of body 'beam' is on a body that bends");
  spec.shapes.back().collides = false, spec.shapes[0].restitution = 0.5;
  refused(compile(spec).value(), {bending_beam(2, 1)}, "has restitution");
  spec.shapes[0].restitution = 0;
  LoopSpec loop;
  loop.name = "tie", loop.body_a = "world", loop.body_b = "ball", loop.kind = JointKind::spherical;
  spec.loops.push_back(loop);
  refused(compile(spec).value(), {bending_beam(2, 1)}, "loop 'tie'");
  const Model m = beam_with_ball(JointKind::revolute, 0.5, -1);
  const sko::FlexibleModel flexible(m, {bending_beam(2, 1)});
  FlexibleSimulation good(flexible);  // the model's timestep
  EXPECT_EQ(good.step_length(), 1e-3);
  good.applied.clear();
  EXPECT_THROW(good.step(), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
