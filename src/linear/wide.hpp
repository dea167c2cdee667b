// src/linear/wide.hpp - sums over rows of numbers in an order that does not depend on the machine
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

// Compiles a function a second time for AVX2; the program chooses when it starts. No operation is fused or reordered,
// so the bits are those of the plain code. GCC only: Clang wants the attribute at every declaration. Not with
// sanitizers, which start after the choice is made.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(SINEW_SANITIZED)
#define SINEW_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define SINEW_WIDE
#endif

namespace sinew::linear::wide {

using Four [[gnu::vector_size(32)]] = double;
// Needs no more alignment than a double.
[[gnu::always_inline]] inline void load(const double* a, Four& out) { std::memcpy(&out, a, sizeof out); }
[[gnu::always_inline]] inline void add_product(const double* a, const double* b, Four& sum) {
  Four x, y;
  load(a, x), load(b, y);
  sum += x * y;
}

// Eight sums, then four, then the rest. Every product of rows here has this order.
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

inline double* row_of(double* A, int stride, int i) { return A + static_cast<std::ptrdiff_t>(i) * stride; }
inline const double* row_of(const double* A, int stride, int i) { return A + static_cast<std::ptrdiff_t>(i) * stride; }

}  // namespace sinew::linear::wide
