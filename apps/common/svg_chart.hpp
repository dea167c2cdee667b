// apps/common/svg_chart.hpp - line charts as SVG text, for reports and docs
#pragma once
#include <string>
#include <vector>

namespace sinew::app {

struct Series {
  std::string name;
  std::vector<double> x, y;
  bool dots = false;  // points, not joined by a line
};
struct Chart {
  std::string title, x_label, y_label;
  std::vector<Series> series;
  bool log_y = false, log_x = false;
};

// Several charts side by side, `columns` in a row, with one legend below them all, or below each where their series
// differ. Colours and dashes follow the order of the series; dashes differ without colour too. Readable on light and
// dark pages.
std::string to_svg(const std::vector<Chart>&, int columns);

}  // namespace sinew::app
