// tests/support/near.hpp - the one tolerance: |a - b| <= eps * n * scale
// near(a, b, n)          compares anything that `flatten` can take apart, scale = its largest number in either
// near(a, b, n, scale)   with a scale of its own, where the result is a small difference of large terms
// near_float(a, b, n)    with the eps of float
// Each call is noted with what it allows and sees (support/tolerance.hpp).
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sinew/base/scalars.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/spatial/planar_inertia.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {

// The numbers of an object, one lane of them.
inline double lane_of(double x, int) { return x; }
inline double lane_of(float x, int) { return double(x); }
inline double lane_of(const Counted& x, int) { return x.value; }
inline double lane_of(const Dual& x, int) { return x.value; }
template <class T, int N>
double lane_of(const Pack<T, N>& x, int lane) {
  return double(x[lane]);
}

using Numbers = std::vector<double>;
template <class T>
  requires requires(const T& x) { lane_of(x, 0); }
void flatten(const T& x, int lane, Numbers& out) {
  out.push_back(lane_of(x, lane));
}
template <class T>
void flatten(const Vec3<T>& a, int lane, Numbers& out) {
  for (const T& x : {a.x, a.y, a.z}) flatten(x, lane, out);
}
template <class T>
void flatten(const Vec2<T>& a, int lane, Numbers& out) {
  for (const T& x : {a.x, a.y}) flatten(x, lane, out);
}
template <class T>
void flatten(const Sym3<T>& a, int lane, Numbers& out) {
  for (const T& x : {a.xx, a.xy, a.xz, a.yy, a.yz, a.zz}) flatten(x, lane, out);
}
template <class T>
void flatten(const Mat3<T>& a, int lane, Numbers& out) {
  for (const T& x : {a.xx, a.xy, a.xz, a.yx, a.yy, a.yz, a.zx, a.zy, a.zz}) flatten(x, lane, out);
}
template <class T>
void flatten(const Quaternion<T>& a, int lane, Numbers& out) {
  for (const T& x : {a.w, a.x, a.y, a.z}) flatten(x, lane, out);
}
template <class T>
void flatten(const Rotation<T>& a, int lane, Numbers& out) {
  flatten(a.m, lane, out);
}
template <class T, std::size_t N>
void flatten(const std::array<T, N>& a, int lane, Numbers& out) {
  for (const T& x : a) flatten(x, lane, out);
}
template <class T>
void flatten(const std::vector<T>& a, int lane, Numbers& out) {
  for (const T& x : a) flatten(x, lane, out);
}
template <class T>
void flatten(const Mat6<T>& a, int lane, Numbers& out) {
  for (const auto& row : a.rows)
    for (const T& x : row) flatten(x, lane, out);
}
template <class V>
  requires requires(const V& v) { v.ang, v.lin; }
void flatten(const V& v, int lane, Numbers& out) {
  flatten(v.ang, lane, out), flatten(v.lin, lane, out);
}
template <class T>
void flatten(const Transform<T>& X, int lane, Numbers& out) {
  flatten(X.E, lane, out), flatten(X.r, lane, out);
}
template <class T>
void flatten(const PlanarTransform<T>& X, int lane, Numbers& out) {
  flatten(X.c, lane, out), flatten(X.s, lane, out), flatten(X.r, lane, out);
}
template <class V>
  requires requires(const V& v) { v.m, v.h, v.I; }
void flatten(const V& a, int lane, Numbers& out) {
  flatten(a.m, lane, out), flatten(a.h, lane, out), flatten(a.I, lane, out);
}
template <class T>
void flatten(const ArticulatedInertia<T>& a, int lane, Numbers& out) {
  flatten(a.M, lane, out), flatten(a.H, lane, out), flatten(a.I, lane, out);
}
template <class T>
void flatten(const PlanarArticulatedInertia<T>& a, int lane, Numbers& out) {
  for (const T& x : {a.mxx, a.mxy, a.myy, a.I}) flatten(x, lane, out);
  flatten(a.H, lane, out);
}
template <class T>
void flatten(const InverseInertia<T>& a, int lane, Numbers& out) {
  flatten(a.A, lane, out), flatten(a.B, lane, out), flatten(a.C, lane, out);
}
template <class X>
Numbers flatten(const X& x, int lane = 0) {
  Numbers out;
  flatten(x, lane, out);
  return out;
}

inline double largest(const Numbers& a) {
  double out = 0;
  for (double x : a) out = std::max(out, std::abs(x));
  return out;
}

inline ::testing::AssertionResult near_numbers(const Numbers& a, const Numbers& b, const Allowed& n, double scale,
                                               double eps,
                                               const std::source_location& where = std::source_location::current()) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " numbers against " << b.size();
  if (a.empty()) return ::testing::AssertionSuccess();
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = a[i] == b[i] ? 0 : std::abs(a[i] - b[i]);
    if (!(d <= worst)) worst = d, at = i;  // NaN is the worst
  }
  const double rounding = (eps == 0x1p-23 ? eps : 0x1p-52) * std::max({1.0, largest(a), largest(b)});
  if (holds(worst, eps * n.value * scale, n.reason, rounding, eps, where)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "number " << at << ": " << ::testing::PrintToString(a[at]) << " against "
                                       << ::testing::PrintToString(b[at]) << ", off by " << worst << " = "
                                       << worst / (eps * scale) << " eps * scale, allowed " << n.value;
}

// The smallest scale is 1, so that zero can be compared.
template <class A, class B>
::testing::AssertionResult near(const A& a, const B& b, const Allowed& n, double scale = 0, double eps = 0x1p-52,
                                const std::source_location& where = std::source_location::current()) {
  const Numbers x = flatten(a), y = flatten(b);
  if (scale == 0) scale = std::max({1.0, largest(x), largest(y)});
  return near_numbers(x, y, n, scale, eps, where);
}
template <class A, class B>
::testing::AssertionResult near_float(const A& a, const B& b, const Allowed& n,
                                      const std::source_location& where = std::source_location::current()) {
  return near(a, b, n, 0, 0x1p-23, where);
}

}  // namespace sinew::test
