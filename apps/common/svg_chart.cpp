// apps/common/svg_chart.cpp
#include "common/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/svg_page.hpp"

namespace sinew::app {
namespace {

constexpr double kWidth = 340, kHeight = 260, kLeft = 62, kRight = 14, kTop = 30, kBottom = 44;
constexpr double kLegendLine = 18;

struct Axis {
  double low, high;
  bool log;
  double place(double v) const {
    return log ? (std::log10(v) - std::log10(low)) / (std::log10(high) - std::log10(low)) : (v - low) / (high - low);
  }
  std::vector<double> marks() const {
    std::vector<double> out;
    if (log) {
      for (double v = std::pow(10, std::ceil(std::log10(low) - 1e-9)); v <= high * 1.0001; v *= 10) out.push_back(v);
      return out;
    }
    const double step = find_step(high - low);
    for (double v = std::ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step)
      out.push_back(std::abs(v) < 1e-9 * step ? 0 : v);
    return out;
  }
};

template <class Get>
Axis find_axis(const Chart& c, Get get, bool log, bool from_zero) {
  double low = INFINITY, high = -INFINITY;
  for (const Series& s : c.series)
    for (const double v : get(s))
      if (!log || v > 0) low = std::min(low, v), high = std::max(high, v);
  if (!(low <= high)) low = 0, high = 1;
  if (from_zero && !log && low > 0) low = 0;
  if (low == high) high = low + 1;
  return {low, log ? high * 1.2 : high + 0.05 * (high - low), log};
}

std::string draw(const Chart& c, double x0, double y0) {
  const Axis ax = find_axis(
      c, [](const Series& s) { return s.x; }, c.log_x, false);
  const Axis ay = find_axis(
      c, [](const Series& s) { return s.y; }, c.log_y, true);
  const double w = kWidth - kLeft - kRight, h = kHeight - kTop - kBottom, left = x0 + kLeft, base = y0 + kTop + h;
  const auto X = [&](double v) { return left + w * ax.place(v); };
  const auto Y = [&](double v) { return base - h * ay.place(v); };
  std::string out =
      fmt::format("<text x='{:.0f}' y='{:.0f}' class='t'>{}</text>\n", left, y0 + 18, escape_xml(c.title));
  for (const double v : ay.marks())
    out += fmt::format("<path d='M{:.1f} {:.1f}h{:.1f}' class='g'/><text x='{:.1f}' y='{:.1f}' class='n e'>{}</text>\n",
                       left, Y(v), w, left - 5, Y(v) + 4, short_number(v));
  for (const double v : ax.marks())
    out += fmt::format("<path d='M{:.1f} {:.1f}v4' class='a'/><text x='{:.1f}' y='{:.1f}' class='n m'>{}</text>\n",
                       X(v), base, X(v), base + 16, short_number(v));
  out += fmt::format("<path d='M{:.1f} {:.1f}v{:.1f}h{:.1f}' class='a'/>\n", left, y0 + kTop, h, w);
  out += fmt::format("<text x='{:.1f}' y='{:.1f}' class='n m'>{}</text>\n", left + w / 2, base + 34,
                     escape_xml(c.x_label));
  out += fmt::format("<text transform='translate({:.1f} {:.1f}) rotate(-90)' class='n m'>{}</text>\n", x0 + 12,
                     base - h / 2, escape_xml(c.y_label));
  for (std::size_t i = 0; i < c.series.size(); ++i) {
    const Series& s = c.series[i];
    std::string points;
    for (std::size_t k = 0; k < s.x.size(); ++k)
      if ((!c.log_x || s.x[k] > 0) && (!c.log_y || s.y[k] > 0)) {
        if (s.dots)
          out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='1.4' fill='{}'/>\n", X(s.x[k]), Y(s.y[k]),
                             series_colour(i));
        else
          points += fmt::format("{:.1f},{:.1f} ", X(s.x[k]), Y(s.y[k]));
      }
    if (s.dots) continue;
    out += fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2' stroke-dasharray='{}'/>\n",
                       points, series_colour(i), series_dash(i));
  }
  return out;
}

// Where each entry of a legend stands: from the left, and on which line. Lines end before `width`.
struct LegendPlace {
  double x = 0;
  int line = 0;
};
std::vector<LegendPlace> place_legend(const Chart& c, double width) {
  std::vector<LegendPlace> out;
  LegendPlace next;
  for (const Series& s : c.series) {
    const double length = 37 + 6.4 * static_cast<double>(s.name.size());
    if (next.x > 0 && next.x + length > width) next = {0, next.line + 1};
    out.push_back(next);
    next.x += length;
  }
  return out;
}
int count_lines(const std::vector<LegendPlace>& legend) { return legend.empty() ? 0 : legend.back().line + 1; }

// y: of its last line.
std::string draw_legend(const Chart& c, const std::vector<LegendPlace>& legend, double left, double y) {
  std::string out;
  for (std::size_t i = 0; i < c.series.size(); ++i) {
    const double x = left + legend[i].x, line = y - kLegendLine * (legend.back().line - legend[i].line);
    out += c.series[i].dots
               ? fmt::format("<circle cx='{:.0f}' cy='{:.0f}' r='2' fill='{}'/>", x + 10, line, series_colour(i))
               : fmt::format(
                     "<path d='M{:.0f} {:.0f}h20' stroke='{}' stroke-width='2' "
                     "stroke-dasharray='{}'/>",
                     x, line, series_colour(i), series_dash(i));
    out += fmt::format("<text x='{:.0f}' y='{:.0f}' class='n'>{}</text>\n", x + 25, line + 4,
                       escape_xml(c.series[i].name));
  }
  return out;
}
bool same_names(const Chart& a, const Chart& b) {
  return std::equal(a.series.begin(), a.series.end(), b.series.begin(), b.series.end(),
                    [](const Series& s, const Series& t) { return s.name == t.name; });
}

}  // namespace

std::string to_svg(const std::vector<Chart>& charts, int columns) {
  // One legend for all where the series are the same everywhere, else one below each chart.
  const bool shared =
      std::all_of(charts.begin(), charts.end(), [&](const Chart& c) { return same_names(c, charts[0]); });
  const int count = static_cast<int>(charts.size()), rows = (count + columns - 1) / columns;
  const double width = kWidth * std::min(columns, std::max(count, 1));
  const auto legend_of = [&](const Chart& c) { return place_legend(c, (shared ? width : kWidth) - kLeft); };
  int lines = 1;
  for (const Chart& c : charts) lines = std::max(lines, count_lines(legend_of(c)));
  const double row_height = kHeight + (shared ? 0 : 6 + kLegendLine * lines);
  const double height = row_height * rows + (shared ? 16 + kLegendLine * lines : 0);
  std::string out = open_page(width, height);
  for (int i = 0; i < count; ++i) {
    const int row = i / columns, column = i % columns;
    const Chart& c = charts[i];
    out += draw(c, kWidth * column, row_height * row);
    if (!shared && c.series.size() > 1)
      out += draw_legend(c, legend_of(c), kWidth * column + kLeft, row_height * (row + 1) - 16);
  }
  if (shared && !charts.empty()) out += draw_legend(charts[0], legend_of(charts[0]), kLeft, height - 16);
  return out + close_page();
}

}  // namespace sinew::app
