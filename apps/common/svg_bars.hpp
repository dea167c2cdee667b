// apps/common/svg_bars.hpp - bar charts as SVG text, for reports and docs
#pragma once
#include <string>
#include <vector>

namespace sinew::app {

struct Bar {
  std::string name;
  double height = 0;
};
struct BarChart {
  std::string title, about, y_label;  // about: a second line below the title
  std::vector<Bar> bars;
};

// Several charts side by side, `columns` in a row. Bars start at zero, with their height written above them; the i-th
// bar has the same colour in every chart.
std::string to_svg(const std::vector<BarChart>&, int columns);

}  // namespace sinew::app
