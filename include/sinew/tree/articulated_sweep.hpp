// sinew/tree/articulated_sweep.hpp - articulated inertias from tip to base, and whatever forces travel with them
// For every freedom k = U / D and 1 / D [F08 7.43, 7.44]; each joint passes Ia = IA - U U^T / D on to its parent
// [F08 7.47]. A force on a link reaches the parent as f - k (S^T f). The forces that travel lie in columns, so that a
// register of them crosses a link together; `carry` knows which columns are where:
//   carry.enter(i, l, I)                ahead of the joint of node i: what sets out from here; it may add to I
//   carry.pass(i, l, dof, joint, cross) freedom dof gives way; cross takes columns to the parent, or leaves them
//   carry.shift(i, l, X)                a general joint: to the parent, its freedoms have been passed
//   carry.free(i, l)                    a body that is free in the world; only where Carry::kTakesFree, else its six
//                                       freedoms are passed one by one
#pragma once
#include "sinew/sweep/columns.hpp"
#include "sinew/tree/aba_steps.hpp"

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
  template <class V>  // u = -project(f): nothing about z is left
  SINEW_HD Force<V> give_way(const Force<V>& f, const V& u, const Force<V>& k) const {
    return {{f.ang.x - u * k.ang.x, f.ang.y - u * k.ang.y, V(lit<V>(0))}, f.lin - u * k.lin};
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
// One of the six freedoms of a free body, along the axes of its frame: k has its 1 in place `axis`, zeros behind it.
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

// k and 1 / D of the six freedoms of a free body, the last first.
template <class T>
SINEW_HD void eliminate_free(const ArticulatedInertia<T>& I, Force<T>* k, T* Dinv) {
  const T o = lit<T>(0);
  T a[6][6] = {{I.I.xx, I.I.xy, I.I.xz, I.H.xx, I.H.xy, I.H.xz},
               {o, I.I.yy, I.I.yz, I.H.yx, I.H.yy, I.H.yz},
               {o, o, I.I.zz, I.H.zx, I.H.zy, I.H.zz},
               {o, o, o, I.M.xx, I.M.xy, I.M.xz},
               {o, o, o, o, I.M.yy, I.M.yz},
               {o, o, o, o, o, I.M.zz}};
  for (int c = 5; c >= 0; --c) {
    T x[6] = {o, o, o, o, o, o};
    Dinv[c] = lit<T>(1) / a[c][c];
    x[c] = lit<T>(1);
    for (int r = 0; r < c; ++r) x[r] = a[r][c] * Dinv[c];
    for (int r = 0; r < c; ++r)
      for (int j = r; j < c; ++j) a[r][j] = a[r][j] - x[r] * a[j][c];
    k[c] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
}

template <class T>
struct ArticulatedScratch {
  ArticulatedInertia<T>* slot_loads;  // (branch slots)
  GeneralJoint<T>* general;           // (general joints) X and S filled before
  Force<T>* k;                        // (freedoms)
  T* Dinv;                            // (freedoms)
};

// velocity[k] is the coordinate of freedom k.
SINEW_HD_CALLER
template <class T, class R, class Turns, class Shift, class Carry>
SINEW_HD void articulated_sweep(const Link<R>* links, int n, const ArticulatedScratch<T>& ws, const int* velocity,
                                const double* armature, Turns&& turn, Shift&& d_of, Carry&& carry) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  using I6 = ArticulatedInertia<T>;
  const T one = lit<T>(1);
  const auto stay = [](const auto& x) SINEW_INLINE_LAMBDA { return x; };

  tip_to_base<I6>(
      links, n, [&](int k) SINEW_INLINE_LAMBDA -> I6& { return ws.slot_loads[k]; },
      [&](int i, const Link<R>& l, const Children<I6>& children) SINEW_INLINE_LAMBDA -> I6 {
        const RigidInertia<T> own{lit<T>(l.m), cast<T>(l.h), cast<T>(l.I)};
        I6 I = children.next ? *children.next + own : to_articulated(own);
        if (children.slot) I = I + *children.slot;
        carry.enter(i, l, I);
        if (l.step == Step::revolute && l.armature == R(0)) {
          const T Dinv = one / I.I.zz;
          Force<T>& k = ws.k[l.dof];
          k = {{I.I.xz * Dinv, I.I.yz * Dinv, one}, {I.H.zx * Dinv, I.H.zy * Dinv, I.H.zz * Dinv}};
          ws.Dinv[l.dof] = Dinv;
          if (l.parent == 0) {
            carry.pass(i, l, l.dof, detail::AboutZ{}, stay);
            return I;
          }
          return dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA -> I6 {
            const Turn<T> t = turn(i, l);
            const V c = P::spread(t.c), s = P::spread(t.s), d = P::spread(lit<T>(l.d));
            carry.pass(i, l, l.dof, detail::AboutZ{},
                       [&](const Force<V>& f) SINEW_INLINE_LAMBDA { return to_parent<K.value>(l, c, s, d, f); });
            return to_parent<K.value>(l, t.c, t.s, lit<T>(l.d), project_revolute(I, k));
          });
        }
        if (l.step == Step::revolute || l.step == Step::axial) {
          const Motion<T> S = detail::axial_motion<T>(l);
          eliminate(S, lit<T>(l.armature), I, ws.k[l.dof], ws.Dinv[l.dof]);
          const Turn<T> t = turn(i, l);
          const T shift = d_of(l);
          const V c = P::spread(t.c), s = P::spread(t.s), d = P::spread(shift);
          carry.pass(i, l, l.dof, detail::along(S),
                     [&](const Force<V>& f) SINEW_INLINE_LAMBDA { return to_parent<Twist::any>(l, c, s, d, f); });
          return to_parent<Twist::any>(l, t.c, t.s, shift, I);
        }
        if (l.step == Step::free) {
          eliminate_free(I, ws.k + l.dof, ws.Dinv + l.dof);
          if constexpr (std::decay_t<Carry>::kTakesFree)
            carry.free(i, l);
          else
            detail::for_axes_backwards([&](auto k) SINEW_INLINE_LAMBDA {
              carry.pass(i, l, l.dof + k.value, detail::AlongAxis<k.value>{}, stay);
            });
          return I;
        }
        const GeneralJoint<T>& g = ws.general[l.extra];
        for (int k = l.nv - 1; k >= 0; --k) {
          eliminate(g.S[k], lit<T>(armature[velocity[l.dof + k]]), I, ws.k[l.dof + k], ws.Dinv[l.dof + k]);
          carry.pass(i, l, l.dof + k, detail::along(g.S[k]), stay);
        }
        if (l.parent == 0) return I;
        carry.shift(i, l, g.X);
        return apply_inverse(g.X, I);
      });
}

}  // namespace sinew
