// src/linear/rows.cpp
#include "linear/rows.hpp"

#include "linear/wide.hpp"

namespace sinew::linear {

using wide::Four;

SINEW_WIDE double dot(const double* a, const double* b, int n) { return wide::sum_products(a, b, n); }

namespace {
// Four rows of A at once: out += x0 a0 + .. + x3 a3.
[[gnu::always_inline]] inline void add_four(double* __restrict out, const double* __restrict a0,
                                            const double* __restrict a1, const double* __restrict a2,
                                            const double* __restrict a3, const double* x, int n) {
  const double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
  for (int j = 0; j < n; ++j) out[j] += (x0 * a0[j] + x1 * a1[j]) + (x2 * a2[j] + x3 * a3[j]);
}
}  // namespace

SINEW_WIDE void add_symmetric_product(const double* A, const double* x, double* out, int n) {
  int i = 0;
  for (; i + 3 < n; i += 4, A += 4 * static_cast<std::ptrdiff_t>(n))
    if (x[i] != 0 || x[i + 1] != 0 || x[i + 2] != 0 || x[i + 3] != 0)
      add_four(out, A, A + n, A + 2 * static_cast<std::ptrdiff_t>(n), A + 3 * static_cast<std::ptrdiff_t>(n), x + i, n);
  for (; i < n; ++i, A += n)
    for (int j = 0; j < n; ++j) out[j] += x[i] * A[j];
}

SINEW_WIDE double largest_entry(const double* a, int n) { return wide::find_largest(a, n); }

// x - x is zero unless x is not finite
SINEW_WIDE bool is_finite(const double* x, std::size_t n) {
  Four sum{};
  std::size_t i = 0;
  for (; i + 3 < n; i += 4) {
    Four here;
    wide::load(x + i, here);
    sum += here - here;
  }
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; i < n; ++i) all += x[i] - x[i];
  return all == 0;
}

}  // namespace sinew::linear
