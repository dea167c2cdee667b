// src/linear/lu.cpp
#include "linear/lu.hpp"

#include <algorithm>
#include <utility>

#include "linear/wide.hpp"

namespace sinew::linear {
namespace {

using wide::row_of, wide::sum_products;

constexpr int kPanel = 16;  // columns that are eliminated before the rest of the matrix is touched

// Subtracts four rows above from two rows at once: r -= l[0] u0 + .. + l[3] u3.
[[gnu::always_inline]] inline void subtract_four(double* __restrict a, double* __restrict b, const double* la,
                                                 const double* lb, const double* __restrict u0,
                                                 const double* __restrict u1, const double* __restrict u2,
                                                 const double* __restrict u3, int n) {
  const double a0 = la[0], a1 = la[1], a2 = la[2], a3 = la[3], b0 = lb[0], b1 = lb[1], b2 = lb[2], b3 = lb[3];
  for (int j = 0; j < n; ++j) {
    const double x0 = u0[j], x1 = u1[j], x2 = u2[j], x3 = u3[j];
    a[j] -= (a0 * x0 + a1 * x1) + (a2 * x2 + a3 * x3);
    b[j] -= (b0 * x0 + b1 * x1) + (b2 * x2 + b3 * x3);
  }
}
[[gnu::always_inline]] inline void subtract_four(double* __restrict a, const double* l, const double* __restrict u0,
                                                 const double* __restrict u1, const double* __restrict u2,
                                                 const double* __restrict u3, int n) {
  const double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3];
  for (int j = 0; j < n; ++j) a[j] -= (l0 * u0[j] + l1 * u1[j]) + (l2 * u2[j] + l3 * u3[j]);
}
[[gnu::always_inline]] inline void subtract_one(double* __restrict a, double l, const double* __restrict u, int n) {
  for (int j = 0; j < n; ++j) a[j] -= l * u[j];
}

// Subtracts L U of the panel's columns k0 .. k1 - 1 from the rows from, .., n - 1, columns from `right` on.
[[gnu::always_inline]] inline void update_rest(double* A, int n, int stride, int k0, int k1, int from, int right,
                                               Interrupt interrupt) {
  const int width = n - right;
  if (width <= 0) return;
  int i = from;
  for (; i + 1 < n; i += 2) {
    interrupt.check();
    double *a = row_of(A, stride, i), *b = row_of(A, stride, i + 1);
    int k = k0;
    for (; k + 3 < k1; k += 4)
      subtract_four(a + right, b + right, a + k, b + k, row_of(A, stride, k) + right, row_of(A, stride, k + 1) + right,
                    row_of(A, stride, k + 2) + right, row_of(A, stride, k + 3) + right, width);
    for (; k < k1; ++k) {
      subtract_one(a + right, a[k], row_of(A, stride, k) + right, width);
      subtract_one(b + right, b[k], row_of(A, stride, k) + right, width);
    }
  }
  for (; i < n; ++i)
    for (int k = k0; k < k1; ++k)
      subtract_one(row_of(A, stride, i) + right, row_of(A, stride, i)[k], row_of(A, stride, k) + right, width);
}

}  // namespace

SINEW_WIDE double factor_lu(MatrixView<double> view, int* order, double least, Interrupt interrupt) {
  double* const A = view.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride());
  double largest = 0, smallest = INFINITY;
  for (int i = 0; i < n; ++i) {
    order[i] = i;
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(row_of(A, stride, i)[j]));
  }
  for (int k0 = 0; k0 < n; k0 += kPanel) {
    const int k1 = std::min(k0 + kPanel, n);
    // the panel: pivots by column, whole rows change places
    for (int k = k0; k < k1; ++k) {
      int best = k;
      for (int i = k + 1; i < n; ++i)
        if (std::abs(row_of(A, stride, i)[k]) > std::abs(row_of(A, stride, best)[k])) best = i;
      if (best != k) {
        std::swap_ranges(row_of(A, stride, k), row_of(A, stride, k) + n, row_of(A, stride, best));
        std::swap(order[k], order[best]);
      }
      double* pivot_row = row_of(A, stride, k);
      smallest = std::min(smallest, std::abs(pivot_row[k]));
      if (!(std::abs(pivot_row[k]) > least)) pivot_row[k] = pivot_row[k] < 0 ? -least : least;
      if (pivot_row[k] == 0) return 0;
      const double inverse = 1 / pivot_row[k];
      for (int i = k + 1; i < n; ++i) {
        double* row = row_of(A, stride, i);
        if (row[k] == 0) continue;
        row[k] *= inverse;
        for (int j = k + 1; j < k1; ++j) row[j] -= row[k] * pivot_row[j];
      }
    }
    // its rows to the right, then everything below
    for (int k = k0; k < k1; ++k)
      for (int i = k + 1; i < k1; ++i)
        subtract_one(row_of(A, stride, i) + k1, row_of(A, stride, i)[k], row_of(A, stride, k) + k1, n - k1);
    update_rest(A, n, stride, k0, k1, k1, k1, interrupt);
  }
  return n == 0 ? 1 : largest > 0 ? smallest / largest : 0;
}

SINEW_WIDE void solve_lu(MatrixView<const double> view, const int* order, double* x, double* work) {
  const double* const A = view.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride());
  for (int i = 0; i < n; ++i) work[i] = x[order[i]] - sum_products(row_of(A, stride, i), work, i);
  for (int i = n - 1; i >= 0; --i) {
    const double* row = row_of(A, stride, i);
    x[i] = (work[i] - sum_products(row + i + 1, x + i + 1, n - i - 1)) / row[i];
  }
}

// Four pivots at a time: their rows, then each row below at once.
SINEW_WIDE double factor_plain(MatrixView<double> view, double* work, Interrupt interrupt) {
  double* const A = view.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride());
  double least = 1;
  for (int i = 0; i < n; ++i) work[i] = std::abs(row_of(A, stride, i)[i]);  // then the largest of the column above
  for (int k0 = 0; k0 < n; k0 += 4) {
    interrupt.check();
    const int k1 = std::min(k0 + 4, n);
    double inverse[4] = {};
    for (int k = k0; k < k1; ++k) {
      const double* u = row_of(A, stride, k);
      const double pivot = std::abs(u[k]);
      if (!(pivot > 0)) return 0;
      least = std::min(least, pivot / work[k]);
      inverse[k - k0] = 1 / u[k];
      for (int j = k + 1; j < n; ++j) work[j] = std::max(work[j], std::abs(u[j]));
      for (int i = k + 1; i < k1; ++i) {
        double* row = row_of(A, stride, i);
        row[k] *= inverse[k - k0];
        subtract_one(row + k + 1, row[k], u + k + 1, n - k - 1);
      }
    }
    const double *u0 = row_of(A, stride, k0), *u1 = u0 + stride, *u2 = u1 + stride, *u3 = u2 + stride;
    for (int i = k1; i < n; ++i) {
      double* row = row_of(A, stride, i);
      double* l = row + k0;
      l[0] *= inverse[0];
      l[1] = (l[1] - l[0] * u0[k0 + 1]) * inverse[1];
      l[2] = (l[2] - l[0] * u0[k0 + 2] - l[1] * u1[k0 + 2]) * inverse[2];
      l[3] = (l[3] - l[0] * u0[k0 + 3] - l[1] * u1[k0 + 3] - l[2] * u2[k0 + 3]) * inverse[3];
      subtract_four(row + k1, l, u0 + k1, u1 + k1, u2 + k1, u3 + k1, n - k1);
    }
    for (int k = k0; k < k1; ++k) row_of(A, stride, k)[k] = inverse[k - k0];
  }
  return least;
}

// Four unknowns at a time, then what they are to all others: these do not wait for each other.
SINEW_WIDE void solve_plain(MatrixView<const double> view, double* x) {
  const double* const A = view.data();
  const int n = static_cast<int>(view.rows()), stride = static_cast<int>(view.stride()), whole = n / 4 * 4;
  const auto take_away = [&](int k, int from, int end) {
    const double x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
    const double* row = row_of(A, stride, from) + k;
    for (int i = from; i < end; ++i, row += stride) x[i] -= (row[0] * x0 + row[1] * x1) + (row[2] * x2 + row[3] * x3);
  };
  for (int k = 0; k < whole; k += 4) {
    const double *u1 = row_of(A, stride, k + 1) + k, *u2 = u1 + stride, *u3 = u2 + stride;
    x[k + 1] -= u1[0] * x[k];
    x[k + 2] -= u2[0] * x[k] + u2[1] * x[k + 1];
    x[k + 3] -= u3[0] * x[k] + u3[1] * x[k + 1] + u3[2] * x[k + 2];
    take_away(k, k + 4, n);
  }
  for (int i = whole + 1; i < n; ++i)
    for (int k = whole; k < i; ++k) x[i] -= row_of(A, stride, i)[k] * x[k];
  for (int i = n - 1; i >= whole; --i) {
    const double* row = row_of(A, stride, i);
    for (int k = i + 1; k < n; ++k) x[i] -= row[k] * x[k];
    x[i] *= row[i];
  }
  for (int k = whole; k < n; ++k)
    for (int i = 0; i < whole; ++i) x[i] -= row_of(A, stride, i)[k] * x[k];
  for (int k = whole - 4; k >= 0; k -= 4) {
    const double *u0 = row_of(A, stride, k) + k, *u1 = u0 + stride, *u2 = u1 + stride, *u3 = u2 + stride;
    x[k + 3] *= u3[3];
    x[k + 2] = (x[k + 2] - u2[3] * x[k + 3]) * u2[2];
    x[k + 1] = (x[k + 1] - u1[2] * x[k + 2] - u1[3] * x[k + 3]) * u1[1];
    x[k] = (x[k] - u0[1] * x[k + 1] - u0[2] * x[k + 2] - u0[3] * x[k + 3]) * u0[0];
    take_away(k, 0, k);
  }
}

}  // namespace sinew::linear
