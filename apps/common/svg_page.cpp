// apps/common/svg_page.cpp
#include "common/svg_page.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sinew::app {

const char* series_colour(std::size_t i) {
  constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#8a6d00", "#56b4e9", "#999999", "#b07aff"};
  return kColours[i % std::size(kColours)];
}
const char* series_dash(std::size_t i) {
  constexpr const char* kDashes[] = {"", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4", "3 1"};
  return kDashes[i % std::size(kDashes)];
}

std::string open_page(double width, double height) {
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
      "font-family='sans-serif'>\n<style>.t{{font-size:13px;font-weight:bold;fill:#333}}.n{{font-size:11px;fill:#333}}"
      ".e{{text-anchor:end}}.m{{text-anchor:middle}}.a{{stroke:#333;fill:none}}.g{{stroke:#ddd}}</style>\n"
      "<rect width='100%' height='100%' fill='#fff'/>\n",
      width, height);
}

std::string escape_xml(const std::string& s) {
  std::string out;
  for (const char c : s) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string short_number(double x) {
  if (x != 0 && (std::abs(x) >= 1e6 || std::abs(x) < 1e-3)) return fmt::format("{:.0e}", x);
  if (std::abs(x) >= 1000) return fmt::format("{:g}k", x / 1000);
  return fmt::format("{:g}", x);
}

double find_step(double range) {
  const double raw = range / 5, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double f : {1.0, 2.0, 5.0})
    if (raw <= f * power) return f * power;
  return 10 * power;
}

}  // namespace sinew::app
