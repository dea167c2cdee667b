// src/lcp/dense_kernels.cpp
#include "lcp/dense_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

// The same code once more for wider registers, chosen when the program starts. Nothing is fused and no sum is
// reordered: the bits are those of the plain code. Of GCC only, for Clang wants to know at every declaration; and
// sanitizers start too late for such a choice.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(SINEW_SANITIZED)
#define SINEW_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SINEW_WIDE
#endif

namespace sinew::lcp {
namespace {

using Four [[gnu::vector_size(32)]] = double;
// From memory that is aligned as doubles are.
[[gnu::always_inline]] inline void load(const double* a, Four& out) { std::memcpy(&out, a, sizeof out); }
[[gnu::always_inline]] inline void add_product(const double* a, const double* b, Four& sum) {
  Four x, y;
  load(a, x), load(b, y);
  sum += x * y;
}

// Eight sums, then four, then the rest: the order that every product of rows here has.
[[gnu::always_inline]] inline double sum_products(const double* a, const double* b, int n) {
  Four low{}, high{};
  int i = 0;
  for (; i + 7 < n; i += 8) add_product(a + i, b + i, low), add_product(a + i + 4, b + i + 4, high);
  if (i + 3 < n) add_product(a + i, b + i, low), i += 4;
  low += high;
  double sum = (low[0] + low[1]) + (low[2] + low[3]);
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

[[gnu::always_inline]] inline double find_largest(const double* a, int n) {
  Four most{};
  int i = 0;
  for (; i + 3 < n; i += 4) {
    Four x;
    load(a + i, x);
    const Four size = x < 0 ? -x : x;
    most = size > most ? size : most;
  }
  double all = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
  for (; i < n; ++i) all = std::abs(a[i]) > all ? std::abs(a[i]) : all;
  return all;
}

constexpr int kPanel = 16;  // columns that are eliminated before the rest of the matrix is touched

double* row_of(double* A, int stride, int i) { return A + static_cast<std::ptrdiff_t>(i) * stride; }
const double* row_of(const double* A, int stride, int i) { return A + static_cast<std::ptrdiff_t>(i) * stride; }

// Two rows at once, less four rows above: r -= l[0] u0 + .. + l[3] u3.
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
[[gnu::always_inline]] inline void subtract_one(double* __restrict a, double l, const double* __restrict u, int n) {
  for (int j = 0; j < n; ++j) a[j] -= l * u[j];
}

// Rows from, .. , n - 1 and columns from `right` on, less L times U of the panel's columns k0 .. k1 - 1.
[[gnu::always_inline]] inline void update_rest(double* A, int n, int stride, int k0, int k1, int from, int right) {
  const int width = n - right;
  if (width <= 0) return;
  int i = from;
  for (; i + 1 < n; i += 2) {
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

SINEW_WIDE double factor_lu(double* A, int n, int stride, int* order, double least) {
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
    update_rest(A, n, stride, k0, k1, k1, k1);
  }
  return n == 0 ? 1 : largest > 0 ? smallest / largest : 0;
}

SINEW_WIDE void solve_lu(const double* A, int n, int stride, const int* order, double* x, double* work) {
  for (int i = 0; i < n; ++i) work[i] = x[order[i]] - sum_products(row_of(A, stride, i), work, i);
  for (int i = n - 1; i >= 0; --i) {
    const double* row = row_of(A, stride, i);
    x[i] = (work[i] - sum_products(row + i + 1, x + i + 1, n - i - 1)) / row[i];
  }
}

SINEW_WIDE double dot(const double* a, const double* b, int n) { return sum_products(a, b, n); }

SINEW_WIDE bool factor_envelope(double* A, int n, int stride, const int* first) {
  for (int i = 0; i < n; ++i) {
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

SINEW_WIDE void solve_envelope(const double* A, int n, int stride, const int* first, double* x) {
  for (int i = 0; i < n; ++i)
    x[i] -= sum_products(A + static_cast<std::ptrdiff_t>(i) * stride + first[i], x + first[i], i - first[i]);
  for (int i = 0; i < n; ++i) x[i] *= A[static_cast<std::ptrdiff_t>(i) * (stride + 1)];
  for (int i = n; i-- > 0;) {
    const double *row = A + static_cast<std::ptrdiff_t>(i) * stride, value = x[i];
    for (int j = first[i]; j < i; ++j) x[j] -= row[j] * value;
  }
}

SINEW_WIDE double factor_envelope(double* lower, double* upper, int n, int stride, const int* first) {
  double least = 1;
  for (int i = 0; i < n; ++i) {
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

SINEW_WIDE void solve_envelope(const double* lower, const double* upper, int n, int stride, const int* first,
                               double* x) {
  for (int i = 0; i < n; ++i)
    x[i] -= sum_products(lower + static_cast<std::ptrdiff_t>(i) * stride + first[i], x + first[i], i - first[i]);
  for (int i = n; i-- > 0;) {
    const double* u = upper + static_cast<std::ptrdiff_t>(i) * stride;
    const double value = x[i] *= u[i];
    for (int j = first[i]; j < i; ++j) x[j] -= u[j] * value;
  }
}

SINEW_WIDE double largest_entry(const double* a, int n) { return find_largest(a, n); }

// x - x is zero unless x is not finite
SINEW_WIDE bool is_finite(const double* x, std::size_t n) {
  Four sum{};
  std::size_t i = 0;
  for (; i + 3 < n; i += 4) {
    Four here;
    load(x + i, here);
    sum += here - here;
  }
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; i < n; ++i) all += x[i] - x[i];
  return all == 0;
}

}  // namespace sinew::lcp
