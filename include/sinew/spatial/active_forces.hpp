// sinew/spatial/active_forces.hpp - other bases for what a joint's drive and its bearings carry [F08 section 3.5]
//   f = T_a tau + T lambda,   T_a^T S = 1,   T^T S = 0                                  [F08 3.35]
// S says how a joint moves. It does not say how its drive pushes: a motor on the axis gives a couple, a tooth of a gear
// gives a force at its rim [F08 Example 3.2]. T_a is chosen by the user, and range(T_a) may be any complement of
// range(T). With another choice T_a',
//   tau and the motion stay (S^T f = tau),  the whole force f stays,  T lambda' = T lambda + (T_a - T_a') tau:
// the bearings carry what the two drives differ by. Any other basis of range(T), T R, only turns lambda into
// R^-1 lambda. In double, for analysis.
#pragma once
#include "sinew/spatial/subspace.hpp"

namespace sinew {

// T_a with the range of `directions` and T_a^T S = 1: directions (S^T directions)^-1.
// Throws std::invalid_argument where there are not as many directions as columns of S, std::domain_error where
// they cannot drive the joint: a combination of them does no work on any of its motions.
ForceSubspace make_active_forces(const MotionSubspace& S, const ForceSubspace& directions);

// f in the two subspaces: what the drive gives, and what the bearings do.
struct JointForceParts {
  std::array<double, 6> tau{};       // S^T f: as many as S has columns
  Force<double> active, constraint;  // T_a tau, T lambda
};
JointForceParts split_joint_force(const Force<double>& f, const MotionSubspace& S, const ForceSubspace& active);

}  // namespace sinew
