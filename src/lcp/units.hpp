// src/lcp/units.hpp - factors that bring every unknown and every row of a problem to the units of w
// Unknown i is weighed by  column = |M_ii|, its row by 1. Where the diagonal is zero (a multiplier, a slip speed) the
// weights come from the rows and columns that do have one:  column = largest |M_ji|,  row = 1 / largest |M_ij| / M_jj.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/rows.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {

struct Units {
  double row = 1, column = 1;
  bool diagonal = false;  // the diagonal is not zero
};

// Units of row i. Its diagonal counts as nonzero if it exceeds `least`.
inline Units calc_units(MatrixView<const double> M, std::size_t i, double least) {
  if (std::abs(M(i, i)) > least) return {1, std::abs(M(i, i)), true};
  double column = 0, any = 0, ratio = 0;
  for (std::size_t j = 0; j < M.rows(); ++j) {
    const double down = std::abs(M(j, i)), across = std::abs(M(i, j)), diagonal = std::abs(M(j, j));
    any = std::max(any, down);
    if (diagonal == 0) continue;
    column = std::max(column, down);
    ratio = std::max(ratio, across / diagonal);
  }
  if (column == 0) column = any > 0 ? any : 1;
  return {ratio > 0 ? 1 / ratio : 1, column, false};
}

struct UnitsOfRows {
  explicit UnitsOfRows(const Problem& p) : M(p.M) {}
  Units operator()(std::size_t i) const {
    return calc_units(
        M, i, linear::kNoDiagonal * linear::largest_entry(M.data() + i * M.stride(), static_cast<int>(M.cols())));
  }
  MatrixView<const double> M;
};
// W is positive semidefinite: no entry exceeds the root of its row's diagonal times the largest diagonal, so rows need
// not be read.
struct UnitsOfContacts {
  explicit UnitsOfContacts(const FrictionProblem& p) : W(p.W) {
    for (std::size_t i = 0; i < W.rows(); ++i) largest = std::max(largest, std::abs(W(i, i)));
  }
  Units operator()(std::size_t i) const {
    return calc_units(W, i, linear::kNoDiagonal * linear::kNoDiagonal * largest);
  }
  MatrixView<const double> W;
  double largest = 0;
};
// Diagonals only: a row without one moves nothing.
struct UnitsOfBlocks {
  explicit UnitsOfBlocks(const SparseProblem& problem) : p(problem) {
    for (int i = 0; i < p.size(); ++i) largest = std::max(largest, p.diagonal_of(i));
  }
  Units operator()(std::size_t i) const {
    const double own = p.diagonal_of(static_cast<int>(i));
    return own > linear::kNoDiagonal * linear::kNoDiagonal * largest ? Units{1, own, true} : Units{1, 1, false};
  }
  const SparseProblem& p;
  double largest = 0;
};
inline UnitsOfRows units_of(const Problem& p) { return UnitsOfRows(p); }
inline UnitsOfContacts units_of(const FrictionProblem& p) { return UnitsOfContacts(p); }
inline UnitsOfBlocks units_of(const SparseProblem& p) { return UnitsOfBlocks(p); }

Residual calc_residual(const Problem&, VectorView<const double> z, const std::vector<Units>&);
Residual calc_residual(const FrictionProblem&, VectorView<const double> z, const std::vector<Units>&);
Residual calc_residual(const SparseProblem&, VectorView<const double> z, const std::vector<Units>&);
// The largest entry of the scaled natural map in each block, not over the largest |q|.
void calc_block_residuals(const SparseProblem&, VectorView<const double> z, std::vector<double>& of_blocks);

}  // namespace sinew::lcp
