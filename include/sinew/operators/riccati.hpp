// sinew/operators/riccati.hpp - the articulated inertias of an SKO model: solution of its Riccati equation, O(N)
//   M = P - E_A [P - P H^* (H P H^*)^-1 H P] E_A^*                                                          [J11 31]
// and what follows from P, node by node:
//   D = H P H^*,  G = P H^* D^-1,  tau = G H,  tau_bar = 1 - tau,  P+ = tau_bar P,                           [J11 32]
//   psi(p(k), k) = A(p(k), k) tau_bar(k),  K(p(k), k) = A(p(k), k) G(k)                                   [J11 35, 37]
// Differs from [J11]: 37 prints K = E_psi G, which is zero; it is E_A G. 36 prints M = P - E_A P E_A^* as its second
// form; it is M = P - E_A P+ E_A^*.
#pragma once
#include "sinew/operators/sko_model.hpp"

namespace sinew::sko {

template <class T>
struct Riccati {
  explicit Riccati(const SkoModel<T>&);
  MadeForSko made_for;
  Blocks<T> P, P_plus;             // size x size
  Blocks<T> D, D_inverse;          // freedoms x freedoms
  Blocks<T> G;                     // size x freedoms
  Blocks<T> tau, tau_bar, psi, K;  // by calc_propagators; psi: parent's size x size, K: parent's size x freedoms
  std::vector<T> pivots;           // (freedoms) of D = L diag(pivots) L^T, node by node
  std::vector<T> work;             // (2 largest size^2)
};

// P, D, G, P+ in one gather [J11 33]. Returns the first node, tips to base, whose D is not positive definite: its hinge
// map has dependent rows, or what it carries has no inertia along it. -1: none.
template <class T>
int solve_riccati(const SkoModel<T>&, Riccati<T>&);
// tau, tau_bar, psi and K, after solve_riccati.
template <class T>
void calc_propagators(const SkoModel<T>&, Riccati<T>&);
// log det of the mass matrix: the sum of log det D(k) [J11 53].
double calc_log_determinant(const SkoModel<double>&, const Riccati<double>&);

}  // namespace sinew::sko
