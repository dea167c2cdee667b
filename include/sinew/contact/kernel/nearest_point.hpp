// sinew/contact/kernel/nearest_point.hpp - the point of a primitive's surface nearest to a point, for CPU and device
#pragma once
#include <cmath>

#include "sinew/spatial/transform.hpp"

namespace sinew::contact {

// The point of a shape's surface nearest to a point p, all in the shape's frame.
template <class T>
struct NearestPoint {
  Vec3<T> normal;  // out of the shape
  T distance{};    // along it; negative inside
};

template <class T>
SINEW_HD NearestPoint<T> nearest_on_box(const T* half, const Vec3<T>& p) {
  using std::abs;
  const T o = lit<T>(0);
  const Vec3<T> out{abs(p.x) - half[0], abs(p.y) - half[1], abs(p.z) - half[2]};
  const auto sign = [](const T& x) { return std::copysign(lit<T>(1), x); };
  if (out.x > 0 || out.y > 0 || out.z > 0) {
    const Vec3<T> d{max(out.x, o) * sign(p.x), max(out.y, o) * sign(p.y), max(out.z, o) * sign(p.z)};
    const T distance = norm(d);
    return {(1 / distance) * d, distance};
  }
  // Out through the nearest face.
  if (out.x >= out.y && out.x >= out.z) return {{sign(p.x), o, o}, out.x};
  if (out.y >= out.z) return {{o, sign(p.y), o}, out.y};
  return {{o, o, sign(p.z)}, out.z};
}

template <class T>
SINEW_HD NearestPoint<T> nearest_on_cylinder(const T& radius, const T& half, const Vec3<T>& p) {
  using std::abs;
  using std::hypot;
  const T o = lit<T>(0);
  const T r = hypot(p.x, p.y), side = r - radius, cap = abs(p.z) - half;
  const Vec3<T> out = r > 0 ? Vec3<T>{p.x / r, p.y / r, o} : Vec3<T>{lit<T>(1), o, o};
  const Vec3<T> up{o, o, std::copysign(lit<T>(1), p.z)};
  if (side > 0 && cap > 0) {  // beyond the rim
    const Vec3<T> d = side * out + cap * up;
    const T distance = norm(d);
    return {(1 / distance) * d, distance};
  }
  if (side > cap) return {out, side};
  return {up, cap};
}

// p = x + t A^-2 x with x on the surface: the sum of (e_k p_k / (e_k^2 + t))^2 is 1 for the t wanted. It falls with t
// and is convex to the right of -e_min^2, so Newton's steps from the left never overshoot.
template <class T>
SINEW_HD NearestPoint<T> nearest_on_ellipsoid(const T* e, const Vec3<T>& p) {
  using std::abs;
  T y[3] = {abs(p.x), abs(p.y), abs(p.z)};
  const int m = e[0] <= e[1] ? (e[0] <= e[2] ? 0 : 2) : (e[1] <= e[2] ? 1 : 2);
  y[m] = max(y[m], lit<T>(1e-17) * e[m]);  // in the middle plane both sides are equally near: take the upper
  const auto over = [&](int k, const T& s) { return s + (e[k] - e[m]) * (e[k] + e[m]); };  // e_k^2 + t
  T s = e[m] * y[m];  // e_min^2 + t; start so large that no term is over 1
  for (int k = 0; k < 3; ++k) s = max(s, e[k] * y[k] - over(k, lit<T>(0)));
  for (int i = 0; i < 200; ++i) {
    T sum = lit<T>(-1), slope = lit<T>(0);
    for (int k = 0; k < 3; ++k) {
      const T w = over(k, s), q = e[k] * y[k] / w;
      sum += q * q, slope -= 2 * q * q / w;
    }
    const T next = s - sum / slope;
    if (!(next > s)) break;
    s = next;
  }
  // The normal is A^-2 x = A^2 p / (e^2 + t) / e^2.
  const T place[] = {p.x, p.y, p.z};
  T x[3], g[3];
  for (int k = 0; k < 3; ++k) g[k] = std::copysign(lit<T>(1), place[k]) * y[k] / over(k, s), x[k] = e[k] * e[k] * g[k];
  Vec3<T> n{g[0], g[1], g[2]};
  n = (1 / norm(n)) * n;
  return {n, dot(n, p - Vec3<T>{x[0], x[1], x[2]})};
}

}  // namespace sinew::contact
