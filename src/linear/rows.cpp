// src/linear/rows.cpp
#include "linear/rows.hpp"

#include "linear/wide.hpp"

namespace sinew::linear {

using wide::Four;

SINEW_WIDE double dot(const double* a, const double* b, int n) { return wide::sum_products(a, b, n); }

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
