// sinew/sim/actuator_law.hpp - from control to force: activations, affine laws, muscles
//   affine   force = (gain . (1, length, speed)) input + bias . (1, length, speed)
//   muscle   force = -strength (FL(l) FV(s) input + FP(l)),   l = range[0] + (length - shortest) / rest length
// input is the control within its limits, or the activation where there is one. All as in MuJoCo.
// FL is a bump from `shortest` over 1 to `longest` of four parabolas, FV a curve from 0 at the fastest shortening over
// 1 at rest to `lengthening`, FP a parabola from 1 on that ends in a line.
#pragma once
#include "sinew/model/model.hpp"

namespace sinew {

// An actuator's numbers, with those that depend on the inertia at the neutral position.
struct ActuatorLaw {
  std::array<double, 3> gain{1, 0, 0}, bias{};
  std::optional<MuscleSpec> muscle;
  double strength = 0;                       // [N] of a muscle
  double rest_length = 1, start_length = 0;  // [m] of a muscle: l = range[0] + (length - start) / rest
};
// inertia: 1 / (J M^-1 J^T), acceleration: |M^-1 J^T|, at neutral, J = d(length)/dq. Throws std::invalid_argument where
// a muscle has no length_range.
ActuatorLaw make_actuator_law(const ActuatorSpec&, double inertia, double acceleration);

// A force with its derivatives by length and speed.
struct ActuatorForce {
  double force = 0, per_length = 0, per_speed = 0;  // with its derivatives
};
ActuatorForce calc_actuator_force(const ActuatorLaw&, double input, double length, double speed);

// da/dt; control is taken within its limits.
double calc_activation_rate(const ActuatorSpec&, double control, double activation);
// a after dt with a constant control, within its limits: by Euler's rule, filter_exact without error.
double step_activation(const ActuatorSpec&, double control, double activation, double dt);
double clamp_control(const ActuatorSpec&, double control);

}  // namespace sinew
