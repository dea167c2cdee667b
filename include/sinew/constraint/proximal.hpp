// sinew/constraint/proximal.hpp - constraint forces by proximal iteration: no rank is ever decided
//   lambda <- lambda + (A + mu 1)^-1 (b - A lambda)                      after Carpentier, Budhiraja, Mansard 2021
// The part of the error along an eigenvalue s of A shrinks by mu / (s + mu) a round, so redundant and singular sets
// converge; one Cholesky factorization serves all rounds. lambda tends to the shortest one. A contradiction shows as a
// residual that no longer changes: the rows that carry it are named.
#pragma once
#include "sinew/constraint/certificate.hpp"
#include "sinew/constraint/constrained_system.hpp"

namespace sinew {

struct ProximalOptions {
  double mu = 1e-9;          // relative to the largest A_ii
  double tolerance = 1e-10;  // residual relative to the largest term; below it rounds go on while each halves it
  int max_iterations = 200;
};

struct ProximalWorkspace {
  explicit ProximalWorkspace(const ConstrainedSystem&);
  std::vector<double> A, F;  // rows x rows
  std::vector<double> b, r, y;
};

// After factor(tree, system). Fills status, iterations and contradicting; rank is -1.
void solve_by_proximal(const DofTree&, ProximalWorkspace&, const ConstrainedSystem&, const RankOptions&,
                       const ProximalOptions&, Out<double> x, Out<double> lambda, SolveCertificate&);

}  // namespace sinew
