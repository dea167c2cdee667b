// sinew/derivative/kernel/slope_forces.hpp - forces of the joints beside derivatives, and what armature adds to these
#pragma once
#include "sinew/derivative/kernel/slope_nodes.hpp"
#include "sinew/joint/armature.hpp"

namespace sinew {

// tau of every coordinate from F of its subtree, after sum_slope_nodes; acc(k) is the acceleration of coordinate k.
SINEW_HD_CALLER
template <class T, class R, class V, class A, class Tau>
SINEW_HD void calc_slope_forces(const Link<R>* links, int n, const SlopeScratch<T>& ws, const double* armature,
                                const V& v, A&& acc, Tau&& tau) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    for (int k = 0; k < l.nv; ++k)
      tau[l.v + k] =
          dot(detail::get_motion(ws.S, l.dof + k), ws.nodes[i].sum.f) + lit<T>(armature[l.v + k]) * acc(l.v + k);
    if (!has_armature_bias(l.kind, armature + l.v)) continue;
    T b[kMaxJointDofs];
    calc_armature_bias(l.kind, armature + l.v, v, l.v, b);
    for (int k = 0; k < l.nv; ++k) tau[l.v + k] = tau[l.v + k] + b[k];
  }
}

// The armature's part of dtau/dv of one joint: b(v) is quadratic, so that its slope along e is b(v + e) - b(v) - b(e).
// add(k, h, x): x to the entry of its freedoms k and h.
SINEW_HD_CALLER
template <class T, class R, class V, class Add>
SINEW_HD void add_armature_slopes_of(const Link<R>& l, const double* armature, const V& v, Add&& add) {
  const double* A = armature + l.v;
  if (!has_armature_bias(l.kind, A)) return;
  T here[kMaxJointDofs], moved[kMaxJointDofs], alone[kMaxJointDofs], u[kMaxJointDofs];
  calc_armature_bias(l.kind, A, v, l.v, here);
  for (int h = 0; h < l.nv; ++h) {
    for (int k = 0; k < l.nv; ++k) u[k] = lit<T>(k == h ? 1 : 0);
    calc_armature_bias(l.kind, A, u, 0, alone);
    for (int k = 0; k < l.nv; ++k) u[k] = u[k] + v[l.v + k];
    calc_armature_bias(l.kind, A, u, 0, moved);
    for (int k = 0; k < l.nv; ++k) add(k, h, moved[k] - here[k] - alone[k]);
  }
}

}  // namespace sinew
