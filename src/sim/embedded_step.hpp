// src/sim/embedded_step.hpp - what a step with embedded loops did, for its derivatives
#pragma once
#include <span>

#include "sinew/constraint/rows/constraint_set.hpp"

namespace sinew {

class Mechanism;

struct EmbeddedStep {
  const ConstraintSet& set;
  // Velocity coordinates that the last closing of loops left as they were, in positions and in velocities.
  std::span<const int> independent_q, independent_v;
  In<double> q_moved, v_moved;  // before it
};
// Of such a mechanism; throws std::logic_error for others.
EmbeddedStep get_embedded_step(const Mechanism&);

}  // namespace sinew
