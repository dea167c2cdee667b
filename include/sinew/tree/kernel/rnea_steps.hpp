// sinew/tree/kernel/rnea_steps.hpp - the steps of the recursive Newton-Euler algorithm, one link at a time
//   (1) w   = E w_p + z v                                                            [F08 5.18]
//   (2) dw  = E dw_p + w x z v + z a                                                 [F08 5.19]
//   (3) U   = dw x + w x w x, so that the point p of the link accelerates by a_0 + U p
//   (4) a_0 = E (a_p + U_p r), r leading from the parent's origin to the link's
//   (5) f   = m a_0 + U h,  n = h x a_0 + axial vector of U J, J the second moments of mass about the origin
//   (6) tau = z . n,  and n, f pass to the parent                                    [F08 5.11, 5.20]
// A shift d along z leads from one point of the joint's axis to another: U z is the same for link and parent.
#pragma once
#include "sinew/joint/armature.hpp"
#include "sinew/sweep/kernel/crossing.hpp"
#include "sinew/sweep/kernel/general_joint.hpp"
#include "sinew/sweep/kernel/turns.hpp"
#include "sinew/sweep/sweep.hpp"
#include "sinew/tree/kernel/inertia_forces.hpp"

namespace sinew {

// What a step towards the tips passes to the children.
template <class T>
struct RneaState {
  Vec3<T> w, dw, a;  // [rad/s, rad/s^2, m/s^2] a: of the origin, as a point
  Mat3<T> U;
};

template <class T>
struct RneaScratch {
  Force<T>* f;               // (n) force that moves the link: that of its joint less those of the children
  RneaState<T>* slots;       // (branch slots)
  Force<T>* slot_loads;      // (branch slots)
  GeneralJoint<T>* general;  // (general joints)
  Force<T>* external;        // (n) or null
};

namespace detail {
// (3): 6m + 9a
template <class T>
SINEW_HD Mat3<T> rate_matrix(const Vec3<T>& w, const Vec3<T>& dw) {
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {-(yy + zz), xy - dw.z, xz + dw.y, xy + dw.z, -(xx + zz), yz - dw.x, xz - dw.y, yz + dw.x, -(xx + yy)};
}
template <class T>
SINEW_HD RneaState<T> finish_state(const Vec3<T>& w, const Vec3<T>& dw, const Vec3<T>& a) {
  return {w, dw, a, rate_matrix(w, dw)};
}
}  // namespace detail

// One-axis joints; v and a are of the joint.
template <bool revolute, Twist K, class T, class R>
SINEW_HD RneaState<T> rnea_outward(const Link<R>& l, const Turn<T>& t, const T& d, const T& v, const T& acc,
                                   const RneaState<T>& p) {
  Vec3<T> w = to_link<K>(l, t.c, t.s, p.w), dw = to_link<K>(l, t.c, t.s, p.dw), a = p.a;
  if (l.branch) {
    a = a + p.U * cast<T>(l.r0);
  } else if (l.has_a) {
    const T x = lit<T>(l.a);
    a = {a.x + x * p.U.xx, a.y + x * p.U.yx, a.z + x * p.U.zx};  // (4)
  }
  a = to_link<K>(l, t.c, t.s, a);
  if constexpr (revolute) {
    dw = {dw.x + w.y * v, dw.y - w.x * v, dw.z + acc};  // (2)
    w.z = w.z + v;                                      // (1)
  } else {
    const T spin = lit<T>(l.turns) * v, u = lit<T>(l.slides) * v, twice = u + u;
    a = {a.x + twice * w.y, a.y - twice * w.x, a.z + lit<T>(l.slides) * acc};
    dw = {dw.x + w.y * spin, dw.y - w.x * spin, dw.z + lit<T>(l.turns) * acc};
    w.z = w.z + spin;
  }
  RneaState<T> out = detail::finish_state(w, dw, a);
  if (l.has_d) out.a = {a.x + d * out.U.xz, a.y + d * out.U.yz, a.z + d * out.U.zz};  // (4)
  return out;
}

// A revolute joint on the world: all turning is about z, and only the moment about z is asked for.
template <class T, class R>
SINEW_HD RneaState<T> rnea_first(const Link<R>& l, const Turn<T>& t, const T& v, const T& acc, const Vec3<T>& up,
                                 T& moment) {
  const T o = lit<T>(0), vv = v * v;
  const Vec3<T> a = detail::turn(t.c, t.s, up);
  moment = lit<T>(l.I.zz) * acc + (lit<T>(l.h.x) * a.y - lit<T>(l.h.y) * a.x);
  return {{o, o, v}, {o, o, acc}, a, {-vv, -acc, o, acc, -vv, o, o, o, o}};
}

// Any joint, by its motion: relative velocity m.v, acceleration along the coordinates `along` + m.c.
template <class T>
SINEW_HD RneaState<T> rnea_outward(const GeneralJoint<T>& g, const JointMotion<T>& m, const Motion<T>& along,
                                   const RneaState<T>& p) {
  const Vec3<T> wp = apply(g.X.E, p.w);
  const Vec3<T> dw = apply(g.X.E, p.dw) + along.ang + m.c.ang + cross(wp, m.v.ang);
  const Vec3<T> a = apply(g.X.E, p.a + p.U * g.X.r) + along.lin + m.c.lin + cross(wp + wp + m.v.ang, m.v.lin);
  return detail::finish_state(wp + m.v.ang, dw, a);
}

// tau of all coordinates. turn(i, link) is the cosine and sine of a one-axis joint, d_of(link) its shift;
// joint(i, link, motion) fills the motion of a general joint. `gravity`: whether the world accelerates by -g.
SINEW_HD_CALLER
template <class T, class Inertias = ModelInertias, class R, class V, class Tau, class Turns, class Shift, class JointFn>
SINEW_HD void rnea_sweeps(const Link<R>* links, int n, const RneaScratch<T>& ws, const Vec3<R>& g, bool gravity,
                          const V& v, const V& acc, const double* armature, Tau&& tau, Turns&& turn, Shift&& d_of,
                          JointFn&& joint) {
  const T o = lit<T>(0);
  const Vec3<T> none{o, o, o};
  RneaState<T> world{none, none, gravity ? -cast<T>(g) : none, {o, o, o, o, o, o, o, o, o}};

  base_to_tip(
      links, n, world, [&](int k) -> RneaState<T>& { return ws.slots[k]; },
      [&](int i, const Link<R>& l, const RneaState<T>& p) SINEW_INLINE_LAMBDA -> RneaState<T> {
        RneaState<T> out;
        Force<T>& f = ws.f[i];
        if (l.step == Step::revolute && l.parent == 0) {
          f = {none, none};
          out = rnea_first(l, turn(i, l), v[l.v], acc[l.v], gravity ? cast<T>(l.up) : none, f.ang.z);
          if (ws.external) f = f - ws.external[i];
          return out;
        }
        if (l.step == Step::revolute) {
          out = dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA {
            return rnea_outward<true, K.value>(l, turn(i, l), lit<T>(l.d), v[l.v], acc[l.v], p);
          });
        } else if (l.step == Step::axial) {
          out = rnea_outward<false, Twist::any>(l, turn(i, l), d_of(l), v[l.v], acc[l.v], p);
        } else {
          JointMotion<T> m;
          joint(i, l, m);
          GeneralJoint<T>& s = ws.general[l.extra];
          s.X = m.X * cast<T>(l.placement);
          Motion<T> along{none, none};
          for (int k = 0; k < l.nv; ++k) {
            s.S[k] = m.S[k];
            along += acc[l.v + k] * m.S[k];
          }
          out = rnea_outward(s, m, along, p);
        }
        f = Inertias::force(l, out.a, out.U);
        if (ws.external) f = f - ws.external[i];
        return out;
      });

  tip_to_base<Force<T>>(
      links, n, [&](int k) -> Force<T>& { return ws.slot_loads[k]; },
      [&](int i, const Link<R>& l, const Children<Force<T>>& children) SINEW_INLINE_LAMBDA -> Force<T> {
        Force<T> f = ws.f[i];
        if (l.step == Step::revolute && l.parent == 0) {
          if (children.next) f.ang.z = f.ang.z + children.next->ang.z;
          if (children.slot) f.ang.z = f.ang.z + children.slot->ang.z;
        } else {
          children.add_to(f);
        }
        if (l.step == Step::revolute) {
          tau[l.v] = l.armature == R(0) ? f.ang.z : f.ang.z + lit<T>(l.armature) * acc[l.v];
          if (l.parent == 0) return f;
          return dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA -> Force<T> {
            const Turn<T> t = turn(i, l);
            if (l.second) return {{o, o, moment_to_parent<K.value>(l, t.c, t.s, lit<T>(l.d), f)}, none};
            return to_parent<K.value>(l, t.c, t.s, lit<T>(l.d), f);
          });
        }
        if (l.step == Step::axial) {
          tau[l.v] = lit<T>(l.turns) * f.ang.z + lit<T>(l.slides) * f.lin.z + lit<T>(l.armature) * acc[l.v];
          if (l.parent == 0) return f;
          const Turn<T> t = turn(i, l);
          return to_parent<Twist::any>(l, t.c, t.s, d_of(l), f);
        }
        const GeneralJoint<T>& s = ws.general[l.extra];
        for (int k = 0; k < l.nv; ++k) tau[l.v + k] = dot(s.S[k], f) + lit<T>(armature[l.v + k]) * acc[l.v + k];
        if (has_armature_bias(l.kind, armature + l.v)) {
          T b[kMaxJointDofs];
          calc_armature_bias(l.kind, armature + l.v, v, l.v, b);
          for (int k = 0; k < l.nv; ++k) tau[l.v + k] = tau[l.v + k] + b[k];
        }
        return apply_inverse(s.X, f);
      });
}

}  // namespace sinew
