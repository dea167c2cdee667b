// apps/reproduce/f08_report.cpp - what `sinew reproduce f08` writes
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/terminal.hpp"
#include "reproduce/f08_study.hpp"
#include "reproduce/study_report.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kPrintedForces[] = {126.4936, 97.4663, 69.9762, 43.7998, 21.9371, 6.1646};
constexpr double kPrintedAnswers[] = {0.6952, 1.3654, 1.3808, 0.5894, 0.9057, 1.0705};

std::string beside(const OperationCount& book, const OperationCount& counted) {
  return in_short(counted) + (counted == book ? "" : fmt::format(" (the book: {})", in_short(book)));
}

std::string spatial_table(const std::vector<SpatialCost>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const std::string cost = beside(rows[i].book, rows[i].counted); i % 2 == 1 || i + 1 == rows.size())
      out += fmt::format("  {:<39}{}\n", rows[i].name, cost);
    else
      out += fmt::format("  {:<39}{:<16}", rows[i].name, cost);
  return out;
}
std::string spatial_tables(const F08Study& s, const Paint& paint) {
  int exact = 0;
  for (const auto* table : {&s.table_a4, &s.table_a5, &s.tricks})
    for (const SpatialCost& r : *table) exact += r.book == r.counted;
  return paint.bold("F08 Table A.4: spatial arithmetic with compact types") + "\n" + spatial_table(s.table_a4) + "\n" +
         paint.bold("F08 Table A.5: axial screws") + "\n" + spatial_table(s.table_a5) + "\n" +
         paint.bold("F08 A.5: tricks") + "\n" + spatial_table(s.tricks) +
         fmt::format("  {} of {} rows are the book's to the operation.\n\n", exact,
                     s.table_a4.size() + s.table_a5.size() + s.tricks.size());
}

std::string factor_tables(const F08Study& s, const Paint& paint) {
  std::string out = paint.bold("F08 Table 6.6: sparse factorization") +
                    "\n                       LTL                          LTDL\n"
                    "  factorization        n sqrt + D1 d + D2(m+a)      D1 d + D2(m+a)\n"
                    "  back-substitution    2n d + 2 D1(m+a)             n d + 2 D1(m+a)\n"
                    "  L x, L^T x           n m + D1(m+a)                D1(m+a)\n"
                    "  L^-1 x, L^-T x       n d + D1(m+a)                D1(m+a)\n"
                    "  H x                  n m + 2 D1(m+a)              the same\n";
  for (const FactorStudy& f : s.factors) {
    out += fmt::format("  {}: n = {}, D1 = {}, D2 = {}\n", f.tree, f.n, f.D1, f.D2);
    for (const FactorCosts& r : f.rows)
      out += fmt::format("    {:<19}{:<29}{}\n", r.name, beside(r.ltl_book, r.ltl), beside(r.ltdl_book, r.ltdl));
  }
  return out + "\n";
}

// Totals of m and a, as in Figure 10.4.
long book_cubic(long n) {
  return best_published("RNEA").total(n) + best_published("CRBA").total(n) + best_published("F&S").total(n);
}
std::string count_tables(const F08Study& s, const Paint& paint) {
  constexpr std::size_t kShown[] = {6, 8, 9, 12, 18, 30, 45};
  std::string out = paint.bold("F08 Table 10.1: published counts on GU(n), m and a together") + "\n" +
                    fmt::format("  {:<6}{:<39}", "", "");
  for (const std::size_t n : kShown) out += fmt::format("{:>8}", fmt::format("n = {}", n));
  const auto ours = [&](const char* name, auto get) {
    std::string line = paint.bold(fmt::format("  {:<6}{:<39}", name, "here"));
    for (const std::size_t n : kShown) line += fmt::format("{:>8}", get(s.chains[n - 1]));
    return line + "\n";
  };
  out += '\n';
  const auto& rows = published_counts();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string algorithm = rows[i].algorithm;
    out += fmt::format("  {:<6}{:<39}", algorithm, rows[i].cost);
    for (const std::size_t n : kShown) out += fmt::format("{:>8}", rows[i].total(static_cast<long>(n)));
    out += "  " + std::string(rows[i].source) + "\n";
    if (i + 1 < rows.size() && rows[i + 1].algorithm == algorithm) continue;
    if (algorithm == "RNEA") out += ours("RNEA", [](const TreeCounts& c) { return c.rnea; });
    if (algorithm == "CRBA") out += ours("CRBA", [](const TreeCounts& c) { return c.crba; });
    if (algorithm == "F&S") out += ours("F&S", [](const TreeCounts& c) { return c.factor_and_solve; });
    if (algorithm == "ABA") out += ours("ABA", [](const TreeCounts& c) { return c.aba; });
  }
  out += "\n  for every n: best rows of the book | here (here O(n^3) has the bias alone in place of RNEA)\n" +
         fmt::format("  {:>3}{:>8}{:>8}{:>8}{:>8}{:>8} |{:>8}{:>8}{:>8}{:>8}{:>8}\n", "n", "RNEA", "CRBA", "F&S",
                     "O(n^3)", "ABA", "RNEA", "CRBA", "F&S", "O(n^3)", "ABA");
  for (const TreeCounts& c : s.chains) {
    if (c.n == 1) continue;  // the book's formulas are negative there
    out += fmt::format("  {:>3}{:>8}{:>8}{:>8}{:>8}{:>8} |{:>8}{:>8}{:>8}{:>8}{:>8}\n", c.n,
                       best_published("RNEA").total(c.n), best_published("CRBA").total(c.n),
                       best_published("F&S").total(c.n), book_cubic(c.n), best_published("ABA").total(c.n), c.rnea,
                       c.crba, c.factor_and_solve, c.cubic(), c.aba);
  }
  return out;
}

// The first n from which a curve is above another.
template <class Above>
long find_crossing(const F08Study& s, Above above) {
  for (const TreeCounts& c : s.chains)
    if (c.n > 1 && above(c)) return c.n;
  return 0;
}
// Where curves cross; `other` with the row of CRBA that is the lowest of all for few joints.
struct Crossings {
  long book_aba, other_aba, here_aba, book_factor, other_factor, here_factor;
  long first_row;  // the first row of CRBA is the lowest from here on
  long here_row;   // and so is ours
};
const PublishedCount& other_crba() {
  const auto& rows = published_counts();
  return *std::find_if(rows.begin(), rows.end(), [](const PublishedCount& r) {
    return r.algorithm == std::string("CRBA") && r.total(6) < best_published("CRBA").total(6);
  });
}
Crossings find_crossings(const F08Study& s) {
  const auto rnea = [](long n) { return best_published("RNEA").total(n); };
  const auto crba = [](long n) { return best_published("CRBA").total(n); };
  const auto factor = [](long n) { return best_published("F&S").total(n); };
  const auto aba = [](long n) { return best_published("ABA").total(n); };
  const auto other = [](long n) { return other_crba().total(n); };
  return {find_crossing(s, [&](const TreeCounts& c) { return book_cubic(c.n) > aba(c.n); }),
          find_crossing(s, [&](const TreeCounts& c) { return rnea(c.n) + other(c.n) + factor(c.n) > aba(c.n); }),
          find_crossing(s, [&](const TreeCounts& c) { return c.cubic() > c.aba; }),
          find_crossing(s, [&](const TreeCounts& c) { return factor(c.n) > crba(c.n); }),
          find_crossing(s, [&](const TreeCounts& c) { return factor(c.n) > other(c.n); }),
          find_crossing(s, [&](const TreeCounts& c) { return c.factor_and_solve > c.crba; }),
          find_crossing(s, [&](const TreeCounts& c) { return crba(c.n) < other(c.n); }),
          find_crossing(s, [&](const TreeCounts& c) { return c.crba < other(c.n); })};
}
std::string figure_text(const F08Study& s, const Paint& paint) {
  const Crossings x = find_crossings(s);
  const TreeCounts& c = s.chains[17];
  std::string out = "\n" + paint.bold("F08 Fig. 10.4, in words") + "\n";
  out += fmt::format("  ABA is cheaper than the O(n^3) way from n = {} on (the book: 9), here from {}\n", x.book_aba,
                     x.here_aba);
  out += fmt::format("  at n = 18 the O(n^3) way costs {:.3f} times ABA (the book: about 1.6), here {:.3f}\n",
                     static_cast<double>(book_cubic(18)) / static_cast<double>(best_published("ABA").total(18)),
                     static_cast<double>(c.cubic()) / static_cast<double>(c.aba));
  out += fmt::format("  F&S is above CRBA from n = {} on (the book: about 45), here from {}\n", x.book_factor,
                     x.here_factor);
  out += fmt::format(
      "  all this with the first row of CRBA; for few joints the row {} is lower: the first row is the lowest from n = "
      "{}\n  on, ours from {}. With that row ABA is cheaper from n = {} on, and F&S above CRBA from {}\n\n",
      other_crba().cost, x.first_row, x.here_row, x.other_aba, x.other_factor);

  out += paint.bold("F08 Eq 10.12: CRBA on trees, D0dh(32m+43a) + D0g(47m+58a) + D1dh(20m+12a) + D1g(24m+18a)") + "\n" +
         fmt::format("  {:<20}{:>4}{:>7}{:>6}{:>7}{:>6}{:>18}{:>18}\n", "", "n", "D0dh", "D0g", "D1dh", "D1g",
                     "Eq 10.12", "counted here");
  for (const TreeCase& t : s.trees)
    out += fmt::format("  {:<20}{:>4}{:>7}{:>6}{:>7}{:>6}{:>18}{:>18}\n", t.name, t.tree.n, t.tree.D0_dh,
                       t.tree.D0_general, t.tree.D1_dh, t.tree.D1_general, in_short(t.book), in_short(t.counted));
  out += "\n" + paint.bold("F08 Fig. 10.5: the O(nd^2) way on binary trees") + "\n" +
         fmt::format("  {:>3}{:>11}{:>11}{:>11}{:>13}{:>13}\n", "n", "book", "here", "book ABA", "here ABA",
                     "chain, here");
  for (const BinaryTreeCase& b : s.binary) {
    const long n = b.counted.n;
    if (n != 3 && n != 7 && n != 15 && n != 31) continue;
    out +=
        fmt::format("  {:>3}{:>11}{:>11}{:>11}{:>13}{:>13}\n", n, b.book, b.counted.cubic(),
                    best_published("ABA").total(n), b.counted.aba, s.chains[static_cast<std::size_t>(n - 1)].cubic());
  }
  return out + "\n";
}

std::string accuracy_text(const F08Study& s, const Paint& paint) {
  const FarBody& e = s.far.example;
  std::string out = paint.bold("F08 10.1: a planar body seen from far away, c = (100, 10)") + "\n";
  for (std::size_t i = 0; i < 3; ++i)
    out += fmt::format("  [{:>6g}{:>6g}{:>6g} ] a = {:>4g}    exact {:>4g}, solved {:.16g}\n", e.I[3 * i],
                       e.I[3 * i + 1], e.I[3 * i + 2], e.rhs[i], e.exact[i], e.solved[i]);
  out += fmt::format(
      "  condition {:.3g} (the book: 1.02e+08), error at C {:.1e} (about 1e-12)\n"
      "  Fig. 10.2: the error grows as |c|^{:.2f} below a radius of gyration (the book: flat), as |c|^{:.2f} beyond "
      "(2)\n\n",
      e.condition, e.error, s.far.slope_near, s.far.slope_far);

  const Sensitivity& z = s.sensitivity;
  out += paint.bold("F08 10.2: six rods in a zigzag, forces rounded to three figures") + "\n" +
         fmt::format("  {:>3}{:>13}{:>13}{:>10}{:>11}{:>11}\n", "i", "tau", "printed", "rounded", "qdd", "printed");
  for (std::size_t i = 0; i < z.force.size(); ++i)
    out += fmt::format("  {:>3}{:>13.6f}{:>13.4f}{:>10.4g}{:>11.4f}{:>11.4f}{}\n", i + 1, z.force[i], kPrintedForces[i],
                       z.applied[i], z.answer[i], kPrintedAnswers[i],
                       std::abs(z.answer[i] - kPrintedAnswers[i]) > 1e-4 ? "  digits exchanged in print" : "");
  out += fmt::format(
      "  forces are right to {:.2f} %, accelerations to {:.1f} %: {:.0f} times (the book: more than 80)\n"
      "  condition {:.2f} (725); of straight chains, and over 4 N^4:",
      100 * z.force_error, 100 * z.answer_error, z.answer_error / z.force_error, z.condition);
  for (const Sensitivity::Straight& c : z.straight)
    out += fmt::format(" N = {}: {:.4g}, {:.2f};", c.n, c.condition, c.condition / (4.0 * c.n * c.n * c.n * c.n));
  out.back() = '\n';
  return out + "\n";
}

std::string symbolic_text(const F08Study& s, const Paint& paint) {
  std::string out = paint.bold("F08 Table 10.3: symbolic simplification of p = v x I v, tau_out = p . s") + "\n";
  for (const SymbolicStudy::Stage& stage : s.symbolic.table) {
    out += fmt::format("  {}: {} operations\n", stage.name, stage.operations);
    for (const std::string& line : stage.assignments) out += "    " + line + "\n";
  }
  out += "  (the book: 29, 5; the optimum, which it does not reach, 2)\n\n" +
         paint.bold("F08 Fig. 10.6: the process on robots, operations without sines and cosines") + "\n" +
         fmt::format("  {:<12}{:<6}{:>10}{:>13}{:>11}{:>9}{:>20}\n", "", "", "recorded", "book's rules", "all rules",
                     "factor", "values at once");
  for (const SymbolicStudy::Robot& r : s.symbolic.robots)
    out += fmt::format("  {:<12}{:<6}{:>10}{:>13}{:>11}{:>9.2f}{:>20}\n", r.name, r.algorithm, r.recorded, r.book,
                       r.all, static_cast<double>(r.recorded) / static_cast<double>(r.all),
                       fmt::format("{} -> {}", r.live, r.live_scheduled));
  return out + "  (the book: factors of 1 to 10, by the zeros of the model)\n\n";
}

Json to_json(const OperationCount& c) { return {{"mul", c.mul}, {"add", c.add}, {"div", c.div}, {"sqrt", c.sqrt}}; }
Json to_json(const std::vector<SpatialCost>& rows) {
  Json out;
  for (const SpatialCost& r : rows) out[r.name] = {{"book", to_json(r.book)}, {"counted", to_json(r.counted)}};
  return out;
}
Json to_json(const TreeCounts& c) {
  return {
      {"n", c.n},     {"rnea", c.rnea},    {"bias", c.bias}, {"crba", c.crba}, {"factor_and_solve", c.factor_and_solve},
      {"aba", c.aba}, {"cubic", c.cubic()}};
}

}  // namespace

std::string to_text(const F08Study& s) {
  const Paint paint(stdout);
  std::string out = spatial_tables(s, paint) + factor_tables(s, paint) + count_tables(s, paint) +
                    figure_text(s, paint) + accuracy_text(s, paint) + symbolic_text(s, paint) +
                    paint.bold("Every algorithm on four mechanisms, beside Tables 6.6 and 10.1") + "\n";
  for (const auto& [name, operations] : s.mechanisms) out += "\n" + to_text(operations, name);
  return out;
}

Json to_json(const F08Study& s) {
  Json out = {{"table_a4", to_json(s.table_a4)}, {"table_a5", to_json(s.table_a5)}, {"tricks_a5", to_json(s.tricks)}};
  for (const FactorStudy& f : s.factors) {
    Json rows;
    for (const FactorCosts& r : f.rows)
      rows[r.name] = {{"ltl", to_json(r.ltl)},
                      {"ltl_book", to_json(r.ltl_book)},
                      {"ltdl", to_json(r.ltdl)},
                      {"ltdl_book", to_json(r.ltdl_book)}};
    out["table_6_6"].push_back({{"tree", f.tree}, {"n", f.n}, {"D1", f.D1}, {"D2", f.D2}, {"rows", rows}});
  }
  for (const TreeCounts& c : s.chains) {
    Json book = Json::array();
    for (const PublishedCount& r : published_counts())
      book.push_back({{"algorithm", r.algorithm}, {"cost", r.cost}, {"total", r.total(c.n)}});
    Json row = to_json(c);
    row["book"] = book, row["book_cubic"] = book_cubic(c.n);
    out["table_10_1"].push_back(row);
  }
  const Crossings x = find_crossings(s);
  out["figure_10_4"] = {{"aba_cheaper_from", {{"book", x.book_aba}, {"here", x.here_aba}}},
                        {"factor_above_crba_from", {{"book", x.book_factor}, {"here", x.here_factor}}},
                        {"first_crba_row_lowest_from", x.first_row},
                        {"our_crba_lowest_from", x.here_row}};
  for (const TreeCase& t : s.trees)
    out["eq_10_12"].push_back({{"tree", t.name},
                               {"n", t.tree.n},
                               {"D0_dh", t.tree.D0_dh},
                               {"D0_general", t.tree.D0_general},
                               {"D1_dh", t.tree.D1_dh},
                               {"D1_general", t.tree.D1_general},
                               {"book", to_json(t.book)},
                               {"counted", to_json(t.counted)}});
  for (const BinaryTreeCase& b : s.binary) {
    Json row = to_json(b.counted);
    row["book"] = b.book;
    out["figure_10_5"].push_back(row);
  }
  const FarBody& e = s.far.example;
  out["section_10_1"] = {{"c", e.c},
                         {"matrix", e.I},
                         {"rhs", e.rhs},
                         {"exact", e.exact},
                         {"solved", e.solved},
                         {"condition", e.condition},
                         {"error", e.error},
                         {"distance", s.far.mean_distance},
                         {"mean_error", s.far.mean_error},
                         {"slope_near", s.far.slope_near},
                         {"slope_far", s.far.slope_far}};
  const Sensitivity& z = s.sensitivity;
  out["section_10_2"] = {{"force", z.force},
                         {"applied", z.applied},
                         {"answer", z.answer},
                         {"printed_answer", kPrintedAnswers},
                         {"condition", z.condition},
                         {"force_error", z.force_error},
                         {"answer_error", z.answer_error}};
  for (const Sensitivity::Straight& c : z.straight)
    out["section_10_2"]["straight"].push_back({{"n", c.n}, {"condition", c.condition}});
  for (const SymbolicStudy::Stage& stage : s.symbolic.table)
    out["table_10_3"].push_back(
        {{"stage", stage.name}, {"operations", stage.operations}, {"assignments", stage.assignments}});
  for (const SymbolicStudy::Robot& r : s.symbolic.robots)
    out["figure_10_6"].push_back({{"robot", r.name},
                                  {"algorithm", r.algorithm},
                                  {"recorded", r.recorded},
                                  {"book_rules", r.book},
                                  {"all_rules", r.all},
                                  {"live_values", r.live},
                                  {"live_values_scheduled", r.live_scheduled}});
  for (const auto& [name, operations] : s.mechanisms)
    out["mechanisms"][name] = Json::parse(to_json_text(operations, "", name, 1));
  return out;
}

}  // namespace sinew::app
