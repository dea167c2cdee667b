// sinew/spatial/axial_screw.hpp - a turn about a coordinate axis and a shift along it [F08 A.4, Table A.5]
// scrx, scry, scrz are one template. Two of them make the transform between Denavit-Hartenberg frames, three make
// any transform; moving an articulated inertia costs 38m + 40a instead of 137m + 137a.
// apply and apply_inverse are those of Transform, argument by argument; the inverse of a screw is a screw.
// The x and y screws are the z screw seen in axes renamed in cyclic order, which costs nothing.
#pragma once
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// The axis of a screw.
enum class Axis { x, y, z };

template <Axis A, class T>
struct AxialScrew {
  T c = lit<T>(1), s{};     // of the angle
  T d{};                    // [m] along the axis
  T ss{}, cs{};             // s^2, c s
  T cs2{}, c2 = lit<T>(1);  // 2 c s, 1 - 2 s^2
};

// One-time cost 2m + 3a, plus sine and cosine.
template <Axis A, class T>
SINEW_HD AxialScrew<A, T> make_screw(const T& c, const T& s, const T& d) {
  const T ss = s * s, cs = c * s;
  return {c, s, d, ss, cs, cs + cs, lit<T>(1) - (ss + ss)};
}
template <Axis A, class T>
SINEW_HD AxialScrew<A, T> make_screw(const T& angle, const T& d) {
  T s, c;
  sincos(angle, s, c);
  return make_screw<A>(c, s, d);
}
template <Axis A, class T>
SINEW_HD AxialScrew<A, T> inverse(const AxialScrew<A, T>& X) {
  return {X.c, -X.s, -X.d, X.ss, -X.cs, -X.cs2, X.c2};
}

namespace detail {
// Axes renamed so that axis A becomes z: x -> y -> z -> x as often as needed. to_z<y> undoes to_z<x>.
template <Axis A, class T>
SINEW_HD Vec3<T> to_z(const Vec3<T>& a) {
  if constexpr (A == Axis::x) return {a.y, a.z, a.x};
  if constexpr (A == Axis::y) return {a.z, a.x, a.y};
  if constexpr (A == Axis::z) return a;
}
template <Axis A, class T>
SINEW_HD Sym3<T> to_z(const Sym3<T>& a) {
  if constexpr (A == Axis::x) return {a.yy, a.yz, a.xy, a.zz, a.xz, a.xx};
  if constexpr (A == Axis::y) return {a.zz, a.xz, a.yz, a.xx, a.xy, a.yy};
  if constexpr (A == Axis::z) return a;
}
template <Axis A, class T>
SINEW_HD Mat3<T> to_z(const Mat3<T>& a) {
  if constexpr (A == Axis::x) return {a.yy, a.yz, a.yx, a.zy, a.zz, a.zx, a.xy, a.xz, a.xx};
  if constexpr (A == Axis::y) return {a.zz, a.zx, a.zy, a.xz, a.xx, a.xy, a.yz, a.yx, a.yy};
  if constexpr (A == Axis::z) return a;
}
template <Axis A, class Q>
SINEW_HD Q from_z(const Q& a) {
  constexpr Axis back = A == Axis::x ? Axis::y : A == Axis::y ? Axis::x : Axis::z;
  return to_z<back>(a);
}

// E a, with the z components untouched. 4m + 2a
template <Axis A, class T>
SINEW_HD Vec3<T> turn_z(const AxialScrew<A, T>& X, const Vec3<T>& a) {
  return {X.c * a.x + X.s * a.y, X.c * a.y - X.s * a.x, a.z};
}
// E A E^T: 8m + 7a for symmetric A, 12m + 12a for any. [F08 A.5]
template <Axis A, class T>
SINEW_HD Sym3<T> turn_z(const AxialScrew<A, T>& X, const Sym3<T>& a) {
  const T diff = a.yy - a.xx;
  const T alpha = X.cs2 * a.xy + X.ss * diff, beta = X.cs * diff + X.c2 * a.xy;
  return {a.xx + alpha, beta, X.c * a.xz + X.s * a.yz, a.yy - alpha, X.c * a.yz - X.s * a.xz, a.zz};
}
// clang-format off
template <Axis A, class T>
SINEW_HD Mat3<T> turn_z(const AxialScrew<A, T>& X, const Mat3<T>& a) {
  const T sum = a.xy + a.yx, diff = a.yy - a.xx;
  const T alpha = X.cs * sum + X.ss * diff, beta = X.cs * diff - X.ss * sum;
  return {a.xx + alpha, a.xy + beta, X.c * a.xz + X.s * a.yz,
          a.yx + beta, a.yy - alpha, X.c * a.yz - X.s * a.xz,
          X.c * a.zx + X.s * a.zy, X.c * a.zy - X.s * a.zx, a.zz};
}
// Y = H - r x M (5m + 6a) and I - r x H^T + Y r x (5m + 8a) for r along z.
template <class T>
SINEW_HD Mat3<T> shift_z(const T& d, const Mat3<T>& H, const Sym3<T>& M) {
  const T dxy = d * M.xy;
  return {H.xx + dxy, H.xy + d * M.yy, H.xz + d * M.yz,
          H.yx - d * M.xx, H.yy - dxy, H.yz - d * M.xz,
          H.zx, H.zy, H.zz};
}
template <class T>
SINEW_HD Sym3<T> shift_z(const T& d, const Sym3<T>& I, const Mat3<T>& H, const Mat3<T>& Y) {
  return {I.xx + (H.xy + Y.xy) * d, I.xy + (Y.yy - H.xx) * d, I.xz + H.zy * d,
          I.yy - (H.yx + Y.yx) * d, I.yz - H.zx * d, I.zz};
}
// clang-format on
}  // namespace detail

// E A E^T about the screw's axis: the tricks of [F08 A.5].
template <Axis A, class T>
SINEW_HD Sym3<T> rotate(const AxialScrew<A, T>& X, const Sym3<T>& a) {
  return detail::from_z<A>(detail::turn_z(X, detail::to_z<A>(a)));
}
template <Axis A, class T>
SINEW_HD Mat3<T> rotate(const AxialScrew<A, T>& X, const Mat3<T>& a) {
  return detail::from_z<A>(detail::turn_z(X, detail::to_z<A>(a)));
}

// X v and X* f: 10m + 6a each.
template <Axis A, class T>
SINEW_HD Motion<T> apply(const AxialScrew<A, T>& X, const Motion<T>& v) {
  const Vec3<T> w = detail::to_z<A>(v.ang), u = detail::to_z<A>(v.lin);
  return {detail::from_z<A>(detail::turn_z(X, w)),
          detail::from_z<A>(detail::turn_z(X, Vec3<T>{u.x + X.d * w.y, u.y - X.d * w.x, u.z}))};
}
template <Axis A, class T>
SINEW_HD Force<T> apply(const AxialScrew<A, T>& X, const Force<T>& f) {
  const Vec3<T> n = detail::to_z<A>(f.ang), l = detail::to_z<A>(f.lin);
  return {detail::from_z<A>(detail::turn_z(X, Vec3<T>{n.x + X.d * l.y, n.y - X.d * l.x, n.z})),
          detail::from_z<A>(detail::turn_z(X, l))};
}
// X* I X^-1: 16m + 15a.
template <Axis A, class T>
SINEW_HD RigidInertia<T> apply(const AxialScrew<A, T>& X, const RigidInertia<T>& a) {
  const Vec3<T> h = detail::to_z<A>(a.h);
  Sym3<T> I = detail::to_z<A>(a.I);
  const Vec3<T> y{h.x, h.y, h.z - a.m * X.d};
  const T k = (h.z + y.z) * X.d;
  I = {I.xx - k, I.xy, I.xz + h.x * X.d, I.yy - k, I.yz + h.y * X.d, I.zz};
  return {a.m, detail::from_z<A>(detail::turn_z(X, y)), detail::from_z<A>(detail::turn_z(X, I))};
}
// X* I^A X^-1: 38m + 40a.
template <Axis A, class T>
SINEW_HD ArticulatedInertia<T> apply(const AxialScrew<A, T>& X, const ArticulatedInertia<T>& a) {
  const Sym3<T> M = detail::to_z<A>(a.M);
  const Mat3<T> H = detail::to_z<A>(a.H), Y = detail::shift_z(X.d, H, M);
  const Sym3<T> Z = detail::shift_z(X.d, detail::to_z<A>(a.I), H, Y);
  return {detail::from_z<A>(detail::turn_z(X, M)), detail::from_z<A>(detail::turn_z(X, Y)),
          detail::from_z<A>(detail::turn_z(X, Z))};
}
// X^-1 v, X^T f, X^T I X, X^T I^A X: the same costs.
template <Axis A, class T, class Q>
SINEW_HD auto apply_inverse(const AxialScrew<A, T>& X, const Q& a) -> decltype(apply(X, a)) {
  return apply(inverse(X), a);
}

// The same as a general transform.
template <Axis A, class T>
SINEW_HD Transform<T> to_transform(const AxialScrew<A, T>& X) {
  const T o = lit<T>(0);
  const Mat3<T> E{X.c, X.s, o, -X.s, X.c, o, o, o, lit<T>(1)};
  return {{detail::from_z<A>(E)}, detail::from_z<A>(Vec3<T>{o, o, X.d})};
}

}  // namespace sinew
