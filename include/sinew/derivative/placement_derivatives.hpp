// sinew/derivative/placement_derivatives.hpp - derivatives of the dynamics by where joints are placed on their parents
//   dtau/dx of inverse dynamics,   da/dx = -M^-1 dtau/dx of forward dynamics;   nv x (6 joints)
// x are six numbers for each joint: its frame F_p (JointSpec::placement) turned, then shifted, along its own axes. What
// hangs on the joint moves with it as one body. So that is a freedom s between the parent and the joint that is still:
// with the motion v, a of the parent, and in the notation of kernel/dynamics_slopes.hpp,
//   (1) psi = v x s,   chi = a x s + v x psi
//   (2) z = s x* F + I^c chi + 2 B^c psi                      F, I^c, B^c of all that moves
//   (3) dtau_h/dx = S_h^T z of freedoms h above the joint     dtau_k/dx = u_k^T chi + w_k^T psi of those below it
// and zero elsewhere. Freedoms of the joint itself are below. Fixed joints count too, although their bodies are parts
// of others in the compiled model. External forces stay as they are on their bodies.
#pragma once
#include <vector>

#include "sinew/derivative/aba_derivatives.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {

// What a joint carries.
struct PlacedJoint {
  int node = 0;             // that F_p is fixed in
  Transform<double> frame;  // F_p <- that node
  std::vector<int> nodes;   // the first ones that move
  std::vector<int> bodies;  // of a fixed joint: those that move and are parts of the same node
};

// Scratch of both calls, sized once; nothing in it is a result.
template <class T>
struct PlacementDerivativesWorkspace {
  // Throws as RneaDerivativesWorkspace does.
  explicit PlacementDerivativesWorkspace(const Model&);
  AbaDerivativesWorkspace<T> dynamics;
  KinematicsWorkspace<T> kinematics;  // node <- world
  std::vector<int> first;             // (nodes) the first node of its tree; constant
  std::vector<PlacedJoint> joints;    // as in the model; constant
  std::vector<T> matrices;            // da/dq, da/dv, M^-1, then dtau/dx
};

// In columns 6 j .. 6 j + 5: joint j of the model. For every scalar of the closed set. Throws std::invalid_argument
// naming both sizes where one does not fit the model.
template <class T>
void calc_rnea_placement_derivatives(const Model&, PlacementDerivativesWorkspace<T>&, In<T> q, In<T> v, In<T> a,
                                     OutMatrix<T> dtau, const std::type_identity_t<Surroundings<T>>& = {});
// a: the accelerations too.
template <class T>
void calc_aba_placement_derivatives(const Model&, PlacementDerivativesWorkspace<T>&, In<T> q, In<T> v, In<T> tau,
                                    Out<T> a, OutMatrix<T> da, const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
