// sinew/derivative/kernel/forward_slopes.hpp - accelerations of a tree, and what its derivatives are made of
// Between place_slope_nodes and slope_responses.hpp: (1) to (5) of articulated_slopes.hpp with gravity, armature and
// the torques that joints have by themselves.
#pragma once
#include "sinew/derivative/kernel/articulated_slopes.hpp"
#include "sinew/derivative/kernel/slope_forces.hpp"

namespace sinew {

// a[k]: where the acceleration of coordinate k goes.
SINEW_HD_CALLER
template <class T, class R, class V, class Tau, class A>
SINEW_HD void solve_slope_nodes(const Link<R>* links, int n, const SlopeScratch<T>& ws, const ArticulatedSlopes<T>& art,
                                const double* armature, const V& v, const Tau& tau, const A& a) {
  // The forces of the joints at rest, less what armature takes of them.
  T bias[kMaxJointDofs];
  move_slope_nodes(links, n, ws, v, [](int) SINEW_INLINE_LAMBDA { return lit<T>(0); });
  eliminate_slope_nodes<T>(
      links, n, ws, art,
      [&](const Link<R>& l, int k) SINEW_INLINE_LAMBDA {
        if (l.extra < 0 || !has_armature_bias(l.kind, armature + l.v)) return T(tau[l.v + k]);
        calc_armature_bias(l.kind, armature + l.v, v, l.v, bias);
        return T(tau[l.v + k] - bias[k]);
      },
      [&](const Link<R>& l, int k) SINEW_INLINE_LAMBDA { return lit<T>(armature[l.v + k]); });
  accelerate_slope_nodes<T>(
      links, n, ws, art, v, [&](int k) SINEW_INLINE_LAMBDA -> T& { return a[k]; },
      [&](int i, const Link<R>& l, const Force<T>& F, JointTorques<T>& t) {
        for (auto* x : {&t.q, &t.v})
          for (auto& row : *x)
            for (T& e : row) e = lit<T>(0);
        add_armature_slopes_of<T>(l, armature, v, [&](int k, int h, const T& x) { t.v[k][h] = x; });
        if (ws.slopes_of[i] < 0) return;
        const JointSlopes<T>& d = ws.slopes[ws.slopes_of[i]];
        const Force<T> own = detail::to_node(ws.nodes[i], F);
        for (int h = 0; h < l.nv; ++h)
          for (int k = 0; k < l.nv; ++k) t.q[h][k] = dot(d.S[k][h], own);
      });
}

}  // namespace sinew
