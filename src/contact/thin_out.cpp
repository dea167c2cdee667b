// src/contact/thin_out.cpp - fewer points, the same support: the text of devices
#include "sinew/contact/kernel/thin_out.hpp"

#include "contact/surface_tools.hpp"

namespace sinew::contact {

std::size_t thin_out(Points& points, std::size_t first, std::size_t last) {
  return thin_out(points, first, last, SurfaceTools::sort());
}

}  // namespace sinew::contact
