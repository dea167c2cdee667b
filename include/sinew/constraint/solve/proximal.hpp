// sinew/constraint/solve/proximal.hpp - constraint forces by proximal iteration, without deciding a rank
//   lambda <- lambda + (A + mu 1)^-1 (b - A lambda)                      after Carpentier, Budhiraja, Mansard 2021
// The part of the error along an eigenvalue s of A shrinks by mu / (s + mu) per round, so redundant and singular sets
// converge; one Cholesky factorization serves all rounds. lambda tends to the shortest one. A contradiction shows as a
// residual that no longer changes: the rows with such a residual are named.
#pragma once
#include "sinew/constraint/certificate.hpp"
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/linear/symmetric_factor.hpp"

namespace sinew {

struct ProximalOptions {
  double mu = 1e-9;      // relative to the largest A_ii
  bool per_row = false;  // to each A_ii instead: for rows of very different units; lambda is shortest in that metric
  double tolerance = 1e-10;  // residual of a row relative to its terms; below it rounds must halve it to go on
  int max_iterations = 200;
};

struct ProximalWorkspace {
  explicit ProximalWorkspace(const ConstrainedSystem&);
  std::vector<double> A;        // rows x rows
  linear::SymmetricFactor F;    // of A + mu 1
  std::vector<double> b, r, y;  // (rows) right side; residual; its solution
};

// After factor(tree, system). Fills status, iterations and contradicting; rank is -1.
void solve_by_proximal(const DofTree&, ProximalWorkspace&, const ConstrainedSystem&, const RankOptions&,
                       const ProximalOptions&, Out<double> x, Out<double> lambda, SolveCertificate&);

}  // namespace sinew
