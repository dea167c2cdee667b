// src/derivative/aba_derivatives.cpp
#include "sinew/derivative/aba_derivatives.hpp"

#include "base/traced_pass.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"
#include "slope_driver.hpp"
#include "tree/aligned_rows.hpp"
#include "tree/checks.hpp"
#include "tree/symmetric.hpp"

namespace sinew {
namespace {

int matrix_stride(const Model& m) { return aligned_stride(m.nv(), 2); }

}  // namespace

template <class T>
AbaDerivativesWorkspace<T>::AbaDerivativesWorkspace(const Model& m)
    : inverse(m),
      factor(m.dof_tree().packed_size() + 16),  // room for one more register
      bias(at(m.nv())),
      solution(at(m.nv())),
      more(node_count(m)),
      inside(node_count(m)),
      matrix(at(matrix_stride(m)) * at(m.nv()) + kRegister),
      chains(make_freedom_chains(m.dof_tree())) {}

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
  const int n = static_cast<int>(links.size()), nv = m.nv();
  const DofTree& tree = m.dof_tree();
  const FreedomRuns runs{ws.inverse.first_run.data(), ws.inverse.runs.data()};
  const SlopeScratch<T> scratch = slope_scratch_of(m, ws.inverse, gather_external(call, m, s, ws.inverse.external));
  T* L = ws.factor.data();

  // h(q, v), and M = L^T D L
  const auto no_acceleration = [](int) SINEW_INLINE_LAMBDA { return lit<T>(0); };
  place_nodes(m, ws.inverse, scratch, q.data(), v.data(), s.time);
  sum_slope_nodes(links.data(), n, scratch, v.data(), no_acceleration);
  calc_slope_momenta(links.data(), n, scratch);
  calc_slope_forces(m, scratch, v.data(), no_acceleration, ws.bias.data());
  const auto diagonal = [&](int k) { return L + tree.row(k) + tree.depth(k); };
  pack_mass_rows(nv, scratch, runs, [&](int k) { return L + tree.row(k); });
  for (int k = 0; k < nv; ++k) *diagonal(k) += lit<T>(m.armature()[tree.velocity(k)]);
  kernel::factor_ltdl_reciprocal(tree, L);

  // M a = tau - h
  T* x = ws.solution.data();
  for (int k = 0; k < nv; ++k) x[k] = tau[at(tree.velocity(k))] - ws.bias[at(tree.velocity(k))];
  kernel::solve_l_transpose<true>(tree, L, x);
  for (int k = 0; k < nv; ++k) x[k] *= *diagonal(k);
  kernel::solve_l<true>(tree, L, x);
  for (int k = 0; k < nv; ++k) a[at(tree.velocity(k))] = x[k];

  // inverse dynamics at that a
  const auto acc = [a = a.data()](int k) SINEW_INLINE_LAMBDA -> const T& { return a[k]; };
  add_accelerations(links.data(), n, scratch, ws.more.data(), ws.inside.data(), acc);
  calc_slope_columns(links.data(), n, scratch, v.data(), acc);

  // One matrix after the other, in the same place, so that it stays in the cache.
  const SlopeMatrix<T> X{align_numbers(ws.matrix), matrix_stride(m)};
  const auto& coordinates = ws.inverse.coordinates;
  fill_slope_rows<T>(
      links.data(), n, nv, scratch, runs,
      [&](int k) SINEW_INLINE_LAMBDA {
        return SlopeRow<T>{X.row(k), nullptr, nullptr};
      },
      [](int) {});
  solve_columns<LtlSolve::minus>(tree, runs, ws.chains, L, X);
  copy_rows(tree, coordinates, X, da_dq);
  fill_slope_rows<T>(
      links.data(), n, nv, scratch, runs,
      [&](int k) SINEW_INLINE_LAMBDA {
        return SlopeRow<T>{nullptr, X.row(k), nullptr};
      },
      [](int) {});
  add_armature_slopes(m, v.data(), [&](int k, int h, const T& more) { X.row(k)[h] += more; });
  solve_columns<LtlSolve::minus>(tree, runs, ws.chains, L, X);
  copy_rows(tree, coordinates, X, da_dv);
  for (int k = 0; k < nv; ++k) {
    detail::fill_zeros(X.row(k), 0, nv + 1);
    X.row(k)[k] = lit<T>(1);
  }
  solve_columns<LtlSolve::inverse>(tree, runs, ws.chains, L, X);
  mirror_upper(X.data, at(static_cast<int>(X.stride)), at(nv));
  copy_rows(tree, coordinates, X, Minv);
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
