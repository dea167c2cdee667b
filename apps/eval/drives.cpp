// apps/eval/drives.cpp - `sinew eval`: tendons, springs, dampers and actuators
#include "sinew/sim/drives.hpp"

#include "common/json_text.hpp"
#include "eval/algorithms.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew::app {
namespace {
using Json = nlohmann::ordered_json;
}

void eval_tendons(const EvalCase& e, Json& out) {
  TendonWorkspace ws(e.m);
  VelocityWorkspace<double> motion(e.m);
  // Ours where theirs is zero, so that d^2L/dt^2 = J a + Jdot_v holds in their coordinates.
  const Numbers a = e.x.acceleration_at_zero(*e.s.q, *e.s.v), zeros(nv(e));
  calc_accelerations(e.m, motion, *e.s.q, *e.s.v, zeros, e.s.time);
  calc_tendon_rates(e.m, ws, motion, *e.s.q, e.s.time);
  out["tendons"] = Json::object();
  for (int t = 0; t < static_cast<int>(e.m.tendons().size()); ++t) {
    Numbers J(nv(e));
    calc_row_jacobian(e.m, motion.kinematics, *e.s.q, ws.row(e.m, t), J, e.s.time);
    double drift = ws.acceleration[t];
    for (std::size_t k = 0; k < J.size(); ++k) drift += J[k] * a[k];
    out["tendons"][e.m.tendons()[t].name] = {
        {"length", ws.length[t]}, {"velocity", ws.velocity[t]}, {"J", e.x.columns(*e.s.q, J)}, {"Jdot_v", drift}};
  }
}

namespace {

// Early ones act with the activation at the end of a step of the model.
Numbers find_activations(const EvalCase& e) {
  Numbers activation = e.s.activation;
  for (std::size_t i = 0; i < e.s.control.size(); ++i) {
    const ActuatorSpec& a = e.m.spec().actuators[i];
    const int k = e.m.activation_of()[i];
    if (k >= 0 && a.early) activation[k] = step_activation(a, e.s.control[i], activation[k], e.m.spec().timestep);
  }
  return activation;
}

}  // namespace

Numbers calc_actuator_forces(const EvalCase& e) {
  if (e.m.spec().actuators.empty()) return {};
  Drives drives(e.m, 0);
  VelocityWorkspace<double> motion(e.m);
  calc_velocities(e.m, motion, *e.s.q, *e.s.v, e.s.time);
  Numbers tau(nv(e));
  std::vector<Force<double>> external;
  drives.add_forces(*e.s.q, *e.s.v, e.s.control, motion, tau, external, find_activations(e));
  const In<double> forces = drives.actuator_forces();
  return {forces.begin(), forces.end()};
}

void eval_drives(const EvalCase& e, Json& out) {
  Drives drives(e.m, 0);
  VelocityWorkspace<double> motion(e.m);
  calc_velocities(e.m, motion, *e.s.q, *e.s.v, e.s.time);
  Numbers tau(nv(e)), J(nv(e)), rates(e.s.activation.size());
  std::vector<Force<double>> external;
  drives.add_forces(*e.s.q, *e.s.v, e.s.control, motion, tau, external, find_activations(e));
  for (std::size_t b = 1; b < external.size(); ++b) {
    const BodyEntry& body = e.m.bodies()[b];
    if (body.node == 0) continue;
    const Force<double> f = apply_inverse(body.in_node, external[b]);
    calc_row_jacobian(e.m, motion.kinematics, *e.s.q, {{&body.node, 1}, {&f, 1}}, J, e.s.time);
    for (std::size_t k = 0; k < J.size(); ++k) tau[k] += J[k];
  }
  drives.calc_activation_rates(e.s.control, e.s.activation, rates);
  const In<double> forces = drives.actuator_forces();
  out["tau_drives"] = e.x.force(*e.s.q, tau);
  out["actuator_forces"] = Numbers(forces.begin(), forces.end());
  out["activation_rates"] = rates;
}

}  // namespace sinew::app
