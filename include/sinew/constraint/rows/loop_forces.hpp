// sinew/constraint/rows/loop_forces.hpp - motors and springs on loop joints [F08 section 8.4]
// A loop joint's coordinates are not among those of the tree, so what acts along them acts as forces on the two bodies:
//   f_b = Ta tau,  f_a = -f_b,   tau^a = sum of J^T f                        [F08 8.28, Table 8.3]
// Those are external forces like any others: pass them to rnea, aba, calc_bias as Surroundings::external.
#pragma once
#include <array>

#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/spatial/active_forces.hpp"

namespace sinew {

// The state of a loop joint, from the poses of its two bodies: the coordinates at which it comes closest, and its
// velocities. Angles are known up to full turns, except where an advance tells the turn (helical, rack and pinion).
struct LoopJointState {
  std::array<double, 7> q{};  // the first nq
  std::array<double, 6> v{};  // the first nv
};
LoopJointState get_loop_joint_state(const LoopEntry&, const VelocityWorkspace<double>& motion);

// Adds what `tau` (nv of the loop joint) does to its two bodies. external: one per body, in the body's frame.
// `motion`: after calc_velocities or calc_constraint_rows (ConstraintRows::motion).
void add_loop_force(const Model&, const LoopEntry&, const VelocityWorkspace<double>& motion, In<double> tau,
                    Out<Force<double>> external);

// The same where the drive pushes along other forces than the joint's own T_a: `directions`, one per freedom, in the
// coordinates of F_p (on body a, where the motor stands) or of F_s. The motion is the same, the constraint forces are
// not (spatial/active_forces.hpp). Throws std::domain_error for directions that cannot drive the joint. [F08
// Example 3.2]
enum class DriveSide { on_a, on_b };
void add_loop_force(const Model&, const LoopEntry&, const VelocityWorkspace<double>& motion, In<double> tau,
                    const ForceSubspace& directions, DriveSide, Out<Force<double>> external);

// On a joint with one freedom: tau = -stiffness (q - rest) - damping qd. The angle of a revolute joint is counted from
// `rest` by the shorter way.
struct LoopSpring {
  double stiffness = 0;  // [N m/rad or N/m]
  double damping = 0;
  double rest = 0;  // [rad or m]
};
// The effort, and the energy stored. Throws std::invalid_argument for a loop joint of no or of several freedoms.
struct SpringEffort {
  double tau = 0, energy = 0;
};
SpringEffort calc_loop_spring(const LoopEntry&, const LoopJointState&, const LoopSpring&);

}  // namespace sinew
