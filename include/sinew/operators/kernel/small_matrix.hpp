// sinew/operators/kernel/small_matrix.hpp - products of small dense blocks, row by row and without gaps
// Sizes are known when the program runs. Those of rigid bodies, 6 x 6 and 6 x 1, have loops of their own.
#pragma once
#include "sinew/base/scalar.hpp"

namespace sinew::sko {

// C (+)= A B with A (m x n), B (n x p).
template <bool kAdd, class T>
inline void multiply(int m, int n, int p, const T* A, const T* B, T* C) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < p; ++j) {
      T sum = kAdd ? C[i * p + j] : lit<T>(0);
      for (int k = 0; k < n; ++k) sum = sum + A[i * n + k] * B[k * p + j];
      C[i * p + j] = sum;
    }
}
// C (+)= A^T B with A (n x m), B (n x p).
template <bool kAdd, class T>
inline void multiply_transposed(int m, int n, int p, const T* A, const T* B, T* C) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < p; ++j) {
      T sum = kAdd ? C[i * p + j] : lit<T>(0);
      for (int k = 0; k < n; ++k) sum = sum + A[k * m + i] * B[k * p + j];
      C[i * p + j] = sum;
    }
}
// C (+)= A B^T with A (m x n), B (p x n).
template <bool kAdd, class T>
inline void multiply_by_transposed(int m, int n, int p, const T* A, const T* B, T* C) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < p; ++j) {
      T sum = kAdd ? C[i * p + j] : lit<T>(0);
      for (int k = 0; k < n; ++k) sum = sum + A[i * n + k] * B[j * n + k];
      C[i * p + j] = sum;
    }
}

}  // namespace sinew::sko
