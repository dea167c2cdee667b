// sinew/tree/kernel/inertia_forces.hpp - the force that moves a link, from how its frame moves: (5) of rnea_steps.hpp
//   f = m a + U h,  n = h x a + axial vector of U J
// a: acceleration of the origin, as a point; U = dw x + w x w x; J: second moments of mass about the origin.
#pragma once
#include "sinew/model/link.hpp"
#include "sinew/spatial/force.hpp"
#include "sinew/spatial/mat3.hpp"

namespace sinew {

namespace detail {
// 33m + 27a
template <class T, class R>
SINEW_HD Force<T> inertia_force(const Link<R>& l, const Vec3<T>& a, const Mat3<T>& U) {
  const Vec3<T> h = cast<T>(l.h);
  const Sym3<T> J = cast<T>(l.J);
  const Vec3<T> n{U.zx * J.xy - U.yx * J.xz + U.zy * J.yy - U.yz * J.zz + (U.zz - U.yy) * J.yz,
                  U.xy * J.yz - U.zy * J.xy + U.xz * J.zz - U.zx * J.xx + (U.xx - U.zz) * J.xz,
                  U.yz * J.xz - U.xz * J.yz + U.yx * J.xx - U.xy * J.yy + (U.yy - U.xx) * J.xy};
  return {n + cross(h, a), lit<T>(l.m) * a + U * h};
}
// For a link that turns about z and whose mass, h.z and J.zz went to its parent: 23m + 17a
template <class T, class R>
SINEW_HD Force<T> equivalent_turning_force(const Link<R>& l, const Vec3<T>& a, const Mat3<T>& U) {
  const T hx = lit<T>(l.h.x), hy = lit<T>(l.h.y);
  const T xx = lit<T>(l.J.xx), xy = lit<T>(l.J.xy), xz = lit<T>(l.J.xz), yy = lit<T>(l.J.yy), yz = lit<T>(l.J.yz);
  return {{U.zx * xy - U.yx * xz + U.zy * yy + (U.zz - U.yy) * yz + hy * a.z,
           U.xy * yz - U.zy * xy - U.zx * xx + (U.xx - U.zz) * xz - hx * a.z,
           U.yz * xz - U.xz * yz + U.yx * xx - U.xy * yy + (U.yy - U.xx) * xy + (hx * a.y - hy * a.x)},
          {U.xx * hx + U.xy * hy, U.yx * hx + U.yy * hy, U.zx * hx + U.zy * hy}};
}
// For a link that slides along z and whose moments of inertia went to its parent: 18m + 12a
template <class T, class R>
SINEW_HD Force<T> equivalent_sliding_force(const Link<R>& l, const Vec3<T>& a, const Mat3<T>& U) {
  const Vec3<T> h = cast<T>(l.h);
  return {cross(h, a), lit<T>(l.m) * a + U * h};
}
}  // namespace detail

// How a sweep makes it: from the inertias of a model, or from those of an EquivalentModel, where some numbers are
// zero.
struct ModelInertias {
  template <class T, class R>
  SINEW_HD static Force<T> force(const Link<R>& l, const Vec3<T>& a, const Mat3<T>& U) {
    return detail::inertia_force(l, a, U);
  }
};
struct EquivalentInertias {
  template <class T, class R>
  SINEW_HD static Force<T> force(const Link<R>& l, const Vec3<T>& a, const Mat3<T>& U) {
    if (l.step == Step::revolute) return detail::equivalent_turning_force(l, a, U);
    if (l.step == Step::axial && l.turns == R(0)) return detail::equivalent_sliding_force(l, a, U);
    return detail::inertia_force(l, a, U);
  }
};

}  // namespace sinew
