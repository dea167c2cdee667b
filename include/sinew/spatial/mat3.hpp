// sinew/spatial/mat3.hpp - general and symmetric 3x3 matrices
#pragma once
#include "sinew/spatial/vec3.hpp"

namespace sinew {

template <class T>
struct Mat3 {
  T xx{}, xy{}, xz{};
  T yx{}, yy{}, yz{};
  T zx{}, zy{}, zz{};

  // The unit matrix.
  static SINEW_HD Mat3 identity() {
    const T o = lit<T>(0), i = lit<T>(1);
    return {i, o, o, o, i, o, o, o, i};
  }
};

// Symmetric: six numbers stand for nine.
template <class T>
struct Sym3 {
  T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

  // A diagonal matrix.
  static SINEW_HD Sym3 diagonal(const T& a, const T& b, const T& c) {
    const T o = lit<T>(0);
    return {a, o, o, b, o, c};
  }
};

template <class T, class S>
SINEW_HD Mat3<T> cast(const Mat3<S>& a) {
  return {lit<T>(a.xx), lit<T>(a.xy), lit<T>(a.xz), lit<T>(a.yx), lit<T>(a.yy),
          lit<T>(a.yz), lit<T>(a.zx), lit<T>(a.zy), lit<T>(a.zz)};
}
template <class T, class S>
SINEW_HD Sym3<T> cast(const Sym3<S>& a) {
  return {lit<T>(a.xx), lit<T>(a.xy), lit<T>(a.xz), lit<T>(a.yy), lit<T>(a.yz), lit<T>(a.zz)};
}

// The transpose; to_mat3: all nine numbers of a symmetric matrix.
template <class T>
SINEW_HD Mat3<T> transpose(const Mat3<T>& a) {
  return {a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz};
}
template <class T>
SINEW_HD Mat3<T> to_mat3(const Sym3<T>& a) {
  return {a.xx, a.xy, a.xz, a.xy, a.yy, a.yz, a.xz, a.yz, a.zz};
}
// The lower triangle of a matrix that is known to be symmetric.
template <class T>
SINEW_HD Sym3<T> lower_triangle(const Mat3<T>& a) {
  return {a.xx, a.yx, a.zx, a.yy, a.zy, a.zz};
}
// The matrix of a x: skew(a) * b = cross(a, b).
template <class T>
SINEW_HD Mat3<T> skew(const Vec3<T>& a) {
  const T o = lit<T>(0);
  return {o, -a.z, a.y, a.z, o, -a.x, -a.y, a.x, o};
}

template <class T>
SINEW_HD Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
          a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
template <class T>
SINEW_HD Mat3<T> operator-(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
          a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
}
template <class T>
SINEW_HD Mat3<T> operator*(const T& s, const Mat3<T>& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yx, s * a.yy, s * a.yz, s * a.zx, s * a.zy, s * a.zz};
}
template <class T>
SINEW_HD Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& b) {
  return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.yx * b.x + a.yy * b.y + a.yz * b.z,
          a.zx * b.x + a.zy * b.y + a.zz * b.z};
}
// a^T b without forming the transpose.
template <class T>
SINEW_HD Vec3<T> transpose_times(const Mat3<T>& a, const Vec3<T>& b) {
  return {a.xx * b.x + a.yx * b.y + a.zx * b.z, a.xy * b.x + a.yy * b.y + a.zy * b.z,
          a.xz * b.x + a.yz * b.y + a.zz * b.z};
}
template <class T>
SINEW_HD Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  return {a.xx * b.xx + a.xy * b.yx + a.xz * b.zx, a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
          a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
          a.yx * b.xy + a.yy * b.yy + a.yz * b.zy, a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
          a.zx * b.xx + a.zy * b.yx + a.zz * b.zx, a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
          a.zx * b.xz + a.zy * b.yz + a.zz * b.zz};
}

template <class T>
SINEW_HD Sym3<T> operator+(const Sym3<T>& a, const Sym3<T>& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class T>
SINEW_HD Sym3<T> operator-(const Sym3<T>& a, const Sym3<T>& b) {
  return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
}
template <class T>
SINEW_HD Sym3<T> operator*(const T& s, const Sym3<T>& a) {
  return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
template <class T>
SINEW_HD Vec3<T> operator*(const Sym3<T>& a, const Vec3<T>& b) {
  return {a.xx * b.x + a.xy * b.y + a.xz * b.z, a.xy * b.x + a.yy * b.y + a.yz * b.z,
          a.xz * b.x + a.yz * b.y + a.zz * b.z};
}

// skew(r) A for symmetric A: three products serve twice, 15m + 9a instead of 18m + 9a. [F08 A.3]
template <class T>
SINEW_HD Mat3<T> cross(const Vec3<T>& r, const Sym3<T>& a) {
  const T zxy = r.z * a.xy, yxz = r.y * a.xz, xyz = r.x * a.yz;
  // clang-format off
  return {yxz - zxy, r.y * a.yz - r.z * a.yy, r.y * a.zz - r.z * a.yz,
          r.z * a.xx - r.x * a.xz, zxy - xyz, r.z * a.xz - r.x * a.zz,
          r.x * a.xy - r.y * a.xx, r.x * a.yy - r.y * a.xy, xyz - yxz};
  // clang-format on
}
// The lower triangle of skew(a) skew(b), where the caller knows the sum it enters is symmetric. 6m + 3a
template <class T>
SINEW_HD Sym3<T> cross_cross(const Vec3<T>& a, const Vec3<T>& b) {
  const T x = a.x * b.x, y = a.y * b.y, z = a.z * b.z;
  return {-(y + z), b.y * a.x, b.z * a.x, -(x + z), b.z * a.y, -(x + y)};
}

// By cofactors; a singular matrix gives infinities or NaN.
template <class T>
SINEW_HD Sym3<T> inverse(const Sym3<T>& a) {
  const T xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz, xz = a.xy * a.yz - a.xz * a.yy;
  const T w = lit<T>(1) / (a.xx * xx + a.xy * xy + a.xz * xz);
  return w * Sym3<T>{xx, xy, xz, a.xx * a.zz - a.xz * a.xz, a.xy * a.xz - a.xx * a.yz, a.xx * a.yy - a.xy * a.xy};
}

}  // namespace sinew
