// src/tree/crba.cpp
#include "sinew/tree/crba.hpp"

#include <algorithm>

#include "base/traced_pass.hpp"
#include "crba_driver.hpp"
#include "sinew/sweep/kernel/grid_columns.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/kernel/crba_common_frame.hpp"
#include "symmetric.hpp"

namespace sinew {

namespace {
// Nearly a chain, and so long that the common frame pays; branches make squares of M that are computed in vain.
// Measured on chains: the same at 24 freedoms with registers of 16 bytes, at 14 with 64; packs of samples at 24 and 36.
// Only in double: float has no digits to spare at the tip. Counts stay those of [F08 10.10], and generated code leaves
// out the zeros of link frames.
template <class T>
bool is_deep(const DofTree& tree) {
  if constexpr (std::is_same_v<T, Counted> || std::is_same_v<T, Traced>) return false;
  if constexpr (!std::is_same_v<ConstantOf<T>, double>) return false;
  const long n = tree.size(), least = ScalarTraits<T>::kLanes > 1 ? 40 : 24;
  return n >= least && 5 * tree.d1() >= 2 * n * n;  // n (n - 1) / 2 of a chain
}
}  // namespace

template <class T>
CrbaWorkspace<T>::CrbaWorkspace(const Model& m, CrbaBy way)
    : made_for(m),
      in_common_frame(way == CrbaBy::shape ? is_deep<T>(m.dof_tree()) : way == CrbaBy::common_frame),
      angles(padded_nodes(m)),
      columns(6 * static_cast<std::size_t>(padded_columns(m))),
      row(static_cast<std::size_t>(padded_columns(m))),
      turns(node_count(m)),
      slot_loads(static_cast<std::size_t>(m.branch_slots())),
      general(static_cast<std::size_t>(m.general_joints())) {
  if (!in_common_frame) return;
  const std::size_t nodes = padded_nodes(m), freedoms = row.size();
  branches.resize(slot_loads.size());
  X.resize(12 * nodes), placed.resize(9 * nodes), own.resize(10 * nodes);
  S.resize(6 * freedoms), motions.resize(6 * freedoms), composites.resize(9 * freedoms);
  mass.resize(freedoms);
  const auto links = links_of<T>(m);
  for (std::size_t i = 1; i < links.size(); ++i) {
    const auto& l = links[i];
    own[i] = lit<T>(l.m);
    detail::put_inertia(l.h, l.I, [&](std::size_t k, auto x) { own[(k + 1) * nodes + i] = lit<T>(x); });
    std::fill_n(mass.begin() + l.dof, l.nv, lit<T>(l.mc));
  }
  const std::span<const int> all = m.dof_tree().ends();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto rows = all.subspan(i, std::min<std::size_t>(AlignedPack<T>::kLanes, all.size() - i));
    ends.push_back({std::ranges::min(rows), std::ranges::max(rows)});
  }
  coordinates = make_coordinate_runs(m.dof_tree());
}

namespace {
template <class T>
void fill_by_rows(const Model& m, std::span<const Link<ConstantOf<T>>> links, CrbaWorkspace<T>& ws, const T* q,
                  const MatrixView<T>& M, double time) {
  const DofTree& tree = m.dof_tree();
  const SymmetricRows<T> rows(tree, M);
  const int* ends = tree.ends().data();
  run_crba<T>(m, links, ws, q, time, [&](int i, const T* entries, const T& diagonal) SINEW_INLINE_LAMBDA {
    rows.set_row(i, diagonal, entries, ends[i]);
  });
  rows.finish();
}

// M_ij = S_i^T F_j, by squares of registers, both halves at once.
template <class T>
void fill_by_squares(const Model& m, const CrbaWorkspace<T>& ws, const SpatialColumns<T>& F, const MatrixView<T>& M) {
  using P = AlignedPack<T>;
  using V = typename P::Type;
  constexpr int kLanes = P::kLanes;
  const int* ends = m.dof_tree().ends().data();
  const RowEnds* rows = ws.ends.data();
  const T* S = ws.S.data();
  const V zero = P::spread(lit<T>(0));
  struct Columns {
    int j;
    V f[6];
  };
  const auto columns = [&](int j) SINEW_INLINE_LAMBDA {
    Columns out{j, {}};
    detail::load_columns<6, P>(F.data + j, F.stride, out.f);
    return out;
  };
  const auto square = [&](int i, const Columns& of, V(&x)[kLanes]) SINEW_INLINE_LAMBDA {
    if (rows[i].last <= of.j) {
      unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = zero; });
      return;
    }
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = detail::dot_columns<P>(S + 6 * (i + r), of.f); });
    if (rows[i].first >= of.j + kLanes) return;
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = P::choose(P::lanes(0, ends[i + r] - of.j), x[r], zero); });
  };
  const auto number = [&](int i, int j) {
    T f[6];
    unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { f[r] = F.row(r)[j]; });
    return j < ends[i] ? detail::dot_six(S + 6 * i, f) : lit<T>(0);
  };
  fill_symmetric<P>(ws.coordinates, M, columns, square, number);
}

template <class T>
void fill_in_common_frame(const Model& m, CrbaWorkspace<T>& ws, const T* q, const MatrixView<T>& M, double time) {
  const auto links = links_of<T>(m);
  calc_joints(m, links, ws, q, time);
  const int n = static_cast<int>(links.size()), nodes = static_cast<int>(padded_nodes(m)), freedoms = padded_columns(m);
  const CommonFrameScratch<T> scratch{ws.turns.data(),
                                      ws.general.data(),
                                      {ws.own.data(), nodes},
                                      ws.mass.data(),
                                      {ws.X.data(), nodes},
                                      {ws.placed.data(), nodes},
                                      ws.branches.data(),
                                      ws.slot_loads.data(),
                                      ws.S.data(),
                                      {ws.motions.data(), freedoms},
                                      {ws.composites.data(), freedoms},
                                      {ws.columns.data(), freedoms}};
  place_nodes<T>(links.data(), n, scratch, ShiftOf<T>{q});
  place_inertias(n, scratch);
  add_inertias(links.data(), n, scratch);
  push_freedoms(m.nv(), scratch);
  fill_by_squares(m, ws, scratch.F, M);
  for (std::size_t v = 0; v < M.rows(); ++v) {
    T& diagonal = M.data()[v * (M.stride() + 1)];
    if (m.armature()[v] != 0) diagonal = diagonal + lit<T>(m.armature()[v]);
  }
}

template <class T>
void check_sizes(const Model& m, const CrbaWorkspace<T>& ws, In<T> q, OutMatrix<T> M) {
  ws.made_for.check("crba", m);
  check_positions("crba", m, q.size());
  check_coordinates("crba", "rows of M", m, M.rows());
  check_coordinates("crba", "columns of M", m, M.cols());
}
}  // namespace

template <class T>
void crba(const Model& m, CrbaWorkspace<T>& ws, In<T> q, OutMatrix<T> M, double time) {
  check_sizes<T>(m, ws, q, M);
  if (ws.in_common_frame)
    fill_in_common_frame<T>(m, ws, q.data(), M, time);
  else
    fill_by_rows<T>(m, links_of<T>(m), ws, q.data(), M, time);
}
template <class T>
void crba(const EquivalentModel& m, CrbaWorkspace<T>& ws, In<T> q, OutMatrix<T> M, double time) {
  check_sizes<T>(m.model(), ws, q, M);
  fill_by_rows<T>(m.model(), m.links<ConstantOf<T>>(), ws, q.data(), M, time);
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
