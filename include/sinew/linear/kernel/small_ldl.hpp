// sinew/linear/kernel/small_ldl.hpp - L D L^T of a symmetric positive definite matrix of up to six rows, without pivots
#pragma once
#include "sinew/base/scalar.hpp"

namespace sinew::linear {

template <class T>
struct SmallLdl {
  int n = 0;
  T a[6][6] = {};  // lower triangle: first the matrix; after factor() L below, 1/D on the diagonal

  void factor() noexcept {
    for (int j = 0; j < n; ++j) {
      T u[6];  // row j of L D
      for (int k = 0; k < j; ++k) {
        u[k] = a[j][k];
        a[j][k] = u[k] * a[k][k];
        a[j][j] -= a[j][k] * u[k];
      }
      a[j][j] = lit<T>(1) / a[j][j];
      for (int i = j + 1; i < n; ++i)
        for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
    }
  }
  void solve(T* x) const noexcept {
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < i; ++k) x[i] -= a[i][k] * x[k];
    for (int i = n - 1; i >= 0; --i) {
      x[i] *= a[i][i];
      for (int k = i + 1; k < n; ++k) x[i] -= a[k][i] * x[k];
    }
  }
};

// The inverse of a symmetric positive definite matrix of six rows.
template <template <class> class Matrix, class T>
__attribute__((noinline)) Matrix<T> inverse_of(const Matrix<T>& m) noexcept {
  SmallLdl<T> ldl{6, {}};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) ldl.a[i][j] = m(i, j);
  ldl.factor();
  Matrix<T> out;
  for (int j = 0; j < 6; ++j) {
    T x[6];
    for (int i = 0; i < 6; ++i) x[i] = lit<T>(i == j ? 1 : 0);
    ldl.solve(x);
    for (int i = 0; i < 6; ++i) out(i, j) = x[i];
  }
  return out;
}

}  // namespace sinew::linear
