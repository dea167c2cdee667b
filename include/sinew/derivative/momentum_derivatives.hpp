// sinew/derivative/momentum_derivatives.hpp - derivatives of the centroidal momentum, of its rate and of the energies
//   h(q, v), dh/dt(q, v, a): by q, v and a, 6 x nv each;   T(q, v), V(q): by q and v, nv numbers each.   O(n).
// With I^c and P the inertia and the momentum of all that freedom k moves, c the centre of mass, m the mass of all,
// and s, psi of kernel/dynamics_slopes.hpp (1):
//   (1) about a fixed point:  dh/dq_k = s x* P + I^c psi,   dh/dv_k = I^c s
//   (2) about c:  less dc x (linear part of h) in the angular part, dc/dq_k = (linear part of I^c s) / m
//   (3) dT/dq_k = psi . P,   dT/dv_k = s . P + armature v_k,   dV/dq_k = -s . (m g at the centre of what k moves)
//   (4) dh/dt = F, the force that moves all: by q_k z, by v_k y, by a_k I^c s, of kernel/dynamics_slopes.hpp (5); about
//       c less dc x (linear part of F)
// Coordinates of h: axes of the world, about the centre of mass, as in tree/momentum.hpp. dh/dv is the centroidal map.
// dq and joints: as in derivative/rnea_derivatives.hpp.
#pragma once
#include <vector>

#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {

// Scratch of all calls, sized once; nothing in it is a result.
template <class T>
struct MomentumDerivativesWorkspace {
  // Throws as RneaDerivativesWorkspace does.
  explicit MomentumDerivativesWorkspace(const Model&);
  RneaDerivativesWorkspace<T> slopes;  // nodes and columns of the tree's freedoms
  KinematicsWorkspace<T> kinematics;   // node <- world
  std::vector<int> first;              // (nodes) the first node of its tree; constant
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
// `time` matters to prescribed joints only.
template <class T>
void calc_centroidal_momentum_derivatives(const Model&, MomentumDerivativesWorkspace<T>&, In<T> q, In<T> v,
                                          OutMatrix<T> dh_dq, OutMatrix<T> dh_dv, double time = 0);
// Of calc_centroidal_momentum_rate; by a it is the centroidal map.
template <class T>
void calc_centroidal_momentum_rate_derivatives(const Model&, MomentumDerivativesWorkspace<T>&, In<T> q, In<T> v,
                                               In<T> a, OutMatrix<T> by_q, OutMatrix<T> by_v, OutMatrix<T> by_a,
                                               double time = 0);
template <class T>
void calc_energy_derivatives(const Model&, MomentumDerivativesWorkspace<T>&, In<T> q, In<T> v, Out<T> dT_dq,
                             Out<T> dT_dv, Out<T> dV_dq, double time = 0);

}  // namespace sinew
