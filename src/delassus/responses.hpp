// src/delassus/responses.hpp - the two sweeps of delassus/kernel/responses.hpp
#pragma once
#include <algorithm>

#include "driver.hpp"
#include "sinew/delassus/kernel/column_steps.hpp"
#include "sinew/delassus/kernel/responses.hpp"

namespace sinew::delassus {

// (1): rows travel and every freedom stores u / D; F is stored at the nodes where it is needed.
template <class T>
struct KeepForces {
  static constexpr bool kTakesFree = false;
  ResponseWorkspace<T>& ws;
  const Force<T>* K;
  const SpatialColumns<T> F;

  template <class R>
  void enter(int i, const Link<R>&, const ArticulatedInertia<T>&) const {
    const Problem& p = ws.problem;
    if (const int e = p.end_on(i); e >= 0)
      for (int c = p.ends()[e].begin; c < p.ends()[e].end; ++c) F.set(c, K[p.entry_of(c)]);
    if (ws.kept_at[i] < 0) return;
    const SpatialColumns<T> kept = kept_of(ws, i);
    for (int c = 0; c < 6; ++c) std::copy(F.row(c) + p.begin(i), F.row(c) + p.end(i), kept.row(c) + p.begin(i));
  }
  template <class R, class Joint, class Cross>
  void pass(int i, const Link<R>&, int dof, const Joint& joint, Cross&& cross) const {
    using P = ColumnPack<T>;
    using V = typename P::Type;
    const Force<V> k = sinew::detail::spread(ws.inertias.k[dof]);
    const V Dinv = P::spread(ws.inertias.Dinv[dof]);
    T* row = ws.rows.data() + static_cast<std::ptrdiff_t>(dof) * ws.stride;
    for_each_column<Force>(F, ws.problem.begin(i), ws.problem.end(i), [&](int c, const Force<V>& f) {
      const V u = joint.project(f);
      P::store(u * Dinv, row + c);
      return cross(joint.give_way(f, u, k));
    });
  }
  template <class R>
  void shift(int i, const Link<R>&, const Transform<T>& X) const {
    const auto across = spread_transform<T>(X);
    for_each_column<Force>(F, ws.problem.begin(i), ws.problem.end(i),
                           [&](int, const auto& f) { return apply_inverse(across, f); });
  }
  static SpatialColumns<T> kept_of(ResponseWorkspace<T>& ws, int node) {
    return {ws.kept.data() + static_cast<std::ptrdiff_t>(ws.kept_at[node]) * 6 * ws.stride, ws.stride};
  }
};

template <class T>
JointView<T, ConstantOf<T>> joint_of(const Link<ConstantOf<T>>& l, const ArticulatedWorkspace<T>& ws, int i,
                                     const T* q) {
  const bool axial = l.step == Step::revolute || l.step == Step::axial;
  return {l, axial ? ws.turns[i] : Turn<T>{}, axial ? ShiftOf<T>{q}(l) : T{}, axial ? nullptr : &ws.general[l.extra]};
}

// follow_to(i): accelerations of the columns begin(i) .. follow_to(i) - 1 are needed on node i;
// read(i, F, A): F as it arrived at node i, A the accelerations of node i.
template <class T, class FollowTo, class Read>
void calc_responses(const Model& m, ResponseWorkspace<T>& ws, In<T> q, In<Force<T>> K, double time, FollowTo follow_to,
                    Read read) {
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  const Problem& p = ws.problem;
  prepare(m, ws.inertias, q.data(), time, true);
  const SpatialColumns<T> F{ws.forces.data(), ws.stride};
  articulated_sweep<T>(links.data(), n, scratch_of(ws.inertias), m.dof_tree().velocities().data(), m.armature().data(),
                       StoredTurns<T>{ws.inertias.turns.data()}, ShiftOf<T>{q.data()}, KeepForces<T>{ws, K.data(), F});

  std::fill(ws.accelerations.begin(), ws.accelerations.begin() + 6 * ws.stride, lit<T>(0));  // of the world
  const auto at_depth = [&](int node) {
    return SpatialColumns<T>{ws.accelerations.data() + static_cast<std::ptrdiff_t>(ws.depth[node]) * 6 * ws.stride,
                             ws.stride};
  };
  for (int i = 1; i < n; ++i) {
    if (!p.supports(i)) continue;
    const auto& l = links[i];
    const int begin = p.begin(i), end = p.end(i), last = follow_to(i);
    const JointView<T, ConstantOf<T>> joint = joint_of(l, ws.inertias, i, q.data());
    const SpatialColumns<T> A = at_depth(i);
    push_out(joint, at_depth(l.parent), A, begin, last);
    for (int k = 0; k < l.nv; ++k) {
      const T* row = ws.rows.data() + static_cast<std::ptrdiff_t>(l.dof + k) * ws.stride;
      follow(joint.axis(k), ws.inertias.k[l.dof + k], row, A, begin, end);
      follow<T>(joint.axis(k), ws.inertias.k[l.dof + k], nullptr, A, end, last);
    }
    if (ws.kept_at[i] >= 0) read(i, KeepForces<T>::kept_of(ws, i), A);
  }
}

}  // namespace sinew::delassus
