// sinew/sim/flexible_dynamics.hpp - motion over time of a model with flexible bodies, by the integrators of sim/
//   Integrator run(model, make_flexible_dynamics(flexible), {.dt = 1e-3, .extra = 2 * flexible.modes()});
//   run.set_state(state, extra);      // extra: eta of all flexible bodies, then their rates
//   run.advance(10);
// Accelerations by the articulated recursion of the SKO model, O(N) and O(modes^3) per body. No contact, no limits.
#pragma once
#include "sinew/operators/flexible_sko.hpp"
#include "sinew/sim/integrate.hpp"

namespace sinew {

// tau(q, v, extra, time) as for other models; forces on modes are none but those of the body. The FlexibleModel must
// outlive the function.
RightHandSide make_flexible_dynamics(const sko::FlexibleModel&, JointForces = {});
RightHandSide make_flexible_dynamics(const sko::FlexibleModel&&, JointForces = {}) = delete;

}  // namespace sinew
