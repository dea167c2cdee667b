// apps/reproduce/operator_costs.cpp
#include "reproduce/operator_costs.hpp"

#include <cmath>

#include "sinew/operators/sko_dynamics.hpp"

namespace sinew::app {

long count_operations_of(const std::function<void()>& call) {
  const Tally tally;
  call();
  return tally.count().mul + tally.count().add + tally.count().div;
}

double find_exponent(const std::vector<int>& nodes, const std::vector<long>& operations) {
  const std::size_t n = nodes.size();
  return std::log(static_cast<double>(operations[n - 1]) / static_cast<double>(operations[n - 2])) /
         std::log(static_cast<double>(nodes[n - 1]) / nodes[n - 2]);
}

CostTable make_cost_table(const std::string& tree, Parents (*make)(int), const std::vector<int>& nodes,
                          const std::vector<CountedAlgorithm>& algorithms) {
  CostTable out{tree, nodes, {}};
  for (const CountedAlgorithm& a : algorithms) out.rows.push_back({a.equation, a.what, a.paper, {}, 0});
  for (const int n : nodes) {
    Random rng(static_cast<std::uint64_t>(n));
    const sko::SkoModel<Counted> m = to_counted(make_sample(rng, make(n), 6, 1));
    for (std::size_t i = 0; i < algorithms.size(); ++i) out.rows[i].operations.push_back(algorithms[i].count(m));
  }
  for (CostRow& row : out.rows) row.exponent = find_exponent(nodes, row.operations);
  return out;
}

long count_forward_dynamics(const sko::SkoModel<Counted>& m) {
  sko::SkoDynamics<Counted> ws(m);
  const std::vector<Counted> tau(at(m.shape().freedoms()), Counted(0.7));
  std::vector<Counted> qdd(tau.size());
  return count_operations_of([&] { sko::forward_dynamics<Counted>(m, ws, tau, qdd); });
}
long count_riccati(const sko::SkoModel<Counted>& m) {
  sko::Riccati<Counted> ws(m);
  return count_operations_of([&] { solve_riccati(m, ws); });
}

}  // namespace sinew::app
