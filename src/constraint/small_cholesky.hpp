// src/constraint/small_cholesky.hpp - A = L L^T of a small dense matrix, in place in the lower triangle
#pragma once
#include <cmath>

namespace sinew {

// Rows `stride` apart. False where a pivot is not positive.
inline bool factor_cholesky(double* a, int n, int stride) {
  for (int i = 0; i < n; ++i) {
    double* row = a + i * stride;
    for (int j = 0; j <= i; ++j) {
      const double* other = a + j * stride;
      double sum = row[j];
      for (int p = 0; p < j; ++p) sum -= row[p] * other[p];
      if (j < i)
        row[j] = sum / other[j];
      else if (!(sum > 0))
        return false;
      else
        row[i] = std::sqrt(sum);
    }
  }
  return true;
}

inline void solve_cholesky(const double* a, int n, int stride, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= a[i * stride + j] * x[j];
    x[i] /= a[i * stride + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    x[i] /= a[i * stride + i];
    for (int j = 0; j < i; ++j) x[j] -= a[i * stride + j] * x[i];
  }
}

}  // namespace sinew
