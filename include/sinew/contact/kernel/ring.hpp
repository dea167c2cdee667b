// sinew/contact/kernel/ring.hpp - fewer corners of a convex polygon, for CPU and device
#pragma once
#include "sinew/spatial/vec3.hpp"

namespace sinew::contact {

inline constexpr int kFewCorners = 64;  // so many all stay

// Calls keep(i) in order for corners 0 .. count - 1 of a ring. Corner 0 stays. None that is left out is farther than
// `within` from the line between those before and after it that stay.
SINEW_HD_CALLER
template <class Corner, class Keep>
SINEW_HD void keep_corners(int count, double within, Corner&& corner, Keep&& keep) {
  if (count > 0) keep(0);
  for (int i = 1, last = 0; i < count; ++i) {
    const Vec3<double> from = corner(last), chord = corner(i + 1 == count ? 0 : i + 1) - from;
    const double square = dot(chord, chord);
    bool flat = true;
    for (int k = last + 1; k <= i && flat; ++k) {
      const Vec3<double> d = corner(k) - from;
      const double t = square > 0 ? min(max(dot(d, chord) / square, 0.0), 1.0) : 0;
      flat = norm(d - t * chord) <= within;
    }
    if (!flat) keep(i), last = i;
  }
}

}  // namespace sinew::contact
