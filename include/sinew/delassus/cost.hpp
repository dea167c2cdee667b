// sinew/delassus/cost.hpp - what each Delassus algorithm costs on a problem, and which is the cheapest
// Operations are counted by running the algorithm itself, once, on counting scalars (base/counted.hpp): zeros and ones
// in the model and the rows cost nothing. A time is predicted from them,
//   time = node * nodes + rate * operations + entry * rows^2,
// with the three numbers of each algorithm fitted to measured times (docs/delassus.md says when and how).
//   const Choice choice = best(model, problem, K);
//   choice.reason;                                   // "pvr: 5412 operations, 2.9 us predicted; next is pv with ..."
//   Delassus<double> delassus(model, problem, choice.algorithm);
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sinew/base/counted.hpp"
#include "sinew/delassus/algorithm.hpp"

namespace sinew::delassus {

struct Cost {
  Algorithm algorithm;
  OperationCount operations;
  double nanoseconds;  // predicted, double, one call
  long total() const { return operations.mul + operations.add + operations.div + operations.sqrt; }
};

// Of all algorithms, cheapest first. K: one force per entry; none: rows without special zeros.
std::vector<Cost> calc_costs(const Model&, const Problem&, std::span<const Force<double>> K = {});

// The cheapest algorithm by counted operations, and what the others would cost.
struct Choice {
  Algorithm algorithm;
  std::vector<Cost> costs;  // cheapest first
  std::string reason;       // one sentence for a reader
};
Choice best(const Model&, const Problem&, std::span<const Force<double>> K = {});

// What predicts an algorithm's time [ns]: for each node, each operation, each entry of W.
struct CostRates {
  double node, rate, entry;
};
CostRates get_cost_rates(Algorithm);

}  // namespace sinew::delassus
