// sinew/spatial/rotation.hpp - rotations as coordinate transforms, and unit quaternions
// E = ^B E_A takes the coordinates of a vector from frame A to frame B [F08 2.19]; it is the transpose of the
// matrix whose columns are B's axes seen from A. A quaternion q is the turn that carries A's axes onto B's.
#pragma once
#include "sinew/spatial/mat3.hpp"

namespace sinew {

// A turn, w x y z; unit length.
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
  return {lit<T>(q.w), lit<T>(q.x), lit<T>(q.y), lit<T>(q.z)};
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

// Coordinates from A to B, and back.
template <class T>
SINEW_HD Vec3<T> apply(const Rotation<T>& E, const Vec3<T>& v) {
  return E.m * v;
}
template <class T>
SINEW_HD Vec3<T> apply_inverse(const Rotation<T>& E, const Vec3<T>& v) {
  return transpose_times(E.m, v);
}
// The rotation from B to A.
template <class T>
SINEW_HD Rotation<T> inverse(const Rotation<T>& E) {
  return {transpose(E.m)};
}

namespace detail {
// The first two columns of a product of rotations, multiplied out from the right.
template <class T>
SINEW_HD Vec3<T> first_column(const Rotation<T>& G) {
  return {G.m.xx, G.m.yx, G.m.zx};
}
template <class T>
SINEW_HD Vec3<T> second_column(const Rotation<T>& G) {
  return {G.m.xy, G.m.yy, G.m.zy};
}
template <class T, class... Rest>
SINEW_HD Vec3<T> first_column(const Rotation<T>& F, const Rest&... rest) {
  return F.m * first_column(rest...);
}
template <class T, class... Rest>
SINEW_HD Vec3<T> second_column(const Rotation<T>& F, const Rest&... rest) {
  return F.m * second_column(rest...);
}
}  // namespace detail

// F1 F2 ... Fn G: two columns go through the chain, the third is their cross product.
// (18m + 12a) n + 6m + 3a, so 24m + 15a for F G. [F08 A.5]
template <class T, class... Rest>
SINEW_HD Rotation<T> rotation_chain(const Rotation<T>& F, const Rest&... rest) {
  const Vec3<T> a = detail::first_column(F, rest...), b = detail::second_column(F, rest...), c = cross(a, b);
  return {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
template <class T>
SINEW_HD Rotation<T> operator*(const Rotation<T>& F, const Rotation<T>& G) {
  return rotation_chain(F, G);
}

// E of a unit quaternion. [F08 4.12]
template <class T>
SINEW_HD Rotation<T> to_rotation(const Quaternion<T>& q) {
  const T one = lit<T>(1);
  const T x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  const T xx = q.x * x2, xy = q.x * y2, xz = q.x * z2;
  const T yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
  // clang-format off
  return {{one - (yy + zz), xy + wz, xz - wy,
           xy - wz, one - (xx + zz), yz + wx,
           xz + wy, yz - wx, one - (xx + yy)}};
  // clang-format on
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
