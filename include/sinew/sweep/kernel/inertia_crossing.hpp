// sinew/sweep/kernel/inertia_crossing.hpp - inertias across a one-axis link, from its frame to its parent's
// Rigid inertias cost 32m + 33a, what a revolute joint passes on 62m + 65a, by two axial screws; a quarter turn about
// x only renames axes. Branch links turn once more about z and shift by r0. [F08 A.4, 10.10]
#pragma once
#include "sinew/spatial/revolute_inertia.hpp"
#include "sinew/sweep/kernel/crossing.hpp"

namespace sinew {
namespace detail {

template <class T, class R>
SINEW_HD AxialScrew<Axis::x, T> x_screw(const Link<R>& l) {
  return {lit<T>(l.ca), lit<T>(l.sa), lit<T>(l.a), lit<T>(l.ss), lit<T>(l.cs), lit<T>(l.cs2), lit<T>(l.c2)};
}
// The turn -alpha about x.
template <Twist K, class T, class R>
SINEW_HD Sym3<T> untwist(const Link<R>& l, const Sym3<T>& a) {
  if constexpr (K == Twist::none) return a;
  if constexpr (K == Twist::quarter) return {a.xx, -a.xz, a.xy, a.zz, -a.yz, a.yy};
  return rotate(inverse(x_screw<T>(l)), a);
}
template <Twist K, class T, class R>
SINEW_HD Mat3<T> untwist(const Link<R>& l, const Mat3<T>& a) {
  if constexpr (K == Twist::none) return a;
  if constexpr (K == Twist::quarter) return {a.xx, -a.xz, a.xy, -a.zx, a.zz, -a.zy, a.yx, -a.yz, a.yy};
  return rotate(inverse(x_screw<T>(l)), a);
}
template <class T, class R>
SINEW_HD ArticulatedInertia<T> finish_branch(const Link<R>& l, ArticulatedInertia<T> a) {
  if (l.c0 != R(1)) {
    const AxialScrew<Axis::z, T> back = make_screw<Axis::z>(lit<T>(l.c0), lit<T>(-l.s0), lit<T>(0));
    a = {rotate(back, a.M), rotate(back, a.H), rotate(back, a.I)};
  }
  const Vec3<T> r = cast<T>(l.r0);
  const Mat3<T> Y = a.H + cross(r, a.M);
  return {a.M, Y, a.I + cross_transpose(r, a.H) - times_cross(Y, r)};
}
}  // namespace detail

// Mass and its moment, and the inertia, of all that the link carries; its mass is a constant of the model.
template <class T>
struct CompositeInertia {
  Vec3<T> h;
  Sym3<T> I;
  SINEW_HD CompositeInertia& operator+=(const CompositeInertia& b) {
    h = h + b.h;
    I = I + b.I;
    return *this;
  }
};

template <Twist K, class T, class R>
SINEW_HD CompositeInertia<T> to_parent(const Link<R>& l, const T& c, const T& s, const T& d, const T& mc_d,
                                       const CompositeInertia<T>& in) {
  Vec3<T> h = in.h;
  Sym3<T> I = in.I;
  if (l.has_d) {
    const T hz = h.z + mc_d, k = (h.z + hz) * d;
    I = {I.xx + k, I.xy, I.xz - h.x * d, I.yy + k, I.yz - h.y * d, I.zz};
    h.z = hz;
  }
  h = detail::untwist<K>(l, detail::unturn(c, s, h));
  I = detail::untwist<K>(l, detail::turn_z(make_screw<Axis::z>(c, -s, lit<T>(0)), I));
  if (l.branch) {
    if (l.c0 != R(1)) {
      h = detail::unturn0(l, h);
      I = detail::turn_z(make_screw<Axis::z>(lit<T>(l.c0), lit<T>(-l.s0), lit<T>(0)), I);
    }
    const Vec3<T> r = cast<T>(l.r0), y = h + lit<T>(l.mc) * r;
    I = I - cross_cross(r, h) - cross_cross(y, r);
    h = y;
  } else if (l.has_a) {
    const T a = lit<T>(l.a), hx = h.x + lit<T>(l.mc_a), k = (h.x + hx) * a;
    I = {I.xx, I.xy - h.y * a, I.xz - h.z * a, I.yy + k, I.yz, I.zz + k};
    h.x = hx;
  }
  return {h, I};
}

// An articulated inertia without special zeros.
template <Twist K, class T, class R>
SINEW_HD ArticulatedInertia<T> to_parent(const Link<R>& l, const T& c, const T& s, const T& d,
                                         const ArticulatedInertia<T>& in) {
  ArticulatedInertia<T> a = apply_inverse(make_screw<Axis::z>(c, s, d), in);
  if (!l.branch) return apply_inverse(detail::x_screw<T>(l), a);
  a = {detail::untwist<K>(l, a.M), detail::untwist<K>(l, a.H), detail::untwist<K>(l, a.I)};
  return detail::finish_branch(l, a);
}

// What a revolute joint about z passes on: 15 numbers in, 21 out.
template <Twist K, class T, class R>
SINEW_HD ArticulatedInertia<T> to_parent(const Link<R>& l, const T& c, const T& s, const T& d,
                                         const RevoluteInertia<T>& in) {
  const T o = lit<T>(0);
  RevoluteInertia<T> a = l.has_d ? shift_along_z(-d, in) : in;
  a = turn_about_z(make_screw<Axis::z>(c, -s, o), a);
  if constexpr (K == Twist::any) {
    if (!l.branch) return apply(inverse(detail::x_screw<T>(l)), a);
    const ArticulatedInertia<T> full = to_articulated(a);
    return detail::finish_branch(l, ArticulatedInertia<T>{detail::untwist<K>(l, full.M), detail::untwist<K>(l, full.H),
                                                          detail::untwist<K>(l, full.I)});
  } else if constexpr (K == Twist::quarter) {
    const Sym3<T> M = detail::untwist<K>(l, a.M);
    if (l.branch || !l.has_a) {
      const ArticulatedInertia<T> out{
          M, {a.hxx, -a.hxz, a.hxy, o, o, o, a.hyx, -a.hyz, a.hyy}, {a.ixx, o, a.ixy, o, o, a.iyy}};
      return l.branch ? detail::finish_branch(l, out) : out;
    }
    // Row y of H and I.xy, I.yy, I.yz are zero before the shift along x.
    const T x = lit<T>(l.a), xyz = x * M.yz, yyz = -(x * M.zz), zy = x * M.yy - a.hyz;
    return {M,
            {a.hxx, -a.hxz, a.hxy, -(x * M.xz), -xyz, yyz, a.hyx + x * M.xy, zy, a.hyy + xyz},
            {a.ixx, -(x * a.hxy), a.ixy - x * a.hxz, x * (x * M.zz), -(x * (xyz + a.hyy)), a.iyy + x * (zy - a.hyz)}};
  } else {
    const ArticulatedInertia<T> out = to_articulated(a);
    if (l.branch) return detail::finish_branch(l, out);
    if (!l.has_a) return out;
    // Row z of H and I.xz, I.yz, I.zz are zero before the shift along x.
    const Sym3<T>& M = a.M;
    const T x = lit<T>(l.a), xyz = x * M.yz, zy = x * M.yy, yz = a.hyz - x * M.zz;
    return {M,
            {a.hxx, a.hxy, a.hxz, a.hyx - x * M.xz, a.hyy - xyz, yz, x * M.xy, zy, xyz},
            {a.ixx, a.ixy - x * a.hxz, x * a.hxy, a.iyy - x * (a.hyz + yz), x * (a.hyy - xyz), x * zy}};
  }
}

}  // namespace sinew
