// src/derivative/aba_hessian.cpp
#include "sinew/derivative/aba_hessian.hpp"

#include "base/scalar_pass.hpp"
#include "tensor_layers.hpp"
#include "tree/checks.hpp"

namespace sinew {
namespace {

// out = -A B, or -(out + A B) if `add`, row by row.
template <class T>
void set_minus_product(const MatrixView<T>& out, bool add, const MatrixView<T>& A, const MatrixView<T>& B) {
  const std::size_t n = out.rows();
  for (std::size_t i = 0; i < n; ++i) {
    T* __restrict row = out.data() + i * out.stride();
    for (std::size_t j = 0; j < n; ++j) row[j] = add ? -row[j] : lit<T>(0);
    for (std::size_t k = 0; k < n; ++k) {
      const T x = A(i, k);
      const T* __restrict other = B.data() + k * B.stride();
      for (std::size_t j = 0; j < n; ++j) row[j] -= x * other[j];
    }
  }
}

// (1) and (2) for mu of the workspace, after its first derivatives.
template <class T>
void contract_hessian(const Model& m, AbaHessianWorkspace<T>& ws, In<T> q, In<T> v, const MatrixView<T>& dqdq,
                      const MatrixView<T>& dqdv, const MatrixView<T>& dvdv, const MatrixView<T>& dqdtau,
                      const Surroundings<T>& s) {
  const std::size_t n = ws.a.size();
  const auto matrix = [n](std::vector<T>& x) { return MatrixView<T>(x.data(), n, n); };
  const MatrixView<T> A_q = matrix(ws.da_dq), A_v = matrix(ws.da_dv), Minv = matrix(ws.Minv), H_qa = matrix(ws.H_qa);
  calc_rnea_hessian<T>(m, ws.inverse, q, v, ws.a, ws.mu, dqdq, dqdv, dvdv, H_qa, s);

  // (1), with -K in the place of d2y/dq dtau
  set_minus_product(dqdtau, false, H_qa, A_q);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) dqdq(i, j) = dqdtau(i, j) + dqdtau(j, i) - dqdq(i, j);
  set_minus_product(dqdv, true, H_qa, A_v);
  // (2)
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) dvdv(i, j) = -dvdv(i, j);
  set_minus_product(dqdtau, false, H_qa, Minv);
}
template <class T>
void calc_first(const Model& m, AbaHessianWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, const Surroundings<T>& s) {
  const std::size_t n = ws.a.size();
  const auto matrix = [n](std::vector<T>& x) { return MatrixView<T>(x.data(), n, n); };
  calc_aba_derivatives<T>(m, ws.forward, q, v, tau, ws.a, matrix(ws.da_dq), matrix(ws.da_dv), matrix(ws.Minv), s);
}

}  // namespace

template <class T>
AbaHessianWorkspace<T>::AbaHessianWorkspace(const Model& m)
    : forward(m),
      inverse(m),
      a(at(m.nv())),
      mu(a),
      da_dq(at(m.nv()) * at(m.nv())),
      da_dv(da_dq),
      Minv(da_dq),
      H_qa(da_dq) {}

template <class T>
void calc_aba_hessian(const Model& m, AbaHessianWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, In<T> lambda,
                      OutMatrix<T> dqdq, OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqdtau,
                      const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_aba_hessian";
  const std::size_t n = at(m.nv());
  check_state(call, m, ws.inverse.first.made_for, q.size(), v.size());
  check_size(call, "tau", tau.size(), n);
  check_size(call, "lambda", lambda.size(), n);
  check_shape(call, "dqdq", dqdq, n, n);
  check_shape(call, "dqdv", dqdv, n, n);
  check_shape(call, "dvdv", dvdv, n, n);
  check_shape(call, "dqdtau", dqdtau, n, n);

  calc_first<T>(m, ws, q, v, tau, s);
  for (std::size_t i = 0; i < n; ++i) {
    ws.mu[i] = lit<T>(0);
    for (std::size_t k = 0; k < n; ++k) ws.mu[i] += ws.Minv[i * n + k] * lambda[k];
  }
  contract_hessian<T>(m, ws, q, v, dqdq, dqdv, dvdv, dqdtau, s);
}

template <class T>
void calc_aba_tensors(const Model& m, AbaHessianWorkspace<T>& ws, In<T> q, In<T> v, In<T> tau, OutMatrix<T> dqdq,
                      OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqdtau,
                      const std::type_identity_t<Surroundings<T>>& s) {
  const char* call = "calc_aba_tensors";
  const std::size_t n = at(m.nv());
  check_state(call, m, ws.inverse.first.made_for, q.size(), v.size());
  check_size(call, "tau", tau.size(), n);
  check_shape(call, "dqdq", dqdq, n * n, n);
  check_shape(call, "dqdv", dqdv, n * n, n);
  check_shape(call, "dvdv", dvdv, n * n, n);
  check_shape(call, "dqdtau", dqdtau, n * n, n);
  calc_first<T>(m, ws, q, v, tau, s);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) ws.mu[k] = ws.Minv[k * n + i];
    contract_hessian<T>(m, ws, q, v, layer_of(dqdq, i), layer_of(dqdv, i), layer_of(dvdv, i), layer_of(dqdtau, i), s);
  }
}

#define SINEW_INSTANTIATE(T)                                                                                      \
  template struct AbaHessianWorkspace<T>;                                                                         \
  template void calc_aba_hessian(const Model&, AbaHessianWorkspace<T>&, In<T>, In<T>, In<T>, In<T>, OutMatrix<T>, \
                                 OutMatrix<T>, OutMatrix<T>, OutMatrix<T>,                                        \
                                 const std::type_identity_t<Surroundings<T>>&);                                   \
  template void calc_aba_tensors(const Model&, AbaHessianWorkspace<T>&, In<T>, In<T>, In<T>, OutMatrix<T>,        \
                                 OutMatrix<T>, OutMatrix<T>, OutMatrix<T>,                                        \
                                 const std::type_identity_t<Surroundings<T>>&);
SINEW_FOR_EACH_SINGLE_SCALAR_HERE(SINEW_INSTANTIATE)
#undef SINEW_INSTANTIATE

}  // namespace sinew
