// sinew/contact/kernel/tangents.hpp - the tangents of a contact, for CPU and device: see contact/cone.hpp
#pragma once
#include <cmath>

#include "sinew/spatial/vec3.hpp"

namespace sinew::contact {

// The turn that takes z to n about an axis in the x-y plane, applied to x and y: for the flat part f = (x, y) of n,
// 1 - f f^T / (1 + z). Near z = -1 that loses digits; there f f^T (1 - z) / |f|^2 is the same.
template <class T>
SINEW_HD void calc_tangents(const Vec3<T>& n, Vec3<T>& t1, Vec3<T>& t2) {
  T x = n.x, y = n.y, w = 1 / (1 + n.z);
  if (n.z < 0) {
    const T flat = std::hypot(x, y), o = lit<T>(0);
    if (flat == 0) {
      t1 = {lit<T>(1), o, o}, t2 = {o, lit<T>(-1), o};
      return;
    }
    x /= flat, y /= flat, w = 1 - n.z;
  }
  const T xy = -w * x * y;
  t1 = {1 - w * x * x, xy, -n.x}, t2 = {xy, 1 - w * y * y, -n.y};
}

}  // namespace sinew::contact
