// src/contact/surface_tools.hpp - what the text of surfaces (sinew/contact/kernel/surface_contacts.hpp) takes on the
// CPU
#pragma once
#include <algorithm>

#include "contact/colliders.hpp"

namespace sinew::contact {

struct SurfaceTools {
  using Solid = contact::Solid;
  using Points = contact::Points;

  static Approach find_approach(const Solid& a, const Solid& b, double reach) {
    return contact::find_approach(a, b, reach);
  }
  static double add_patches(const Solid& a, const Solid& b, const Vector& n, double separation, const Vector& origin,
                            double reach, Points& out) {
    return contact::add_patches(a, b, n, separation, origin, reach, out);
  }
  static void add_contacts(const Solid& a, const Solid& b, const Approach& at, const Vector& origin, double reach,
                           Points& out) {
    contact::add_contacts(a, b, at, origin, reach, out);
  }
  static auto sort() {
    return [](Points& points, std::size_t first, std::size_t last, const auto& before) {
      std::sort(points.begin() + static_cast<std::ptrdiff_t>(first), points.begin() + static_cast<std::ptrdiff_t>(last),
                before);
    };
  }
};

}  // namespace sinew::contact
