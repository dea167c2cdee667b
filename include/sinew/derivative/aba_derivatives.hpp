// sinew/derivative/aba_derivatives.hpp - forward dynamics and its derivatives
//   a(q, v, tau),   da/dq = - M^-1 dtau/dq,   da/dv = - M^-1 dtau/dv,   da/dtau = M^-1;   nv x nv each
// with dtau/dq and dtau/dv of inverse dynamics at that a (derivative/rnea_derivatives.hpp): differentiate
// tau(q, v, a(q, v, tau)) = tau. Neither M nor its factors are formed: the columns travel through articulated inertias,
// as forces do in the articulated-body algorithm. O(n^2); da/dq, da/dv and M^-1 are full. How it is done:
// kernel/articulated_slopes.hpp, kernel/slope_responses.hpp.
// dq, joints, armature and external forces: as in derivative/rnea_derivatives.hpp.
// A coordinate that moves no inertia gives infinities or NaN, as in tree/aba.hpp.
#pragma once
#include <vector>

#include "sinew/derivative/kernel/slope_responses.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct AbaDerivativesWorkspace {
  // Throws as RneaDerivativesWorkspace does.
  explicit AbaDerivativesWorkspace(const Model&);
  RneaDerivativesWorkspace<T> inverse;          // what inverse dynamics needs
  std::vector<ArticulatedSlopeNode<T>> nodes;   // (nodes) articulated inertias, and accelerations by forces
  std::vector<ArticulatedFreedom<T>> freedoms;  // (nv) what their columns begin as
  std::vector<JointTorques<T>> torques;         // (joints that have some)
  std::vector<int> torques_of;                  // (nodes) which of these; -1: none; constant
  std::vector<unsigned char> branches;          // (nodes) whether the subtree branches; constant
  std::vector<T> columns;                       // forces and accelerations that are carried, padded rows
  std::vector<T> matrices;                      // the three results in the order of the freedoms, padded rows
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void calc_aba_derivatives(const Model&, AbaDerivativesWorkspace<T>&, In<T> q, In<T> v, In<T> tau, Out<T> a,
                          OutMatrix<T> da_dq, OutMatrix<T> da_dv, OutMatrix<T> Minv,
                          const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
