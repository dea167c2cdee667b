// src/tree/crba.cpp
#include "sinew/tree/crba.hpp"

#include "base/traced_pass.hpp"
#include "crba_driver.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "symmetric.hpp"

namespace sinew {

template <class T>
CrbaWorkspace<T>::CrbaWorkspace(const Model& m)
    : made_for(m),
      angles(padded_nodes(m)),
      columns(6 * static_cast<std::size_t>(padded_columns(m))),
      row(static_cast<std::size_t>(padded_columns(m))),
      turns(node_count(m)),
      slot_loads(static_cast<std::size_t>(m.branch_slots())),
      general(static_cast<std::size_t>(m.general_joints())) {}

namespace {
template <class T>
void fill_matrix(const Model& m, std::span<const Link<ConstantOf<T>>> links, CrbaWorkspace<T>& ws, In<T> q,
                 OutMatrix<T> M, double time) {
  ws.made_for.check("crba", m);
  check_positions("crba", m, q.size());
  check_coordinates("crba", "rows of M", m, M.rows());
  check_coordinates("crba", "columns of M", m, M.cols());
  const DofTree& tree = m.dof_tree();
  const SymmetricRows<T> rows(tree, M);
  const int* ends = tree.ends().data();
  run_crba<T>(m, links, ws, q.data(), time, [&](int i, const T* entries, const T& diagonal) SINEW_INLINE_LAMBDA {
    rows.set_row(i, diagonal, entries, ends[i]);
  });
  rows.finish();
}
}  // namespace

template <class T>
void crba(const Model& m, CrbaWorkspace<T>& ws, In<T> q, OutMatrix<T> M, double time) {
  fill_matrix(m, links_of<T>(m), ws, q, M, time);
}
template <class T>
void crba(const EquivalentModel& m, CrbaWorkspace<T>& ws, In<T> q, OutMatrix<T> M, double time) {
  fill_matrix(m.model(), m.links<ConstantOf<T>>(), ws, q, M, time);
}

template <class T>
void crba_packed(const Model& m, CrbaWorkspace<T>& ws, In<T> q, Out<T> packed, double time) {
  ws.made_for.check("crba_packed", m);
  check_positions("crba_packed", m, q.size());
  check_size("crba_packed", "packed", packed.size(), m.dof_tree().packed_size());
  const DofTree& tree = m.dof_tree();
  run_crba<T>(m, links_of<T>(m), ws, q.data(), time, [&](int i, const T* entries, const T& diagonal) {
    const std::size_t place = static_cast<std::size_t>(tree.depth(i));
    packed[tree.row(i) + place] = diagonal;
    for (int j = i + 1; j < tree.end(i); ++j) packed[tree.row(j) + place] = entries[j];
  });
}

#define SINEW_INSTANTIATE(T)                                                                  \
  template struct CrbaWorkspace<T>;                                                           \
  template void crba(const Model&, CrbaWorkspace<T>&, In<T>, OutMatrix<T>, double);           \
  template void crba(const EquivalentModel&, CrbaWorkspace<T>&, In<T>, OutMatrix<T>, double); \
  template void crba_packed(const Model&, CrbaWorkspace<T>&, In<T>, Out<T>, double);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
