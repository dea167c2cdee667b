// apps/common/svg_page.hpp - what all pictures share: the page, its style, colours, short numbers
#pragma once
#include <string>

namespace sinew::app {

// Of the i-th series; they begin again after the eighth. Dashes tell series apart without colour.
const char* series_colour(std::size_t i);
const char* series_dash(std::size_t i);

// White, with the classes t (title), n (text; e and m: ends and is centred at its place), a (axes), g (grid).
std::string open_page(double width, double height);
inline const char* close_page() { return "</svg>\n"; }

std::string escape_xml(const std::string&);
// "250", "12k", "3e-05".
std::string short_number(double);
// A step of 1, 2 or 5 times a power of ten that gives about five marks over the range.
double find_step(double range);

}  // namespace sinew::app
