// sinew/derivative/aba_derivatives.hpp - forward dynamics and its derivatives
//   a(q, v, tau),   da/dq = - M^-1 dtau/dq,   da/dv = - M^-1 dtau/dv,   da/dtau = M^-1;   nv x nv each
// with dtau/dq and dtau/dv of inverse dynamics at that a (derivative/rnea_derivatives.hpp): differentiate
// tau(q, v, a(q, v, tau)) = tau. M is factored as L^T D L without filling in (tree/ltl.hpp); a and the three matrices
// come from these factors. O(n^2 d), d the depth of the tree; da/dq, da/dv and M^-1 are full.
// dq, joints, armature and external forces: as in derivative/rnea_derivatives.hpp.
// A coordinate that moves no inertia gives infinities or NaN, as in tree/aba.hpp.
#pragma once
#include <vector>

#include "sinew/derivative/kernel/ltl_columns.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct AbaDerivativesWorkspace {
  // Throws as RneaDerivativesWorkspace does.
  explicit AbaDerivativesWorkspace(const Model&);
  RneaDerivativesWorkspace<T> inverse;  // what inverse dynamics needs
  std::vector<T> factor;                // M in packed rows, then L and 1 / D
  std::vector<T> bias;                  // (nv) h(q, v)
  std::vector<T> solution;              // (nv) tau - h, then a, in the order of the freedoms
  std::vector<Motion<T>> more;          // (nodes) accelerations due to dv/dt
  std::vector<Force<T>> inside;         // (nodes) forces due to dv/dt of freedoms inside the subtree
  std::vector<T> matrix;                // dtau/dq, then dtau/dv, then 1, in the order of the freedoms; and the answers
  std::vector<FreedomChain> chains;     // all freedoms; constant
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void calc_aba_derivatives(const Model&, AbaDerivativesWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
                          OutMatrix<T> da_dq, OutMatrix<T> da_dv, OutMatrix<T> Minv,
                          const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
