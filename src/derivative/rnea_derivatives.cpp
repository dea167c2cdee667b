// src/derivative/rnea_derivatives.cpp
#include "sinew/derivative/rnea_derivatives.hpp"

#include <algorithm>
#include <string>

#include "base/traced_pass.hpp"
#include "slope_driver.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

// The joints whose S changes, numbered; those that cannot be differentiated are refused.
template <class T>
std::vector<int> number_slopes(const Model& m) {
  std::vector<int> of(m.nodes().size(), -1);
  int count = 0;
  for (std::size_t i = 1; i < of.size(); ++i) {
    const Joint& joint = m.nodes()[i].joint;
    if (!has_moving_subspace(joint)) continue;
    of[i] = count++;
    if (joint.kind != JointKind::user) continue;
    const char* why = std::is_same_v<T, Dual>          ? "' cannot be differentiated twice"
                      : std::is_same_v<T, Traced>      ? "' cannot be differentiated in generated code"
                      : joint.nq() > kMaxUserPositions ? "' has too many positions"
                                                       : nullptr;
    if (!why) continue;
    using Error = std::conditional_t<std::is_same_v<T, Traced>, TraceError, std::invalid_argument>;
    for (const JointEntry& j : m.joints())
      for (const int node : j.nodes)
        if (node == static_cast<int>(i)) throw Error("RneaDerivativesWorkspace: the user's joint '" + j.name + why);
  }
  return of;
}
int count_slopes(const std::vector<int>& of) {
  int count = 0;
  for (const int k : of) count += k >= 0;
  return count;
}

}  // namespace

template <class T>
RneaDerivativesWorkspace<T>::RneaDerivativesWorkspace(const Model& m)
    : made_for(m),
      angles(padded_nodes(m)),
      turns(node_count(m)),
      nodes(node_count(m)),
      joints(static_cast<std::size_t>(m.general_joints())),
      slopes_of(number_slopes<T>(m)),
      external(node_count(m)),
      columns(at(8 * 6 * padded_columns(m))),
      coordinates(make_coordinate_runs(m.dof_tree())),
      rows(at(2 * 3 * padded_columns(m))) {
  slopes.resize(static_cast<std::size_t>(count_slopes(slopes_of)));
  const DofTree& tree = m.dof_tree();
  std::vector<int> path;
  for (int k = 0; k < tree.size(); ++k) {
    first_run.push_back(static_cast<int>(runs.size()));
    path.resize(at(tree.depth(k)));
    path.push_back(k);
    for (const int p : path) {
      if (runs.size() > at(first_run.back()) && runs.back().end == p)
        runs.back().end = p + 1;
      else
        runs.push_back({p, p + 1});
    }
  }
  first_run.push_back(static_cast<int>(runs.size()));
  find_segments(m);
}

// The segments of each row, and whether the rows below it in the results, as far as its last register reaches, are
// filled after it.
template <class T>
void RneaDerivativesWorkspace<T>::find_segments(const Model& m) {
  const DofTree& tree = m.dof_tree();
  const int n = tree.size(), beyond = ColumnPack<T>::kLanes - 1;
  std::vector<int> freedom(at(n));
  for (int k = 0; k < n; ++k) freedom[at(tree.velocity(k))] = k;
  std::vector<unsigned char> above(at(n));
  for (const auto& l : m.links<double>().subspan(1))
    for (int k = l.dof; k < l.dof + l.nv; ++k) {
      std::fill(above.begin(), above.end(), 0);
      for (int r = first_run[at(k)]; r < first_run[at(k) + 1]; ++r)
        std::fill(above.begin() + runs[at(r)].begin, above.begin() + runs[at(r)].end, 1);
      std::fill(above.begin() + l.dof, above.begin() + l.dof + l.nv, 1);
      first_segment.push_back(static_cast<int>(segments.size()));
      for (int v = 0; v < n; ++v) {
        const int h = freedom[at(v)];
        const RowPart part = above[at(h)] ? RowPart::above : h > k && h < l.dof_end ? RowPart::below : RowPart::zero;
        const bool first = segments.size() == at(first_segment.back());
        if (!first && segments.back().part == part &&
            (part == RowPart::zero || segments.back().from + segments.back().count == h))
          ++segments.back().count;
        else
          segments.push_back({h, v, 1, part});
      }
      const int v = tree.velocity(k), rows_beyond = (beyond + n - 1) / n;
      direct.push_back(v + rows_beyond < n);
      for (int r = 1; r <= rows_beyond && v + r < n; ++r) direct.back() &= freedom[at(v + r)] > k;
    }
  first_segment.push_back(static_cast<int>(segments.size()));
}

template <class T>
void calc_rnea_derivatives(const Model& m, RneaDerivativesWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau,
                           OutMatrix<T> dtau_dq, OutMatrix<T> dtau_dv, OutMatrix<T> M,
                           const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_rnea_derivatives";
  check_state(call, m, ws.made_for, q.size(), v.size());
  check_coordinates(call, "a", m, a.size());
  check_coordinates(call, "tau", m, tau.size());
  check_shape(call, "dtau_dq", dtau_dq, at(m.nv()), at(m.nv()));
  check_shape(call, "dtau_dv", dtau_dv, at(m.nv()), at(m.nv()));
  check_shape(call, "M", M, at(m.nv()), at(m.nv()));

  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size());
  const SlopeScratch<T> scratch = slope_scratch_of(m, ws, gather_external(call, m, s, ws.external));
  const auto acc = [a = a.data()](int k) SINEW_INLINE_LAMBDA -> const T& { return a[k]; };
  place_nodes(m, ws, scratch, q.data(), v.data(), s.time);
  sum_slope_nodes(links.data(), n, scratch, v.data(), acc);
  calc_slope_momenta(links.data(), n, scratch);
  calc_slope_columns(links.data(), n, scratch, v.data(), acc);
  calc_slope_forces(links.data(), n, scratch, m.armature().data(), v.data(), acc, tau.data());

  // Rows go straight to the results where what they write beyond their end is overwritten later. Others go there when
  // the row after them is done: what has just been written in registers cannot be read at once in others.
  const DofTree& tree = m.dof_tree();
  const int stride = padded_columns(m), nv = m.nv();
  const MatrixView<T>* const results[] = {&dtau_dq, &dtau_dv, &M};
  const auto buffer = [&](int k, int which) { return ws.rows.data() + (3 * (k & 1) + which) * stride; };
  const auto is_direct = [&](const MatrixView<T>& to, int k) { return ws.direct[at(k)] && to.stride() == at(nv); };
  const auto place = [&](int k, int which) {
    const MatrixView<T>& to = *results[which];
    return is_direct(to, k) ? to.data() + at(tree.velocity(k)) * at(nv) : buffer(k, which);
  };
  const auto put = [&](int k) {
    for (int which = 0; which < 3; ++which) {
      const MatrixView<T>& to = *results[which];
      if (!is_direct(to, k)) std::copy_n(buffer(k, which), nv, to.data() + at(tree.velocity(k)) * to.stride());
    }
  };
  fill_slope_rows<T>(
      links.data(), n, scratch, {ws.first_segment.data(), ws.segments.data()},
      [&](int k) SINEW_INLINE_LAMBDA {
        return SlopeRow<T>{place(k, 0), place(k, 1), place(k, 2)};
      },
      [&](int k) {
        if (k > 0) put(k - 1);
      });
  if (nv > 0) put(nv - 1);
  add_armature_slopes(m, v.data(),
                      [&](int k, int h, const T& x) { dtau_dv(at(tree.velocity(k)), at(tree.velocity(h))) += x; });
  for (std::size_t k = 0; k < M.rows(); ++k) M(k, k) += lit<T>(m.armature()[k]);
}

#define SINEW_INSTANTIATE(T)                                                                                   \
  template struct RneaDerivativesWorkspace<T>;                                                                 \
  template void calc_rnea_derivatives(const Model&, RneaDerivativesWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                      OutMatrix<T>, OutMatrix<T>, OutMatrix<T>,                                \
                                      const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
