// sinew/spatial/revolute_inertia.hpp - the inertia that a revolute joint about z passes on to its parent
// I^a = I^A - I^A S (S^T I^A S)^-1 S^T I^A has zeros in row and column 3; the other 15 numbers are kept.
// On the way to the parent of a Denavit-Hartenberg link it meets a z screw, which keeps the zeros, and then an
// x screw: 62m + 65a with the one-time cost of the first, less than half of a general transform. [F08 A.4]
#pragma once
#include "sinew/spatial/axial_screw.hpp"

namespace sinew {

template <class T>
struct RevoluteInertia {
  Sym3<T> M;
  T hxx{}, hxy{}, hxz{}, hyx{}, hyy{}, hyz{};  // the upper two rows of H
  T ixx{}, ixy{}, iyy{};                       // the upper left of I
};

// The same in the general form.
template <class T>
SINEW_HD ArticulatedInertia<T> to_articulated(const RevoluteInertia<T>& a) {
  const T o = lit<T>(0);
  return {a.M, {a.hxx, a.hxy, a.hxz, a.hyx, a.hyy, a.hyz, o, o, o}, {a.ixx, a.ixy, o, a.iyy, o, o}};
}
// Drops row and column 3, which the caller knows to be zero.
template <class T>
SINEW_HD RevoluteInertia<T> to_revolute(const ArticulatedInertia<T>& a) {
  return {a.M, a.H.xx, a.H.xy, a.H.xz, a.H.yx, a.H.yy, a.H.yz, a.I.xx, a.I.xy, a.I.yy};
}

// clang-format off
// The two halves of a z screw: shift by d along z, 10m + 14a less 1 for a product that serves twice; turn about z.
template <class T>
SINEW_HD RevoluteInertia<T> shift_along_z(const T& d, const RevoluteInertia<T>& a) {
  const Sym3<T>& M = a.M;
  // Y = H - r x M
  const T dxy = d * M.xy;
  const T yxx = a.hxx + dxy, yxy = a.hxy + d * M.yy, yxz = a.hxz + d * M.yz;
  const T yyx = a.hyx - d * M.xx, yyy = a.hyy - dxy, yyz = a.hyz - d * M.xz;
  // Z = I - r x H^T + Y r x
  return {M, yxx, yxy, yxz, yyx, yyy, yyz,
          a.ixx + (a.hxy + yxy) * d, a.ixy + (yyy - a.hxx) * d, a.iyy - (a.hyx + yyx) * d};
}
template <class T>
SINEW_HD RevoluteInertia<T> turn_about_z(const AxialScrew<Axis::z, T>& X, const RevoluteInertia<T>& a) {
  const T sum = a.hxy + a.hyx, diff = a.hyy - a.hxx, idiff = a.iyy - a.ixx;
  const T alpha = X.cs * sum + X.ss * diff, beta = X.cs * diff - X.ss * sum;
  const T ialpha = X.cs2 * a.ixy + X.ss * idiff;
  return {detail::turn_z(X, a.M),
          a.hxx + alpha, a.hxy + beta, X.c * a.hxz + X.s * a.hyz,
          a.hyx + beta, a.hyy - alpha, X.c * a.hyz - X.s * a.hxz,
          a.ixx + ialpha, X.cs * idiff + X.c2 * a.ixy, a.iyy - ialpha};
}
// z screw: 28m + 34a  [F08 Table A.5]
template <class T>
SINEW_HD RevoluteInertia<T> apply(const AxialScrew<Axis::z, T>& X, const RevoluteInertia<T>& a) {
  return turn_about_z(X, shift_along_z(X.d, a));
}

namespace detail {
// E H E^T with row 3 of H zero, 10m + 6a, and E I E^T with row and column 3 zero, 4m + 1a. In renamed axes.
template <class T>
SINEW_HD Mat3<T> turn_flat_h(const AxialScrew<Axis::x, T>& X, const RevoluteInertia<T>& a) {
  const T alpha = X.cs * a.hyz - X.ss * a.hyy, beta = X.cs * a.hyy + X.ss * a.hyz;
  const T c_yx = X.c * a.hyx, s_yx = X.s * a.hyx;
  return to_z<Axis::x>(Mat3<T>{a.hxx, X.c * a.hxy + X.s * a.hxz, X.c * a.hxz - X.s * a.hxy,
                               c_yx, a.hyy + alpha, a.hyz - beta,
                               -s_yx, -beta, -alpha});
}
template <class T>
SINEW_HD Mat3<T> turn_flat_h(const AxialScrew<Axis::y, T>& X, const RevoluteInertia<T>& a) {
  const T alpha = X.cs * a.hxz + X.ss * a.hxx, beta = X.cs * a.hxx - X.ss * a.hxz;
  const T c_xy = X.c * a.hxy, s_xy = X.s * a.hxy;
  return to_z<Axis::y>(Mat3<T>{a.hxx - alpha, c_xy, a.hxz + beta,
                               X.c * a.hyx - X.s * a.hyz, a.hyy, X.c * a.hyz + X.s * a.hyx,
                               beta, s_xy, alpha});
}
template <class T>
SINEW_HD Sym3<T> turn_flat_i(const AxialScrew<Axis::x, T>& X, const RevoluteInertia<T>& a) {
  const T alpha = X.ss * a.iyy;
  return to_z<Axis::x>(Sym3<T>{a.ixx, X.c * a.ixy, -(X.s * a.ixy), a.iyy - alpha, -(X.cs * a.iyy), alpha});
}
template <class T>
SINEW_HD Sym3<T> turn_flat_i(const AxialScrew<Axis::y, T>& X, const RevoluteInertia<T>& a) {
  const T alpha = X.ss * a.ixx;
  return to_z<Axis::y>(Sym3<T>{a.ixx - alpha, X.c * a.ixy, X.cs * a.ixx, a.iyy, X.s * a.ixy, alpha});
}
}  // namespace detail
// clang-format on

// x or y screw, turning first so that the zeros still help: 32m + 28a  [F08 Table A.5]
template <Axis A, class T>
  requires(A != Axis::z)
SINEW_HD ArticulatedInertia<T> apply(const AxialScrew<A, T>& X, const RevoluteInertia<T>& a) {
  const Sym3<T> M = detail::turn_z(X, detail::to_z<A>(a.M));
  const Mat3<T> H = detail::turn_flat_h(X, a), Y = detail::shift_z(X.d, H, M);
  const Sym3<T> Z = detail::shift_z(X.d, detail::turn_flat_i(X, a), H, Y);
  return {detail::from_z<A>(M), detail::from_z<A>(Y), detail::from_z<A>(Z)};
}

}  // namespace sinew
