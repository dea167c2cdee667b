// sinew/tree/joint_loads.hpp - what joints carry: the drive's part and the bearings' [F08 section 3.5, Example 3.2]
// The force that a joint transmits to its child is f = sum over all that it carries of (I a + v x* I v - f_external),
// and splits into f = T_a tau + T lambda. The motion says f and tau = S^T f; how the drive pushes says T_a. A motor on
// the axis (no drive given) loads the bearings least in most machines, a gear or a belt adds its pull:
//   Drive tooth{{{{0, 0, -r}, {0, 1, 0}}}};                     // force along y at (-r, 0, 0), in the parent's frame
//   get_joint_load(model, ws, joint, tooth).constraint          // what the bearings are chosen for
// Armature: tau is what crosses the joint; what turns the rotor (armature times acceleration) stays in the drive.
// Frames: results are forces on the child, in its body's frame, about its origin. In double.
#pragma once
#include "sinew/spatial/active_forces.hpp"
#include "sinew/tree/equivalence.hpp"

namespace sinew {

// Forces that the drive of a joint can give, one per freedom of the joint; their length does not matter.
struct Drive {
  ForceSubspace directions;  // none: the joint's own T_a
  bool on_parent = true;     // they stand in the frame of the parent body, where the motor is; else of the child
};

struct JointLoadsWorkspace {
  explicit JointLoadsWorkspace(const Model&);
  InertiasRneaWorkspace<double> rnea;          // transmitted forces       calc_joint_forces
  std::vector<RigidInertia<double>> inertias;  // (nodes) the model's own  constant
  std::vector<double> tau;                     // (nv) rnea's              calc_joint_forces
};

// The forces of all joints at a state. O(n). Allocates nothing.
void calc_joint_forces(const Model&, JointLoadsWorkspace&, In<double> q, In<double> v, In<double> a,
                       const Surroundings<double>& = {});
// After it: what joint `joint` (as in model.joints()) transmits, and its parts. Throws std::invalid_argument for a
// joint that does not exist, for a fixed one (its bodies were merged, nothing between them is known) and for a wrong
// number of directions; std::domain_error for directions that cannot drive the joint.
Force<double> get_joint_force(const Model&, const JointLoadsWorkspace&, int joint);
JointForceParts get_joint_load(const Model&, const JointLoadsWorkspace&, int joint, const Drive& = {});

}  // namespace sinew
