// sinew/contact/kernel/placed_size.hpp - a primitive shape where it stands, and the numbers of its features
#pragma once
#include <cstdint>

#include "sinew/spatial/transform.hpp"

namespace sinew::contact {

// Numbers of corners, edges and faces of a shape, different from each other.
SINEW_HD constexpr std::uint32_t vertex_feature(int i) { return 3 * static_cast<std::uint32_t>(i); }
SINEW_HD constexpr std::uint32_t edge_feature(int i) { return 3 * static_cast<std::uint32_t>(i) + 1; }
SINEW_HD constexpr std::uint32_t face_feature(int i) { return 3 * static_cast<std::uint32_t>(i) + 2; }

// A shape where it stands: X shape <- world, size as in ShapeSpec.
template <class T>
struct PlacedSize {
  const Transform<T>& X;
  const T* size;
};

template <class T>
SINEW_HD Vec3<T> axis_of(const Transform<T>& X, int k) {  // of the shape, in the world
  const Mat3<T>& E = X.E.m;
  return k == 0 ? Vec3<T>{E.xx, E.xy, E.xz} : k == 1 ? Vec3<T>{E.yx, E.yy, E.yz} : Vec3<T>{E.zx, E.zy, E.zz};
}
template <class T>
SINEW_HD T within_one(const T& x) {
  return x < lit<T>(-1) ? lit<T>(-1) : lit<T>(1) < x ? lit<T>(1) : x;
}

// Points fixed on a cylinder's rim, of radius 1. Between two of them the rim of a cylinder that is tilted by little is
// lower by kRimSags of its tilt and radius. Its lowest point runs along the rim while a tilt of next to nothing
// changes, and what it carries with it: up to kFlatRim it is left out.
inline constexpr int kRim = 8;
inline constexpr double kRimSags = 0.0762;  // 1 - cos(pi / kRim)
inline constexpr double kFlatRim = 1e-4;    // [rad]
template <class T>
SINEW_HD T rim_x(int i) {
  constexpr double kSlope = 0.70710678118654752440;
  const int k = i % kRim, folded = k > kRim / 2 ? kRim - k : k;  // 0 .. 4
  return lit<T>(folded == 0 ? 1 : folded == 1 ? kSlope : folded == 2 ? 0 : folded == 3 ? -kSlope : -1);
}
template <class T>
SINEW_HD T rim_y(int i) {
  return rim_x<T>(i + kRim - kRim / 4);
}

}  // namespace sinew::contact
