// sinew/constraint/solve/multipliers.hpp - constraint forces first: A lambda = b, then x = H^-1 (f + K^T lambda)
// Reference: [F08 8.37-8.41], method 2 of [F08 section 8.5]: A = Y^T Y with Y = L^-T K^T, over the paths of the tree.
// constraint/solve/force_equation.hpp solves it for any rank.
#pragma once
#include "sinew/constraint/solve/force_equation.hpp"

namespace sinew {

struct MultipliersWorkspace {
  explicit MultipliersWorkspace(const ConstrainedSystem& s) : equation(s.rows()) {}
  ForceEquation equation;
};

// After factor(tree, system). Fills rank, redundant, contradicting and status of the certificate.
void solve_by_multipliers(const DofTree&, MultipliersWorkspace&, const ConstrainedSystem&, const RankOptions&,
                          Out<double> x, Out<double> lambda, SolveCertificate&);

}  // namespace sinew
