// src/tree/mass_inverse.cpp
#include "sinew/tree/mass_inverse.hpp"

#include <algorithm>

#include "aligned_rows.hpp"
#include "articulated_driver.hpp"
#include "base/traced_pass.hpp"
#include "sinew/tree/kernel/factor_inverse.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"
#include "symmetric.hpp"

namespace sinew {
namespace {
std::size_t stride_of(const Model& m) { return at(aligned_stride(m.nv(), 1)); }

// The factors take the time of D2 operations, the columns that of n^2. Measured on chains: the same at 24 freedoms.
bool has_short_limbs(const DofTree& tree) {
  const long n = tree.size();
  return tree.d2() <= 4 * n * n;
}
bool has_branches(const Model& m) {
  const auto links = m.links<double>();
  for (std::size_t i = 1; i < links.size(); ++i)
    if (links[i].parent != 0 && at(links[i].parent) + 1 != i) return true;
  return false;
}

std::size_t numbers_of_columns(const Model& m) { return 6 * stride_of(m) * at(2 + m.branch_slots()) + kRegister; }
}  // namespace

template <class T>
MassInverseWorkspace<T>::MassInverseWorkspace(const Model& m, InverseBy way)
    : by_factors(way == InverseBy::shape ? has_short_limbs(m.dof_tree()) : way == InverseBy::factors),
      N(stride_of(m) * at(m.nv() + 1) + kRegister),
      crba(m, CrbaBy::link_frames),  // packed
      L(by_factors ? m.dof_tree().packed_size() + kRegister : 0),
      Z(by_factors ? N.size() : 0),
      chains(make_freedom_chains(m.dof_tree())),
      blocks(make_freedom_blocks(m.dof_tree(), above)),
      coordinates(make_coordinate_runs(m.dof_tree())),
      inertias(m),
      X(by_factors ? 0 : node_count(m)),
      freedoms(by_factors ? 0 : at(m.nv())),
      path(by_factors || has_branches(m) ? 0 : at(m.nv())),
      columns(by_factors ? 0 : numbers_of_columns(m)) {
  for (int k = 0; k < m.nv() && by_factors; ++k) align_numbers(Z)[at(k) * (stride_of(m) + 1)] = lit<T>(1);
}

namespace {
template <class T>
void invert_by_factors(const Model& m, MassInverseWorkspace<T>& ws, In<T> q, const MatrixView<T>& Minv, double time) {
  const DofTree& tree = m.dof_tree();
  T* N = align_numbers(ws.N);
  crba_packed<T>(m, ws.crba, q, {ws.L.data(), tree.packed_size()}, time);
  kernel::factor_ltdl_reciprocal(tree, ws.L.data());
  const FactorInverse<T> inverse{tree, ws.L.data(), align_numbers(ws.Z), N, static_cast<int>(stride_of(m))};
  invert_from_factor(inverse, ws.chains, ws.blocks, ws.above);
  copy_symmetric(ws.coordinates, N, inverse.stride, Minv);
}
template <class T>
void invert_by_columns(const Model& m, MassInverseWorkspace<T>& ws, In<T> q, const MatrixView<T>& Minv, double time) {
  T *N = align_numbers(ws.N), *columns = align_numbers(ws.columns);
  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size()), nv = m.nv(), stride = static_cast<int>(stride_of(m));
  const DofTree& tree = m.dof_tree();
  prepare(m, ws.inertias, q.data(), time, false);
  const MassInverseScratch<T> scratch{scratch_of(ws.inertias),
                                      ws.X.data(),
                                      ws.freedoms.data(),
                                      columns,
                                      columns + 6 * stride,
                                      columns + 12 * stride,
                                      N,
                                      stride};
  const PathInverseScratch<T> along{scratch.inertias, ws.path.data(), columns, N, stride};
  const StoredTurns<T> turns{ws.inertias.turns.data()};
  const ShiftOf<T> shift{q.data()};
  const int* velocity = tree.velocities().data();
  const double* armature = m.armature().data();
  const auto invert = [&](auto pack) {
    if (ws.path.empty())
      mass_inverse_sweeps<decltype(pack), T>(links.data(), n, scratch, velocity, armature, turns, shift);
    else
      path_inverse_sweeps<decltype(pack), T>(links.data(), n, along, velocity, armature, turns, shift);
  };
  if (nv >= kWideColumnsFrom)
    invert(AlignedPack<T>{});
  else
    invert(ColumnPack<T>{});

  // Separate trees on the world are not coupled.
  for (int root = 0; root < nv; root = tree.end(root))
    for (int k = root; k < tree.end(root); ++k)
      std::fill(scratch.row(k) + tree.end(root), scratch.row(k) + nv, lit<T>(0));
  copy_symmetric(ws.coordinates, N, stride, Minv);
}
}  // namespace

template <class T>
void calc_mass_inverse(const Model& m, MassInverseWorkspace<T>& ws, In<T> q, OutMatrix<T> Minv, double time) {
  ws.inertias.made_for.check("calc_mass_inverse", m);
  check_positions("calc_mass_inverse", m, q.size());
  check_coordinates("calc_mass_inverse", "rows of Minv", m, Minv.rows());
  check_coordinates("calc_mass_inverse", "columns of Minv", m, Minv.cols());
  if (ws.by_factors)
    invert_by_factors(m, ws, q, Minv, time);
  else
    invert_by_columns(m, ws, q, Minv, time);
}

#define SINEW_INSTANTIATE(T)               \
  template struct MassInverseWorkspace<T>; \
  template void calc_mass_inverse(const Model&, MassInverseWorkspace<T>&, In<T>, OutMatrix<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
