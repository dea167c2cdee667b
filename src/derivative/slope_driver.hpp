// src/derivative/slope_driver.hpp - what the derivatives of inverse and forward dynamics share
#pragma once
#include <algorithm>

#include "sinew/derivative/kernel/slope_forces.hpp"
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

// What armature adds to dtau/dv, of all joints; by freedoms of the tree.
template <class T, class Add>
void add_armature_slopes(const Model& m, const T* v, Add&& add) {
  for (const auto& l : links_of<T>(m).subspan(1))
    add_armature_slopes_of<T>(l, m.armature().data(), v,
                              [&](int k, int h, const T& x) { add(l.dof + k, l.dof + h, x); });
}

// A matrix from the order of the freedoms to that of the coordinates.
template <class T>
void copy_rows(const DofTree& tree, const std::vector<CoordinateRun>& runs, const SlopeMatrix<T>& from,
               const MatrixView<T>& to) {
  copy_rows(tree, runs, from.data, from.stride, to);
}

}  // namespace sinew
