// apps/common/svg_bars.cpp
#include "common/svg_bars.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/svg_page.hpp"

namespace sinew::app {
namespace {

constexpr double kBarsWidth = 340, kBarsHeight = 256, kBarsLeft = 58, kBarsRight = 10, kBarsTop = 58, kBarsBottom = 30;

std::string draw_bars(const BarChart& c, double x0, double y0) {
  double most = 0;
  for (const Bar& b : c.bars) most = std::max(most, b.height);
  if (most <= 0) most = 1;
  const double w = kBarsWidth - kBarsLeft - kBarsRight, h = kBarsHeight - kBarsTop - kBarsBottom;
  const double left = x0 + kBarsLeft, base = y0 + kBarsTop + h, slot = w / static_cast<double>(c.bars.size());
  std::string out =
      fmt::format("<text x='{:.0f}' y='{:.0f}' class='t'>{}</text>\n", left, y0 + 18, escape_xml(c.title));
  out += fmt::format("<text x='{:.0f}' y='{:.0f}' class='n'>{}</text>\n", left, y0 + 33, escape_xml(c.about));
  const double step = find_step(most);
  for (double v = 0; v <= most * 1.0001; v += step)
    out += fmt::format("<path d='M{:.1f} {:.1f}h{:.1f}' class='g'/><text x='{:.1f}' y='{:.1f}' class='n e'>{}</text>\n",
                       left, base - h * v / most, w, left - 5, base - h * v / most + 4, short_number(v));
  for (std::size_t i = 0; i < c.bars.size(); ++i) {
    const double x = left + slot * (static_cast<double>(i) + 0.15), size = h * c.bars[i].height / most;
    const double middle = x + 0.35 * slot;
    out += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>\n", x, base - size,
                       0.7 * slot, size, series_colour(i));
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' class='n m'>{:.0f}</text>\n", middle, base - size - 4,
                       c.bars[i].height);
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' class='n m'>{}</text>\n", middle, base + 16,
                       escape_xml(c.bars[i].name));
  }
  out += fmt::format("<path d='M{:.1f} {:.1f}v{:.1f}h{:.1f}' class='a'/>\n", left, y0 + kBarsTop, h, w);
  return out + fmt::format("<text transform='translate({:.1f} {:.1f}) rotate(-90)' class='n m'>{}</text>\n", x0 + 12,
                           base - h / 2, escape_xml(c.y_label));
}

}  // namespace

std::string to_svg(const std::vector<BarChart>& charts, int columns) {
  const int count = static_cast<int>(charts.size()), rows = (count + columns - 1) / columns;
  std::string out = open_page(kBarsWidth * std::min(columns, std::max(count, 1)), kBarsHeight * rows);
  for (int i = 0; i < count; ++i) {
    const int row = i / columns, column = i % columns;
    out += draw_bars(charts[static_cast<std::size_t>(i)], kBarsWidth * column, kBarsHeight * row);
  }
  return out + close_page();
}

}  // namespace sinew::app
