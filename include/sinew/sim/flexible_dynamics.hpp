// sinew/sim/flexible_dynamics.hpp - motion over time of a model with flexible bodies, by the integrators of sim/
//   Integrator run(model, make_flexible_dynamics(flexible), {.dt = 1e-3, .extra = 2 * flexible.modes()});
//   run.set_state(state, extra);      // extra: eta of all flexible bodies, then their rates
//   run.advance(10);
// or, with energies, records and plots, as a Stepper:
//   FlexibleMotion s(flexible, {.method = IntegrationMethod::rkmk4, .dt = 1e-3});
// Accelerations by the articulated recursion of the SKO model, O(N) and O(modes^3) per body. No contact, no limits.
#pragma once
#include "sinew/operators/flexible_sko.hpp"
#include "sinew/sim/integrate.hpp"
#include "sinew/sim/smooth_simulation.hpp"

namespace sinew {

// tau(q, v, extra, time) as for other models; forces on modes are none but those of the body. The FlexibleModel must
// outlive the function.
RightHandSide make_flexible_dynamics(const sko::FlexibleModel&, JointForces = {});
RightHandSide make_flexible_dynamics(const sko::FlexibleModel&&, JointForces = {}) = delete;

// Smooth motion of a model with flexible bodies, under weight and `applied`. Throws std::invalid_argument naming what
// it does not follow: shapes that may touch, stops, springs, dampers and friction of joints, actuators, a soft surface.
// A Simulation of make_flexible_mechanism does. In a step's report `iterations` counts evaluations and `refinements`
// rejected steps. The FlexibleModel must outlive it.
class FlexibleMotion : public Stepper {
 public:
  explicit FlexibleMotion(const sko::FlexibleModel&, const SmoothOptions& = {});
  explicit FlexibleMotion(const sko::FlexibleModel&&, const SmoothOptions& = {}) = delete;
  In<double> actuator_forces() const override { return {}; }
  OptionTexts describe() const override;
  Snapshot make_snapshot() const override;

 private:
  void take_step(In<double> tau) override;

  const sko::FlexibleModel& flexible_;
  SmoothOptions options_;
  std::vector<double> forces_;  // (nv of the model) applied, and tau
  Integrator run_;              // beside the modes: work of damping and of applied forces
};

}  // namespace sinew
