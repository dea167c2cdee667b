// sinew/constraint/rows/loop_joint.hpp - a loop closed by a joint of any kind: user, composite, prescribed, reversed
// LoopSpec takes the primitive kinds, whose coordinates follow from a pose in closed form. This takes a JointSpec of
// any kind, as ModelSpec::joints has them, as a constraint to add to a set:
//   ConstraintSet set(model, {make_loop_joint(model, spec)});
// `parent` and `child` name the two bodies; limits, drives and springs of the joint are not read.
// The joint's coordinates are those at which it comes closest to the pose of its bodies, found by Gauss-Newton from its
// neutral position and from twelve others. The same state gives the same coordinates; nothing is kept between calls.
// Where several coordinates reach a pose exactly, the first found is taken; forces and accelerations do not depend on
// it unless the joint can be assembled there in two ways that move differently. Rows: 6 less its freedoms; T is an
// orthonormal basis of S's complement. A prescribed joint, or part of a composite, holds the pose and speed of its law
// at that time. [F08 4.1.4, 8.2]
#pragma once
#include <memory>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

// Throws std::invalid_argument naming the joint: a body that does not exist, wrong axes, more than six freedoms.
// calc() throws std::domain_error at a position where the joint's own freedoms depend on each other (yaw, pitch and
// roll at 90 degrees of pitch). Keeps nothing of the model. Allocates nothing after construction.
std::shared_ptr<const CustomConstraint> make_loop_joint(const Model&, const JointSpec&);

}  // namespace sinew
