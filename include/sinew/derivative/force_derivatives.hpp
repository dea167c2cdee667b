// sinew/derivative/force_derivatives.hpp - derivatives of the dynamics by gravity and by external forces
//   dtau/dg, da/dg: nv x 3, g along the axes of the world;   dtau/df, da/df: nv x (6 bodies), f as in Surroundings.
// tau and a are linear in both, so none of these depends on v, a, tau, g or f. With m^c and h^c the mass and the first
// moments of all that freedom k moves by its motion s,
//   (1) dtau_k/dg = -(m^c s_lin + s_ang x h^c),   the linear momentum of unit speed
//   (2) dtau/df = -J^T,   J of every body along its own axes and about its origin
//   (3) da/dg = -M^-1 dtau/dg,   da/df = M^-1 J^T
// O(n) for (1), O(n d) for (2), d the depth of the tree; each column of (3) costs O(n d) after M is factored.
// A coordinate that moves no inertia gives infinities or NaN in (3), as in tree/aba.hpp.
#pragma once
#include <vector>

#include "sinew/tree/crba.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/ltl.hpp"

namespace sinew {

// Scratch of the four calls, sized once; nothing in it is a result.
template <class T>
struct ForceDerivativesWorkspace {
  explicit ForceDerivativesWorkspace(const Model&);
  KinematicsWorkspace<T> kinematics;  // node <- world
  std::vector<Motion<T>> J;           // (nv) joint motions: world axes, about the first node
  std::vector<Vec3<T>> h;             // (nodes) first moments of the subtree, likewise
  std::vector<double> mass;           // (nodes) of the subtree; constant
  CrbaWorkspace<T> crba;              // makes M
  LtdlFactor<T> factor;               // of M
  std::vector<T> column;              // (nv)
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
// `time` matters to prescribed joints only. In columns 6 b .. 6 b + 5: body b of the model; the world's are zero.
template <class T>
void calc_rnea_gravity_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T> q, OutMatrix<T> dtau,
                                   double time = 0);
template <class T>
void calc_aba_gravity_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T> q, OutMatrix<T> da,
                                  double time = 0);
template <class T>
void calc_rnea_force_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T> q, OutMatrix<T> dtau,
                                 double time = 0);
template <class T>
void calc_aba_force_derivatives(const Model&, ForceDerivativesWorkspace<T>&, In<T> q, OutMatrix<T> da, double time = 0);

}  // namespace sinew
