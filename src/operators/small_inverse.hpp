// src/operators/small_inverse.hpp - inverses and one-sided inverses of small dense matrices, row by row
#pragma once
#include <vector>

#include "linear/lu.hpp"
#include "sinew/linear/kernel/symmetric_inverse.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::sko {

inline constexpr double kSingular = 1e-13;  // a pivot, relative to the largest entry

// out = A^-1 (n x n). False where A is singular. Allocates.
inline bool invert_small(int n, const double* A, double* out) {
  std::vector<double> factor(A, A + n * n), x(static_cast<std::size_t>(n)), work(x);
  std::vector<int> order(x.size());
  const MatrixView<double> view(factor.data(), x.size(), x.size());
  if (n > 0 && linear::factor_lu(view, order.data()) < kSingular) return false;
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = i == c ? 1 : 0;
    linear::solve_lu({factor.data(), x.size(), x.size()}, order.data(), x.data(), work.data());
    for (int i = 0; i < n; ++i) out[i * n + c] = x[static_cast<std::size_t>(i)];
  }
  return true;
}

}  // namespace sinew::sko
