// apps/eval/algorithms.cpp
#include "eval/algorithms.hpp"

namespace sinew::app {

std::span<const EvalAlgorithm> eval_algorithms() {
  static constexpr EvalAlgorithm kAll[] = {
      {"rnea", "q v a", "tau: inverse dynamics", eval_rnea},
      {"aba", "q v tau", "qdd: forward dynamics", eval_aba},
      {"crba", "q", "M: joint-space inertia matrix", eval_crba},
      {"mass_inverse", "q", "Minv: its inverse", eval_mass_inverse},
      {"bias", "q v", "h: what rnea gives at zero acceleration", eval_bias},
      {"gravity", "q", "g: gravity terms", eval_gravity},
      {"passive", "q v", "springs_and_dampers, fluid: forces that the model has by itself", eval_passive},
      {"sensors", "q v a", "sensors: name and values of each sensor of the model", eval_sensors},
      {"kinematics", "q", "bodies, frames: position, rotation, quaternion", eval_kinematics},
      {"velocity", "q v [a]", "velocities, accelerations of bodies", eval_velocity},
      {"jacobian", "q v frame", "J, Jdot_v of a frame or body", eval_jacobian},
      {"com", "q [v] [a]", "com, com_velocity, com_acceleration, J_com", eval_com},
      {"momentum", "q v [a]", "momentum about the com, momentum_rate", eval_momentum},
      {"centroidal", "q v", "A, Adot_v: momentum = A v", eval_centroidal},
      {"energy", "q v", "energy: kinetic, potential", eval_energy},
      {"coriolis", "q v", "C: C v + g = h, dM/dt - 2 C skew", eval_coriolis},
      {"regressor", "q v a", "Y: tau = Y pi, armature apart", eval_regressor},
      {"log_det", "q", "log_det_M", eval_log_det},
      {"tendons", "q v", "tendons: length, velocity, J, Jdot_v", eval_tendons},
      {"drives", "q v", "tau_drives, actuator_forces, activation_rates (of control, activation)", eval_drives},
  };
  return kAll;
}

const EvalAlgorithm* find_eval_algorithm(const std::string& name) {
  for (const EvalAlgorithm& a : eval_algorithms())
    if (a.name == name) return &a;
  return nullptr;
}

}  // namespace sinew::app
