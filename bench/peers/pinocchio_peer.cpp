// bench/peers/pinocchio_peer.cpp - Pinocchio's side of `make bench-peers`; usage and formats in peer.hpp
// Where Pinocchio offers two ways (in body frames, in the world frame) both are timed; the reader takes the better one.
#include "pinocchio_model.hpp"
#include "pinocchio_numbers.hpp"

namespace {

using peers::Numbers, peers::by_rows, peers::symmetric;

// Joint by joint, the first three rows of the matrix that takes joint to world coordinates.
Numbers poses(const pinocchio::Data& data) {
  Numbers out;
  for (std::size_t k = 1; k < data.oMi.size(); ++k) {
    const Numbers pose = by_rows(data.oMi[k].toHomogeneousMatrix().topRows<3>());
    out.insert(out.end(), pose.begin(), pose.end());
  }
  return out;
}

Numbers joined(const std::vector<Numbers>& all) {
  Numbers out;
  for (const Numbers& x : all) out.insert(out.end(), x.begin(), x.end());
  return out;
}

void run(const peers::Arguments& arguments) {
  const pinocchio::Model model = peers::load_pinocchio(arguments.urdf, arguments.floating);
  pinocchio::Data data(model);
  const auto states = peers::to_eigen(peers::read_states(arguments.states, model.nq, model.nv));

  peers::Report report(states.size());
  const auto add = [&](const char* name, auto call, auto result) {
    const auto at = [&, call](std::size_t i) { call(model, data, states[i]); };
    report.add(name, at, [at, result](std::size_t i) { return at(i), result(); });
  };
  const auto tau = [&] { return by_rows(data.tau); };
  const auto ddq = [&] { return by_rows(data.ddq); };
  const auto mass_matrix = [&] { return symmetric(data.M); };
  add("rnea", peers::call_rnea, tau);
  add("crba", peers::call_crba_local, mass_matrix);
  add("crba world", peers::call_crba_world, mass_matrix);
  add("aba", peers::call_aba_local, ddq);
  add("aba world", peers::call_aba_world, ddq);
  add("minverse", peers::call_minverse, [&] { return symmetric(data.Minv); });
  add("jacobians", peers::call_jacobians, [&] { return by_rows(data.J); });
  add("kinematics", peers::call_kinematics, [&] { return poses(data); });
  add("drnea", peers::call_rnea_derivatives, [&] {
    return joined({by_rows(data.dtau_dq), by_rows(data.dtau_dv), symmetric(data.M)});
  });
  add("daba", peers::call_aba_derivatives, [&] {
    return joined({by_rows(data.ddq_dq), by_rows(data.ddq_dv), symmetric(data.Minv)});
  });
  report.measure(arguments.repeats);

  const std::vector<std::string> joints(model.names.begin() + 1, model.names.end());
  report.write(arguments.out, "\"program\": \"Pinocchio " PINOCCHIO_VERSION "\", \"nv\": " + std::to_string(model.nv) +
                                  ", \"joints\": " + peers::to_json(joints) + ",\n");
}

}  // namespace

int main(int argc, char** argv) try {
  run(peers::parse(argc, argv));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "pinocchio_peer: %s\n", e.what());
  return 1;
}
