// src/operators/moments.hpp - 3x3 matrices sum a b^T of pairs of vectors, and what follows from them
#pragma once
#include "sinew/spatial/mat3.hpp"

namespace sinew::sko {

inline Mat3<double> outer(const Vec3<double>& a, const Vec3<double>& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}
// sum a x b of sum a b^T
inline Vec3<double> cross_of(const Mat3<double>& a) { return {a.yz - a.zy, a.zx - a.xz, a.xy - a.yx}; }
// The moments of inertia tr(J) 1 - J that belong to the second moments J = a + a^T.
inline Sym3<double> inertia_of_sum(const Mat3<double>& a) {
  const double xx = 2 * a.xx, yy = 2 * a.yy, zz = 2 * a.zz;
  return {yy + zz, -(a.xy + a.yx), -(a.xz + a.zx), xx + zz, -(a.yz + a.zy), xx + yy};
}

}  // namespace sinew::sko
