// sinew/tree/kernel/aba_sweeps.hpp - the three sweeps of the articulated-body algorithm [F08 Table 7.1]
#pragma once
#include "sinew/joint/armature.hpp"
#include "sinew/tree/kernel/aba_steps.hpp"

namespace sinew {

// a of all coordinates. turn(i, link) is the cosine and sine of a one-axis joint, d_of(link) its shift;
// joint(i, link, motion) fills the motion of a general joint. `gravity`: whether the world accelerates by -g.
SINEW_HD_CALLER
template <class T, class R, class V, class A, class Turns, class Shift, class JointFn>
SINEW_HD void aba_sweeps(const Link<R>* links, int n, const AbaScratch<T>& ws, const Vec3<R>& g, bool gravity,
                         const V& v, const V& tau, const double* armature, A&& acc, Turns&& turn, Shift&& d_of,
                         JointFn&& joint) {
  const T o = lit<T>(0);
  const Vec3<T> none{o, o, o}, up = gravity ? -cast<T>(g) : none;

  // (1) base to tip
  base_to_tip(
      links, n, none, [&](int k) SINEW_INLINE_LAMBDA -> Vec3<T>& { return ws.slot_rates[k]; },
      [&](int i, const Link<R>& l, const Vec3<T>& p) SINEW_INLINE_LAMBDA -> Vec3<T> {
        AbaLink<T>& rec = ws.links[i];
        if (l.step == Step::revolute)
          return dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA {
            return aba_outward<true, K.value>(l, turn(i, l), lit<T>(l.d), v[l.v], p, rec);
          });
        if (l.step == Step::axial) return aba_outward<false, Twist::any>(l, turn(i, l), d_of(l), v[l.v], p, rec);
        JointMotion<T> m;
        joint(i, l, m);
        GeneralJoint<T>& s = ws.general[l.extra];
        AbaJoint<T>& j = ws.joints[l.extra];
        s.X = m.X * cast<T>(l.placement);
        for (int k = 0; k < l.nv; ++k) s.S[k] = m.S[k];
        const Vec3<T> wp = apply(s.X.E, p);
        const Vec3<T> out = wp + m.v.ang;
        j.c = {m.c.ang + cross(wp, m.v.ang),
               apply(s.X.E, detail::centripetal(p, s.X.r)) + m.c.lin + cross(wp + wp + m.v.ang, m.v.lin)};
        j.p = detail::bias_force(l, out);
        return out;
      });

  // (2) tip to base
  tip_to_base<AbaLoad<T>>(
      links, n, [&](int k) SINEW_INLINE_LAMBDA -> AbaLoad<T>& { return ws.slot_loads[k]; },
      [&](int i, const Link<R>& l, const Children<AbaLoad<T>>& children) SINEW_INLINE_LAMBDA -> AbaLoad<T> {
        AbaLink<T>& rec = ws.links[i];
        const RigidInertia<T> own{lit<T>(l.m), cast<T>(l.h), cast<T>(l.I)};
        const bool axial = l.step == Step::revolute || l.step == Step::axial;
        AbaLoad<T> load{{}, axial ? detail::bias_force(l, rec.w) : ws.joints[l.extra].p};
        if (ws.external) load.p = load.p - ws.external[i];
        if (children.next) {
          load.I = children.next->I + own;
          load.p += children.next->p;
          if (children.slot) load += *children.slot;
        } else {
          load.I = to_articulated(own);
        }
        if (l.step == Step::revolute && l.armature == R(0)) {
          if (l.parent == 0) {
            aba_project_last(load, tau[l.v], rec);
            return load;
          }
          Force<T> pa;
          const RevoluteInertia<T> Ia = aba_project(load, tau[l.v], detail::joint_bias(rec, v[l.v]), rec, pa);
          return dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA -> AbaLoad<T> {
            const Turn<T> t = turn(i, l);
            const T d = lit<T>(l.d);
            return {to_parent<K.value>(l, t.c, t.s, d, Ia), to_parent<K.value>(l, t.c, t.s, d, pa)};
          });
        }
        if (axial) {
          const Motion<T> S{{o, o, lit<T>(l.turns)}, {o, o, lit<T>(l.slides)}};
          aba_eliminate(S, lit<T>(l.armature), tau[l.v], load, rec.k, rec.u);
          if (l.parent == 0) return load;
          load.p += load.I * detail::joint_bias(rec, S.ang.z * v[l.v]);
          const Turn<T> t = turn(i, l);
          const T d = d_of(l);
          return {to_parent<Twist::any>(l, t.c, t.s, d, load.I), to_parent<Twist::any>(l, t.c, t.s, d, load.p)};
        }
        const GeneralJoint<T>& s = ws.general[l.extra];
        AbaJoint<T>& j = ws.joints[l.extra];
        if (l.step == Step::free) {  // S is the identity: the acceleration is I^A^-1 times the force
          const Force<T> f{{tau[l.v], tau[l.v + 1], tau[l.v + 2]}, {tau[l.v + 3], tau[l.v + 4], tau[l.v + 5]}};
          j.a = solve(load.I, f - load.p);
          return load;
        }
        T force[kMaxJointDofs];
        for (int k = 0; k < l.nv; ++k) force[k] = tau[l.v + k];
        if (has_armature_bias(l.kind, armature + l.v)) {
          T b[kMaxJointDofs];
          calc_armature_bias(l.kind, armature + l.v, v, l.v, b);
          for (int k = 0; k < l.nv; ++k) force[k] = force[k] - b[k];
        }
        for (int k = l.nv - 1; k >= 0; --k)
          aba_eliminate(s.S[k], lit<T>(armature[l.v + k]), force[k], load, j.U[k], j.u[k]);
        load.p += load.I * j.c;
        return {apply_inverse(s.X, load.I), apply_inverse(s.X, load.p)};
      });

  // (3) base to tip
  base_to_tip(
      links, n, Motion<T>{none, up}, [&](int k) SINEW_INLINE_LAMBDA -> Motion<T>& { return ws.slot_motions[k]; },
      [&](int i, const Link<R>& l, const Motion<T>& p) SINEW_INLINE_LAMBDA -> Motion<T> {
        if (l.step == Step::revolute || l.step == Step::axial) {
          const AbaLink<T>& rec = ws.links[i];
          const Turn<T> t = turn(i, l);
          Motion<T> a;
          if (l.step == Step::revolute && l.armature == R(0)) {
            if (l.parent == 0)
              a = {none, gravity ? detail::turn(t.c, t.s, cast<T>(l.up)) : none};
            else {
              a = dispatch_twist(
                  l, [&](auto K) SINEW_INLINE_LAMBDA { return to_link<K.value>(l, t.c, t.s, lit<T>(l.d), p); });
              const Motion<T> c = detail::joint_bias(rec, v[l.v]);
              a = {{a.ang.x + c.ang.x, a.ang.y + c.ang.y, a.ang.z}, a.lin + c.lin};
            }
            const Force<T>& k = rec.k;
            const T sum = rec.u - (k.ang.x * a.ang.x + k.ang.y * a.ang.y + dot(k.lin, a.lin));
            acc[l.v] = sum - a.ang.z;
            a.ang.z = sum;
            return a;
          }
          a = to_link<Twist::any>(l, t.c, t.s, d_of(l), p);
          a += detail::joint_bias(rec, lit<T>(l.turns) * v[l.v]);
          const T qdd = rec.u - dot(rec.k, a);
          acc[l.v] = qdd;
          a.ang.z = a.ang.z + lit<T>(l.turns) * qdd;
          a.lin.z = a.lin.z + lit<T>(l.slides) * qdd;
          return a;
        }
        const GeneralJoint<T>& s = ws.general[l.extra];
        const AbaJoint<T>& j = ws.joints[l.extra];
        Motion<T> a = apply(s.X, p) + j.c;
        if (l.step == Step::free) {
          const Motion<T> qdd = j.a - a;
          acc[l.v] = qdd.ang.x, acc[l.v + 1] = qdd.ang.y, acc[l.v + 2] = qdd.ang.z;
          acc[l.v + 3] = qdd.lin.x, acc[l.v + 4] = qdd.lin.y, acc[l.v + 5] = qdd.lin.z;
          return j.a;
        }
        for (int k = 0; k < l.nv; ++k) {
          const T qdd = j.u[k] - dot(j.U[k], a);
          acc[l.v + k] = qdd;
          a += qdd * s.S[k];
        }
        return a;
      });
}

}  // namespace sinew
