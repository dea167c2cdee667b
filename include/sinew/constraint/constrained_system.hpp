// sinew/constraint/constrained_system.hpp - a linear system under constraints, as every joint-space solver takes it
//   H x = f + K^T lambda,   K x = k                                     [F08 8.34, 8.35]
// x is an acceleration (f = tau - C) or a step of velocity (f = an impulse). H is positive definite, with the sparsity
// of the tree; K may have any rank. Whether a row adds to the rank is judged in the metric of H^-1, relative to the row
// itself: rows are scaled by the diagonal of A = K H^-1 K^T, so units of rows do not matter. A row that is small
// because it cancels, as at a singular position, is judged by its size without cancellation; below 1e-10 of that it
// counts as a row of zeros.
#pragma once
#include <vector>

#include "sinew/delassus/problem.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/tree/ltl.hpp"

namespace sinew {

// When a row counts as implied by others, and when as contradicting them.
struct RankOptions {
  // A row counts as new if the other rows leave more than this part of it.
  double rank_tolerance = linear::kImplied;
  // An implied row contradicts the others if its k differs by more than this part of the terms of those rows.
  double consistency_tolerance = linear::kContradiction;
};

struct ConstrainedSystem {
  ConstrainedSystem(const DofTree&, int rows);                // rows that may reach every freedom
  ConstrainedSystem(const Model&, const delassus::Problem&);  // rows that reach only the freedoms above their nodes
  int freedoms() const { return static_cast<int>(f.size()); }
  int rows() const { return static_cast<int>(k.size()); }
  // K as a matrix, to be filled.
  MatrixView<double> jacobian() { return {K.data(), k.size(), f.size()}; }

  // Filled by the caller, in the order of velocity coordinates; H packed as crba_packed does it.
  std::vector<double> H, f, K, k;
  std::vector<double> made_of;  // (rows) size of the terms of k, where they may cancel; 0: |k|
  std::vector<double> full;     // (rows) estimate of sqrt(A_ii) without cancellation; 0: the largest sqrt(A_ii)
  // By factor(), in the order of the tree.
  LtlFactor<double> L;            // H = L^T L
  std::vector<double> Y;          // (rows x n) L^-T K^T, transposed
  std::vector<double> z;          // L^-T f
  std::vector<double> b;          // (rows) k - K H^-1 f
  std::vector<double> row_scale;  // (rows) 1 / sqrt(A_ii), or 1 / full where that is less; 0 for a row of zeros
  std::vector<double> size;       // (rows) largest of |k|, made_of and the terms of K H^-1 f
  // Constant: the freedoms that row r may reach, ascending, are reach[reach_begin[r]] .. reach[reach_begin[r + 1] - 1].
  std::vector<int> reach, reach_begin;
};

// H = L^T L, and what follows from it: Y, z, b and the scales of rows.
void factor(const DofTree&, ConstrainedSystem&);
// After factor: x = H^-1 (f + K^T lambda).
void calc_motion(const DofTree&, const ConstrainedSystem&, In<double> lambda, Out<double> x);
// After factor: the lower triangle of A = Y^T Y, rows x rows. [F08 8.38]
void calc_inverse_inertia(const ConstrainedSystem&, OutMatrix<double> A);

}  // namespace sinew
