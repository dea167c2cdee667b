// apps/common/svg_drawing.cpp
#include "common/svg_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/svg_page.hpp"

namespace sinew::app {
namespace {

constexpr double kTitle = 24, kMargin = 8;

// Two short lines back from the tip.
std::string draw_tip(double x, double y, double dx, double dy) {
  const double length = std::hypot(dx, dy), c = -8 * dx / length, s = -8 * dy / length;
  return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}", x + 0.9 * c - 0.4 * s, y + 0.9 * s + 0.4 * c, x, y,
                     x + 0.9 * c + 0.4 * s, y + 0.9 * s - 0.4 * c);
}

std::string draw_panel(const Drawing& d, double x0, double y0, double width, double height, int number) {
  const double scale = std::min(width / (d.right - d.left), height / (d.top - d.bottom));
  const auto X = [&](double x) { return x0 + scale * (x - d.left); };
  const auto Y = [&](double y) { return y0 + kTitle + scale * (d.top - y); };
  std::string out = fmt::format("<text x='{:.1f}' y='{:.1f}' class='t'>{}</text>\n", x0, y0 + 16, escape_xml(d.title));
  out += fmt::format(
      "<clipPath id='c{0}'><rect x='{1:.1f}' y='{2:.1f}' width='{3:.1f}' height='{4:.1f}'/></clipPath>\n"
      "<g clip-path='url(#c{0})'>\n",
      number, x0, y0 + kTitle, width, height);
  for (const Disc& c : d.discs)
    out += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{:.2f}' stroke='#333' fill='{}'/>\n", X(c.x), Y(c.y),
                       scale * c.radius, c.filled ? "#9cc4e4" : "none");
  for (const Stroke& s : d.strokes) {
    std::string path;
    for (std::size_t i = 0; i < s.x.size(); ++i)
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", X(s.x[i]), Y(s.y[i]));
    const std::size_t n = s.x.size();
    if (s.arrow && n > 1)
      path += draw_tip(X(s.x[n - 1]), Y(s.y[n - 1]), X(s.x[n - 1]) - X(s.x[n - 2]), Y(s.y[n - 1]) - Y(s.y[n - 2]));
    out += fmt::format("<path d='{}' class='a' stroke-width='{}'/>\n", path, s.thin ? "0.8" : "2");
  }
  for (const Label& l : d.labels)
    out += fmt::format("<text x='{:.1f}' y='{:.1f}' class='n'>{}</text>\n", X(l.x), Y(l.y), escape_xml(l.text));
  return out + "</g>\n";
}

}  // namespace

std::string to_svg(const std::vector<Drawing>& drawings, int columns, double width) {
  const int count = static_cast<int>(drawings.size()), rows = (count + columns - 1) / columns;
  const double height =
      drawings.empty() ? 0 : width * (drawings[0].top - drawings[0].bottom) / (drawings[0].right - drawings[0].left);
  const double wide = width + 2 * kMargin, high = height + kTitle + kMargin;
  std::string out = open_page(wide * std::min(columns, std::max(count, 1)), high * rows);
  for (int i = 0; i < count; ++i) {
    const int row = i / columns, column = i % columns;
    out += draw_panel(drawings[static_cast<std::size_t>(i)], wide * column + kMargin, high * row, width, height, i);
  }
  return out + close_page();
}

}  // namespace sinew::app
