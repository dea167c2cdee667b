// sinew/derivative/rnea_hessian.hpp - second derivatives of inverse dynamics, contracted with a vector
//   y = lambda^T tau(q, v, a):   d2y/dq dq, d2y/dq dv, d2y/dv dv, d2y/dq da;   nv x nv each.   O(n d), d the depth.
// The other second derivatives are zero. Row i, column j: first along coordinate i of q or v, then along j. Where both
// are coordinates of one joint that turns in space (spherical, free, planar) these two do not commute, and d2y/dq dq is
// not symmetric there; else it is. With unit vectors lambda these are the layers of the full tensors.
// Not for joints whose motion subspace changes in their own frame: universal, yaw-pitch-roll, rack and pinion, reversed
// joints of several freedoms, those of users. For these: calc_rnea_derivatives in Dual, one direction at a time.
// dq, armature and external forces: as in derivative/rnea_derivatives.hpp.
// Equations and how it is done: kernel/hessian_rows.hpp.
#pragma once
#include <vector>

#include "sinew/derivative/kernel/hessian_rows.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct RneaHessianWorkspace {
  // Throws std::invalid_argument naming a joint whose motion subspace changes.
  explicit RneaHessianWorkspace(const Model&);
  RneaDerivativesWorkspace<T> first;  // what the first derivatives need
  std::vector<Motion<T>> mu;          // (nodes) velocities that lambda would cause
  std::vector<HessianSum<T>> sums;    // (nodes) over the subtree
  std::vector<T> columns;             // nu, A, C, D: 6 rows of freedoms each
  std::vector<T> matrices;            // the four, in the order of the freedoms
  std::vector<T> unit;                // (nv) lambda of one layer
};

// For double, float, Counted and Dual. Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void calc_rnea_hessian(const Model&, RneaHessianWorkspace<T>&, In<T> q, In<T> v, In<T> a, In<T> lambda,
                       OutMatrix<T> dqdq, OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqda,
                       const std::type_identity_t<Surroundings<T>>& = {});
// All of it, (nv nv) x nv each: rows i nv .. i nv + nv - 1 are the layer of tau_i. O(n^2 d), a contraction per layer.
template <class T>
void calc_rnea_tensors(const Model&, RneaHessianWorkspace<T>&, In<T> q, In<T> v, In<T> a, OutMatrix<T> dqdq,
                       OutMatrix<T> dqdv, OutMatrix<T> dvdv, OutMatrix<T> dqda,
                       const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
