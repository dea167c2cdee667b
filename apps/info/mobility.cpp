// apps/info/mobility.cpp
#include "info/mobility.hpp"

#include <fmt/format.h>

#include "sinew/constraint/rank/assemble.hpp"
#include "sinew/constraint/rank/mobility.hpp"

namespace sinew::app {
namespace {
constexpr double kOpen = 1e-8;            // [m or rad] a larger error is shown
constexpr std::size_t kEntries = 300000;  // of K: more would take minutes
}  // namespace

MobilityReport report_mobility(const Model& m) {
  MobilityReport out;
  const ConstraintSet set(m);
  if (set.constraints() == 0) return out;
  const auto rows = static_cast<std::size_t>(set.rows()), freedoms = static_cast<std::size_t>(m.nv());
  if (rows * freedoms > kEntries) {
    out.lines = {fmt::format("not analysed: {} rows on {} freedoms are too many for `info`", rows, freedoms)};
    out.json = {{"analysed", false}, {"rows", rows}, {"freedoms", freedoms}};
    return out;
  }
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  Mobility a = find_mobility(m, set, q, 0, {.samples = 0});
  const double open = a.error;
  const bool assembled = open <= kOpen || assemble(m, set, q).error <= kOpen;
  a = find_mobility(m, set, q, 0, {.samples = rows > 200 ? 0 : 24});

  out.lines = describe(a, set);
  if (open > kOpen)
    out.lines.push_back(assembled ? fmt::format("at the nearest position that closes; neutral is open by {:.3g}", open)
                                  : fmt::format("no position that closes was found; neutral is open by {:.3g}", open));
  Json redundant = Json::array();
  for (const int r : a.redundant) redundant.push_back(set.row_name(r));
  out.json = {{"analysed", true},
              {"freedoms", a.freedoms},
              {"rows", a.rows},
              {"rank", a.rank},
              {"mobility", a.instantaneous},
              {"overconstraint", a.overconstraint},
              {"nearby_lowest", a.decided ? Json(a.lowest) : Json()},
              {"nearby_highest", a.decided ? Json(a.highest) : Json()},
              {"decided_by", a.how},
              {"assembled", assembled},
              {"neutral_error", open},
              {"redundant", redundant}};
  return out;
}

}  // namespace sinew::app
