// tests/support/closed_loops.hpp - loops that are closed where a tree stands
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "model/canonical.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/model/configuration.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

// K after calc_constraint_rows.
inline Grid<double> jacobian(const Model& m, const ConstraintSet& set, const ConstraintRows& rows) {
  Grid<double> K(set.rows(), m.nv());
  get_constraint_jacobian(m, set, rows, K);
  return K;
}

// Kinds a loop joint may have.
inline std::vector<JointKind> loop_kinds() {
  return {JointKind::fixed,       JointKind::revolute, JointKind::prismatic,      JointKind::helical,
          JointKind::cylindrical, JointKind::planar,   JointKind::spherical,      JointKind::spherical_ypr,
          JointKind::universal,   JointKind::free,     JointKind::rack_and_pinion};
}

// A loop of that kind between two random bodies, at random coordinates of its own; closed at q and time 0.
inline LoopSpec closed_loop(const Model& m, JointKind kind, const std::vector<double>& q, Random& rng,
                            const std::string& name) {
  const int bodies = static_cast<int>(m.bodies().size());
  const int a = rng.below(bodies), b = (a + 1 + rng.below(bodies - 1)) % bodies;
  const JointSpec random = random_joint(rng, kind, name);
  LoopSpec l;
  l.name = name;
  l.kind = kind;
  l.body_a = m.bodies()[a].name;
  l.body_b = m.bodies()[b].name;
  l.axis = random.axis, l.axis2 = random.axis2, l.pitch = random.pitch, l.radius = random.radius;
  l.pose_a = random.placement;

  Transform<double> turn;
  Diagnostics remarks;
  const Joint joint = make_canonical_loop(l, turn, remarks);
  double own[7], rest[kMaxJointDofs] = {};
  const double lower[6] = {-1, -1, -1, -1, -1, -1}, upper[6] = {1, 1, 1, 1, 1, 1};
  sinew::random(joint, rng, lower, upper, own);
  JointMotion<double> motion;
  calc_joint(joint, own, rest, 0, motion);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  l.pose_b =
      inverse(turn) * (motion.X * (turn * (l.pose_a * (get_body_pose(m, ws, a) * inverse(get_body_pose(m, ws, b))))));
  return l;
}

// Central differences with the step cbrt(eps) are off by about eps^(2/3).
inline constexpr double kStep = 0x1p-17, kDifference = 0x1p-35;

// Along the motion that goes on with constant v: f(q, time) a step before and after.
inline std::vector<double> rate_along(const Model& m, const TreeState& s,
                                      const std::function<std::vector<double>(const std::vector<double>&, double)>& f) {
  std::vector<double> q(s.q.size());
  integrate(m, s.q, s.v, kStep, q);
  std::vector<double> rate = f(q, kStep);
  integrate(m, s.q, s.v, -kStep, q);
  const std::vector<double> before = f(q, -kStep);
  for (std::size_t i = 0; i < rate.size(); ++i) rate[i] = (rate[i] - before[i]) / (2 * kStep);
  return rate;
}

// Velocity errors are the rates of position errors (of the rows listed; none: all), and -k the rates of velocity errors
// where dv/dt = 0.
inline void expect_rates_match(const Model& m, const ConstraintSet& set, const TreeState& s, const Allowed& n,
                               const std::vector<int>& without_position = {},
                               const std::source_location& where = std::source_location::current()) {
  ConstraintRows rows(m, set);
  const auto position = [&](const std::vector<double>& q, double t) {
    calc_constraint_rows(m, set, rows, q, s.v, t);
    return rows.position;
  };
  const auto velocity = [&](const std::vector<double>& q, double t) {
    calc_constraint_rows(m, set, rows, q, s.v, t);
    return rows.velocity;
  };
  std::vector<double> dp = rate_along(m, s, position), dv = rate_along(m, s, velocity);
  calc_constraint_rows(m, set, rows, s.q, s.v, 0);
  for (const int r : without_position) dp[r] = rows.velocity[r];
  for (double& x : dv) x = -x;
  EXPECT_TRUE(near(dp, rows.velocity, n, 0, kDifference, where)) << "velocity errors";
  EXPECT_TRUE(near(dv, rows.k, n, 0, kDifference, where)) << "k";
}

}  // namespace sinew::test
