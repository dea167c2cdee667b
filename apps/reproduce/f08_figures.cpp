// apps/reproduce/f08_figures.cpp - Figures 10.1 to 10.5 of F08
#include <cmath>
#include <numbers>

#include "common/svg_chart.hpp"
#include "common/svg_drawing.hpp"
#include "reproduce/f08_study.hpp"
#include "reproduce/study_report.hpp"

namespace sinew::app {
namespace {

// The body, its frame, its force and its spin: the force acts along a line through (1/2, 1/2) from the centre.
Drawing draw_far_body() {
  const double cx = 3.4, cy = 1.6;
  Drawing d{"Fig. 10.1: a planar body and its frame", -0.6, 5.6, -0.6, 3.6, {}, {}, {}};
  const auto arrow = [&](double x0, double y0, double x1, double y1) {
    d.strokes.push_back({{x0, x1}, {y0, y1}, true, false});
  };
  arrow(0, 0, 1.2, 0), arrow(0, 0, 0, 1.2), arrow(0, 0, cx, cy);
  d.labels = {{-0.3, -0.3, "O"},
              {1.25, -0.1, "x"},
              {-0.1, 1.3, "y"},
              {1.5, 1.0, "c"},
              {cx - 0.1, cy - 0.3, "C"},
              {cx + 0.45, cy - 1.55, "v_C = (1, 0, 0)"},
              {cx - 1.6, cy + 1.65, "f_C = (1, -1, 1)"}};
  Stroke outline;  // of any shape: the radius of gyration is 1
  for (int i = 0; i <= 72; ++i) {
    const double a = i * std::numbers::pi / 36, r = 1.25 + 0.18 * std::cos(3 * a + 0.5) + 0.1 * std::sin(2 * a);
    outline.x.push_back(cx + r * std::cos(a)), outline.y.push_back(cy + r * std::sin(a));
  }
  d.strokes.push_back(outline);
  d.discs.push_back({cx, cy, 0.06, true});
  arrow(cx + 0.5, cy + 0.5, cx - 0.5, cy + 1.5);  // (-1, 1), moment 1 about C
  Stroke spin;
  for (int i = 0; i <= 20; ++i) {
    const double a = -1.3 + 0.09 * i;
    spin.x.push_back(cx + 0.7 * std::cos(a)), spin.y.push_back(cy + 0.7 * std::sin(a));
  }
  spin.arrow = spin.thin = true;
  d.strokes.push_back(spin);
  return d;
}

Drawing draw_zigzag(const std::vector<double>& q) {
  Drawing d{"Fig. 10.3: six rods in a zigzag", -0.6, 5.6, -0.6, 3.6, {}, {}, {}};
  Stroke rods;
  double x = 0, y = 1.2, angle = -35 * std::numbers::pi / 180;  // the base stands askew, so that it goes to the right
  rods.x.push_back(x), rods.y.push_back(y);
  for (std::size_t i = 0; i < q.size(); ++i) {
    angle += q[i];
    x += std::cos(angle), y += std::sin(angle);
    rods.x.push_back(x), rods.y.push_back(y);
  }
  for (std::size_t i = 0; i + 1 < rods.x.size(); ++i) d.discs.push_back({rods.x[i], rods.y[i], 0.09, true});
  d.strokes.push_back(rods);
  d.strokes.push_back({{-0.35, 0.35}, {1.08, 1.08}, false, false});
  return d;
}

Series make_line(std::string name) { return {std::move(name), {}, {}}; }
void add_point(Series& s, long x, long y) {
  s.x.push_back(static_cast<double>(x)), s.y.push_back(static_cast<double>(y));
}

}  // namespace

std::string far_body_drawing(const F08Study& s) {
  return to_svg({draw_far_body(), draw_zigzag(s.sensitivity.q)}, 2, 420);
}

std::string round_off_chart(const F08Study& s) {
  Series square = make_line("|c|^2");
  for (std::size_t i = 0; i < s.far.mean_distance.size(); ++i)
    if (const double d = s.far.mean_distance[i]; d >= 1) square.x.push_back(d), square.y.push_back(2e-16 * d * d);
  Chart chart{"Fig. 10.2: round-off at C",
              "|c| [radii of gyration]",
              "largest error",
              {{"single bodies", s.far.distance, s.far.error, true},
               {"mean of 40", s.far.mean_distance, s.far.mean_error},
               square},
              true,
              true};
  return to_svg({chart}, 1);
}

std::string count_charts(const F08Study& s) {
  constexpr long kShortest = 2, kTotals = 20, kParts = 30;
  Series cubic = make_line("O(n^3)"), aba = make_line("ABA"), here_cubic = make_line("O(n^3), here"),
         here_aba = make_line("ABA, here"), rnea = make_line("RNEA"), crba = make_line("CRBA"),
         factor = make_line("F&S"), whole = make_line("O(n^3)");
  for (const TreeCounts& c : s.chains) {
    if (c.n < kShortest) continue;
    const long r = best_published("RNEA").total(c.n), m = best_published("CRBA").total(c.n),
               f = best_published("F&S").total(c.n);
    if (c.n <= kTotals) {
      add_point(cubic, c.n, r + m + f), add_point(aba, c.n, best_published("ABA").total(c.n));
      add_point(here_cubic, c.n, c.cubic()), add_point(here_aba, c.n, c.aba);
    }
    if (c.n <= kParts)
      add_point(whole, c.n, r + m + f), add_point(crba, c.n, m), add_point(rnea, c.n, r), add_point(factor, c.n, f);
  }
  return to_svg({{"Fig. 10.4: two ways of forward dynamics", "n", "operations", {cubic, aba, here_cubic, here_aba}},
                 {"parts of the O(n^3) way, the book's", "n", "operations", {whole, crba, rnea, factor}}},
                2);
}

std::string branch_chart(const F08Study& s) {
  Series aba = make_line("ABA"), chain = make_line("O(nd^2), chain"), tree = make_line("O(nd^2), tree");
  Series here_aba = aba, here_chain = chain, here_tree = tree;
  for (const BinaryTreeCase& b : s.binary) {
    const long n = b.counted.n;
    const TreeCounts& unbranched = s.chains[static_cast<std::size_t>(n - 1)];
    add_point(aba, n, best_published("ABA").total(n)), add_point(tree, n, b.book);
    add_point(chain, n,
              best_published("RNEA").total(n) + best_published("CRBA").total(n) + best_published("F&S").total(n));
    add_point(here_aba, n, b.counted.aba), add_point(here_tree, n, b.counted.cubic());
    add_point(here_chain, n, unbranched.cubic());
  }
  return to_svg({{"Fig. 10.5: branches, by the book's formulas", "n", "operations", {aba, chain, tree}},
                 {"the same, counted here", "n", "operations", {here_aba, here_chain, here_tree}}},
                2);
}

}  // namespace sinew::app
