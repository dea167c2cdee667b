// apps/common/svg_drawing.hpp - drawings of mechanisms as SVG text: lines, arrows, circles, names, to one scale
#pragma once
#include <string>
#include <vector>

namespace sinew::app {

// Everything in the drawing's own units, x to the right and y up.
struct Stroke {
  std::vector<double> x, y;  // corners
  bool arrow = false;        // at its last corner
  bool thin = false;
};
struct Disc {
  double x = 0, y = 0, radius = 0;
  bool filled = false;
};
struct Label {
  double x = 0, y = 0;
  std::string text;
};
struct Drawing {
  std::string title;
  double left = 0, right = 1, bottom = 0, top = 1;  // what is shown of it
  std::vector<Stroke> strokes;
  std::vector<Disc> discs;
  std::vector<Label> labels;
};

// Several drawings side by side, `columns` in a row, each `width` pixels wide; their heights follow from the first.
// What reaches beyond the part shown is cut off.
std::string to_svg(const std::vector<Drawing>&, int columns, double width);

}  // namespace sinew::app
