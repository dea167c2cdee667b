// src/delassus/cost.cpp
#include "sinew/delassus/cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "driver.hpp"
#include "sinew/delassus/pv.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew::delassus {
namespace {

std::vector<Force<Counted>> counted_rows(const Problem& p, std::span<const Force<double>> K) {
  check_size("calc_costs", "K", K.empty() ? p.entries().size() : K.size(), p.entries().size());
  Random rng(1);
  const auto number = [&] { return Counted(rng.uniform(0.5, 1.5)); };
  std::vector<Force<Counted>> out;
  for (std::size_t e = 0; e < p.entries().size(); ++e)
    out.push_back(K.empty() ? Force<Counted>{{number(), number(), number()}, {number(), number(), number()}}
                            : cast<Counted>(K[e]));
  return out;
}

// The operations of one algorithm at one configuration.
class Counting {
 public:
  Counting(const Model& m, const Problem& p, std::span<const Force<double>> K)
      : K_(counted_rows(p, K)), rows_(at(p.rows())), W_(rows_ * rows_) {
    Random rng(2);
    for (const double x : random_configuration(m, rng)) q_.emplace_back(x);
  }
  template <class Run>  // run(q, K, W)
  OperationCount count(Run run) {
    const Tally tally;
    run(In<Counted>(q_), In<Force<Counted>>(K_), OutMatrix<Counted>(W_.data(), rows_, rows_));
    return tally.count();
  }

 private:
  std::vector<Force<Counted>> K_;
  std::size_t rows_;
  std::vector<Counted> q_, W_;
};
long total(const OperationCount& c) { return c.mul + c.add + c.div + c.sqrt; }

}  // namespace

CostRates get_cost_rates(Algorithm a) {
  switch (a) {
    case Algorithm::dense: return {11.7, 0.2439, 6.13};
    case Algorithm::ltl: return {53.7, 0.1057, 5.10};
    case Algorithm::kjr: return {0, 0.3220, 3.40};
    case Algorithm::chang_khatib: return {59.0, 0.0960, 6.79};
    case Algorithm::efpa: return {79.7, 0.0654, 4.76};
    case Algorithm::pv: return {52.0, 0.0692, 2.25};
    case Algorithm::pvr: return {54.8, 0.0675, 1.93};
    case Algorithm::mixed: return {55.7, 0.0648, 1.91};
  }
  return {0, 0, 0};
}

Plan make_mixed_plan(const Model& m, const Problem& p, std::span<const Force<double>> K, int trials) {
  Counting counting(m, p, K);
  const auto cost = [&](const std::vector<int>& stations) {
    PvWorkspace<Counted> ws(m, p, Plan(m, p, stations));
    return total(counting.count([&](auto q, auto rows, auto W) { pv(m, ws, q, rows, W); }));
  };
  std::vector<int> stations = find_pvr_stations(m, p);
  long least = cost(stations);
  // The last station has none below it; when it stays, so do all above it.
  for (std::size_t i = stations.size(); i-- > 0 && trials > 0;) {
    bool lowest = true;
    for (std::size_t j = i + 1; j < stations.size(); ++j) lowest &= !m.topology().is_ancestor(stations[i], stations[j]);
    if (!lowest) continue;
    std::vector<int> fewer = stations;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    const long operations = cost(fewer);
    --trials;
    if (operations < least) stations = std::move(fewer), least = operations;
  }
  return {m, p, stations};
}

std::vector<Cost> calc_costs(const Model& m, const Problem& p, std::span<const Force<double>> K) {
  Counting counting(m, p, K);
  std::vector<Cost> out;
  for (const Algorithm a : kAlgorithms) {
    Delassus<Counted> delassus(m, p, a, K);
    Cost cost{a, counting.count([&](auto q, auto rows, auto W) { delassus.calc(q, rows, W); }), 0};
    const CostRates r = get_cost_rates(a);
    cost.nanoseconds = r.node * static_cast<double>(m.nodes().size()) + r.rate * static_cast<double>(cost.total()) +
                       r.entry * p.rows() * p.rows();
    out.push_back(cost);
  }
  std::stable_sort(out.begin(), out.end(), [](const Cost& a, const Cost& b) { return a.nanoseconds < b.nanoseconds; });
  return out;
}

Choice best(const Model& m, const Problem& p, std::span<const Force<double>> K) {
  std::vector<Cost> costs = calc_costs(m, p, K);
  const Cost &first = costs[0], &second = costs[1];
  std::string reason = fmt::format(
      "{}: {} operations, {:.1f} us predicted for {} rows on {} freedoms; next is {} with {} operations, {:.1f} us",
      to_string(first.algorithm), first.total(), first.nanoseconds / 1000, p.rows(), m.nv(),
      to_string(second.algorithm), second.total(), second.nanoseconds / 1000);
  const Algorithm algorithm = first.algorithm;
  return {algorithm, std::move(costs), std::move(reason)};
}

}  // namespace sinew::delassus
