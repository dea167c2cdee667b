// apps/common/png.hpp - charts as PNG, by the program rsvg-convert (package librsvg2-bin)
#pragma once
#include <string>

namespace sinew::app {

bool is_png(const std::string& file);  // by its name
// Throws InputError if rsvg-convert is not there.
void check_png_maker();
std::string to_png(const std::string& svg);  // throws InputError

}  // namespace sinew::app
