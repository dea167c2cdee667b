// sinew/spatial/rotation.hpp - rotations as coordinate transforms, and unit quaternions
// E = ^B E_A takes the coordinates of a vector from frame A to frame B [F08 2.19]; it is the transpose of the
// matrix whose columns are B's axes seen from A. A quaternion q is the turn that carries A's axes onto B's.
#pragma once
#include "sinew/spatial/mat3.hpp"

namespace sinew {

template <class T>
struct Quaternion {
  T w = lit<T>(1), x{}, y{}, z{};
};

template <class T>
struct Rotation {
  Mat3<T> m = Mat3<T>::identity();
};

template <class T, class S>
SINEW_HD Rotation<T> cast(const Rotation<S>& E) {
  return {cast<T>(E.m)};
}
template <class T, class S>
SINEW_HD Quaternion<T> cast(const Quaternion<S>& q) {
  return {T(q.w), T(q.x), T(q.y), T(q.z)};
}

// rx, ry, rz of [F08 Table A.2]: frame B is frame A turned by the angle about the common axis.
template <class T>
SINEW_HD Rotation<T> rotation_x(const T& angle) {
  T s, c;
  sincos(angle, s, c);
  const T o = lit<T>(0), i = lit<T>(1);
  return {{i, o, o, o, c, s, o, -s, c}};
}
template <class T>
SINEW_HD Rotation<T> rotation_y(const T& angle) {
  T s, c;
  sincos(angle, s, c);
  const T o = lit<T>(0), i = lit<T>(1);
  return {{c, o, -s, o, i, o, s, o, c}};
}
template <class T>
SINEW_HD Rotation<T> rotation_z(const T& angle) {
  T s, c;
  sincos(angle, s, c);
  const T o = lit<T>(0), i = lit<T>(1);
  return {{c, s, o, -s, c, o, o, o, i}};
}

template <class T>
SINEW_HD Vec3<T> apply(const Rotation<T>& E, const Vec3<T>& v) {
  return E.m * v;
}
template <class T>
SINEW_HD Vec3<T> apply_inverse(const Rotation<T>& E, const Vec3<T>& v) {
  return transpose_times(E.m, v);
}
template <class T>
SINEW_HD Rotation<T> inverse(const Rotation<T>& E) {
  return {transpose(E.m)};
}

// F G with the third column as the cross product of the first two: 24m + 15a. [F08 A.5]
template <class T>
SINEW_HD Rotation<T> operator*(const Rotation<T>& F, const Rotation<T>& G) {
  const Vec3<T> a = F.m * Vec3<T>{G.m.xx, G.m.yx, G.m.zx};
  const Vec3<T> b = F.m * Vec3<T>{G.m.xy, G.m.yy, G.m.zy};
  const Vec3<T> c = cross(a, b);
  return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}

// E A E^T by splitting A = L + D + v x, so that L has a zero column. [F08 A.5]
// With the trace trick for the first entry this is 40m + 39a; without it, as Table A.4 counts its articulated
// inertias, 42m + 37a. Both are 79 operations; the second is what transforms use.
template <class T>
SINEW_HD Mat3<T> rotate(const Rotation<T>& E, const Mat3<T>& A) {
  const Mat3<T>& e = E.m;
  const T l11 = A.xx - A.zz, l22 = A.yy - A.zz, l31 = A.zx + A.xz, l32 = A.zy + A.yz;
  const Vec3<T> y1 = e * Vec3<T>{l11, A.yx, l31};
  const Vec3<T> y2 = e * Vec3<T>{A.xy, l22, l32};
  const Vec3<T> w{e.xy * A.xz - e.xx * A.yz, e.yy * A.xz - e.yx * A.yz, e.zy * A.xz - e.zx * A.yz};
  return {y1.x * e.xx + y2.x * e.xy + A.zz,
          y1.x * e.yx + y2.x * e.yy - w.z,
          y1.x * e.zx + y2.x * e.zy + w.y,
          y1.y * e.xx + y2.y * e.xy + w.z,
          y1.y * e.yx + y2.y * e.yy + A.zz,
          y1.y * e.zx + y2.y * e.zy - w.x,
          y1.z * e.xx + y2.z * e.xy - w.y,
          y1.z * e.yx + y2.z * e.yy + w.x,
          y1.z * e.zx + y2.z * e.zy + A.zz};
}
template <class T>
SINEW_HD Mat3<T> rotate_with_trace(const Rotation<T>& E, const Mat3<T>& A) {
  const Mat3<T>& e = E.m;
  const T l11 = A.xx - A.zz, l22 = A.yy - A.zz, l31 = A.zx + A.xz, l32 = A.zy + A.yz;
  const Vec3<T> y1 = e * Vec3<T>{l11, A.yx, l31};
  const Vec3<T> y2 = e * Vec3<T>{A.xy, l22, l32};
  const Vec3<T> w{e.xy * A.xz - e.xx * A.yz, e.yy * A.xz - e.yx * A.yz, e.zy * A.xz - e.zx * A.yz};
  const T z22 = y1.y * e.yx + y2.y * e.yy, z33 = y1.z * e.zx + y2.z * e.zy;
  return {l11 + l22 - z22 - z33 + A.zz,
          y1.x * e.yx + y2.x * e.yy - w.z,
          y1.x * e.zx + y2.x * e.zy + w.y,
          y1.y * e.xx + y2.y * e.xy + w.z,
          z22 + A.zz,
          y1.y * e.zx + y2.y * e.zy - w.x,
          y1.z * e.xx + y2.z * e.xy - w.y,
          y1.z * e.yx + y2.z * e.yy + w.x,
          z33 + A.zz};
}
// The same for symmetric A, lower triangle only: 28m + 29a. [F08 A.5]
template <class T>
SINEW_HD Sym3<T> rotate(const Rotation<T>& E, const Sym3<T>& A) {
  const Mat3<T>& e = E.m;
  const T l11 = A.xx - A.zz, l22 = A.yy - A.zz, l31 = A.xz + A.xz, l32 = A.yz + A.yz;
  const T y21 = e.yx * l11 + e.yy * A.xy + e.yz * l31, y22 = e.yx * A.xy + e.yy * l22 + e.yz * l32;
  const T y31 = e.zx * l11 + e.zy * A.xy + e.zz * l31, y32 = e.zx * A.xy + e.zy * l22 + e.zz * l32;
  const Vec3<T> w{e.xy * A.xz - e.xx * A.yz, e.yy * A.xz - e.yx * A.yz, e.zy * A.xz - e.zx * A.yz};
  const T z22 = y21 * e.yx + y22 * e.yy, z33 = y31 * e.zx + y32 * e.zy;
  return {l11 + l22 - z22 - z33 + A.zz, y21 * e.xx + y22 * e.xy + w.z, y31 * e.xx + y32 * e.xy - w.y,
          z22 + A.zz,                   y31 * e.yx + y32 * e.yy + w.x, z33 + A.zz};
}

// E of a unit quaternion. [F08 4.12]
template <class T>
SINEW_HD Rotation<T> to_rotation(const Quaternion<T>& q) {
  const T one = lit<T>(1);
  const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  const T xx = q.x * x2, xy = q.x * y2, xz = q.x * z2;
  const T yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
  return {{one - (yy + zz), xy + wz, xz - wy,
           xy - wz, one - (xx + zz), yz + wx,
           xz + wy, yz - wx, one - (xx + yy)}};
}
// The turn a, then (in a's frame) the turn b.
template <class T>
SINEW_HD Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class T>
SINEW_HD Quaternion<T> conjugate(const Quaternion<T>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class T>
SINEW_HD Quaternion<T> normalized(const Quaternion<T>& q) {
  using std::sqrt;
  const T s = lit<T>(1) / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

}  // namespace sinew
