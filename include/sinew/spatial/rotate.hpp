// sinew/spatial/rotate.hpp - E A E^T, cheaply [F08 A.5]
#pragma once
#include "sinew/spatial/rotation.hpp"

namespace sinew {

// clang-format off
namespace detail {
// A is split into L + D + v x, so that L has a zero column: E A E^T = E L E^T + D + (E v) x.
template <bool by_trace, class T>
SINEW_HD Mat3<T> rotate(const Rotation<T>& E, const Mat3<T>& A) {
  const Mat3<T>& e = E.m;
  const T l11 = A.xx - A.zz, l22 = A.yy - A.zz, l31 = A.zx + A.xz, l32 = A.zy + A.yz;
  const Vec3<T> y1 = e * Vec3<T>{l11, A.yx, l31};
  const Vec3<T> y2 = e * Vec3<T>{A.xy, l22, l32};
  const Vec3<T> w{e.xy * A.xz - e.xx * A.yz, e.yy * A.xz - e.yx * A.yz, e.zy * A.xz - e.zx * A.yz};
  const T z22 = y1.y * e.yx + y2.y * e.yy, z33 = y1.z * e.zx + y2.z * e.zy;
  T z11;
  if constexpr (by_trace)
    z11 = l11 + l22 - z22 - z33;
  else
    z11 = y1.x * e.xx + y2.x * e.xy;
  return {z11 + A.zz, y1.x * e.yx + y2.x * e.yy - w.z, y1.x * e.zx + y2.x * e.zy + w.y,
          y1.y * e.xx + y2.y * e.xy + w.z, z22 + A.zz, y1.y * e.zx + y2.y * e.zy - w.x,
          y1.z * e.xx + y2.z * e.xy - w.y, y1.z * e.yx + y2.z * e.yy + w.x, z33 + A.zz};
}
}  // namespace detail

// 42m + 37a, as Table A.4 counts its articulated inertias.
template <class T>
SINEW_HD Mat3<T> rotate(const Rotation<T>& E, const Mat3<T>& A) {
  return detail::rotate<false>(E, A);
}
// One entry from the trace: 40m + 39a.
template <class T>
SINEW_HD Mat3<T> rotate_by_trace(const Rotation<T>& E, const Mat3<T>& A) {
  return detail::rotate<true>(E, A);
}
// For symmetric A only the lower triangle is calculated: 28m + 29a.
template <class T>
SINEW_HD Sym3<T> rotate(const Rotation<T>& E, const Sym3<T>& A) {
  const Mat3<T>& e = E.m;
  const T l11 = A.xx - A.zz, l22 = A.yy - A.zz, l31 = A.xz + A.xz, l32 = A.yz + A.yz;
  const T y21 = e.yx * l11 + e.yy * A.xy + e.yz * l31, y22 = e.yx * A.xy + e.yy * l22 + e.yz * l32;
  const T y31 = e.zx * l11 + e.zy * A.xy + e.zz * l31, y32 = e.zx * A.xy + e.zy * l22 + e.zz * l32;
  const Vec3<T> w{e.xy * A.xz - e.xx * A.yz, e.yy * A.xz - e.yx * A.yz, e.zy * A.xz - e.zx * A.yz};
  const T z22 = y21 * e.yx + y22 * e.yy, z33 = y31 * e.zx + y32 * e.zy;
  return {l11 + l22 - z22 - z33 + A.zz, y21 * e.xx + y22 * e.xy + w.z, y31 * e.xx + y32 * e.xy - w.y,
          z22 + A.zz, y31 * e.yx + y32 * e.yy + w.x, z33 + A.zz};
}
// clang-format on

}  // namespace sinew
