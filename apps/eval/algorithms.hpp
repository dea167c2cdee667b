// apps/eval/algorithms.hpp - what `sinew eval` can be asked, and the names of what comes back
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "eval/state_json.hpp"

namespace sinew::app {

struct EvalCase {
  const Model& m;
  const Exchange& x;
  const EvalState& s;  // with everything that the algorithm needs
};
inline std::size_t nv(const EvalCase& e) { return static_cast<std::size_t>(e.m.nv()); }
using EvalCall = void (*)(const EvalCase&, nlohmann::ordered_json& out);

struct EvalAlgorithm {
  const char* name;
  const char* needs;  // keys of the state
  const char* gives;
  EvalCall call;
};

std::span<const EvalAlgorithm> eval_algorithms();
const EvalAlgorithm* find_eval_algorithm(const std::string& name);  // null if there is none

// dynamics.cpp
void eval_rnea(const EvalCase&, nlohmann::ordered_json& out);
void eval_aba(const EvalCase&, nlohmann::ordered_json& out);
void eval_crba(const EvalCase&, nlohmann::ordered_json& out);
void eval_mass_inverse(const EvalCase&, nlohmann::ordered_json& out);
void eval_bias(const EvalCase&, nlohmann::ordered_json& out);
void eval_gravity(const EvalCase&, nlohmann::ordered_json& out);
void eval_passive(const EvalCase&, nlohmann::ordered_json& out);
void eval_coriolis(const EvalCase&, nlohmann::ordered_json& out);
void eval_regressor(const EvalCase&, nlohmann::ordered_json& out);
void eval_log_det(const EvalCase&, nlohmann::ordered_json& out);
// motion.cpp
void eval_sensors(const EvalCase&, nlohmann::ordered_json& out);
// Of the controls and activations of the state.
Numbers calc_actuator_forces(const EvalCase&);
void eval_kinematics(const EvalCase&, nlohmann::ordered_json& out);
void eval_velocity(const EvalCase&, nlohmann::ordered_json& out);
void eval_jacobian(const EvalCase&, nlohmann::ordered_json& out);
void eval_com(const EvalCase&, nlohmann::ordered_json& out);
void eval_momentum(const EvalCase&, nlohmann::ordered_json& out);
void eval_centroidal(const EvalCase&, nlohmann::ordered_json& out);
void eval_energy(const EvalCase&, nlohmann::ordered_json& out);
// drives.cpp
void eval_tendons(const EvalCase&, nlohmann::ordered_json& out);
void eval_drives(const EvalCase&, nlohmann::ordered_json& out);

}  // namespace sinew::app
