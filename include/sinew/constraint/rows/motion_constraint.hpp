// sinew/constraint/rows/motion_constraint.hpp - an equation of motion under constraints, implicit and explicit
// [F08 section 3.2]
//   H qdd + C = tau + tau_c
//   implicit:  K qdd = k,        tau_c = K^T lambda              [F08 3.16, 3.17]
//   explicit:  qdd = G ydd + g,  G^T tau_c = 0                   [F08 3.20, 3.21]
// The two describe the same motion when K G = 0, K g = k and the ranks add up to n. Dense, O(n^3); H positive
// definite. K of full row rank and G of full column rank: std::domain_error otherwise.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"

namespace sinew {

// H qdd + C = tau.
struct EquationOfMotion {
  MatrixView<const double> H;    // n x n
  VectorView<const double> C;    // n
  VectorView<const double> tau;  // n
};

// The acceleration under K qdd = k, with multipliers.
struct ImplicitSolution {
  std::vector<double> qdd;     // n
  std::vector<double> lambda;  // one per row of K
};
ImplicitSolution solve_implicit(const EquationOfMotion&, MatrixView<const double> K, VectorView<const double> k);

// The acceleration under qdd = G ydd + g, with the constraint force.
struct ExplicitSolution {
  std::vector<double> qdd;    // n
  std::vector<double> ydd;    // one per column of G
  std::vector<double> tau_c;  // n
};
ExplicitSolution solve_explicit(const EquationOfMotion&, MatrixView<const double> G, VectorView<const double> g);

}  // namespace sinew
