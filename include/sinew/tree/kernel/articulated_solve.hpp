// sinew/tree/kernel/articulated_solve.hpp - M x = tau + J^T f, once the articulated inertias are known
// After articulated_sweep, O(n), any number of times [F08 Table 7.1], at rest and without weight:
//   (1) tip to base:   u = tau + S^T F,   F = X^T (F - k u), F the forces on the link and what the children pass on
//   (2) base to tip:   x = u / D - k^T X A,   A = X A + S x
// A are the accelerations of the nodes; J x = A.
#pragma once
#include "sinew/tree/kernel/articulated_sweep.hpp"

namespace sinew {

template <class T>
struct ArticulatedSolveScratch {
  const GeneralJoint<T>* general;  // (general joints)
  const Force<T>* k;               // (freedoms)
  const T* Dinv;                   // (freedoms)
  Force<T>* slot_forces;           // (branch slots)
  Motion<T>* slot_motions;         // (branch slots)
  T* u;                            // (freedoms)
};

// (1) with F the load that is passed on: what acts on the subtree and is not taken up by its freedoms. tau(i, l, k) is
// the force of freedom k of node i, force(i) that on node i, both in the node's coordinates. Subtrees of nodes that are
// not `wanted` keep their u and pass nothing on.
SINEW_HD_CALLER
template <class T, class R, class Tau, class ForceFn, class Turns, class Shift, class Wanted>
SINEW_HD void push_forces(const Link<R>* links, int n, const ArticulatedSolveScratch<T>& ws, Tau&& tau, ForceFn&& force,
                          Turns&& turn, Shift&& d_of, Wanted&& wanted) {
  tip_to_base<Force<T>>(
      links, n, [&](int k) SINEW_INLINE_LAMBDA -> Force<T>& { return ws.slot_forces[k]; },
      [&](int i, const Link<R>& l, const Children<Force<T>>& children) SINEW_INLINE_LAMBDA -> Force<T> {
        if (!wanted(i)) return {};
        Force<T> F = force(i);
        children.add_to(F);
        if (l.step == Step::revolute || l.step == Step::axial) {
          const Motion<T> S = detail::axial_motion<T>(l);
          const Force<T>& k = ws.k[l.dof];
          const T u = l.step == Step::revolute ? tau(i, l, 0) + F.ang.z : tau(i, l, 0) + dot(S, F);
          ws.u[l.dof] = u * ws.Dinv[l.dof];
          if (l.parent == 0) return F;
          F = F - u * k;
          const Turn<T> t = turn(i, l);
          if (l.step == Step::axial) return to_parent<Twist::any>(l, t.c, t.s, d_of(l), F);
          return dispatch_twist(
              l, [&](auto K) SINEW_INLINE_LAMBDA { return to_parent<K.value>(l, t.c, t.s, lit<T>(l.d), F); });
        }
        if (l.step == Step::free) {  // its axes are those of its frame
          detail::for_axes_backwards([&](auto k) SINEW_INLINE_LAMBDA {
            const T u = tau(i, l, k.value) + detail::component<k.value>(F);
            ws.u[l.dof + k.value] = u * ws.Dinv[l.dof + k.value];
            F = detail::AlongAxis<k.value>{}.give_way(F, u, ws.k[l.dof + k.value]);
          });
          return F;
        }
        const GeneralJoint<T>& g = ws.general[l.extra];
        for (int k = l.nv - 1; k >= 0; --k) {
          const T u = tau(i, l, k) + dot(g.S[k], F);
          ws.u[l.dof + k] = u * ws.Dinv[l.dof + k];
          F = F - u * ws.k[l.dof + k];
        }
        return apply_inverse(g.X, F);
      });
}

// (2) follow(i, A) sees the acceleration of node i, x(l, k, value) takes the answer; only for the nodes `wanted`, whose
// parents must be too.
SINEW_HD_CALLER
template <class T, class R, class Answer, class Follow, class Turns, class Shift, class Wanted>
SINEW_HD void pull_motions(const Link<R>* links, int n, const ArticulatedSolveScratch<T>& ws, Answer&& x,
                           Follow&& follow, Turns&& turn, Shift&& d_of, Wanted&& wanted) {
  const T o = lit<T>(0);
  const Motion<T> still{{o, o, o}, {o, o, o}};
  base_to_tip(
      links, n, still, [&](int k) SINEW_INLINE_LAMBDA -> Motion<T>& { return ws.slot_motions[k]; },
      [&](int i, const Link<R>& l, const Motion<T>& p) SINEW_INLINE_LAMBDA -> Motion<T> {
        Motion<T> A = still;
        if (!wanted(i)) return A;
        if (l.step == Step::revolute || l.step == Step::axial) {
          if (l.parent != 0) {
            const Turn<T> t = turn(i, l);
            if (l.step == Step::axial)
              A = to_link<Twist::any>(l, t.c, t.s, d_of(l), p);
            else
              A = dispatch_twist(
                  l, [&](auto K) SINEW_INLINE_LAMBDA { return to_link<K.value>(l, t.c, t.s, lit<T>(l.d), p); });
          }
          const T answer = ws.u[l.dof] - dot(ws.k[l.dof], A);
          x(l, 0, answer);
          A = A + answer * detail::axial_motion<T>(l);
        } else if (l.step == Step::free) {
          detail::for_axes([&](auto k) SINEW_INLINE_LAMBDA {
            const T answer = ws.u[l.dof + k.value] - detail::AlongAxis<k.value>{}.pull(ws.k[l.dof + k.value], A);
            x(l, k.value, answer);
            detail::component<k.value>(A) = answer;
          });
        } else {
          const GeneralJoint<T>& g = ws.general[l.extra];
          if (l.parent != 0) A = apply(g.X, p);
          for (int k = 0; k < l.nv; ++k) {
            const T answer = ws.u[l.dof + k] - dot(ws.k[l.dof + k], A);
            x(l, k, answer);
            A = A + answer * g.S[k];
          }
        }
        follow(i, A);
        return A;
      });
}

// Both, for all nodes.
SINEW_HD_CALLER
template <class T, class R, class Tau, class ForceFn, class Answer, class Follow, class Turns, class Shift>
SINEW_HD void articulated_solve(const Link<R>* links, int n, const ArticulatedSolveScratch<T>& ws, Tau&& tau,
                                ForceFn&& force, Answer&& x, Follow&& follow, Turns&& turn, Shift&& d_of) {
  const auto all = [](int) SINEW_INLINE_LAMBDA { return true; };
  push_forces<T>(links, n, ws, tau, force, turn, d_of, all);
  pull_motions<T>(links, n, ws, x, follow, turn, d_of, all);
}

}  // namespace sinew
