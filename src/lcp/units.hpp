// src/lcp/units.hpp - factors that bring every unknown and every row of a problem to the units of w
// Unknown i is weighed by  column = |M_ii|, its row by 1. Where the diagonal is zero (a multiplier, a slip speed) the
// weights come from the rows and columns that do have one:  column = largest |M_ji|,  row = 1 / largest |M_ij| / M_jj.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "lcp/dense_kernels.hpp"
#include "sinew/lcp/residual.hpp"

namespace sinew::lcp {

struct Units {
  double row = 1, column = 1;
  bool diagonal = false;  // there is one
};

inline bool has_diagonal(MatrixView<const double> M, std::size_t i) {
  return std::abs(M(i, i)) > 1e-14 * largest_entry(M.data() + i * M.stride(), static_cast<int>(M.cols()));
}

inline Units calc_units(MatrixView<const double> M, std::size_t i) {
  if (has_diagonal(M, i)) return {1, std::abs(M(i, i)), true};
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

// All rows of a problem that is measured more than once.
inline void calc_units(MatrixView<const double> M, std::vector<Units>& out) {
  out.resize(M.rows());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = calc_units(M, i);
}
Residual calc_residual(const Problem&, VectorView<const double> z, const std::vector<Units>&);
Residual calc_residual(const FrictionProblem&, VectorView<const double> z, const std::vector<Units>&);

}  // namespace sinew::lcp
