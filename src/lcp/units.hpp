// src/lcp/units.hpp - factors that bring every unknown and every row of a problem to the units of w
// Unknown i is weighed by  column = |M_ii|, its row by 1. Where the diagonal is zero (a multiplier, a slip speed) the
// weights come from the rows and columns that do have one:  column = largest |M_ji|,  row = 1 / largest |M_ij| / M_jj.
#pragma once
#include <algorithm>
#include <cmath>

#include "sinew/base/view.hpp"

namespace sinew::lcp {

struct Units {
  double row = 1, column = 1;
};

inline bool has_diagonal(MatrixView<const double> M, std::size_t i) {
  double largest = 0;
  for (std::size_t j = 0; j < M.cols(); ++j) largest = std::max(largest, std::abs(M(i, j)));
  return std::abs(M(i, i)) > 1e-14 * largest;
}

inline Units calc_units(MatrixView<const double> M, std::size_t i) {
  if (has_diagonal(M, i)) return {1, std::abs(M(i, i))};
  double column = 0, any = 0, ratio = 0;
  for (std::size_t j = 0; j < M.rows(); ++j) {
    const double down = std::abs(M(j, i)), across = std::abs(M(i, j)), diagonal = std::abs(M(j, j));
    any = std::max(any, down);
    if (diagonal == 0) continue;
    column = std::max(column, down);
    ratio = std::max(ratio, across / diagonal);
  }
  if (column == 0) column = any > 0 ? any : 1;
  return {ratio > 0 ? 1 / ratio : 1, column};
}

}  // namespace sinew::lcp
