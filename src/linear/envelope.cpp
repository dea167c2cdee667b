// src/linear/envelope.cpp
#include "linear/envelope.hpp"

#include "linear/wide.hpp"

namespace sinew::linear {

using wide::find_largest, wide::sum_products;

SINEW_WIDE bool factor_envelope(MatrixView<double> view, const int* first, Interrupt interrupt) {
  double* const A = view.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride());
  for (int i = 0; i < n; ++i) {
    interrupt.check();
    double* row = A + static_cast<std::ptrdiff_t>(i) * stride;
    // L_ij D_j first, then L_ij
    for (int j = first[i]; j < i; ++j) {
      const double* other = A + static_cast<std::ptrdiff_t>(j) * stride;
      const int from = std::max(first[i], first[j]);
      row[j] -= sum_products(row + from, other + from, j - from);
    }
    double pivot = row[i];
    for (int j = first[i]; j < i; ++j) {
      const double inverse = A[static_cast<std::ptrdiff_t>(j) * (stride + 1)], scaled = row[j] * inverse;
      pivot -= row[j] * scaled;
      row[j] = scaled;
    }
    if (!(pivot > 0)) return false;
    row[i] = 1 / pivot;
  }
  return true;
}

SINEW_WIDE void solve_envelope(MatrixView<const double> view, const int* first, double* x) {
  const double* const A = view.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride());
  for (int i = 0; i < n; ++i)
    x[i] -= sum_products(A + static_cast<std::ptrdiff_t>(i) * stride + first[i], x + first[i], i - first[i]);
  for (int i = 0; i < n; ++i) x[i] *= A[static_cast<std::ptrdiff_t>(i) * (stride + 1)];
  for (int i = n; i-- > 0;) {
    const double *row = A + static_cast<std::ptrdiff_t>(i) * stride, value = x[i];
    for (int j = first[i]; j < i; ++j) x[j] -= row[j] * value;
  }
}

SINEW_WIDE double factor_envelope(MatrixView<double> view, MatrixView<double> columns, const int* first,
                                  Interrupt interrupt) {
  double *const lower = view.data(), *const upper = columns.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride());
  double least = 1;
  for (int i = 0; i < n; ++i) {
    interrupt.check();
    double *l = lower + static_cast<std::ptrdiff_t>(i) * stride, *u = upper + static_cast<std::ptrdiff_t>(i) * stride;
    for (int j = first[i]; j < i; ++j) {
      const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(j) * stride;
      const int from = std::max(first[i], first[j]), count = j - from;
      u[j] -= sum_products(u + from, lower + row + from, count);
      l[j] = (l[j] - sum_products(l + from, upper + row + from, count)) * upper[row + j];
    }
    const double before = std::abs(l[i]), pivot = l[i] - sum_products(l + first[i], u + first[i], i - first[i]);
    const double size = std::max(before, find_largest(u + first[i], i - first[i]));
    if (!(std::abs(pivot) > 0)) return 0;
    least = std::min(least, std::abs(pivot) / (size > 0 ? size : 1));
    u[i] = 1 / pivot;
  }
  return least;
}

SINEW_WIDE void solve_envelope(MatrixView<const double> view, MatrixView<const double> columns, const int* first,
                               double* x) {
  const double *const lower = view.data(), *const upper = columns.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride());
  for (int i = 0; i < n; ++i)
    x[i] -= sum_products(lower + static_cast<std::ptrdiff_t>(i) * stride + first[i], x + first[i], i - first[i]);
  for (int i = n; i-- > 0;) {
    const double* u = upper + static_cast<std::ptrdiff_t>(i) * stride;
    const double value = x[i] *= u[i];
    for (int j = first[i]; j < i; ++j) x[j] -= u[j] * value;
  }
}

}  // namespace sinew::linear
