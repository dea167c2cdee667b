// apps/reproduce/operators_report.cpp - J11 and R92 as text, JSON and figures
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/svg_chart.hpp"
#include "common/svg_page.hpp"
#include "common/terminal.hpp"
#include "reproduce/operators_study.hpp"
#include "reproduce/study_report.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text.find('\n', i);
    out.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return out;
}
std::string number(double x) { return std::isnan(x) ? "-" : fmt::format("{:.1e}", x); }
Json number_json(double x) { return std::isnan(x) ? Json(nullptr) : Json(x); }

std::string patterns_text(const OperatorsStudy& s) {
  std::string out;
  for (const Pattern& p : s.patterns) {
    const std::vector<std::string> printed = lines_of(p.printed), found = lines_of(p.found);
    out += fmt::format("  {}: {}; {}\n", p.where, p.what,
                       p.printed == p.found ? "as printed" : "DIFFERS from what is printed:");
    for (std::size_t i = 0; i < found.size(); ++i)
      out += fmt::format("    {}{}\n", found[i], p.printed == p.found || i >= printed.size() ? "" : "   " + printed[i]);
  }
  return out;
}

}  // namespace

std::string to_text(const OperatorsStudy& s) {
  const Paint paint(stdout);
  std::string out = paint.bold(s.key + ": blocks that differ from zero") + "\n" + patterns_text(s);
  for (const std::string& remark : s.remarks) out += wrapped("  ", remark, 110);
  out += "\n" + paint.bold(s.key + ": equations, worst relative residual of random models") + "\n";
  for (const Statement& x : s.statements) out += fmt::format("  {:>8.1e}  {:14}  {}\n", x.residual, x.equation, x.text);
  for (const CostTable& t : s.costs) {
    out += "\n" + paint.bold(fmt::format("{}: operations on a {}, nodes of 6 numbers and 1 freedom", s.key, t.tree)) +
           fmt::format("\n  {:46}", "nodes");
    for (const int n : t.nodes) out += fmt::format("{:>9}", n);
    out += fmt::format("{:>10}  {}\n", "exponent", "the paper");
    for (const CostRow& r : t.rows) {
      out += fmt::format("  {:14} {:31}", r.equation, r.what);
      for (const long n : r.operations) out += fmt::format("{:>9}", n);
      out += fmt::format("{:>10.2f}  {}\n", r.exponent, r.paper);
    }
  }
  if (!s.models.empty()) {
    out += "\n" + paint.bold(s.key + " section 8.1: SKO models of one system, the humanoid at a random state") + "\n";
    out += fmt::format("  {:46}{:>6}{:>9}{:>12}{:>14}\n", "", "nodes", "largest", "operations", "difference");
    for (const ModelRow& r : s.models)
      out += fmt::format("  {:46}{:>6}{:>9}{:>12}{:>14.1e}\n", r.what, r.nodes, r.largest, r.operations, r.difference);
    out += "  operations: of one forward dynamics; difference: of theta'' and T from the first row, relative\n";
  }
  out += "\n" + paint.bold(s.key + ": misprints, relative error of what is printed and of what is right") + "\n";
  for (const Erratum& e : s.errata) {
    out += fmt::format("  {:>8} {:>8}  {}: '{}' -> '{}'\n", number(e.error_printed), number(e.error_right), e.where,
                       e.printed, e.right);
    if (!e.note.empty()) out += fmt::format("  {:19}{}\n", "", e.note);
  }
  return out;
}

Json to_json(const OperatorsStudy& s) {
  Json out;
  for (const Pattern& p : s.patterns)
    out["patterns"].push_back({{"where", p.where},
                               {"what", p.what},
                               {"printed", lines_of(p.printed)},
                               {"found", lines_of(p.found)},
                               {"agree", p.printed == p.found}});
  out["remarks"] = s.remarks;
  for (const Statement& x : s.statements)
    out["statements"].push_back({{"equation", x.equation}, {"text", x.text}, {"residual", number_json(x.residual)}});
  for (const CostTable& t : s.costs) {
    Json rows = Json::array();
    for (const CostRow& r : t.rows)
      rows.push_back({{"equation", r.equation},
                      {"what", r.what},
                      {"operations", r.operations},
                      {"exponent", r.exponent},
                      {"paper", r.paper}});
    out["costs"].push_back({{"tree", t.tree}, {"nodes", t.nodes}, {"rows", rows}});
  }
  for (const ModelRow& r : s.models)
    out["models"].push_back({{"what", r.what},
                             {"nodes", r.nodes},
                             {"largest", r.largest},
                             {"operations", r.operations},
                             {"difference", r.difference}});
  for (const Erratum& e : s.errata)
    out["errata"].push_back({{"where", e.where},
                             {"printed", e.printed},
                             {"right", e.right},
                             {"error_printed", number_json(e.error_printed)},
                             {"error_right", number_json(e.error_right)},
                             {"note", e.note}});
  return out;
}

std::string cost_charts(const OperatorsStudy& s) {
  std::vector<Chart> charts;
  for (const CostTable& t : s.costs) {
    Chart chart{"on a " + t.tree, "nodes", "operations", {}, true, true};
    for (const CostRow& r : t.rows) {
      Series line{r.what, {}, {}};
      for (std::size_t i = 0; i < t.nodes.size(); ++i) {
        line.x.push_back(t.nodes[i]);
        line.y.push_back(static_cast<double>(r.operations[i]));
      }
      chart.series.push_back(std::move(line));
    }
    charts.push_back(std::move(chart));
  }
  return to_svg(charts, 2);
}

// A square per pair of nodes, filled where the block differs from zero; lines between branches.
std::string pattern_drawing(const OperatorsStudy& s) {
  constexpr int kCell = 12, kMargin = 24, kTitle = 26, kLetter = 7;
  int width = kMargin, height = 0;
  std::string body;
  for (const Pattern& p : s.patterns) {
    const std::vector<std::string> rows = lines_of(p.nodes);
    const int side = kCell * static_cast<int>(rows.size());
    body += fmt::format("<text x='{}' y='{}' class='n'>{}</text>\n", width, kTitle - 10, escape_xml(p.what));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < rows[i].size(); ++j)
        if (rows[i][j] == 'X')
          body += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='{}'/>\n",
                              width + kCell * static_cast<int>(j) + 1, kTitle + kCell * static_cast<int>(i) + 1,
                              kCell - 2, kCell - 2, series_colour(0));
    body += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n", width, kTitle, side,
                        side);
    for (const int k : p.borders) {
      if (k == 0) continue;
      body += fmt::format("<path d='M{} {}V{}M{} {}H{}' stroke='#888' stroke-width='0.7'/>\n", width + kCell * k,
                          kTitle, kTitle + side, width, kTitle + kCell * k, width + side);
    }
    width += std::max(side, kLetter * static_cast<int>(p.what.size())) + kMargin;  // a title may be the wider
    height = std::max(height, kTitle + side);
  }
  return open_page(width, height + kMargin) + body + close_page();
}

}  // namespace sinew::app
