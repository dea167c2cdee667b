// sinew/contact/kernel/round_contacts.hpp - contact points of spheres with all primitive shapes and of two capsules, in
// closed form, for CPU and device
// What they find, and in which order: contact/collide.hpp. add(point, normal, gap, feature_a, feature_b) takes each
// point; reach is compared here. T: double or float.
#pragma once
#include "sinew/contact/kernel/nearest_point.hpp"
#include "sinew/contact/kernel/placed_size.hpp"

namespace sinew::contact {

// The middle line of a capsule.
template <class T>
struct CapsuleSegment {
  Vec3<T> middle, half;
  SINEW_HD explicit CapsuleSegment(const PlacedSize<T>& capsule)
      : middle(capsule.X.r), half(capsule.size[1] * axis_of(capsule.X, 2)) {}
  SINEW_HD Vec3<T> at(const T& t) const { return middle + t * half; }  // -1 .. 1
  SINEW_HD T nearest(const Vec3<T>& p) const { return within_one(dot(half, p - middle) / dot(half, half)); }
};

// Any unit vector perpendicular to d.
template <class T>
SINEW_HD Vec3<T> perpendicular_to(const Vec3<T>& d) {
  using std::abs;
  const T o = lit<T>(0), i = lit<T>(1);
  const Vec3<T> out = cross(d, abs(d.x) < abs(d.z) ? Vec3<T>{i, o, o} : Vec3<T>{o, o, i});
  const T length = norm(out);
  return length > 0 ? (1 / length) * out : Vec3<T>{i, o, o};
}

// Balls of two radii about points of a and b; `fallback` is the normal if the points coincide.
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void ball_on_ball(const Vec3<T>& p, const T& radius_a, const Vec3<T>& q, const T& radius_b,
                           const Vec3<T>& fallback, const T& reach, std::uint32_t feature_a, std::uint32_t feature_b,
                           const Add& add) {
  const Vec3<T> d = p - q;
  const T distance = norm(d), gap = distance - (radius_a + radius_b);
  if (!(gap <= reach)) return;
  const Vec3<T> normal = distance > 0 ? (1 / distance) * d : fallback;
  add(p - (radius_a + gap / 2) * normal, normal, gap, feature_a, feature_b);
}

// A sphere at the point of a shape's surface that is nearest to its centre.
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void sphere_on_nearest(const PlacedSize<T>& a, const Transform<T>& b, const NearestPoint<T>& s, const T& reach,
                                const Add& add) {
  const T gap = s.distance - a.size[0];
  if (!(gap <= reach)) return;
  const Vec3<T> normal = apply_inverse(b.E, s.normal);
  add(a.X.r - (a.size[0] + gap / 2) * normal, normal, gap, 0u, 0u);
}

SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void sphere_on_sphere(const PlacedSize<T>& a, const PlacedSize<T>& b, const T& reach, const Add& add) {
  ball_on_ball(a.X.r, a.size[0], b.X.r, b.size[0], Vec3<T>{lit<T>(0), lit<T>(0), lit<T>(1)}, reach, 0u, 0u, add);
}
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void sphere_on_capsule(const PlacedSize<T>& a, const PlacedSize<T>& b, const T& reach, const Add& add) {
  const CapsuleSegment<T> s(b);
  ball_on_ball(a.X.r, a.size[0], s.at(s.nearest(a.X.r)), b.size[0], perpendicular_to(s.half), reach, 0u, 0u, add);
}
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void sphere_on_box(const PlacedSize<T>& a, const PlacedSize<T>& b, const T& reach, const Add& add) {
  sphere_on_nearest(a, b.X, nearest_on_box(b.size, apply_to_point(b.X, a.X.r)), reach, add);
}
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void sphere_on_cylinder(const PlacedSize<T>& a, const PlacedSize<T>& b, const T& reach, const Add& add) {
  const NearestPoint<T> nearest = nearest_on_cylinder(b.size[0], b.size[1], apply_to_point(b.X, a.X.r));
  sphere_on_nearest(a, b.X, nearest, reach, add);
}
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void sphere_on_ellipsoid(const PlacedSize<T>& a, const PlacedSize<T>& b, const T& reach, const Add& add) {
  sphere_on_nearest(a, b.X, nearest_on_ellipsoid(b.size, apply_to_point(b.X, a.X.r)), reach, add);
}

// Two points where they lie side by side, else one.
SINEW_HD_CALLER
template <class T, class Add>
SINEW_HD void capsule_on_capsule(const PlacedSize<T>& a, const PlacedSize<T>& b, const T& reach, const Add& take) {
  using std::sqrt;
  const T kParallel = lit<T>(1e-2), kMinus = lit<T>(-1), kPlus = lit<T>(1);
  const CapsuleSegment<T> s(a), t(b);
  const T ss = dot(s.half, s.half), tt = dot(t.half, t.half), st = dot(s.half, t.half);
  const Vec3<T> across = cross(s.half, t.half), d = t.middle - s.middle;
  const T square = dot(across, across);
  const Vec3<T> fallback = square > 0 ? (1 / sqrt(square)) * across : perpendicular_to(t.half);
  const auto add = [&](const T& u, const T& v, std::uint32_t feature_a, std::uint32_t feature_b) {
    ball_on_ball(s.at(u), a.size[0], t.at(v), b.size[0], fallback, reach, feature_a, feature_b, take);
  };
  // The nearest points: where the connection is perpendicular to both lines, clamped to the segments.
  const T free_u = square > 0 ? (dot(s.half, d) * tt - dot(t.half, d) * st) / square : lit<T>(0);
  const T v = t.nearest(s.at(within_one(free_u))), u = s.nearest(t.at(v));
  if (square > kParallel * kParallel * ss * tt) return add(u, v, edge_feature(0), edge_feature(0));
  // Side by side: the ends of the part that they share, as places on a.
  const T one = -dot(s.half, s.middle - t.at(kMinus)) / ss, other = -dot(s.half, s.middle - t.at(kPlus)) / ss;
  const T low = max(min(one, other), kMinus), high = min(max(one, other), kPlus);
  if (!(low < high)) return add(u, v, edge_feature(0), edge_feature(0));
  const auto add_end = [&](const T& w, std::uint32_t end_of_a, std::uint32_t end_of_b) {
    const bool own = w == kMinus || w == kPlus;
    add(w, t.nearest(s.at(w)), own ? end_of_a : edge_feature(0), own ? edge_feature(0) : end_of_b);
  };
  const std::uint32_t first = vertex_feature(0), last = vertex_feature(1);
  add_end(low, first, one < other ? first : last);
  add_end(high, last, one < other ? last : first);
  // Not quite parallel: the nearest points may lie between.
  const auto gap = [&](const T& x) { return norm(s.at(x) - t.at(t.nearest(s.at(x)))); };
  const T rounding = lit<T>(ScalarTraits<T>::kEpsilon < 1e-10 ? 1e-13 : 5e-5);
  const T slack = rounding * (sqrt(ss) + sqrt(tt) + a.size[0] + b.size[0]);
  if (norm(s.at(u) - t.at(v)) < min(gap(low), gap(high)) - slack) add(u, v, edge_feature(0), edge_feature(0));
}

}  // namespace sinew::contact
