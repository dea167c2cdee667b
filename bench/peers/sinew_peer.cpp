// bench/peers/sinew_peer.cpp - Sinew's side of `make bench-peers`; usage and formats in peer.hpp
//   sinew_peer --mechanism NAME FILE   writes one of ours as URDF: chain30, humanoid_hands
// States come and results go in Pinocchio's convention; what is timed is Sinew's own.
#include "adapt.hpp"
#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/io/load.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"
#include "sinew_side.hpp"

namespace {

using namespace sinew;
using peers::Numbers;

void run(const peers::Arguments& arguments) {
  const Model model = compile(load(arguments.urdf, {.floating_base = arguments.floating}).value()).value();
  const peers::Peer peer(model);
  std::vector<peers::State> states = peers::read_states(arguments.states, peer.map().nq(), model.nv());
  for (peers::State& s : states) s = peer.from_other(s);

  const auto nv = static_cast<std::size_t>(model.nv());
  Numbers x(nv), y(nv), m(nv * nv);
  const MatrixView<double> matrix(m.data(), nv, nv);
  RneaWorkspace<double> rnea_ws(model);
  CrbaWorkspace<double> crba_ws(model);
  AbaWorkspace<double> aba_ws(model);
  MassInverseWorkspace<double> inverse_ws(model);
  JacobianWorkspace<double> jacobian_ws(model);
  KinematicsWorkspace<double> kinematics_ws(model);
  RneaDerivativesWorkspace<double> rnea_derivatives_ws(model);
  AbaDerivativesWorkspace<double> aba_derivatives_ws(model);
  Numbers dq(nv * nv), dv(nv * nv);
  const MatrixView<double> matrix_dq(dq.data(), nv, nv), matrix_dv(dv.data(), nv, nv);

  peers::Report report(states.size());
  const auto add = [&](const char* name, auto call, auto result) {
    const auto at = [&states, call](std::size_t i) { call(states[i]); };
    report.add(name, at, [&states, at, result](std::size_t i) { return at(i), result(states[i]); });
  };
  const auto get_matrix = [&](const peers::State&) { return peer.matrix(m); };
  add(
      "rnea", [&](const peers::State& s) { rnea(model, rnea_ws, s.q, s.v, s.a, x); },
      [&](const peers::State& s) { return peer.map().to_other_tau(s.q, x, y), y; });
  add(
      "crba", [&](const peers::State& s) { crba(model, crba_ws, s.q, matrix); }, get_matrix);
  add(
      "aba", [&](const peers::State& s) { aba(model, aba_ws, s.q, s.v, s.tau, x); },
      [&](const peers::State& s) { return peer.map().to_other_a(s.q, s.v, x, y), y; });
  add(
      "minverse", [&](const peers::State& s) { calc_mass_inverse(model, inverse_ws, s.q, matrix); }, get_matrix);
  add(
      "jacobians", [&](const peers::State& s) { calc_jacobian(model, jacobian_ws, s.q); },
      [&](const peers::State&) { return peer.jacobian(jacobian_ws.J); });
  add(
      "kinematics", [&](const peers::State& s) { calc_kinematics(model, kinematics_ws, s.q); },
      [&](const peers::State&) { return peer.poses(kinematics_ws); });
  const auto get_matrices = [&](const peers::State&) { return peer.matrices({&dq, &dv, &m}); };
  add(
      "drnea",
      [&](const peers::State& s) {
        calc_rnea_derivatives(model, rnea_derivatives_ws, s.q, s.v, s.a, x, matrix_dq, matrix_dv, matrix);
      },
      get_matrices);
  add(
      "daba",
      [&](const peers::State& s) {
        calc_aba_derivatives(model, aba_derivatives_ws, s.q, s.v, s.tau, x, matrix_dq, matrix_dv, matrix);
      },
      get_matrices);
  report.measure(arguments.repeats);
  report.write(arguments.out, "\"program\": \"Sinew\", \"nv\": " + std::to_string(model.nv()) +
                                  ", \"joints\": " + peers::to_json(peer.joint_names()) + ",\n");
}

// "chain30", or "humanoid_hands" without the joint that lets it float: for readers that are told to let it.
ModelSpec find_mechanism(const std::string& name) {
  if (name.starts_with("chain")) return mechanisms::chain(std::stoi(name.substr(5)));
  if (name != "humanoid_hands") throw std::invalid_argument("no mechanism " + name);
  ModelSpec spec = mechanisms::humanoid_with_hands(2);
  for (JointSpec& j : spec.joints)
    if (j.kind == JointKind::free) j.kind = JointKind::fixed, j.dofs.clear(), j.neutral.clear();
  return spec;
}

void write_mechanism(const std::string& name, const std::string& file) {
  ModelSpec spec = find_mechanism(name);
  for (JointSpec& j : spec.joints)
    for (DofSpec& d : j.dofs) d.max_effort = d.max_velocity = 1000;  // other readers insist on these
  std::ofstream out(file);
  out << make_models::to_urdf(spec, "mechanisms: " + name);
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 4 && std::string_view(argv[1]) == "--mechanism") {
    write_mechanism(argv[2], argv[3]);
  } else {
    run(peers::parse(argc, argv));
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "sinew_peer: %s\n", e.what());
  return 1;
}
