// src/derivative/slope_driver.hpp - what the derivatives of inverse and forward dynamics share
#pragma once
#include <algorithm>

#include "sinew/derivative/rnea_derivatives.hpp"
#include "tree/crba_driver.hpp"

namespace sinew {

template <class T>
SlopeScratch<T> slope_scratch_of(const Model& m, RneaDerivativesWorkspace<T>& ws, Force<T>* external) {
  const int stride = padded_columns(m);
  const auto columns = [&](int k) { return SpatialColumns<T>{ws.columns.data() + 6 * stride * k, stride}; };
  return {ws.nodes.data(), ws.joints.data(), ws.slopes.data(), ws.slopes_of.data(), external,   columns(0), columns(1),
          columns(2),      columns(3),       columns(4),       columns(5),          columns(6), columns(7)};
}

// Where the nodes stand, how they move, S, psi and phi.
template <class T>
void place_nodes(const Model& m, RneaDerivativesWorkspace<T>& ws, const SlopeScratch<T>& scratch, const T* q,
                 const T* v, double time) {
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  calc_turns(links.data(), n, q, ws.angles.data(), ws.turns.data());
  place_slope_nodes<T>(links.data(), n, scratch, cast<ConstantOf<T>>(m.gravity()), v, StoredTurns<T>{ws.turns.data()},
                       ShiftOf<T>{q}, JointMotionOf<T>{m, q, v, time, false},
                       [&](int i, const Link<ConstantOf<T>>& l, JointSlopes<T>& out) {
                         calc_joint_slopes(m.nodes()[i].joint, q + l.q, v + l.v, time, out);
                       });
}

// tau of coordinate k from F of its subtree; a(k) is its acceleration.
template <class T, class A>
void calc_slope_forces(const Model& m, const SlopeScratch<T>& ws, const T* v, A&& a, T* tau) {
  const auto links = links_of<T>(m);
  const double* armature = m.armature().data();
  for (std::size_t i = 1; i < links.size(); ++i) {
    const auto& l = links[i];
    for (int k = 0; k < l.nv; ++k)
      tau[l.v + k] =
          dot(detail::get_motion(ws.S, l.dof + k), ws.nodes[i].sum.f) + lit<T>(armature[l.v + k]) * a(l.v + k);
    if (!has_armature_bias(l.kind, armature + l.v)) continue;
    T b[kMaxJointDofs];
    calc_armature_bias(l.kind, armature + l.v, v, l.v, b);
    for (int k = 0; k < l.nv; ++k) tau[l.v + k] = tau[l.v + k] + b[k];
  }
}

// The armature's part of dtau/dv: b(v) is quadratic, so that its slope along e is b(v + e) - b(v) - b(e).
// Of one joint; add(k, h, x): x to the entry of its freedoms k and h.
template <class T, class L, class Add>
void add_armature_slopes_of(const L& l, const double* armature, const T* v, Add&& add) {
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
// Of all; by freedoms of the tree.
template <class T, class Add>
void add_armature_slopes(const Model& m, const T* v, Add&& add) {
  for (const auto& l : links_of<T>(m).subspan(1))
    add_armature_slopes_of(l, m.armature().data(), v, [&](int k, int h, const T& x) { add(l.dof + k, l.dof + h, x); });
}

// A matrix from the order of the freedoms to that of the coordinates.
template <class T>
void copy_rows(const DofTree& tree, const std::vector<CoordinateRun>& runs, const SlopeMatrix<T>& from,
               const MatrixView<T>& to) {
  copy_rows(tree, runs, from.data, from.stride, to);
}

}  // namespace sinew
