// src/derivative/aba_derivatives.cpp
#include "sinew/derivative/aba_derivatives.hpp"

#include "base/traced_pass.hpp"
#include "sinew/derivative/kernel/forward_slopes.hpp"
#include "slope_driver.hpp"
#include "tree/aligned_rows.hpp"
#include "tree/articulated_driver.hpp"
#include "tree/checks.hpp"
#include "tree/symmetric.hpp"
#include "tree/transposed.hpp"

namespace sinew {
namespace {

template <class T>
int row_stride(const Model& m) {
  constexpr int kLanes = AlignedPack<T>::kLanes;
  return (m.nv() + kLanes - 1) / kLanes * kLanes;
}

// The joints that have torques of their own: several freedoms with something above, an S that changes, or an inertia of
// rotors that turn about moving axes.
std::vector<int> number_torques(const Model& m, const std::vector<int>& slopes_of) {
  std::vector<int> of(node_count(m), -1);
  int count = 0;
  const auto links = m.links<double>();
  for (std::size_t i = 1; i < of.size(); ++i) {
    const auto& l = links[i];
    if (l.nv == 0) continue;
    const bool carried = l.nv > 1 && l.parent != 0, bias = has_armature_bias(l.kind, m.armature().data() + l.v);
    if (carried || bias || slopes_of[i] >= 0) of[i] = count++;
  }
  return of;
}
// Between freedoms of different trees everything is zero. The registers at both ends of a tree have written there.
template <class T>
void clear_between_trees(const DofTree& tree, const SlopeResponses<T>& responses) {
  constexpr int kLanes = AlignedPack<T>::kLanes;
  const int nv = tree.size();
  for (int root = 0; root < nv; root = tree.end(root)) {
    const int end = tree.end(root), past = std::min(nv, (end + kLanes - 1) / kLanes * kLanes);
    if (root % kLanes == 0 && past == end) continue;
    for (int k = root; k < end; ++k)
      for (T* matrix : {responses.q, responses.v, responses.N}) {
        T* const row = responses.row(matrix, k);
        for (int j = root - root % kLanes; j < root; ++j) row[j] = lit<T>(0);
        for (int j = end; j < past; ++j) row[j] = lit<T>(0);
      }
  }
}
template <class P, class T>
void answer(const Model& m, const SlopeResponses<T>& responses) {
  const auto links = links_of<T>(m);
  answer_inward<P, T>(links.data(), static_cast<int>(links.size()), responses);
  answer_outward<P, T>(links.data(), static_cast<int>(links.size()), responses);
}

}  // namespace

template <class T>
AbaDerivativesWorkspace<T>::AbaDerivativesWorkspace(const Model& m)
    : inverse(m),
      nodes(node_count(m)),
      freedoms(at(m.nv())),
      torques_of(number_torques(m, inverse.slopes_of)),
      branches(find_branches(m)),
      columns(at(row_stride<T>(m)) * at(9 + 6 + 6 * m.branch_slots()) + kRegister),
      matrices(3 * at(row_stride<T>(m)) * at(m.nv()) + kRegister) {
  std::size_t count = 0;
  for (const int k : torques_of) count += k >= 0;
  torques.resize(count);
}

template <class T>
void calc_aba_derivatives(const Model& m, AbaDerivativesWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a,
                          OutMatrix<T> da_dq, OutMatrix<T> da_dv, OutMatrix<T> Minv,
                          const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_aba_derivatives";
  check_state(call, m, ws.inverse.made_for, q.size(), v.size());
  check_coordinates(call, "tau", m, tau.size());
  check_coordinates(call, "a", m, a.size());
  check_shape(call, "da_dq", da_dq, at(m.nv()), at(m.nv()));
  check_shape(call, "da_dv", da_dv, at(m.nv()), at(m.nv()));
  check_shape(call, "Minv", Minv, at(m.nv()), at(m.nv()));

  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size()), nv = m.nv(), stride = row_stride<T>(m);
  const DofTree& tree = m.dof_tree();
  const SlopeScratch<T> scratch = slope_scratch_of(m, ws.inverse, gather_external(call, m, s, ws.inverse.external));
  T *columns = align_numbers(ws.columns), *matrices = align_numbers(ws.matrices);
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(stride) * nv;
  const SlopeResponses<T> responses{{ws.nodes.data(), ws.freedoms.data(), ws.torques.data(), ws.torques_of.data()},
                                    columns,
                                    columns + 9 * stride,
                                    columns + 15 * stride,
                                    ws.branches.data(),
                                    matrices,
                                    matrices + size,
                                    matrices + 2 * size,
                                    stride};

  place_nodes(m, ws.inverse, scratch, q.data(), v.data(), s.time);
  solve_slope_nodes(links.data(), n, scratch, responses.art, m.armature().data(), v.data(), tau.data(), a.data());
  if (nv >= kWideColumnsFrom)
    answer<AlignedPack<T>>(m, responses);
  else
    answer<ColumnPack<T>>(m, responses);
  clear_between_trees(tree, responses);
  const auto& runs = ws.inverse.coordinates;
  copy_transposed(tree, runs, responses.q, stride, da_dq);
  copy_transposed(tree, runs, responses.v, stride, da_dv);
  copy_symmetric(runs, responses.N, stride, Minv);
}

#define SINEW_INSTANTIATE(T)                                                                                 \
  template struct AbaDerivativesWorkspace<T>;                                                                \
  template void calc_aba_derivatives(const Model&, AbaDerivativesWorkspace<T>&, In<T>, In<T>, In<T>, Out<T>, \
                                     OutMatrix<T>, OutMatrix<T>, OutMatrix<T>,                               \
                                     const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SCALAR_HERE(SINEW_INSTANTIATE)
SINEW_FOR_TRACED_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
