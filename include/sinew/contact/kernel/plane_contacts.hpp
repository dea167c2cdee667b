// sinew/contact/kernel/plane_contacts.hpp - primitive shapes on a plane: the points that may be the lowest, for CPU and
// device. add(point, normal, gap, feature_a, feature_b) takes each; reach is compared here. T: double or float.
#pragma once
#include <cmath>

#include "sinew/contact/kernel/placed_size.hpp"

namespace sinew::contact {

// The plane z = 0 of a frame, and what is near it.
template <class T, class Add>
struct PlaneContacts {
  Vec3<T> point, normal;
  T reach;
  const Add& take;
  SINEW_HD PlaneContacts(const Transform<T>& plane, const T& within, const Add& add)
      : point(plane.r), normal(axis_of(plane, 2)), reach(within), take(add) {}
  SINEW_HD void add(const Vec3<T>& p, std::uint32_t feature) const {
    const T gap = dot(normal, p - point);
    if (gap <= reach) take(p - (gap / 2) * normal, normal, gap, feature, 0u);
  }
};

SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void sphere_on_plane(const PlacedSize<T>& a, const Transform<T>& plane, const T& reach, const Add& add) {
  const PlaneContacts<T, Add> on(plane, reach, add);
  on.add(a.X.r - a.size[0] * on.normal, vertex_feature(0));
}

SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void capsule_on_plane(const PlacedSize<T>& a, const Transform<T>& plane, const T& reach, const Add& add) {
  const PlaneContacts<T, Add> on(plane, reach, add);
  const Vec3<T> half = a.size[1] * axis_of(a.X, 2), down = a.size[0] * on.normal;
  on.add(a.X.r - half - down, vertex_feature(0));
  on.add(a.X.r + half - down, vertex_feature(1));
}

SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void box_on_plane(const PlacedSize<T>& a, const Transform<T>& plane, const T& reach, const Add& add) {
  using std::abs;
  const PlaneContacts<T, Add> on(plane, reach, add);
  const Vec3<T> x = a.size[0] * axis_of(a.X, 0), y = a.size[1] * axis_of(a.X, 1), z = a.size[2] * axis_of(a.X, 2);
  const Vec3<T> n = on.normal;
  if (dot(n, a.X.r - on.point) - abs(dot(n, x)) - abs(dot(n, y)) - abs(dot(n, z)) > reach) return;
  for (int corner = 0; corner < 8; ++corner) {
    const auto side = [&](int k, const Vec3<T>& v) { return (corner >> k & 1) != 0 ? v : -v; };
    on.add(a.X.r + side(0, x) + side(1, y) + side(2, z), vertex_feature(corner));
  }
}

// The lowest point of each rim; of a rim that looks down also the points fixed on it, which are all of it where it is
// nearly flat on the plane.
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void cylinder_on_plane(const PlacedSize<T>& a, const Transform<T>& plane, const T& reach, const Add& add) {
  using std::sqrt;
  const T kLooksDown = lit<T>(0.5);
  const PlaneContacts<T, Add> on(plane, reach, add);
  const Vec3<T> n = apply(a.X.E, on.normal);  // in the cylinder
  const T radius = a.size[0], tilt = sqrt(n.x * n.x + n.y * n.y);
  for (int cap = 0; cap < 2; ++cap) {
    const T z = cap == 0 ? -a.size[1] : a.size[1];
    if (tilt > lit<T>(kFlatRim))
      on.add(apply_inverse_to_point(a.X, Vec3<T>{-radius * n.x / tilt, -radius * n.y / tilt, z}),
             vertex_feature(2 * kRim + cap));
    if ((cap == 0 ? n.z : -n.z) < kLooksDown) continue;
    for (int i = 0; i < kRim; ++i)
      on.add(apply_inverse_to_point(a.X, Vec3<T>{radius * rim_x<T>(i), radius * rim_y<T>(i), z}),
             vertex_feature(cap * kRim + i));
  }
}

// Where its normal is the plane's: A^2 n / |A n|, A the radii.
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void ellipsoid_on_plane(const PlacedSize<T>& a, const Transform<T>& plane, const T& reach, const Add& add) {
  const PlaneContacts<T, Add> on(plane, reach, add);
  const Vec3<T> n = apply(a.X.E, on.normal), An{a.size[0] * n.x, a.size[1] * n.y, a.size[2] * n.z};
  const T s = -1 / norm(An);
  on.add(apply_inverse_to_point(a.X, Vec3<T>{s * a.size[0] * An.x, s * a.size[1] * An.y, s * a.size[2] * An.z}),
         vertex_feature(0));
}

}  // namespace sinew::contact
