// src/derivative/rnea_derivatives.cpp
#include "sinew/derivative/rnea_derivatives.hpp"

#include <string>

#include "base/scalar_pass.hpp"
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
                      : joint.nq() > kMaxUserPositions ? "' has too many positions"
                                                       : nullptr;
    if (!why) continue;
    for (const JointEntry& j : m.joints())
      for (const int node : j.nodes)
        if (node == static_cast<int>(i))
          throw std::invalid_argument("RneaDerivativesWorkspace: the user's joint '" + j.name + why);
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
      rows(at(3 * padded_columns(m))) {
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
  calc_slope_forces(m, scratch, v.data(), acc, tau.data());

  // Row by row: while a row is in the cache it goes to the order of the coordinates.
  const DofTree& tree = m.dof_tree();
  const int stride = padded_columns(m);
  T* row = ws.rows.data();
  fill_slope_rows<T>(
      links.data(), n, m.nv(), scratch, {ws.first_run.data(), ws.runs.data()},
      [&](int) SINEW_INLINE_LAMBDA {
        return SlopeRow<T>{row, row + stride, row + 2 * stride};
      },
      [&](int k) SINEW_INLINE_LAMBDA {
        copy_row<T>(tree, k, row, dtau_dq);
        copy_row<T>(tree, k, row + stride, dtau_dv);
        copy_row<T>(tree, k, row + 2 * stride, M);
      });
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
#undef SINEW_INSTANTIATE

}  // namespace sinew
