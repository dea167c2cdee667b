// sinew/constraint/solve/force_equation.hpp - A lambda = b for the constraint forces, A = K H^-1 K^T of any rank
// Reference: [F08 8.38-8.41]. Cholesky with diagonal pivoting, rows scaled to a unit diagonal; pivots below
// rank_tolerance^2 end it. lambda is the shortest one, A^+ b; where rows contradict, that of least squares.
// The caller provides A: constraint/solve/multipliers.hpp as Y^T Y, constraint/solve/pv.hpp by two sweeps.
#pragma once
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/constraint/rank/row_dependence.hpp"

namespace sinew {

struct ForceEquation {
  explicit ForceEquation(int rows);
  void resize(int rows);  // at most the size at construction: no allocation
  int rows() const { return static_cast<int>(k.size()); }
  // A as a matrix, rows x rows.
  MatrixView<double> matrix() { return {A.data(), k.size(), k.size()}; }

  // By the caller.
  std::vector<double> A;           // rows x rows, the lower triangle
  std::vector<double> k, b;        // K x = k;  b = k - K H^-1 f
  std::vector<double> size, full;  // as in ConstrainedSystem
  // By solve().
  RowDependence dependence;
  std::vector<double> row_scale;  // as in ConstrainedSystem
  std::vector<double> F;          // rows x rows: the factor of A, scaled and reordered
  std::vector<double> diagonal, r, y;
};

// Fills rank, redundant, contradicting and status of the certificate. Allocates nothing.
void solve(ForceEquation&, const RankOptions&, Out<double> lambda, SolveCertificate&);
// The same in two steps, for several right sides b: k and size decide what contradicts, b is read by the second.
void factor(ForceEquation&, const RankOptions&, SolveCertificate&);
void solve_factored(ForceEquation&, Out<double> lambda);

}  // namespace sinew
