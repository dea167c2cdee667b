// sinew/delassus/kernel/pv_bias.hpp - a moving tree whose freedoms do not accelerate, base to tip
//   (1) the forces that the links lack for it: less those of (5) in rnea_steps.hpp, weight included
//   (2) the spatial accelerations of nodes: (dw, a - w x v), the world at rest
// a is that of the node's origin as a point, v its velocity. v, and the weight in a, travel only to nodes that ask.
#pragma once
#include "sinew/tree/kernel/rnea_steps.hpp"

namespace sinew::delassus {

template <class T>
struct BiasState {
  RneaState<T> link;
  Vec3<T> v, g;  // of the origin; gravity in the axes of the node
};

template <class T>
struct BiasScratch {
  BiasState<T>* slots;       // (branch slots)
  GeneralJoint<T>* general;  // (general joints) X and S are filled
};

// joint(i, link, motion) fills the motion of a general joint. take(i, F) gets (1) of node i; follow(i, A, w, v) gets
// (2) and the velocity of the nodes `wanted`, whose parents must be too.
SINEW_HD_CALLER
template <class T, class R, class V, class Turns, class Shift, class JointFn, class Wanted, class Take, class Follow>
SINEW_HD void bias_sweep(const Link<R>* links, int n, const BiasScratch<T>& ws, const Vec3<R>& gravity, const V& v,
                         Turns&& turn, Shift&& d_of, JointFn&& joint, Wanted&& wanted, Take&& take, Follow&& follow) {
  const T o = lit<T>(0);
  const Vec3<T> none{o, o, o}, g = cast<T>(gravity);
  const BiasState<T> world{{none, none, -g, {o, o, o, o, o, o, o, o, o}}, none, g};
  base_to_tip(
      links, n, world, [&](int k) SINEW_INLINE_LAMBDA -> BiasState<T>& { return ws.slots[k]; },
      [&](int i, const Link<R>& l, const BiasState<T>& p) SINEW_INLINE_LAMBDA -> BiasState<T> {
        BiasState<T> out = p;
        const bool asked = wanted(i);
        // one-axis joints; the link moves by `before` without its joint
        const auto move = [&](auto kind, auto K, const T& d) SINEW_INLINE_LAMBDA {
          const Turn<T> t = turn(i, l);
          out.link = rnea_outward<kind.value, K.value>(l, t, d, v[l.v], o, p.link);
          if (!asked) return;
          const Motion<T> before = to_link<K.value>(l, t.c, t.s, d, Motion<T>{p.link.w, p.v});
          out.v = before.lin;
          if constexpr (!kind.value) out.v.z = out.v.z + lit<T>(l.slides) * v[l.v];
          out.g = to_link<K.value>(l, t.c, t.s, p.g);
        };
        if (l.step == Step::revolute) {
          dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA { move(std::true_type{}, K, lit<T>(l.d)); });
        } else if (l.step == Step::axial) {
          move(std::false_type{}, std::integral_constant<Twist, Twist::any>{}, d_of(l));
        } else {
          JointMotion<T> m;
          joint(i, l, m);
          GeneralJoint<T>& s = ws.general[l.extra];
          s.X = m.X * cast<T>(l.placement);
          for (int k = 0; k < l.nv; ++k) s.S[k] = m.S[k];
          out.link = rnea_outward(s, m, Motion<T>{none, none}, p.link);
          if (asked) {
            out.v = apply(s.X, Motion<T>{p.link.w, p.v}).lin + m.v.lin;
            out.g = apply(s.X.E, p.g);
          }
        }
        take(i, -detail::inertia_force(l, out.link.a, out.link.U));
        if (asked) {
          const RneaState<T>& x = out.link;
          follow(i, Motion<T>{x.dw, x.a + out.g - cross(x.w, out.v)}, x.w, out.v);
        }
        return out;
      });
}

}  // namespace sinew::delassus
