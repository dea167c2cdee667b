// sinew/operators/sko_dynamics.hpp - dynamics of any SKO model by gather and scatter recursions
//   inverse_dynamics   T = M theta'' + C, O(N)                                                       [J11 Alg. 3.1]
//   forward_dynamics   theta'' = M^-1 (T - C), O(N), articulated bodies                          [J11 54, Alg. 6.1]
//   calc_mass_matrix   M = H A M A^* H^*, O(N^2), composite bodies                                   [J11 Alg. 4.2]
//   calc_compliance    Lambda = B^* Omega B, Omega = psi^* H^* D^-1 H psi, O(N) + O(points^2 depth)     [J11 59, 60]
// M(theta) here is the mass matrix; the block-diagonal M is the model's inertia. Vectors are stacked in the shape's
// order.
#pragma once
#include "sinew/operators/lyapunov.hpp"
#include "sinew/operators/riccati.hpp"

namespace sinew::sko {

template <class T>
struct SkoDynamics {
  explicit SkoDynamics(const SkoModel<T>&);
  Riccati<T> riccati;
  std::vector<T> alpha, f, z;  // (size) node accelerations, forces between nodes, residual forces
  std::vector<T> nu, epsilon;  // (freedoms)
  Blocks<T> composite;         // R, size x size
  Blocks<T> upsilon;           // the block diagonal of Omega, size x size
  Blocks<T> hinge_compliance;  // H^* D^-1 H, size x size
  std::vector<T> work;         // (2 largest size^2)
};

// tau = M qdd + bias. O(N).
template <class T>
void inverse_dynamics(const SkoModel<T>&, SkoDynamics<T>&, In<T> qdd, Out<T> tau);
// Throws std::invalid_argument naming the node whose hinge meets no inertia.
template <class T>
void forward_dynamics(const SkoModel<T>&, SkoDynamics<T>&, In<T> tau, Out<T> qdd);
template <class T>
void calc_mass_matrix(const SkoModel<T>&, SkoDynamics<T>&, OutMatrix<T> mass);

// The block diagonal of Omega, base to tips, after solve_riccati and calc_propagators of ws.riccati.
template <class T>
void calc_upsilon(const SkoModel<T>&, SkoDynamics<T>&);

// Columns of B: forces on one node each, size(node) x columns, row by row. J = B^* A^* H^*.
struct PickOff {
  int node;
  int columns;
  std::vector<double> block;
};
// Lambda = J M^-1 J^*, after solve_riccati of ws.riccati and calc_propagators.
void calc_compliance(const SkoModel<double>&, SkoDynamics<double>&, const std::vector<PickOff>&,
                     OutMatrix<double> Lambda);

}  // namespace sinew::sko
