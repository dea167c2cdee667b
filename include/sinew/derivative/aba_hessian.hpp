// sinew/derivative/aba_hessian.hpp - second derivatives of forward dynamics, contracted with a vector
//   y = lambda^T a(q, v, tau):   d2y/dq dq, d2y/dq dv, d2y/dv dv, d2y/dq dtau;   nv x nv each
// The other second derivatives are zero. Differentiate tau(q, v, a(q, v, tau)) = tau twice and multiply by mu = M^-1
// lambda; with the second derivatives H of mu^T tau at that a (derivative/rnea_hessian.hpp):
//   (1) d2y/dq dq = -(H_qq + K + K^T),  K = H_qa da/dq     d2y/dq dv   = -(H_qv + H_qa da/dv)
//   (2) d2y/dv dv = -H_vv                                  d2y/dq dtau = -H_qa M^-1
// So a Hessian-vector product of a trajectory's cost needs one call per time, with lambda its costate. O(n^3), because
// da/dq, da/dv and M^-1 are full.
// Rows, columns, dq and the joints that are refused: as in derivative/rnea_hessian.hpp.
#pragma once
#include <vector>

#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/derivative/rnea_hessian.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct AbaHessianWorkspace {
  // Throws as RneaHessianWorkspace does.
  explicit AbaHessianWorkspace(const Model&);
  AbaDerivativesWorkspace<T> forward;       // of a and its first derivatives
  RneaHessianWorkspace<T> inverse;          // of H
  std::vector<T> a, mu;                     // (nv) accelerations; M^-1 lambda
  std::vector<T> da_dq, da_dv, Minv, H_qa;  // (nv x nv)
};

// For double, float, Counted and Dual. Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void calc_aba_hessian(const Model&, AbaHessianWorkspace<T>&, In<T> q, In<T> v, In<T> tau, In<T> lambda,
                      OutMatrix<T> dqdq, OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqdtau,
                      const std::type_identity_t<Surroundings<T>>& = {});
// All of it, (nv nv) x nv each: rows i nv .. i nv + nv - 1 are the layer of a_i. O(n^4).
template <class T>
void calc_aba_tensors(const Model&, AbaHessianWorkspace<T>&, In<T> q, In<T> v, In<T> tau, OutMatrix<T> dqdq,
                      OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqdtau,
                      const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
