// sinew/constraint/rows/maximal.hpp - the same mechanism in maximal coordinates [J14 section 8]
// Every body floats and every joint is a loop: 6 coordinates per body, and constraints for all joints. Shapes,
// exclusions and loops are kept; bodies that a joint connects still exclude each other.
// Joint limits, springs, couplings, actuators and keyframes are left out.
#pragma once
#include "sinew/model/configuration.hpp"

namespace sinew {

// Throws std::invalid_argument that names a joint which cannot be a loop (composite, prescribed, a user's own), or one
// with armature.
ModelSpec make_maximal(const Model& tree);

// The state of the maximal model that corresponds to `state` of the tree. `twin` is compiled from make_maximal(tree).
State to_maximal_state(const Model& tree, const Model& twin, const State& state);

}  // namespace sinew
