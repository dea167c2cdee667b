// apps/common/contradiction.cpp
#include "common/contradiction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sinew/constraint/rank/assemble.hpp"
#include "sinew/constraint/rank/mobility.hpp"

namespace sinew::app {
namespace {

constexpr double kOpen = 1e-6;  // [m or rad]

// Those without which the others can all hold; where there are none, or too many to try, the first.
std::vector<std::string> find_culprits(const Model& m, const ConstraintSet& set, const State& start) {
  constexpr int kTried = 30;
  constexpr std::size_t kShown = 6;
  std::vector<ConstraintSpec> all;
  // Under other names: the model has these already.
  const auto add = [&](auto spec) {
    if (!spec.active) return;
    if (!spec.name.empty()) spec.name += " (again)";
    all.emplace_back(std::move(spec));
  };
  for (const LoopSpec& l : m.spec().loops) add(l);
  for (const CouplingSpec& c : m.spec().couplings) add(c);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < all.size() && all.size() <= kTried; ++i) {
    std::vector<ConstraintSpec> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    std::vector<double> q = start.q;
    if (assemble(m, ConstraintSet(m, others, false), q, start.time).error < kOpen)
      out.push_back(set.constraint_name(static_cast<int>(i)));
  }
  for (int r = 0; r < set.rows() && out.empty(); ++r) out.push_back(set.constraint_name(set.constraint_of(r)));
  if (out.size() > kShown) out.resize(kShown), out.emplace_back("...");
  return out;
}

}  // namespace

std::string find_contradiction(const Model& m, const ConstraintSet& set, const State& start) {
  if (set.rows() == 0) return "";
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, start.q, start.v, start.time);
  const auto largest = [&] {
    double most = 0;
    for (const double e : rows.position) most = std::max(most, std::abs(e));
    return most;
  };
  if (largest() < kOpen) return "";
  // Open at the start: a position at which all hold, or the nearest to one.
  std::vector<double> q = start.q;
  const Assembly nearest = assemble(m, set, q, start.time);
  if (nearest.closed || nearest.error < kOpen) return "";
  const Mobility mobility = find_mobility(m, set, q, start.time, {.samples = 0});
  return fmt::format(
      "constraints contradict each other: {} cannot all hold, they stay open by {:.2g} m or rad ({} of {} rows are "
      "implied "
      "by the others)",
      fmt::join(find_culprits(m, set, start), ", "), nearest.error, mobility.overconstraint, mobility.rows);
}

}  // namespace sinew::app
