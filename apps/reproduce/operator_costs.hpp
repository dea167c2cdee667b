// apps/reproduce/operator_costs.hpp - operations of the SKO recursions, counted while they run
#pragma once
#include <functional>

#include "reproduce/operators_study.hpp"
#include "reproduce/sample_models.hpp"

namespace sinew::app {

long count_operations_of(const std::function<void()>&);  // in scalars that count
// One algorithm, run on a model with counting scalars; returns its operations.
struct CountedAlgorithm {
  std::string equation, what, paper;
  std::function<long(const sko::SkoModel<Counted>&)> count;
};
// Nodes of six numbers and one freedom, every block dense, on trees of these numbers of nodes.
CostTable make_cost_table(const std::string& tree, Parents (*make)(int), const std::vector<int>& nodes,
                          const std::vector<CountedAlgorithm>&);
double find_exponent(const std::vector<int>& nodes, const std::vector<long>& operations);
long count_forward_dynamics(const sko::SkoModel<Counted>&);  // [J11 Alg. 6.1]
long count_riccati(const sko::SkoModel<Counted>&);           // [J11 33], [R92 .39]

}  // namespace sinew::app
