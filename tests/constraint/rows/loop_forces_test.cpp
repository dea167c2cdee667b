// tests/constraint/rows/loop_forces_test.cpp - motors and springs on loop joints [F08 8.4]
#include "sinew/constraint/rows/loop_forces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/tree/rnea.hpp"
#include "support/closed_loops.hpp"

namespace sinew::test {
namespace {

// The efforts tau^a of forces on bodies, by rnea.
std::vector<double> efforts_of(const Model& m, const TreeState& s, const std::vector<Force<double>>& external) {
  RneaWorkspace<double> ws(m);
  std::vector<double> with(s.v.size()), without(s.v.size());
  calc_bias(m, ws, s.q, s.v, with, {external, 0});
  calc_bias(m, ws, s.q, s.v, without);
  for (std::size_t i = 0; i < with.size(); ++i) with[i] = without[i] - with[i];
  return with;
}

// What acts along the freedoms of a loop does the power tau . qd_J, and none on the constraint's own directions.
TEST(LoopForces, DoTheirPowerOnTheLoopsFreedoms) {
  for (const JointKind kind : loop_kinds())
    for_random_trees(
        8,
        [&](const Model& tree, Random& rng) {
          if (tree.nv() == 0) return;
          const TreeState s = random_state(tree, rng);
          ModelSpec spec = tree.spec();
          spec.loops.push_back(closed_loop(tree, kind, s.q, rng, "loop"));
          const Model m = compile(spec).value();
          const LoopEntry& loop = m.loops()[0];
          VelocityWorkspace<double> motion(m);
          calc_velocities(m, motion, s.q, s.v);
          const LoopJointState state = get_loop_joint_state(loop, motion);
          const std::vector<double> tau = random_numbers(rng, loop.joint.nv());
          std::vector<Force<double>> external(m.bodies().size());
          add_loop_force(m, loop, motion, tau, external);
          double power = 0;
          for (std::size_t j = 0; j < tau.size(); ++j) power += tau[j] * state.v[j];
          const double scale = kind == JointKind::spherical_ypr ? 1e3 : 1;  // Ta grows towards the pole
          EXPECT_TRUE(near(product(efforts_of(m, s, external), s.v), power, 1e4 * scale)) << to_string(kind);
        },
        true);
}

// A slide between two bodies with a spring in it is that spring between two points.
TEST(LoopForces, ASpringInASlideIsASpringBetweenPoints) {
  Random rng(3);
  const Model tree = compile(random_tree(9, {.bodies = 6, .kinds = {JointKind::revolute}, .branching = 0.5})).value();
  const TreeState s = random_state(tree, rng);
  ModelSpec spec = tree.spec();
  LoopSpec slide = closed_loop(tree, JointKind::prismatic, s.q, rng, "slide");
  slide.body_a = "body1", slide.body_b = "body4";
  slide.axis = {0, 0, 1};
  KinematicsWorkspace<double> ws(tree);
  calc_kinematics(tree, ws, s.q);
  const double length = 0.8;
  slide.pose_b = shift_frame(Vec3<double>{0, 0, length}) *
                 (slide.pose_a * (get_body_pose(tree, ws, 2) * inverse(get_body_pose(tree, ws, 5))));
  spec.loops.push_back(slide);
  const Model m = compile(spec).value();
  VelocityWorkspace<double> motion(m);
  calc_velocities(m, motion, s.q, s.v);
  const LoopSpring spring{.stiffness = 40, .damping = 0, .rest = 0.5};
  const LoopJointState state = get_loop_joint_state(m.loops()[0], motion);
  EXPECT_TRUE(near(state.q[0], length, 100));
  const SpringEffort e = calc_loop_spring(m.loops()[0], state, spring);
  EXPECT_TRUE(near(e.tau, -40 * 0.3, 1e3));
  EXPECT_TRUE(near(e.energy, 40 * 0.3 * 0.3 / 2, 1e3));
  std::vector<Force<double>> external(m.bodies().size()), by_hand(m.bodies().size());
  add_loop_force(m, m.loops()[0], motion, std::vector<double>{e.tau}, external);

  // By hand: the pull along the line between the two origins.
  const Transform<double> X_a = get_body_pose(m, motion.kinematics, 2), X_b = get_body_pose(m, motion.kinematics, 5);
  const Vec3<double> from = (slide.pose_a * X_a).r, to = (slide.pose_b * X_b).r;
  const Vec3<double> pull = (e.tau / norm(to - from)) * (to - from);
  by_hand[5] = apply(X_b, Force<double>{cross(to, pull), pull});
  by_hand[2] = apply(X_a, -Force<double>{cross(from, pull), pull});
  EXPECT_TRUE(near(efforts_of(m, s, external), efforts_of(m, s, by_hand), 200));
}

// Joints that advance as they turn know how often they have turned.
TEST(LoopForces, CountTheTurnsOfScrewsAndPinions) {
  const ModelSpec tree = random_tree(7, {.bodies = 1, .kinds = {JointKind::free}, .branching = 0});
  const Model body = compile(tree).value();
  KinematicsWorkspace<double> ws(body);
  calc_kinematics(body, ws, body.neutral());
  for (const JointKind kind : {JointKind::helical, JointKind::rack_and_pinion})
    for (const double turns : {9.0, -14.0, 3.0}) {
      Joint joint;
      joint.kind = kind;
      joint.parameter = 0.1;
      JointMotion<double> motion;
      const double rest = 0;
      calc_joint(joint, &turns, &rest, 0, motion);
      ModelSpec spec = tree;
      spec.loops.push_back({.name = "loop",
                            .kind = kind,
                            .body_a = "world",
                            .body_b = "body0",
                            .pose_b = motion.X * inverse(get_body_pose(body, ws, 1)),
                            .axis = {0, 0, 1},
                            .axis2 = {1, 0, 0},
                            .pitch = 0.1,
                            .radius = 0.1});
      const Model m = compile(spec).value();
      const ConstraintSet set(m);
      ConstraintRows rows(m, set);
      calc_constraint_rows(m, set, rows, m.neutral(), std::vector<double>(6));
      EXPECT_TRUE(near(rows.position, std::vector<double>(5), 100));
      EXPECT_TRUE(near(get_loop_joint_state(m.loops()[0], rows.motion).q[0], turns, 50)) << to_string(kind);
    }
}

TEST(LoopForces, ARevoluteSpringGoesTheShorterWay) {
  LoopEntry loop;
  loop.name = "pin";
  loop.joint.kind = JointKind::revolute;
  LoopJointState state;
  state.q[0] = -3.0;
  state.v[0] = 2;
  const SpringEffort e = calc_loop_spring(loop, state, {.stiffness = 2, .damping = 0.5, .rest = 3.0});
  EXPECT_TRUE(near(e.tau, -2 * (2 * std::numbers::pi - 6) - 1, 10));
  loop.joint.kind = JointKind::cylindrical;
  EXPECT_THROW(calc_loop_spring(loop, state, {}), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
