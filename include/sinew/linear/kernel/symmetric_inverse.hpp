// sinew/linear/kernel/symmetric_inverse.hpp - the inverse of a small symmetric positive definite matrix of any size
// For scalars that are one number. A = L D L^T without exchanges, then a solve per column.
#pragma once
#include <algorithm>

#include "sinew/base/scalar.hpp"

namespace sinew::linear {

namespace detail {
template <class T, class IsAbove>
bool invert_symmetric_any(int n, const T* A, T* out, T* pivots, T* L, double tolerance, const IsAbove& is_above) {
  std::copy(A, A + n * n, L);
  for (int j = 0; j < n; ++j) {
    T& d = pivots[j] = A[j * n + j];
    for (int k = 0; k < j; ++k) d = d - L[j * n + k] * L[j * n + k] * pivots[k];
    if (!is_above(d, lit<T>(tolerance) * A[j * n + j])) return false;
    for (int i = j + 1; i < n; ++i) {
      for (int k = 0; k < j; ++k) L[i * n + j] = L[i * n + j] - L[i * n + k] * L[j * n + k] * pivots[k];
      L[i * n + j] = L[i * n + j] / d;
    }
  }
  for (int c = 0; c < n; ++c) {
    T* x = out + c * n;  // column c of the inverse, which is its row c
    for (int i = 0; i < n; ++i) {
      x[i] = lit<T>(i == c ? 1 : 0);
      for (int k = 0; k < i; ++k) x[i] = x[i] - L[i * n + k] * x[k];
    }
    for (int i = n - 1; i >= 0; --i) {
      x[i] = x[i] / pivots[i];
      for (int k = i + 1; k < n; ++k) x[i] = x[i] - L[k * n + i] * x[k];
    }
  }
  return true;
}
}  // namespace detail

// out = A^-1, both n x n; pivots = D (n); L: n x n, scratch. False where a pivot is at most `tolerance` times the
// diagonal entry of A; out is then not set. is_above(x, y): x > y.
template <class T, class IsAbove>
SINEW_HD bool invert_symmetric(int n, const T* A, T* out, T* pivots, T* L, double tolerance, const IsAbove& is_above) {
  if (n != 1) return detail::invert_symmetric_any(n, A, out, pivots, L, tolerance, is_above);
  pivots[0] = A[0];
  if (!is_above(A[0], lit<T>(tolerance) * A[0])) return false;
  out[0] = lit<T>(1) / A[0];
  return true;
}

}  // namespace sinew::linear
