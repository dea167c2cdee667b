// sinew/tree/kernel/articulated_sweep.hpp - articulated inertias from tip to base, and forces that travel with them
// For every freedom k = U / D and 1 / D [F08 7.43, 7.44]; each joint passes Ia = IA - U U^T / D on to its parent
// [F08 7.47]. A force on a link reaches the parent as f - k (S^T f). The forces that travel lie in columns, so that a
// register of them crosses a link together; `carry` knows which columns are where:
//   carry.enter(i, l, I)                before the joint of node i: the forces that start here enter; may add to I
//   carry.pass(i, l, dof, joint, cross) f - k (S^T f) for freedom dof; cross takes columns to the parent or keeps them
//   carry.shift(i, l, X)                takes columns to the parent, after all freedoms of a general joint were passed
//   carry.free(i, l)                    a body that is free in the world; only where Carry::kTakesFree, otherwise its
//                                       six freedoms are passed one by one
// A carry may also let the forces on all links travel, one sum for each subtree (PushesForces):
//   carry.force(i)                      F on node i
//   carry.push(l, freedom, joint, F)    F less what freedom `freedom` of the link takes up, k and 1 / D are known
//   carry.hand_on(i, l, F)              F for the parent, in its frame
//   carry.slot(k)                       inertia and forces that the children of a branch node hand over
#pragma once
#include <concepts>
#include <type_traits>

#include "sinew/sweep/kernel/joint_axes.hpp"
#include "sinew/tree/kernel/aba_steps.hpp"

namespace sinew {

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

// Only the inertias travel.
struct CarryNothing {
  static constexpr bool kTakesFree = true;
  template <class R, class I>
  SINEW_HD void enter(int, const Link<R>&, const I&) const {}
  template <class R, class Joint, class Cross>
  SINEW_HD void pass(int, const Link<R>&, int, const Joint&, const Cross&) const {}
  template <class R, class X>
  SINEW_HD void shift(int, const Link<R>&, const X&) const {}
  template <class R>
  SINEW_HD void free(int, const Link<R>&) const {}
};

template <class T>
struct ArticulatedScratch {
  ArticulatedInertia<T>* slot_loads;  // (branch slots)
  GeneralJoint<T>* general;           // (general joints) X and S filled before
  Force<T>* k;                        // (freedoms)
  T* Dinv;                            // (freedoms)
};

template <class Carry, class T>
concept PushesForces = requires(const Carry& carry, int i) {
  { carry.force(i) } -> std::convertible_to<Force<T>>;
};

namespace detail {
template <class T>
SINEW_HD const ArticulatedInertia<T>* inertia_of(const ArticulatedInertia<T>* load) {
  return load;
}
template <class T>
SINEW_HD const ArticulatedInertia<T>* inertia_of(const AbaLoad<T>* load) {
  return &load->I;
}
}  // namespace detail

// velocity[k] is the coordinate of freedom k.
SINEW_HD_CALLER
template <class T, class R, class Turns, class Shift, class Carry>
SINEW_HD void articulated_sweep(const Link<R>* links, int n, const ArticulatedScratch<T>& ws, const int* velocity,
                                const double* armature, Turns&& turn, Shift&& d_of, Carry&& carry) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  using I6 = ArticulatedInertia<T>;
  constexpr bool kForces = PushesForces<std::decay_t<Carry>, T>;
  using Load = std::conditional_t<kForces, AbaLoad<T>, I6>;
  const T one = lit<T>(1);
  const auto stay = [](const auto& x) SINEW_INLINE_LAMBDA { return x; };

  tip_to_base<Load>(
      links, n,
      [&](int k) SINEW_INLINE_LAMBDA -> Load& {
        if constexpr (kForces)
          return carry.slot(k);
        else
          return ws.slot_loads[k];
      },
      [&](int i, const Link<R>& l, const Children<Load>& children) SINEW_INLINE_LAMBDA -> Load {
        const RigidInertia<T> own{lit<T>(l.m), cast<T>(l.h), cast<T>(l.I)};
        I6 I = children.next ? *detail::inertia_of(children.next) + own : to_articulated(own);
        if (children.slot) I = I + *detail::inertia_of(children.slot);
        carry.enter(i, l, I);

        // the forces, where they travel
        Force<T> F{};
        if constexpr (kForces) {
          F = carry.force(i);
          if (children.next) F += children.next->p;
          if (children.slot) F += children.slot->p;
        }
        const auto push = [&](int freedom, const auto& joint) SINEW_INLINE_LAMBDA {
          if constexpr (kForces) F = carry.push(l, freedom, joint, F);
        };
        const auto load = [&](const I6& up, auto&& cross_one) SINEW_INLINE_LAMBDA -> Load {
          if constexpr (kForces)
            return {up, carry.hand_on(i, l, cross_one(F))};
          else
            return up;
        };
        const auto last = [&]() SINEW_INLINE_LAMBDA -> Load {
          if constexpr (kForces)
            return {I, F};
          else
            return I;
        };

        if (l.step == Step::revolute && l.armature == R(0)) {
          const T Dinv = one / I.I.zz;
          Force<T>& k = ws.k[l.dof];
          k = {{I.I.xz * Dinv, I.I.yz * Dinv, one}, {I.H.zx * Dinv, I.H.zy * Dinv, I.H.zz * Dinv}};
          ws.Dinv[l.dof] = Dinv;
          push(0, detail::AboutZ{});
          if (l.parent == 0) {
            carry.pass(i, l, l.dof, detail::AboutZ{}, stay);
            return last();
          }
          return dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA -> Load {
            const Turn<T> t = turn(i, l);
            const V c = P::spread(t.c), s = P::spread(t.s), d = P::spread(lit<T>(l.d));
            carry.pass(i, l, l.dof, detail::AboutZ{},
                       [&](const Force<V>& f) SINEW_INLINE_LAMBDA { return to_parent<K.value>(l, c, s, d, f); });
            return load(to_parent<K.value>(l, t.c, t.s, lit<T>(l.d), project_revolute(I, k)),
                        [&](const Force<T>& f)
                            SINEW_INLINE_LAMBDA { return to_parent<K.value>(l, t.c, t.s, lit<T>(l.d), f); });
          });
        }
        if (l.step == Step::revolute || l.step == Step::axial) {
          const Motion<T> S = detail::axial_motion<T>(l);
          eliminate(S, lit<T>(l.armature), I, ws.k[l.dof], ws.Dinv[l.dof]);
          push(0, detail::AlongS<T>{S});
          const Turn<T> t = turn(i, l);
          const T shift = d_of(l);
          const V c = P::spread(t.c), s = P::spread(t.s), d = P::spread(shift);
          carry.pass(i, l, l.dof, detail::along(S),
                     [&](const Force<V>& f) SINEW_INLINE_LAMBDA { return to_parent<Twist::any>(l, c, s, d, f); });
          if (l.parent == 0) return last();
          return load(to_parent<Twist::any>(l, t.c, t.s, shift, I), [&](const Force<T>& f) SINEW_INLINE_LAMBDA {
            return to_parent<Twist::any>(l, t.c, t.s, shift, f);
          });
        }
        if (l.step == Step::free) {
          eliminate_free(I, ws.k + l.dof, ws.Dinv + l.dof);
          detail::for_axes_backwards([&](auto k) SINEW_INLINE_LAMBDA { push(k.value, detail::AlongAxis<k.value>{}); });
          if constexpr (std::decay_t<Carry>::kTakesFree)
            carry.free(i, l);
          else
            detail::for_axes_backwards([&](auto k) SINEW_INLINE_LAMBDA {
              carry.pass(i, l, l.dof + k.value, detail::AlongAxis<k.value>{}, stay);
            });
          return last();
        }
        const GeneralJoint<T>& g = ws.general[l.extra];
        for (int k = l.nv - 1; k >= 0; --k) {
          eliminate(g.S[k], lit<T>(armature[velocity[l.dof + k]]), I, ws.k[l.dof + k], ws.Dinv[l.dof + k]);
          push(k, detail::AlongS<T>{g.S[k]});
          carry.pass(i, l, l.dof + k, detail::along(g.S[k]), stay);
        }
        if (l.parent == 0) return last();
        carry.shift(i, l, g.X);
        return load(apply_inverse(g.X, I),
                    [&](const Force<T>& f) SINEW_INLINE_LAMBDA { return apply_inverse(g.X, f); });
      });
}

}  // namespace sinew
