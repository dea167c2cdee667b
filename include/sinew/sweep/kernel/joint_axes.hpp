// sinew/sweep/kernel/joint_axes.hpp - the axis of a freedom, as forces and motions in columns see it
//   project(f)            S^T f
//   release(f, u, k)      f + k u;   give_way(f, u, k)   f - k u where u = S^T f
//   pull(k, a)            k^T a
//   follow(a, n)          a + S n
// with k = I^A S / D of the articulated-body algorithm, S^T k = 1.
#pragma once
#include <type_traits>

#include "sinew/sweep/kernel/columns.hpp"

namespace sinew {

namespace detail {
template <class T>
using PackOf = typename ColumnPack<T>::Type;
template <class T>
SINEW_HD Vec3<PackOf<T>> spread(const Vec3<T>& a) {
  using P = ColumnPack<T>;
  return {P::spread(a.x), P::spread(a.y), P::spread(a.z)};
}
template <class T>
SINEW_HD Force<PackOf<T>> spread(const Force<T>& a) {
  return {spread(a.ang), spread(a.lin)};
}
// Number k of the six.
template <int k, class V>
SINEW_HD auto& component(V& a) {
  auto& part = [&]() -> auto& {
    if constexpr (k < 3)
      return a.ang;
    else
      return a.lin;
  }();
  if constexpr (k % 3 == 0)
    return part.x;
  else if constexpr (k % 3 == 1)
    return part.y;
  else
    return part.z;
}
// The joint's axis, as the columns see it.
struct AboutZ {
  template <class V>
  SINEW_HD V project(const Force<V>& f) const {
    return f.ang.z;
  }
  template <class V>  // k_z = 1
  SINEW_HD Force<V> release(const Force<V>& f, const V& u, const Force<V>& k) const {
    return {{f.ang.x + u * k.ang.x, f.ang.y + u * k.ang.y, f.ang.z + u}, f.lin + u * k.lin};
  }
  template <class V>  // u = project(f): nothing about z is left
  SINEW_HD Force<V> give_way(const Force<V>& f, const V& u, const Force<V>& k) const {
    return {{f.ang.x - u * k.ang.x, f.ang.y - u * k.ang.y, lit<V>(0)}, f.lin - u * k.lin};
  }
  template <class V>
  SINEW_HD V pull(const Force<V>& k, const Motion<V>& a) const {
    return k.ang.x * a.ang.x + k.ang.y * a.ang.y + a.ang.z + dot(k.lin, a.lin);
  }
  template <class V>
  SINEW_HD Motion<V> follow(const Motion<V>& a, const V& n) const {
    return {{a.ang.x, a.ang.y, a.ang.z + n}, a.lin};
  }
};
template <class V>
struct AlongS {
  Motion<V> S;
  SINEW_HD V project(const Force<V>& f) const { return dot(S, f); }
  SINEW_HD Force<V> release(const Force<V>& f, const V& u, const Force<V>& k) const { return f + u * k; }
  SINEW_HD Force<V> give_way(const Force<V>& f, const V& u, const Force<V>& k) const { return f - u * k; }
  SINEW_HD V pull(const Force<V>& k, const Motion<V>& a) const { return dot(k, a); }
  SINEW_HD Motion<V> follow(const Motion<V>& a, const V& n) const { return a + n * S; }
};
// One of the six freedoms of a free body, along the axes of its frame: k has a 1 at `axis` and zeros after it.
template <int axis>
struct AlongAxis {
  template <class V>
  SINEW_HD auto project(const Force<V>& f) const {
    return component<axis>(f);
  }
  template <class V>
  SINEW_HD Force<V> release(Force<V> f, const V& u, const Force<V>& k) const {
    if constexpr (axis > 0) component<0>(f) = component<0>(f) + u * component<0>(k);
    if constexpr (axis > 1) component<1>(f) = component<1>(f) + u * component<1>(k);
    if constexpr (axis > 2) component<2>(f) = component<2>(f) + u * component<2>(k);
    if constexpr (axis > 3) component<3>(f) = component<3>(f) + u * component<3>(k);
    if constexpr (axis > 4) component<4>(f) = component<4>(f) + u * component<4>(k);
    component<axis>(f) = component<axis>(f) + u;
    return f;
  }
  template <class V>
  SINEW_HD Force<V> give_way(const Force<V>& f, const V& u, const Force<V>& k) const {
    return release(f, -u, k);
  }
  template <class V>
  SINEW_HD V pull(const Force<V>& k, const Motion<V>& a) const {
    V sum = component<axis>(a);
    if constexpr (axis > 0) sum = sum + component<0>(k) * component<0>(a);
    if constexpr (axis > 1) sum = sum + component<1>(k) * component<1>(a);
    if constexpr (axis > 2) sum = sum + component<2>(k) * component<2>(a);
    if constexpr (axis > 3) sum = sum + component<3>(k) * component<3>(a);
    if constexpr (axis > 4) sum = sum + component<4>(k) * component<4>(a);
    return sum;
  }
  template <class V>
  SINEW_HD Motion<V> follow(Motion<V> a, const V& n) const {
    component<axis>(a) = component<axis>(a) + n;
    return a;
  }
};
// f(axis) for the six, as compile-time numbers, from the first or from the last.
SINEW_HD_CALLER
template <class F>
SINEW_HD void for_axes(F&& f) {
  f(std::integral_constant<int, 0>{}), f(std::integral_constant<int, 1>{}), f(std::integral_constant<int, 2>{});
  f(std::integral_constant<int, 3>{}), f(std::integral_constant<int, 4>{}), f(std::integral_constant<int, 5>{});
}
SINEW_HD_CALLER
template <class F>
SINEW_HD void for_axes_backwards(F&& f) {
  f(std::integral_constant<int, 5>{}), f(std::integral_constant<int, 4>{}), f(std::integral_constant<int, 3>{});
  f(std::integral_constant<int, 2>{}), f(std::integral_constant<int, 1>{}), f(std::integral_constant<int, 0>{});
}
template <class T>
SINEW_HD AlongS<PackOf<T>> along(const Motion<T>& S) {
  return {{spread(S.ang), spread(S.lin)}};
}
template <class T, class R>
SINEW_HD Motion<T> axial_motion(const Link<R>& l) {
  const T o = lit<T>(0);
  return {{o, o, lit<T>(l.turns)}, {o, o, lit<T>(l.slides)}};
}
}  // namespace detail

}  // namespace sinew
