// src/derivative/rnea_hessian.cpp
#include "sinew/derivative/rnea_hessian.hpp"

#include <string>

#include "base/scalar_pass.hpp"
#include "slope_driver.hpp"
#include "tensor_layers.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

constexpr int kHessianColumns = 4, kHessianMatrices = 4;

// lambda^T b of the armature is quadratic in v: its second slope along e and f is b(e + f) - b(e) - b(f).
template <class T>
void add_armature_hessian(const Model& m, const T* lambda, const SlopeMatrix<T>& vv) {
  const double* armature = m.armature().data();
  for (const auto& l : links_of<T>(m).subspan(1)) {
    const double* A = armature + l.v;
    if (!has_armature_bias(l.kind, A)) continue;
    const auto along = [&](int k, int h) {
      T u[kMaxJointDofs], b[kMaxJointDofs], sum = lit<T>(0);
      for (int j = 0; j < l.nv; ++j) u[j] = lit<T>((j == k) + (j == h));
      calc_armature_bias(l.kind, A, u, 0, b);
      for (int j = 0; j < l.nv; ++j) sum = sum + lambda[l.v + j] * b[j];
      return sum;
    };
    for (int k = 0; k < l.nv; ++k)
      for (int h = 0; h < l.nv; ++h) {
        T& x = vv.row(l.dof + k)[l.dof + h];
        x = x + (along(k, h) - along(k, -1) - along(h, -1));
      }
  }
}

}  // namespace

template <class T>
RneaHessianWorkspace<T>::RneaHessianWorkspace(const Model& m)
    : first(m),
      mu(node_count(m)),
      sums(node_count(m)),
      columns(at(kHessianColumns * 6 * padded_columns(m))),
      matrices(at(kHessianMatrices * padded_columns(m)) * at(m.nv() + 1)),
      unit(at(m.nv())) {
  for (const JointEntry& j : m.joints())
    for (const int node : j.nodes)
      if (first.slopes_of[at(node)] >= 0)
        throw std::invalid_argument("RneaHessianWorkspace: the motion subspace of joint '" + j.name +
                                    "' changes in its own frame; differentiate calc_rnea_derivatives in Dual instead");
}

template <class T>
void calc_rnea_hessian(const Model& m, RneaHessianWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, In<T> lambda,
                       OutMatrix<T> dqdq, OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqda,
                       const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_rnea_hessian";
  check_state(call, m, ws.first.made_for, q.size(), v.size());
  check_coordinates(call, "a", m, a.size());
  check_coordinates(call, "lambda", m, lambda.size());
  check_shape(call, "dqdq", dqdq, at(m.nv()), at(m.nv()));
  check_shape(call, "dqdv", dqdv, at(m.nv()), at(m.nv()));
  check_shape(call, "dvdv", dvdv, at(m.nv()), at(m.nv()));
  check_shape(call, "dqda", dqda, at(m.nv()), at(m.nv()));

  const auto links = links_of<T>(m);
  const int n = static_cast<int>(links.size()), stride = padded_columns(m);
  const SlopeScratch<T> scratch = slope_scratch_of(m, ws.first, gather_external(call, m, s, ws.first.external));
  const auto columns = [&](int k) { return SpatialColumns<T>{ws.columns.data() + 6 * stride * k, stride}; };
  const HessianScratch<T> hessian{ws.mu.data(), ws.sums.data(), columns(0), columns(1), columns(2), columns(3)};
  const auto acc = [a = a.data()](int k) SINEW_INLINE_LAMBDA -> const T& { return a[k]; };
  place_nodes(m, ws.first, scratch, q.data(), v.data(), s.time);
  sum_hessian_nodes(links.data(), n, scratch, hessian,
                    [l = lambda.data()](int k) SINEW_INLINE_LAMBDA -> const T& { return l[k]; });
  sum_slope_nodes(links.data(), n, scratch, v.data(), acc);
  calc_slope_momenta(links.data(), n, scratch);
  calc_slope_columns(links.data(), n, scratch, v.data(), acc);
  calc_hessian_columns(links.data(), n, scratch, hessian);

  const auto matrix = [&](int k) {
    return SlopeMatrix<T>{ws.matrices.data() + stride * k, static_cast<std::ptrdiff_t>(stride) * kHessianMatrices};
  };
  const HessianMatrices<T> out{matrix(0), matrix(1), matrix(2), matrix(3)};
  fill_hessian_rows(links.data(), n, m.nv(), scratch, hessian, {ws.first.first_run.data(), ws.first.runs.data()}, out);
  add_armature_hessian(m, lambda.data(), out.vv);
  copy_rows(m.dof_tree(), ws.first.coordinates, out.qq, dqdq);
  copy_rows(m.dof_tree(), ws.first.coordinates, out.qv, dqdv);
  copy_rows(m.dof_tree(), ws.first.coordinates, out.vv, dvdv);
  copy_rows(m.dof_tree(), ws.first.coordinates, out.qa, dqda);
}

template <class T>
void calc_rnea_tensors(const Model& m, RneaHessianWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, OutMatrix<T> dqdq,
                       OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqda,
                       const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_rnea_tensors";
  const std::size_t n = at(m.nv());
  check_state(call, m, ws.first.made_for, q.size(), v.size());
  check_coordinates(call, "a", m, a.size());
  check_shape(call, "dqdq", dqdq, n * n, n);
  check_shape(call, "dqdv", dqdv, n * n, n);
  check_shape(call, "dvdv", dvdv, n * n, n);
  check_shape(call, "dqda", dqda, n * n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) ws.unit[k] = lit<T>(k == i ? 1 : 0);
    calc_rnea_hessian<T>(m, ws, q, v, a, ws.unit, layer_of(dqdq, i), layer_of(dqdv, i), layer_of(dvdv, i),
                         layer_of(dqda, i), s);
  }
}

#define SINEW_INSTANTIATE(T)                                                                                        \
  template struct RneaHessianWorkspace<T>;                                                                          \
  template void calc_rnea_hessian(const Model&, RneaHessianWorkspace<T>&, In<T>, In<T>, In<T>, In<T>, OutMatrix<T>, \
                                  OutMatrix<T>, OutMatrix<T>, OutMatrix<T>,                                         \
                                  const std::type_identity_t<Surroundings<T>>&);                                    \
  template void calc_rnea_tensors(const Model&, RneaHessianWorkspace<T>&, In<T>, In<T>, In<T>, OutMatrix<T>,        \
                                  OutMatrix<T>, OutMatrix<T>, OutMatrix<T>,                                         \
                                  const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
