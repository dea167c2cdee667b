// sinew/constraint/multipliers.hpp - constraint forces first: A lambda = b, then x = H^-1 (f + K^T lambda)
// Reference: [F08 8.37-8.41], method 2 of [F08 8.5]: A = Y^T Y with Y = L^-T K^T, over the paths of the tree.
// A is factored by Cholesky with diagonal pivoting, rows scaled to a unit diagonal; pivots below rank_tolerance^2 end
// it. lambda is the shortest one, A^+ b; where k contradicts itself x is the least-squares answer.
#pragma once
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/constraint/row_dependence.hpp"

namespace sinew {

struct MultipliersWorkspace {
  explicit MultipliersWorkspace(const ConstrainedSystem&);
  RowDependence dependence;
  std::vector<double> A, F;  // rows x rows: A, and the factor of its scaled and reordered copy
  std::vector<double> diagonal, k, r, y;
};

// After factor(tree, system). Fills rank, redundant, contradicting and status of the certificate.
void solve_by_multipliers(const DofTree&, MultipliersWorkspace&, const ConstrainedSystem&, const RankOptions&,
                          Out<double> x, Out<double> lambda, SolveCertificate&);

}  // namespace sinew
