// sinew/derivative/coupled_derivatives.hpp - dynamics of mimic joints in independent coordinates, and its derivatives
//   q = q(y),   v = G w,   a = G dw/dt + dG/dt w;   T = G^T tau(q, v, a)
// Couplings of the model (CouplingSpec; a mimic joint is one) make a coordinate a sum of polynomials in others, which
// may depend on others again. y are the coordinates that no active coupling determines, w their velocities. With V =
// dv/dy, A = da/dy, B = da/dw, and dtau of derivative/rnea_derivatives.hpp:
//   (1) dT/dy = G^T (dtau/dq G + dtau/dv V + M A) + K,   K = sum over dependent coordinates d of tau_d d2q_d/dy dy
//   (2) dT/dw = G^T (dtau/dv G + M B),   M_y = dT/d(dw/dt) = G^T M G
//   (3) d(dw/dt)/dy = -M_y^-1 dT/dy,   d(dw/dt)/dw = -M_y^-1 dT/dw,   d(dw/dt)/dT = M_y^-1
// Forces f along all coordinates of the tree, dependent ones too, are T = G^T f. Where couplings are linear V, A, B and
// K are zero. Loops and couplings of tendons are not seen: constraint/solve/constrained_derivatives.hpp. dq, joints,
// armature and external forces: as in derivative/rnea_derivatives.hpp. O(n d + n n_y d).
#pragma once
#include <vector>

#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/linear/symmetric_factor.hpp"

namespace sinew {

// Which coordinates are independent, and scratch of both calls, sized once.
struct CoupledDerivativesWorkspace {
  // Throws std::invalid_argument naming a coupling whose dependent coordinate another one determines too, or that
  // depends on itself by way of others; and as RneaDerivativesWorkspace does.
  explicit CoupledDerivativesWorkspace(const Model&);
  std::vector<int> independent;  // (n_y) velocity coordinates that w is, ascending; constant

  RneaDerivativesWorkspace<double> inverse;
  std::vector<int> order;               // active couplings, each after those that it needs; constant
  std::vector<double> q, v, a, tau;     // of the tree
  std::vector<double> G, V, A, B;       // (nv x n_y)
  std::vector<double> dq, dv, M, work;  // (nv x nv) of the tree; work: (nv x n_y)
  std::vector<double> load;             // (nv) tau, and what dependent coordinates hand on
  linear::SymmetricFactor factor;       // of M_y
  std::vector<double> column;           // (n_y)
};

// The whole q that y stands for: dependent positions are set from the others.
void set_dependent_positions(const Model&, const CoupledDerivativesWorkspace&, Out<double> q);

// q: nq numbers, of which dependent ones are not read. w, dw, T: n_y numbers; the matrices n_y x n_y.
// Throw std::invalid_argument naming both sizes where one does not fit the model.
void calc_coupled_rnea_derivatives(const Model&, CoupledDerivativesWorkspace&, In<double> q, In<double> w,
                                   In<double> dw, Out<double> T, OutMatrix<double> dT_dy, OutMatrix<double> dT_dw,
                                   OutMatrix<double> M_y, const Surroundings<double>& = {});
// The other way round: dw of given T. NaN where a motion meets no inertia.
void calc_coupled_aba_derivatives(const Model&, CoupledDerivativesWorkspace&, In<double> q, In<double> w, In<double> T,
                                  Out<double> dw, OutMatrix<double> ddw_dy, OutMatrix<double> ddw_dw,
                                  OutMatrix<double> M_y_inverse, const Surroundings<double>& = {});

}  // namespace sinew
