// apps/eval/dynamics.cpp - `sinew eval`: forces, accelerations and matrices of the equation of motion
#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "eval/algorithms.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/fluid.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/coriolis.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/regressor.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

Surroundings<double> surroundings(const EvalCase& e) { return {e.s.external, e.s.time}; }

// Forces at our acceleration a, in the convention asked for.
Numbers inverse_dynamics(const EvalCase& e, const Numbers& a) {
  RneaWorkspace<double> ws(e.m);
  Numbers tau(nv(e));
  rnea(e.m, ws, *e.s.q, *e.s.v, a, tau, surroundings(e));
  return e.x.force(*e.s.q, tau);
}

// nv x nv, filled by call(matrix).
template <class Call>
Numbers square_matrix(const EvalCase& e, const Call& call) {
  Numbers M(nv(e) * nv(e));
  call(MatrixView<double>(M.data(), nv(e), nv(e)));
  return M;
}

Numbers mass_matrix(const EvalCase& e) {
  CrbaWorkspace<double> ws(e.m);
  return square_matrix(e, [&](MatrixView<double> M) { crba(e.m, ws, *e.s.q, M, e.s.time); });
}

}  // namespace

void eval_rnea(const EvalCase& e, Json& out) { out["tau"] = inverse_dynamics(e, *e.s.a); }

void eval_bias(const EvalCase& e, Json& out) {
  out["h"] = inverse_dynamics(e, e.x.acceleration_at_zero(*e.s.q, *e.s.v));
}

void eval_gravity(const EvalCase& e, Json& out) {
  RneaWorkspace<double> ws(e.m);
  Numbers g(nv(e));
  calc_gravity(e.m, ws, *e.s.q, g, e.s.time);
  out["g"] = e.x.force(*e.s.q, g);
}

// As joint forces, in a step of length zero.
void eval_passive(const EvalCase& e, Json& out) {
  ModelSpec alone = e.m.spec();
  alone.actuators.clear(), alone.keyframes.clear();
  const Result<Model> m = compile(alone);
  if (!m) throw InputError(to_string(m.diagnostics().list().front()));
  VelocityWorkspace<double> motion(*m);
  calc_velocities(*m, motion, *e.s.q, *e.s.v, e.s.time);
  Numbers springs(nv(e)), fluid(nv(e)), zeros(nv(e));
  std::vector<Force<double>> external;
  Drives drives(*m, 0);
  if (drives.any()) drives.add_forces(*e.s.q, *e.s.v, {}, motion, springs, external);
  external.clear();
  FluidForces(*m).add_forces(motion, external);
  if (!external.empty()) {
    RneaWorkspace<double> ws(*m);
    Numbers with(nv(e));
    calc_gravity<double>(*m, ws, *e.s.q, fluid, e.s.time);
    calc_bias<double>(*m, ws, *e.s.q, zeros, with, {external, e.s.time});
    for (std::size_t k = 0; k < fluid.size(); ++k) fluid[k] -= with[k];
  }
  out["springs_and_dampers"] = e.x.force(*e.s.q, springs);
  out["fluid"] = e.x.force(*e.s.q, fluid);
}

void eval_aba(const EvalCase& e, Json& out) {
  AbaWorkspace<double> ws(e.m);
  Numbers a(nv(e));
  aba(e.m, ws, *e.s.q, *e.s.v, *e.s.tau, a, surroundings(e));
  out["qdd"] = e.x.acceleration(*e.s.q, *e.s.v, a);
}

void eval_crba(const EvalCase& e, Json& out) {
  out["M"] = to_json_matrix(e.x.square(*e.s.q, mass_matrix(e)), nv(e), nv(e));
}

void eval_mass_inverse(const EvalCase& e, Json& out) {
  MassInverseWorkspace<double> ws(e.m);
  const Numbers Minv = square_matrix(e, [&](MatrixView<double> N) { calc_mass_inverse(e.m, ws, *e.s.q, N, e.s.time); });
  out["Minv"] = to_json_matrix(e.x.square(*e.s.q, Minv), nv(e), nv(e));
}

void eval_coriolis(const EvalCase& e, Json& out) {
  CoriolisWorkspace<double> ws(e.m);
  const Numbers C = square_matrix(
      e, [&](MatrixView<double> matrix) { calc_coriolis_matrix(e.m, ws, *e.s.q, *e.s.v, matrix, e.s.time); });
  out["C"] = to_json_matrix(e.x.coriolis(*e.s.q, *e.s.v, C, mass_matrix(e)), nv(e), nv(e));
}

void eval_regressor(const EvalCase& e, Json& out) {
  RegressorWorkspace<double> ws(e.m);
  const std::size_t n = inertial_parameter_count(e.m);
  Numbers Y(nv(e) * n), pi(n);
  calc_regressor(e.m, ws, *e.s.q, *e.s.v, *e.s.a, MatrixView<double>(Y.data(), nv(e), n), e.s.time);
  get_inertial_parameters(e.m, pi);
  Y = e.x.rows(*e.s.q, Y);
  const char* order[] = {"m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"};
  if (e.x.convention() == Convention::pinocchio) {  // which writes Iyy before Ixz
    std::swap(order[6], order[7]);
    for (std::size_t k = 6; k < n; k += kInertialParameters) {
      std::swap(pi[k], pi[k + 1]);
      for (std::size_t i = 0; i < nv(e); ++i) std::swap(Y[i * n + k], Y[i * n + k + 1]);
    }
  }
  out["Y"] = to_json_matrix(Y, nv(e), n);
  out["pi"] = pi;
  out["parameters"] = Json::array();
  for (std::size_t b = 1; b < e.m.bodies().size(); ++b)
    for (const char* p : order) out["parameters"].push_back(e.m.bodies()[b].name + " " + p);
}

void eval_log_det(const EvalCase& e, Json& out) {
  CrbaWorkspace<double> ws(e.m);
  LtdlFactor<double> f(e.m.dof_tree());
  crba_packed(e.m, ws, *e.s.q, f.packed, e.s.time);
  factor(e.m.dof_tree(), f);
  out["log_det_M"] = calc_log_determinant(e.m.dof_tree(), f);
}

}  // namespace sinew::app
