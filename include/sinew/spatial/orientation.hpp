// sinew/spatial/orientation.hpp - between rotations, quaternions, axis and angle, roll-pitch-yaw
// As everywhere, a Rotation E takes coordinates from A to B (the transpose of the active matrix), and a
// Quaternion is the turn that carries A's axes onto B's.
#pragma once
#include "sinew/spatial/rotation.hpp"

namespace sinew {

// B is A turned by the angle about the unit vector `axis`: E = c 1 + (1 - c) a a^T - s a x.
template <class T>
SINEW_HD Rotation<T> rotation_from_axis_angle(const Vec3<T>& axis, const T& angle) {
  T s, c;
  sincos(angle, s, c);
  const Vec3<T> ta = (lit<T>(1) - c) * axis, sa = s * axis;
  const T xy = ta.x * axis.y, xz = ta.x * axis.z, yz = ta.y * axis.z;
  // clang-format off
  return {{ta.x * axis.x + c, xy + sa.z, xz - sa.y,
           xy - sa.z, ta.y * axis.y + c, yz + sa.x,
           xz + sa.y, yz - sa.x, ta.z * axis.z + c}};
  // clang-format on
}
template <class T>
SINEW_HD Quaternion<T> quaternion_from_axis_angle(const Vec3<T>& axis, const T& angle) {
  T s, c;
  sincos(lit<T>(0.5) * angle, s, c);
  return {c, s * axis.x, s * axis.y, s * axis.z};
}

// URDF's rpy: turns about the fixed axes x, y, z of A in this order; the active matrix is Rz(yaw) Ry(pitch) Rx(roll).
template <class T>
SINEW_HD Rotation<T> rotation_from_rpy(const Vec3<T>& rpy) {
  return rotation_x(rpy.x) * (rotation_y(rpy.y) * rotation_z(rpy.z));  // [F08 4.7]
}
template <class T>
SINEW_HD Quaternion<T> quaternion_from_rpy(const Vec3<T>& rpy) {
  const T o = lit<T>(0), i = lit<T>(1);
  return quaternion_from_axis_angle(Vec3<T>{o, o, i}, rpy.z) * quaternion_from_axis_angle(Vec3<T>{o, i, o}, rpy.y) *
         quaternion_from_axis_angle(Vec3<T>{i, o, o}, rpy.x);
}
// Back again: pitch in [-pi/2, pi/2]. At the poles only roll and yaw together are defined; roll is then 0.
template <class T>
SINEW_HD Vec3<T> rpy_from_rotation(const Rotation<T>& E) {
  using std::atan2;
  using std::sqrt;
  const Mat3<T>& e = E.m;
  const T cos_pitch = sqrt(e.xx * e.xx + e.xy * e.xy);
  const auto pole = cos_pitch < lit<T>(8 * ScalarTraits<T>::kEpsilon);
  return {select(pole, lit<T>(0), atan2(e.yz, e.zz)), atan2(-e.xz, cos_pitch),
          select(pole, atan2(-e.yx, e.yy), atan2(e.xy, e.xx))};
}

// The quaternion of a rotation, w >= 0. Each row of 4 q q^T is a multiple of q; the longest is taken, so that
// nothing cancels, and normalised, so that small errors in E do not stay in q.
template <class T>
SINEW_HD Quaternion<T> to_quaternion(const Rotation<T>& E) {
  const Mat3<T>& e = E.m;
  const T one = lit<T>(1);
  const T ww = one + e.xx + e.yy + e.zz, xx = one + e.xx - e.yy - e.zz;
  const T yy = one - e.xx + e.yy - e.zz, zz = one - e.xx - e.yy + e.zz;
  const T wx = e.yz - e.zy, wy = e.zx - e.xz, wz = e.xy - e.yx;
  const T xy = e.xy + e.yx, xz = e.xz + e.zx, yz = e.yz + e.zy;

  Quaternion<T> q{ww, wx, wy, wz};
  T longest = ww;
  const auto take_if_longer = [&](const T& square, const Quaternion<T>& row) {
    const auto longer = square > longest;
    longest = select(longer, square, longest);
    q = {select(longer, row.w, q.w), select(longer, row.x, q.x), select(longer, row.y, q.y),
         select(longer, row.z, q.z)};
  };
  take_if_longer(xx, {wx, xx, xy, xz});
  take_if_longer(yy, {wy, xy, yy, yz});
  take_if_longer(zz, {wz, xz, yz, zz});
  const T sign = select(q.w < lit<T>(0), -one, one);
  return normalized(Quaternion<T>{sign * q.w, sign * q.x, sign * q.y, sign * q.z});
}

// How far E is from a rotation: the largest entry of |E E^T - 1|, and 2 where the determinant is negative.
template <class T>
SINEW_HD T orthonormality_error(const Rotation<T>& E) {
  using std::abs;
  const Mat3<T>& e = E.m;
  const Vec3<T> x{e.xx, e.xy, e.xz}, y{e.yx, e.yy, e.yz}, z{e.zx, e.zy, e.zz};
  const T one = lit<T>(1);
  const T lengths = max(max(abs(dot(x, x) - one), abs(dot(y, y) - one)), abs(dot(z, z) - one));
  const T angles = max(max(abs(dot(x, y)), abs(dot(y, z))), abs(dot(z, x)));
  return select(dot(cross(x, y), z) < lit<T>(0), lit<T>(2), max(lengths, angles));
}

// A rotation whose z axis is the unit vector `axis`: apply(E, axis) = (0, 0, 1). Identity where axis is z.
template <class T>
SINEW_HD Rotation<T> rotation_to_z(const Vec3<T>& axis) {
  const T one = lit<T>(1), sign = select(axis.z < lit<T>(0), -one, one);
  const T a = one / (one + sign * axis.z), b = axis.x * axis.y * a;
  // clang-format off
  return {{sign * (one - axis.x * axis.x * a), -sign * b, -axis.x,
           -b, one - axis.y * axis.y * a, -sign * axis.y,
           axis.x, axis.y, axis.z}};
  // clang-format on
}

}  // namespace sinew
