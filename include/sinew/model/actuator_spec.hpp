// sinew/model/actuator_spec.hpp - actuators as a user writes them
#pragma once
#include <array>
#include <optional>
#include <string>

#include "sinew/model/joint_spec.hpp"

namespace sinew {

// What an actuator acts on.
//   joint            its coordinate; ball: gear . rotation vector; free: force along the world's axes, torque in the
//   body joint_in_parent  the same with the torques of ball and free joints along the axes of the parent site a wrench
//   at a frame, in its axes; with `reference`, between two frames, in the axes of the reference body             the
//   normals of all contacts of the body: adhesion tendon           its length slider_crank     `target` slides along
//   its z; a rod of `crank_length` joins it to the frame `reference`
enum class Transmission { joint, joint_in_parent, site, body, tendon, slider_crank };

// Between the control u and the force there may be a state a of first order:
//   integrator  da/dt = u      filter, filter_exact  da/dt = (u - a) / time_constants[0]
//   muscle      da/dt = (u - a) / tau(u, a),  time_constants: activation, deactivation, width of the switch between
//   them
// filter_exact steps without error for a constant u.
enum class Activation { none, integrator, filter, filter_exact, muscle };

// The force of a muscle: -force (a FL(l) FV(v) + FP(l)), with lengths and speeds in units of its resting length.
// MuJoCo's curves, see docs/simulation.md.
struct MuscleSpec {
  std::array<double, 2> range{0.75, 1.05};  // lengths that belong to the ends of the actuator's length_range
  double force = -1;                        // [N] most active force; negative: scale / acceleration of a unit force
  double scale = 200;
  double shortest = 0.5, longest = 1.6;  // where the active force ends
  double fastest = 1.5;                  // [1/s] speed of shortening without force
  double passive = 1.3;                  // passive force at `longest`, in units of force
  double lengthening = 1.2;              // most active force while lengthening, in units of force
};

// force = gain * control + bias, both affine in length and velocity: [constant, per length, per velocity]. With an
// activation its state takes the place of the control; a muscle has its own law.
struct ActuatorSpec {
  std::string name;
  std::string kind;  // "motor", "position", "velocity", ...
  Transmission transmission = Transmission::joint;
  std::string target;
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
  std::array<double, 3> gain{1, 0, 0};
  std::array<double, 3> bias{0, 0, 0};
  double control_lower = -kUnlimited, control_upper = kUnlimited;
  double force_lower = -kUnlimited, force_upper = kUnlimited;
  SourceLocation where;
  std::string reference;    // a frame, see Transmission
  double crank_length = 0;  // [m]
  Activation activation = Activation::none;
  std::array<double, 3> time_constants{1, 0, 0};  // [s]
  double activation_lower = -kUnlimited, activation_upper = kUnlimited;
  bool early = false;        // the force uses the activation at the end of the step
  double damping_ratio = 0;  // positive: bias[2] is -2 ratio sqrt(gain m), m the inertia it moves at neutral
  std::optional<MuscleSpec> muscle;
  std::optional<std::array<double, 2>> length_range;  // muscles: the shortest and longest that the length can be
};

}  // namespace sinew
