// sinew/derivative/kernel/dynamics_slopes.hpp - derivatives of inverse dynamics, one node at a time
// Everything of a tree is written in one frame, that of its first node, about its origin. Let s be the motion along
// freedom k of node j, p the parent of j, and q move along k. All nodes i below and with j are carried along by s:
//   (1) dv_i/dq = s x v_i + psi,              psi = v_p x s + sum of v_l d_k S_l
//   (2) da_i/dq = s x a_i + psi x v_i + chi,  chi = a_p x s + v_p x psi + v_j x (sum of v_l d_k S_l)
//                                                   + sum of dv_l/dt d_k S_l + d_k c
//   (3) da_i/dv = s x v_i + phi,              phi = (v_p + v_j) x s + sum of v_l (d_k S_l + d_l S_k)
// with d_k S_l and d_k c of the joint itself (derivative/joint_slopes.hpp); for an axis that is fixed in its frame they
// are zero, and phi = 2 psi. So the force f = I a + v x* I v of each body changes by
//   (4) df/dq = s x* f + I chi + 2 B psi,   df/dv = I phi + 2 B s,   B of tree/coriolis.hpp (1) to (3)
// and the sums over a subtree, I^c, B^c and F, do so too, because psi, chi, phi do not depend on i. With
//   (5) u = I^c s,   z = s x* F + I^c chi + 2 B^c psi,   y = I^c phi + 2 B^c s,   w = 2 B^c^T s
// of the freedom k farther from the root and h any freedom above it, or k itself:
//   (6) dtau_h/dq_k = S_h^T z_k     dtau_k/dq_h = u_k^T chi_h + w_k^T psi_h (+ d_h S_k^T F within one joint)
//   (7) dtau_h/dv_k = S_h^T y_k     dtau_k/dv_h = u_k^T phi_h + w_k^T s_h
//   (8) M_hk = S_h^T u_k
// External forces stay where they are on their bodies, so they are part of F. Half of B is zero, and w is a couple.
// Derivation: docs/derivatives.md. After Singh, Russell and Wensing, "Efficient analytical derivatives of rigid-body
// dynamics using spatial vector algebra" (2022), whose joints have constant S; the frame, d_k S and d_k c are ours.
#pragma once
#include "sinew/derivative/kernel/slope_nodes.hpp"

namespace sinew {

// Base to tip: where the nodes stand and how they move; S, psi, phi; inertia and B of each body.
// turn, d_of and joint as in rnea_sweeps; slopes(i, link, out) fills the slopes of a joint whose S changes.
SINEW_HD_CALLER
template <class T, class R, class V, class Turns, class Shift, class JointFn, class SlopesFn>
SINEW_HD void place_slope_nodes(const Link<R>* links, int n, const SlopeScratch<T>& ws, const Vec3<R>& g, const V& v,
                                Turns&& turn, Shift&& d_of, JointFn&& joint, SlopesFn&& slopes) {
  const T o = lit<T>(0);
  const Motion<T> still{{o, o, o}, {o, o, o}};
  ws.nodes[0].v = still;
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    SlopeNode<T>& node = ws.nodes[i];
    const SlopeNode<T>& p = ws.nodes[l.parent];
    const bool first = l.parent == 0;
    if (first) {
      node.E = {};
      node.r = {o, o, o};
    }
    if (l.step == Step::revolute || l.step == Step::axial) {
      const Turn<T> t = turn(i, l);
      Motion<T> s = detail::axial_motion<T>(l), psi = still;
      if (first) {
        node.up = detail::turn(t.c, t.s, cast<T>(l.up));
        node.v = v[l.v] * s;
      } else {
        const T d = l.step == Step::revolute ? lit<T>(l.d) : d_of(l);
        dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA { detail::place<K.value>(l, t, d, p, node); });
        const Vec3<T> z{node.E.m.xz, node.E.m.yz, node.E.m.zz};
        if (l.step == Step::revolute)
          s = {z, cross(node.r, z)};
        else
          s = {lit<T>(l.turns) * z, lit<T>(l.turns) * cross(node.r, z) + lit<T>(l.slides) * z};
        psi = cross(p.v, s);  // (1)
        node.v = p.v + v[l.v] * s;
      }
      detail::set_motion(ws.S, l.dof, s);
      detail::set_motion(ws.psi, l.dof, psi);
      detail::set_motion(ws.phi, l.dof, psi + psi);  // (3)
    } else {
      JointMotion<T> m;
      joint(i, l, m);
      const Transform<T> X = m.X * cast<T>(l.placement);
      if (first) {
        node.up = -apply(X.E, cast<T>(g));
      } else {
        node.E = p.E * inverse(X.E);
        node.r = p.r + p.E.m * X.r;
      }
      SlopeJoint<T>& across = ws.joints[l.extra];
      across.v = detail::to_common(node, m.v);
      across.c = detail::to_common(node, m.c);
      node.v = p.v + across.v;
      const Motion<T> both = p.v + node.v;
      for (int k = 0; k < l.nv; ++k) {
        const Motion<T> s = detail::to_common(node, m.S[k]);
        detail::set_motion(ws.S, l.dof + k, s);
        detail::set_motion(ws.psi, l.dof + k, cross(p.v, s));
        detail::set_motion(ws.phi, l.dof + k, cross(both, s));
      }
      if (const int which = ws.slopes_of[i]; which >= 0) {
        JointSlopes<T>& d = ws.slopes[which];
        slopes(i, l, d);
        for (int k = 0; k < l.nv; ++k) {
          Motion<T> along = still, across_k = still;  // sums over l of v_l d_k S_l and of v_l d_l S_k
          for (int j = 0; j < l.nv; ++j) {
            along += v[l.v + j] * d.S[k][j];
            across_k += v[l.v + j] * d.S[j][k];
          }
          const int dof = l.dof + k;
          detail::set_motion(ws.psi, dof, detail::get_motion(ws.psi, dof) + detail::to_common(node, along));
          detail::set_motion(ws.phi, dof, detail::get_motion(ws.phi, dof) + detail::to_common(node, along + across_k));
        }
      }
    }
    detail::start_sum(l, first, node);
  }
}

// Base to tip: accelerations and forces of the bodies. acc(k) is that of coordinate k.
SINEW_HD_CALLER
template <class T, class R, class V, class A>
SINEW_HD void move_slope_nodes(const Link<R>* links, int n, const SlopeScratch<T>& ws, const V& v, A&& acc) {
  const T o = lit<T>(0);
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    SlopeNode<T>& node = ws.nodes[i];
    node.a = l.parent == 0 ? Motion<T>{{o, o, o}, node.up} : ws.nodes[l.parent].a;
    if (l.step == Step::revolute || l.step == Step::axial) {
      node.a += acc(l.v) * detail::get_motion(ws.S, l.dof) + v[l.v] * detail::get_motion(ws.psi, l.dof);
    } else {
      const SlopeJoint<T>& across = ws.joints[l.extra];
      for (int k = 0; k < l.nv; ++k) node.a += acc(l.v + k) * detail::get_motion(ws.S, l.dof + k);
      node.a += across.c + cross(node.v, across.v);
    }
    node.sum.f = detail::calc_moving_force(l, node);
    if (ws.external) node.sum.f -= detail::to_common(node, ws.external[i]);
  }
}
// The same, then the sums over subtrees.
SINEW_HD_CALLER
template <class T, class R, class V, class A>
SINEW_HD void sum_slope_nodes(const Link<R>* links, int n, const SlopeScratch<T>& ws, const V& v, A&& acc) {
  move_slope_nodes(links, n, ws, v, acc);
  for (int i = n - 1; i > 0; --i)
    if (links[i].parent != 0) ws.nodes[links[i].parent].sum += ws.nodes[i].sum;
}

// (5): u of every freedom.
template <class T, class R>
SINEW_HD void calc_slope_momenta(const Link<R>* links, int n, const SlopeScratch<T>& ws) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const RigidInertia<T> I = detail::to_inertia(lit<T>(l.mc), ws.nodes[i].sum);
    for (int k = l.dof; k < l.dof + l.nv; ++k) ws.u.set(k, I * detail::get_motion(ws.S, k));
  }
}

}  // namespace sinew
