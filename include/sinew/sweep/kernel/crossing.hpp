// sinew/sweep/kernel/crossing.hpp - across a one-axis link: from its parent's frame to its own, and back
// Two axial screws [F08 A.4], or turns and one shift for a branch link (see model/link.hpp). The twist alpha is
// known at compile time; zero lengths are skipped at run time, the same for all samples of a batch.
#pragma once
#include <type_traits>

#include "sinew/model/link.hpp"
#include "sinew/spatial/axial_screw.hpp"

namespace sinew {

template <class R, class F>
SINEW_HD auto dispatch_twist(const Link<R>& l, F&& f) {
  switch (l.twist) {
    case Twist::none: return f(std::integral_constant<Twist, Twist::none>{});
    case Twist::quarter: return f(std::integral_constant<Twist, Twist::quarter>{});
    default: return f(std::integral_constant<Twist, Twist::any>{});
  }
}

namespace detail {
// Coordinates from the parent's frame to the one turned by alpha about x, and back.
template <Twist K, class T, class R>
SINEW_HD Vec3<T> twist(const Link<R>& l, const Vec3<T>& a) {
  if constexpr (K == Twist::none) return a;
  if constexpr (K == Twist::quarter) return {a.x, a.z, -a.y};
  const T ca = lit<T>(l.ca), sa = lit<T>(l.sa);
  return {a.x, ca * a.y + sa * a.z, ca * a.z - sa * a.y};
}
template <Twist K, class T, class R>
SINEW_HD Vec3<T> untwist(const Link<R>& l, const Vec3<T>& a) {
  if constexpr (K == Twist::none) return a;
  if constexpr (K == Twist::quarter) return {a.x, -a.z, a.y};
  const T ca = lit<T>(l.ca), sa = lit<T>(l.sa);
  return {a.x, ca * a.y - sa * a.z, sa * a.y + ca * a.z};
}
// One component of untwist.
template <Twist K, class T, class R>
SINEW_HD T untwist_y(const Link<R>& l, const T& y, const T& z) {
  if constexpr (K == Twist::none) return y;
  if constexpr (K == Twist::quarter) return -z;
  return lit<T>(l.ca) * y - lit<T>(l.sa) * z;
}
template <Twist K, class T, class R>
SINEW_HD T untwist_z(const Link<R>& l, const T& y, const T& z) {
  if constexpr (K == Twist::none) return z;
  if constexpr (K == Twist::quarter) return y;
  return lit<T>(l.sa) * y + lit<T>(l.ca) * z;
}
template <class T>
SINEW_HD Vec3<T> turn(const T& c, const T& s, const Vec3<T>& a) {
  return {c * a.x + s * a.y, c * a.y - s * a.x, a.z};
}
template <class T>
SINEW_HD Vec3<T> unturn(const T& c, const T& s, const Vec3<T>& a) {
  return {c * a.x - s * a.y, s * a.x + c * a.y, a.z};
}
// The turn theta0 of a branch link; mostly zero.
template <class T, class R>
SINEW_HD Vec3<T> turn0(const Link<R>& l, const Vec3<T>& a) {
  return l.c0 == R(1) ? a : turn(lit<T>(l.c0), lit<T>(l.s0), a);
}
template <class T, class R>
SINEW_HD Vec3<T> unturn0(const Link<R>& l, const Vec3<T>& a) {
  return l.c0 == R(1) ? a : unturn(lit<T>(l.c0), lit<T>(l.s0), a);
}
}  // namespace detail

// A free vector, parent to link. c and s are of the joint's angle.
template <Twist K, class T, class R>
SINEW_HD Vec3<T> to_link(const Link<R>& l, const T& c, const T& s, const Vec3<T>& a) {
  return detail::turn(c, s, detail::twist<K>(l, l.branch ? detail::turn0(l, a) : a));
}

// A motion, parent to link; d is the shift along the joint's axis. 20m + 12a
template <Twist K, class T, class R>
SINEW_HD Motion<T> to_link(const Link<R>& l, const T& c, const T& s, const T& d, const Motion<T>& m) {
  Vec3<T> w = m.ang, u = m.lin;
  if (l.branch) {
    u = detail::turn0(l, u + cross(w, cast<T>(l.r0)));
    w = detail::turn0(l, w);
  } else if (l.has_a) {
    const T a = lit<T>(l.a);
    u = {u.x, u.y + a * w.z, u.z - a * w.y};
  }
  w = detail::twist<K>(l, w);
  u = detail::twist<K>(l, u);
  if (l.has_d) u = {u.x + d * w.y, u.y - d * w.x, u.z};
  return {detail::turn(c, s, w), detail::turn(c, s, u)};
}

// A force, link to parent. 20m + 12a
template <Twist K, class T, class R>
SINEW_HD Force<T> to_parent(const Link<R>& l, const T& c, const T& s, const T& d, const Force<T>& m) {
  Vec3<T> n = detail::unturn(c, s, m.ang), f = detail::unturn(c, s, m.lin);
  if (l.has_d) n = {n.x - d * f.y, n.y + d * f.x, n.z};
  n = detail::untwist<K>(l, n);
  f = detail::untwist<K>(l, f);
  if (l.branch) {
    n = detail::unturn0(l, n);
    f = detail::unturn0(l, f);
    n = n + cross(cast<T>(l.r0), f);
  } else if (l.has_a) {
    const T a = lit<T>(l.a);
    n = {n.x, n.y - a * f.z, n.z + a * f.y};
  }
  return {n, f};
}

// Only the moment about the parent's z: a revolute parent on the world needs no more. 12m + 7a
template <Twist K, class T, class R>
SINEW_HD T moment_to_parent(const Link<R>& l, const T& c, const T& s, const T& d, const Force<T>& m) {
  if (l.branch) return to_parent<K>(l, c, s, d, m).ang.z;
  T ny = s * m.ang.x + c * m.ang.y;
  if (l.has_d) ny = ny + d * (c * m.lin.x - s * m.lin.y);
  T nz = detail::untwist_z<K>(l, ny, m.ang.z);
  if (l.has_a) nz = nz + lit<T>(l.a) * detail::untwist_y<K>(l, s * m.lin.x + c * m.lin.y, m.lin.z);
  return nz;
}

}  // namespace sinew
