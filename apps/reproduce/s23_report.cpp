// apps/reproduce/s23_report.cpp
#include <fmt/format.h>

#include "common/svg_bars.hpp"
#include "common/svg_chart.hpp"
#include "common/terminal.hpp"
#include "reproduce/s23_study.hpp"
#include "reproduce/study_report.hpp"

namespace sinew::app {
namespace {

using delassus::Algorithm;
using Json = nlohmann::ordered_json;

constexpr Algorithm kShown[] = {Algorithm::ltl, Algorithm::kjr, Algorithm::chang_khatib, Algorithm::efpa,
                                Algorithm::pv,  Algorithm::pvr, Algorithm::mixed};
const char* paper_name(Algorithm a) {
  switch (a) {
    case Algorithm::ltl: return "LTL";
    case Algorithm::kjr: return "KJR";
    case Algorithm::chang_khatib: return "CK";
    case Algorithm::efpa: return "EFPA";
    case Algorithm::pv: return "PV-OSIM";
    case Algorithm::pvr: return "PV-OSIMr";
    case Algorithm::mixed: return "mixed";
    case Algorithm::dense: return "dense";
  }
  return "";
}
// Table I, and the exponents that follow from it where n and d are doubled together, n alone, m in the part with d.
struct Printed {
  Algorithm algorithm;
  const char* complexity;
  const char* exponents[3];
};
constexpr Printed kTable1[] = {{Algorithm::dense, "O(n^3 + m^2 n)", {"3", "3*", ""}},
                               {Algorithm::ltl, "O(nd^2 + m^2 d + md^2)", {"3", "1", "1 to 2"}},
                               {Algorithm::kjr, "O(n + m^2 d)", {"1", "1", "2"}},
                               {Algorithm::efpa, "O(n + md + m^2)", {"1", "1", "1"}},
                               {Algorithm::pv, "O(n + m^2 d)", {"1", "1", "2"}},
                               {Algorithm::pvr, "O(n + m^2)", {"1", "1", "0"}}};
std::string table_1(const S23Study& s) {
  std::string out = fmt::format("  {:<10}{:<26}", "", "");
  for (const Growth& g : s.growth) out += fmt::format("{:>28}", g.what);
  for (const Printed& p : kTable1) {
    out += fmt::format("\n  {:<10}{:<26}", paper_name(p.algorithm), p.complexity);
    for (std::size_t i = 0; i < s.growth.size(); ++i)
      out += fmt::format("{:>28}", fmt::format("{:.2f}{}", s.growth[i].exponent.at(p.algorithm),
                                               *p.exponents[i] ? fmt::format(" ({})", p.exponents[i]) : ""));
  }
  return out +
         "\n  (in brackets: what the complexity says; * zeros cost nothing when counted, so the\n"
         "  naive way is as cheap as LTL where M is sparse)\n\n";
}
// How much PV-OSIMr saves, by both of the definitions that the paper may mean [%].
double saved(const Operations23& o) {
  return 100.0 * static_cast<double>(o.at(Algorithm::pv) - o.at(Algorithm::pvr)) /
         static_cast<double>(o.at(Algorithm::pv));
}
double more(const Operations23& o) {
  return 100.0 * static_cast<double>(o.at(Algorithm::pv) - o.at(Algorithm::pvr)) /
         static_cast<double>(o.at(Algorithm::pvr));
}

}  // namespace

std::string to_text(const S23Study& s) {
  const Paint paint(stdout);
  std::string out =
      paint.bold("S23 Table I: exponents of the operations, counted, where a number is doubled") + "\n" + table_1(s) +
      paint.bold("S23 Fig. 3: operations per stem link, stem with k branches at each end, a weld at each tip") +
      "\n  k";
  for (const Algorithm a : kShown) out += fmt::format("{:>10}", paper_name(a));
  for (const StemStudy& stem : s.stems) {
    out += fmt::format("\n{:3}", stem.branches);
    for (const Algorithm a : kShown) out += fmt::format("{:10.0f}", stem.slope(a));
  }
  out +=
      "\n  The paper: PV-OSIMr the same for all k from 2 on, EFPA linear in k, PV-OSIM quadratic; at k = 1 PV-OSIM "
      "and\n  PV-OSIMr are equal.\n\n";
  out += paint.bold("S23 Figs. 4, 5: operations in all") + "\n";
  for (const RobotCase& r : s.robots) {
    out += fmt::format("{}, {} freedoms, {}, {} rows\n  ", r.name, r.freedoms, r.constraints, r.rows);
    for (const Algorithm a : kShown) out += fmt::format("{} {}  ", paper_name(a), r.operations.at(a));
    out += fmt::format("\n  PV-OSIM needs {:+.1f} % of PV-OSIMr, PV-OSIMr saves {:.1f} % of PV-OSIM; the paper: {}\n",
                       more(r.operations), saved(r.operations), r.paper);
  }
  return out;
}

static Json to_json(const Operations23& o) {
  Json out;
  for (const auto& [a, n] : o) out[std::string(to_string(a))] = n;
  return out;
}
Json to_json(const S23Study& s) {
  Json out;
  for (const Growth& g : s.growth) {
    Json exponents;
    for (const auto& [a, e] : g.exponent) exponents[std::string(to_string(a))] = e;
    out["table_1"].push_back({{"doubled", g.what}, {"exponents", exponents}});
  }
  for (const StemStudy& stem : s.stems) {
    Json rows = Json::array(), slopes;
    for (std::size_t i = 0; i < stem.lengths.size(); ++i)
      rows.push_back({{"length", stem.lengths[i]}, {"operations", to_json(stem.operations[i])}});
    for (const Algorithm a : delassus::kAlgorithms) slopes[std::string(to_string(a))] = stem.slope(a);
    out["stems"].push_back({{"branches", stem.branches}, {"slopes", slopes}, {"stems", rows}});
  }
  for (const RobotCase& r : s.robots)
    out["robots"].push_back({{"name", r.name},
                             {"constraints", r.constraints},
                             {"freedoms", r.freedoms},
                             {"rows", r.rows},
                             {"operations", to_json(r.operations)},
                             {"pv_over_pvr_percent", more(r.operations)},
                             {"pvr_saves_percent", saved(r.operations)},
                             {"figure", r.figure},
                             {"paper", r.paper}});
  return out;
}

std::string stem_charts(const S23Study& s) {
  std::vector<Chart> charts;
  for (const StemStudy& stem : s.stems) {
    Chart chart{fmt::format("{} {} at each end", stem.branches, stem.branches == 1 ? "branch" : "branches"),
                "stem length [links]",
                "operations",
                {},
                false};
    for (const Algorithm a : {Algorithm::efpa, Algorithm::pv, Algorithm::pvr}) {
      Series line{paper_name(a), {}, {}};
      for (std::size_t i = 0; i < stem.lengths.size(); ++i) {
        line.x.push_back(stem.lengths[i]);
        line.y.push_back(static_cast<double>(stem.operations[i].at(a)));
      }
      chart.series.push_back(std::move(line));
    }
    charts.push_back(std::move(chart));
  }
  return to_svg(charts, 3);
}

std::string robot_charts(const S23Study& s, char figure) {
  std::vector<BarChart> charts;
  for (const RobotCase& r : s.robots) {
    if (r.figure.empty() || r.figure[0] != figure) continue;
    BarChart chart{fmt::format("Fig. {}: {}", r.figure, r.name), r.constraints, "operations", {}};
    for (const Algorithm a : {Algorithm::ltl, Algorithm::efpa, Algorithm::pv, Algorithm::pvr})
      chart.bars.push_back({paper_name(a), static_cast<double>(r.operations.at(a))});
    charts.push_back(std::move(chart));
  }
  return to_svg(charts, 2);
}

}  // namespace sinew::app
