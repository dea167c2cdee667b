// sinew/operators/kernel/small_matrix.hpp - products of small dense blocks, row by row and without gaps
// Sizes are known when the program runs. Those of rigid bodies have loops of fixed length, which the compiler unrolls
// and turns into vector instructions. The order of the additions is the same in both, so are the bits.
#pragma once
#include <algorithm>
#include <type_traits>

#include "sinew/base/scalar.hpp"
#include "sinew/operators/shape.hpp"

namespace sinew::sko {

// Calls step(size, freedoms, parent's size) of a node. The sizes of a rigid body with one freedom are constants there:
// where `step` is inlined (SINEW_INLINE_LAMBDA), its loops have fixed length.
template <class Step>
inline void with_sizes(const SweepNode& x, const Step& step) {
  if (x.size == 6 && x.freedoms == 1 && x.parent_size == 6)
    step(6, 1, 6);
  else
    step(x.size, x.freedoms, x.parent_size);
}

namespace detail {

// C (+)= A B, with element (i, k) of A at A[i * row + k * column].
template <bool kAdd, class T>
inline void multiply_any(int m, int n, int p, const T* A, int row, int column, const T* B, T* C) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < p; ++j) {
      T sum = kAdd ? C[i * p + j] : lit<T>(0);
      for (int k = 0; k < n; ++k) sum = sum + A[i * row + k * column] * B[k * p + j];
      C[i * p + j] = sum;
    }
}
template <bool kAdd, int M, int N, int P, bool kTransposed, class T>
SINEW_HD void multiply_fixed(const T* A, const T* B, T* C) {
  const auto a = [&](int i, int k) -> const T& { return A[kTransposed ? k * M + i : i * N + k]; };
  if constexpr (P == 1) {  // all rows at once
    T sum[M];
    for (int i = 0; i < M; ++i) sum[i] = kAdd ? C[i] : lit<T>(0);
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < M; ++i) sum[i] = sum[i] + a(i, k) * B[k];
    for (int i = 0; i < M; ++i) C[i] = sum[i];
  } else {  // a row at a time stays in registers
    for (int i = 0; i < M; ++i) {
      T sum[P];
      for (int j = 0; j < P; ++j) sum[j] = kAdd ? C[i * P + j] : lit<T>(0);
      for (int k = 0; k < N; ++k)
        for (int j = 0; j < P; ++j) sum[j] = sum[j] + a(i, k) * B[k * P + j];
      for (int j = 0; j < P; ++j) C[i * P + j] = sum[j];
    }
  }
}
template <bool kAdd, bool kTransposed, class T>
SINEW_HD bool multiply_rigid(int m, int n, int p, const T* A, const T* B, T* C) {
  switch (100 * m + 10 * n + p) {
    case 666: return multiply_fixed<kAdd, 6, 6, 6, kTransposed>(A, B, C), true;
    case 661: return multiply_fixed<kAdd, 6, 6, 1, kTransposed>(A, B, C), true;
    case 616: return multiply_fixed<kAdd, 6, 1, 6, kTransposed>(A, B, C), true;
    case 611: return multiply_fixed<kAdd, 6, 1, 1, kTransposed>(A, B, C), true;
    case 161: return multiply_fixed<kAdd, 1, 6, 1, kTransposed>(A, B, C), true;
    case 111: return multiply_fixed<kAdd, 1, 1, 1, kTransposed>(A, B, C), true;
    default: return false;
  }
}
template <bool kAdd, bool kTransposed, class T>
void multiply_sized(int m, int n, int p, const T* A, const T* B, T* C) {
  if (m > 9 || n > 9 || p > 9 || !multiply_rigid<kAdd, kTransposed>(m, n, p, A, B, C))
    multiply_any<kAdd>(m, n, p, A, kTransposed ? 1 : n, kTransposed ? m : 1, B, C);
}
// Where the compiler knows the sizes it takes the one product there, without a call.
template <bool kAdd, bool kTransposed, class T>
SINEW_HD void multiply_either(int m, int n, int p, const T* A, const T* B, T* C) {
  if (!(__builtin_constant_p(m) && __builtin_constant_p(n) && __builtin_constant_p(p)) ||
      !multiply_rigid<kAdd, kTransposed>(m, n, p, A, B, C))
    multiply_sized<kAdd, kTransposed>(m, n, p, A, B, C);
}

// The lower half of C += A S A^T, all 6 x 6, a row at a time in pairs of columns. Weights of rigid bodies have zeros in
// their lower left corner (kCorner): those products are left out.
template <bool kCorner, class T>
inline void add_congruence_of_six(const T* A, const T* S, T* W, T* C) {
  for (int i = 0; i < 6; ++i) {
    T sum[6] = {};
    for (int k = kCorner && i >= 3 ? 3 : 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) sum[j] = sum[j] + A[i * 6 + k] * S[k * 6 + j];
    for (int j = 0; j < 6; ++j) W[i * 6 + j] = sum[j];
  }
  T transposed[36];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) transposed[j * 6 + i] = A[i * 6 + j];
  const auto add_row = [&]<int kColumns>(int i, std::integral_constant<int, kColumns>) {
    T sum[kColumns];
    for (int j = 0; j < kColumns; ++j) sum[j] = C[i * 6 + j];
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < (kCorner && k < 3 ? std::min(kColumns, 4) : kColumns); ++j)
        sum[j] = sum[j] + W[i * 6 + k] * transposed[k * 6 + j];
    for (int j = 0; j < kColumns; ++j) C[i * 6 + j] = sum[j];
  };
  add_row(0, std::integral_constant<int, 2>{}), add_row(1, std::integral_constant<int, 2>{});
  add_row(2, std::integral_constant<int, 4>{}), add_row(3, std::integral_constant<int, 4>{});
  add_row(4, std::integral_constant<int, 6>{}), add_row(5, std::integral_constant<int, 6>{});
}
template <class T>
inline bool has_zero_corner(const T* A) {
  bool zero = true;
  for (int i = 3; i < 6; ++i)
    for (int j = 0; j < 3; ++j) zero &= A[i * 6 + j] == lit<T>(0);
  return zero;
}

}  // namespace detail

// C (+)= A B with A (m x n), B (n x p).
template <bool kAdd, class T>
SINEW_HD void multiply(int m, int n, int p, const T* A, const T* B, T* C) {
  detail::multiply_either<kAdd, false>(m, n, p, A, B, C);
}
// C (+)= A^T B with A (n x m), B (n x p).
template <bool kAdd, class T>
SINEW_HD void multiply_transposed(int m, int n, int p, const T* A, const T* B, T* C) {
  detail::multiply_either<kAdd, true>(m, n, p, A, B, C);
}
// C (+)= A B^T with A (m x n), B (p x n).
template <bool kAdd, class T>
inline void multiply_by_transposed(int m, int n, int p, const T* A, const T* B, T* C) {
  if (m == 6 && n == 6 && p == 6) {
    T transposed[36];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) transposed[j * 6 + i] = B[i * 6 + j];
    return detail::multiply_fixed<kAdd, 6, 6, 6, false>(A, transposed, C);
  }
  if (p == 1) return multiply<kAdd>(m, n, 1, A, B, C);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < p; ++j) {
      T sum = kAdd ? C[i * p + j] : lit<T>(0);
      for (int k = 0; k < n; ++k) sum = sum + A[i * n + k] * B[j * n + k];
      C[i * p + j] = sum;
    }
}

// C += A S A^T with A (m x n) and S (n x n) symmetric; the lower half of C is calculated, the upper half copied from
// it. work: m x n.
template <class T>
inline void add_congruence(int m, int n, const T* A, const T* S, T* work, T* C) {
  if (m == 6 && n == 6) {
    if (detail::has_zero_corner(A))
      detail::add_congruence_of_six<true>(A, S, work, C);
    else
      detail::add_congruence_of_six<false>(A, S, work, C);
  } else {
    multiply<false>(m, n, n, A, S, work);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j <= i; ++j) {
        T sum = C[i * m + j];
        for (int k = 0; k < n; ++k) sum = sum + work[i * n + k] * A[j * n + k];
        C[i * m + j] = sum;
      }
  }
  for (int i = 0; i < m; ++i)
    for (int j = i + 1; j < m; ++j) C[i * m + j] = C[j * m + i];
}

}  // namespace sinew::sko
