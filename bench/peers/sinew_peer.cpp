// bench/peers/sinew_peer.cpp - Sinew's side of `make bench-peers`; usage and formats in peer.hpp
//   sinew_peer --chain N FILE   writes mechanisms::chain(N) as URDF
// States come and results go in Pinocchio's convention; what is timed is Sinew's own.
#include "adapt.hpp"
#include "peer.hpp"
#include "sinew/io/load.hpp"
#include "sinew/model/convention.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/jacobian.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/mass_inverse.hpp"
#include "sinew/tree/rnea.hpp"

namespace {

using namespace sinew;
using Numbers = std::vector<double>;

// Coordinates, joints and matrices in Pinocchio's order.
class Peer {
 public:
  explicit Peer(const Model& model)
      : model_(model), map_(model, Convention::pinocchio), nv_(static_cast<std::size_t>(model.nv())) {
    for (const JointEntry& j : model.joints())
      if (j.nv > 0) joints_.push_back(&j);
    std::ranges::sort(joints_, {}, [&](const JointEntry* j) { return other(static_cast<std::size_t>(j->v)); });
  }

  const ConventionMap& map() const { return map_; }

  std::vector<std::string> joint_names() const {
    std::vector<std::string> names;
    for (const JointEntry* j : joints_) names.push_back(j->name);
    return names;
  }

  peers::State from_other(const peers::State& s) const {
    peers::State ours{Numbers(static_cast<std::size_t>(model_.nq())), Numbers(nv_), Numbers(nv_), Numbers(nv_)};
    map_.from_other_q(s.q, ours.q);
    map_.from_other_v(ours.q, s.v, ours.v);
    map_.from_other_a(ours.q, ours.v, s.a, ours.a);
    map_.from_other_tau(ours.q, s.tau, ours.tau);
    return ours;
  }

  Numbers matrix(const Numbers& m) const {
    Numbers out(nv_ * nv_);
    for (std::size_t i = 0; i < nv_; ++i)
      for (std::size_t j = 0; j < nv_; ++j) out[other(i) * nv_ + other(j)] = m[i * nv_ + j];
    return out;
  }

  // Linear rows above angular ones.
  Numbers jacobian(const std::vector<Motion<double>>& J) const {
    Numbers out(6 * nv_);
    for (std::size_t k = 0; k < nv_; ++k) {
      const Motion<double>& s = J[k];
      const double column[6] = {s.lin.x, s.lin.y, s.lin.z, s.ang.x, s.ang.y, s.ang.z};
      for (std::size_t i = 0; i < 6; ++i) out[i * nv_ + other(k)] = column[i];
    }
    return out;
  }

  // Joint by joint, the first three rows of the matrix that takes its child's to world coordinates.
  Numbers poses(const KinematicsWorkspace<double>& ws) const {
    Numbers out;
    for (const JointEntry* j : joints_) {
      const Transform<double> X = get_body_pose(model_, ws, j->child);
      const Mat3<double>& E = X.E.m;
      const double rows[12] = {E.xx, E.yx, E.zx, X.r.x, E.xy, E.yy, E.zy, X.r.y, E.xz, E.yz, E.zz, X.r.z};
      out.insert(out.end(), rows, rows + 12);
    }
    return out;
  }

 private:
  std::size_t other(std::size_t i) const { return static_cast<std::size_t>(map_.other_v_index(static_cast<int>(i))); }

  const Model& model_;
  ConventionMap map_;
  std::size_t nv_;
  std::vector<const JointEntry*> joints_;
};

void run(const peers::Arguments& arguments) {
  const Model model = compile(load(arguments.urdf, {.floating_base = arguments.floating}).value()).value();
  const Peer peer(model);
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
  report.measure(arguments.repeats);
  report.write(arguments.out, "\"program\": \"Sinew\", \"nv\": " + std::to_string(model.nv()) +
                                  ", \"joints\": " + peers::to_json(peer.joint_names()) + ",\n");
}

void write_chain(int n, const std::string& file) {
  ModelSpec spec = mechanisms::chain(n);
  for (JointSpec& j : spec.joints)
    for (DofSpec& d : j.dofs) d.max_effort = d.max_velocity = 1000;  // other readers insist on these
  std::ofstream out(file);
  out << make_models::to_urdf(spec, "mechanisms::chain(" + std::to_string(n) + ")");
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 4 && std::string_view(argv[1]) == "--chain") {
    write_chain(std::stoi(argv[2]), argv[3]);
  } else {
    run(peers::parse(argc, argv));
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "sinew_peer: %s\n", e.what());
  return 1;
}
