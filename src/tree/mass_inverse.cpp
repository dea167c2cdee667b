// src/tree/mass_inverse.cpp
#include "sinew/tree/mass_inverse.hpp"

#include "articulated_driver.hpp"
#include "base/traced_pass.hpp"
#include "sinew/tree/kernel/mass_inverse_sweeps.hpp"
#include "symmetric.hpp"

namespace sinew {
namespace {
std::size_t stride_of(const Model& m) { return static_cast<std::size_t>(padded_columns(m)); }
}  // namespace

template <class T>
MassInverseWorkspace<T>::MassInverseWorkspace(const Model& m)
    : inertias(m),
      columns(6 * stride_of(m) * static_cast<std::size_t>(2 + m.branch_slots())),
      N(stride_of(m) * static_cast<std::size_t>(m.nv() + 1)) {
  for (int s = 0; s < m.branch_slots(); ++s)
    slot_columns.push_back({columns.data() + 6 * stride_of(m) * static_cast<std::size_t>(2 + s), padded_columns(m)});
}

template <class T>
void calc_mass_inverse(const Model& m, MassInverseWorkspace<T>& ws, In<T> q, OutMatrix<T> Minv, double time) {
  ws.inertias.made_for.check("calc_mass_inverse", m);
  check_positions("calc_mass_inverse", m, q.size());
  check_coordinates("calc_mass_inverse", "rows of Minv", m, Minv.rows());
  check_coordinates("calc_mass_inverse", "columns of Minv", m, Minv.cols());
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size()), stride = padded_columns(m);
  const DofTree& tree = m.dof_tree();
  const int *ends = tree.ends().data(), *velocity = tree.velocities().data();
  prepare(m, ws.inertias, q.data(), time, false);
  const MassInverseScratch<T> scratch{scratch_of(ws.inertias),
                                      {ws.columns.data(), stride},
                                      {ws.columns.data() + 6 * stride_of(m), stride},
                                      ws.slot_columns.data(),
                                      ws.N.data(),
                                      stride};
  mass_inverse_sweeps<T>(links.data(), n, scratch, velocity, m.armature().data(),
                         StoredTurns<T>{ws.inertias.turns.data()}, ShiftOf<T>{q.data()});

  // Separate trees on the world are not coupled: a row ends where its tree ends.
  const SymmetricRows<T> rows(tree, Minv);
  for (int c = 0; c < tree.size(); c = ends[c])
    for (int i = c; i < ends[c]; ++i) {
      const T* from = ws.N.data() + static_cast<std::ptrdiff_t>(i) * stride;
      rows.set_row(i, from[i], from, ends[c]);
    }
  rows.finish();
}

#define SINEW_INSTANTIATE(T)               \
  template struct MassInverseWorkspace<T>; \
  template void calc_mass_inverse(const Model&, MassInverseWorkspace<T>&, In<T>, OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
