// src/delassus/ltl.cpp
#include "sinew/delassus/ltl.hpp"

#include <algorithm>

#include "base/scalar_pass.hpp"
#include "driver.hpp"
#include "sinew/delassus/kernel/column_steps.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"

namespace sinew::delassus {

template <class T>
RowJacobian<T>::RowJacobian(const Model& m, const Problem& p)
    : stride(p.columns() + 16), forces(6 * at(stride)), transpose(at(m.nv() + 1) * at(stride)) {
  p.made_for().check("RowJacobian", m, "the problem");
}

template <class T>
void calc_row_jacobian(const Model& m, const Problem& p, const CrbaWorkspace<T>& ws, RowJacobian<T>& J, In<T> q,
                       In<Force<T>> K) {
  const char* call = "calc_row_jacobian";
  p.made_for().check(call, m, "the problem");
  ws.made_for.check(call, m);
  check_positions(call, m, q.size());
  check_size(call, "K", K.size(), p.entries().size());
  check_size(call, "the Jacobian", J.transpose.size(), at(m.nv() + 1) * at(p.columns() + 16));
  const auto links = links_of<T>(m);
  const SpatialColumns<T> F{J.forces.data(), J.stride};
  for (int i = static_cast<int>(links.size()) - 1; i > 0; --i) {
    if (!p.supports(i)) continue;
    if (const int e = p.end_on(i); e >= 0)
      for (int c = p.ends()[e].begin; c < p.ends()[e].end; ++c) F.set(c, K[p.entry_of(c)]);
    const auto& l = links[i];
    const bool axial = l.step == Step::revolute || l.step == Step::axial;
    const JointView<T, ConstantOf<T>> joint{l, ws.turns[i], axial ? ShiftOf<T>{q.data()}(l) : T{},
                                            axial ? nullptr : &ws.general[l.extra]};
    for (int k = 0; k < l.nv; ++k)
      project(joint.axis(k), F, p.begin(i), p.end(i),
              J.transpose.data() + static_cast<std::ptrdiff_t>(l.dof + k) * J.stride);
    if (l.parent != 0) pull_in(joint, F, p.begin(i), p.end(i));
  }
}

template <class T>
LtlWorkspace<T>::LtlWorkspace(const Model& m, const Problem& problem_in)
    : problem(problem_in),
      crba(m),
      jacobian(m, problem),
      H(m.dof_tree().packed_size()),
      Lambda(at(problem.columns() + 1) * at(jacobian.stride)) {
  problem.made_for().check("LtlWorkspace", m, "the problem");
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    for (int k = 0; k < m.nodes()[i].nv; ++k) {
      begin.push_back(problem.begin(static_cast<int>(i)));
      end.push_back(problem.end(static_cast<int>(i)));
    }
}

template <class T>
void ltl(const Model& m, LtlWorkspace<T>& ws, In<T> q, In<Force<T>> K, OutMatrix<T> W, double time) {
  using P = ColumnPack<T>;
  check_call<T>("ltl", m, ws.problem, q, K, W);
  const DofTree& tree = m.dof_tree();
  const int stride = ws.jacobian.stride;
  crba_packed(m, ws.crba, q, ws.H, time);
  calc_general_joints(m, q.data(), time, ws.crba.general, true);
  calc_row_jacobian(m, ws.problem, ws.crba, ws.jacobian, q, K);
  kernel::factor_ltdl_reciprocal(tree, ws.H.data());  // [S23 4]
  std::fill(ws.Lambda.begin(), ws.Lambda.end(), lit<T>(0));

  T* Y = ws.jacobian.transpose.data();
  for (int i = tree.size() - 1; i >= 0; --i) {
    const int d = tree.depth(i), begin = ws.begin[i], end = ws.end[i];
    if (begin == end) continue;
    T* row = Y + static_cast<std::ptrdiff_t>(i) * stride;
    std::fill(row + end, row + end + P::kLanes, lit<T>(0));  // padding
    const T* L = ws.H.data() + tree.row(i);
    // Y = L^-T J^T [S23 5]: a freedom's row is done when all rows below it have been subtracted
    for (int j = tree.parent(i), k = d - 1; k >= 0; j = tree.parent(j), --k) {
      T* above = Y + static_cast<std::ptrdiff_t>(j) * stride;
      const auto factor = P::spread(L[k]);
      for (int c = begin; c < end; c += P::kLanes) P::store(P::load(above + c) - factor * P::load(row + c), above + c);
    }
    // W = Y^T D^-1 Y [S23 6]
    for (int a = begin; a < end; ++a) {
      const auto y = P::spread(row[a] * L[d]);
      T* to = ws.Lambda.data() + static_cast<std::ptrdiff_t>(a) * stride;
      for (int c = a; c < end; c += P::kLanes) P::store(P::load(to + c) + y * P::load(row + c), to + c);
    }
  }
  to_rows(ws.problem, ws.Lambda.data(), stride, W);
}

#define SINEW_INSTANTIATE(T)                                                                                     \
  template struct RowJacobian<T>;                                                                                \
  template struct LtlWorkspace<T>;                                                                               \
  template void calc_row_jacobian(const Model&, const Problem&, const CrbaWorkspace<T>&, RowJacobian<T>&, In<T>, \
                                  In<Force<T>>);                                                                 \
  template void ltl(const Model&, LtlWorkspace<T>&, In<T>, In<Force<T>>, OutMatrix<T>, double);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew::delassus
