// sinew/derivative/kinematics_derivatives.hpp - derivatives of velocities and accelerations of bodies and frames
//   V(q, v), A(q, v, a) of a place:   dV/dq, dV/dv = dA/da = J,   dA/dq, dA/dv;   6 x nv each.   O(n) and O(depth)
//   each.
// As the place itself sees it, a change of q_k above it turns nothing: with s, psi, phi and chi of
// kernel/dynamics_slopes.hpp (1) to (3)
//   body    dV/dq_k = psi,   dA/dq_k = psi x V + chi,   dA/dv_k = s x V + phi
//   world   s x V and s x A more by q_k
//   mixed   the axes turn with w, the angular part of s: w x (both parts of V) and w x (both parts of A) more by q_k
// V and A are the numbers of get_velocity and get_acceleration (tree/velocity.hpp): spatial accelerations, without
// gravity. dq and joints: as in derivative/rnea_derivatives.hpp.
#pragma once
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew {

template <class T>
struct KinematicsDerivativesWorkspace {
  // Throws as RneaDerivativesWorkspace does.
  explicit KinematicsDerivativesWorkspace(const Model&);
  RneaDerivativesWorkspace<T> slopes;  // nodes and columns of the tree's freedoms
  KinematicsWorkspace<T> kinematics;   // node <- world
};

// What the calls below read. For every scalar of the closed set. Throws std::invalid_argument naming both sizes where
// one does not fit the model. `time` matters to prescribed joints only.
template <class T>
void calc_kinematics_derivatives(const Model&, KinematicsDerivativesWorkspace<T>&, In<T> q, In<T> v, In<T> a,
                                 double time = 0);

// After calc_kinematics_derivatives: dV/dq and dV/dv.
template <class T>
void get_velocity_derivatives(const Model&, const KinematicsDerivativesWorkspace<T>&, const Place&, ReferenceFrame,
                              OutMatrix<T> dq, OutMatrix<T> dv);
// After calc_kinematics_derivatives: dA/dq and dA/dv; dA/da is the dV/dv of get_velocity_derivatives.
template <class T>
void get_acceleration_derivatives(const Model&, const KinematicsDerivativesWorkspace<T>&, const Place&, ReferenceFrame,
                                  OutMatrix<T> dq, OutMatrix<T> dv);

}  // namespace sinew
