// bench/peers/delassus/pinocchio_delassus_peer.cpp - Pinocchio's side of `make bench-peers`, suite delassus
#include "../pinocchio_numbers.hpp"
#include "pinocchio_ways.hpp"

namespace {

void run(const peers::Arguments& arguments) {
  const pinocchio::Model model = peers::load_pinocchio(arguments.urdf, arguments.floating);
  const auto contacts = peers::load_contacts(arguments.urdf, arguments.floating, arguments.contacts);
  const auto states = peers::to_eigen(peers::read_states(arguments.states, model.nq, model.nv));

  peers::Report report(states.size());
  std::vector<peers::WayPtr> ways;
  const auto add = [&](const char* name, peers::MakeWay* make, auto result) {
    ways.push_back(make(model, contacts));
    peers::Way* way = ways.back().get();
    if (!way) return;
    const auto at = [&states, way](std::size_t i) { way->run(states[i]); };
    report.add(name, at, [=](std::size_t i) { return at(i), result(*way); });
  };
  const auto matrix = [](const peers::Way& way) { return peers::symmetric(way.W()); };
  const auto ddq = [](const peers::Way& way) { return peers::by_rows(way.ddq()); };
  add("delassus cholesky", peers::make_cholesky, matrix);
  if (!arguments.redundant) add("delassus cholesky_full", peers::make_cholesky_full, matrix);
  add("delassus efpa", peers::make_efpa, matrix);
  add("delassus pv", peers::make_pv_osim, matrix);
  if (!arguments.redundant) {
    add("dynamics constraintDynamics", peers::make_constraint_dynamics, ddq);
    add("dynamics pv", peers::make_pv, ddq);
    add("dynamics constrainedABA", peers::make_constrained_aba, ddq);
  }
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
  std::fprintf(stderr, "pinocchio_delassus_peer: %s\n", e.what());
  return 1;
}
