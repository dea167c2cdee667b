// src/linear/dense_system.cpp
#include "linear/dense_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/wide.hpp"

namespace sinew::linear {
namespace {

[[gnu::always_inline]] inline void subtract_scaled(double* __restrict a, double f, const double* __restrict b, int n) {
  for (int j = 0; j < n; ++j) a[j] -= f * b[j];
}

}  // namespace

SINEW_WIDE int eliminate(MatrixView<double> T, MatrixView<double> B, std::vector<int>& order, double full_rank) {
  const int m = static_cast<int>(T.rows()), n = static_cast<int>(B.cols());
  const auto row = [&](int i) { return T.data() + at(i) * T.stride(); };
  const auto right = [&](int i) { return B.data() + at(i) * B.stride(); };
  order.resize(at(m));
  for (int i = 0; i < m; ++i) order[at(i)] = i;
  double first = 0;
  for (int k = 0; k < m; ++k) {
    int r = k, c = k;
    double most = 0;
    for (int i = k; i < m; ++i)
      if (const double here = wide::find_largest(row(i) + k, m - k); here > most) most = here, r = i;
    if (k == 0) first = most;
    if (!(most > full_rank * first)) return k;
    while (c + 1 < m && std::abs(row(r)[c]) != most) ++c;
    if (r != k) std::swap_ranges(row(r), row(r) + m, row(k)), std::swap_ranges(right(r), right(r) + n, right(k));
    if (c != k) {
      for (int i = 0; i < m; ++i) std::swap(row(i)[c], row(i)[k]);
      std::swap(order[at(c)], order[at(k)]);
    }
    const double inverse = 1 / row(k)[k];
    for (int i = k + 1; i < m; ++i) {
      const double f = row(i)[k] * inverse;
      if (f == 0) continue;
      subtract_scaled(row(i) + k + 1, f, row(k) + k + 1, m - k - 1), subtract_scaled(right(i), f, right(k), n);
      row(i)[k] = 0;
    }
  }
  return m;
}

SINEW_WIDE void divide_by_upper(MatrixView<const double> T, int rank, MatrixView<double> B) {
  const int n = static_cast<int>(B.cols());
  for (int k = rank - 1; k >= 0; --k) {
    const double* t = T.data() + at(k) * T.stride();
    double* b = B.data() + at(k) * B.stride();
    for (int i = k + 1; i < rank; ++i)
      if (t[i] != 0) subtract_scaled(b, t[i], B.data() + at(i) * B.stride(), n);
    const double inverse = 1 / t[k];
    for (int j = 0; j < n; ++j) b[j] *= inverse;
  }
}

}  // namespace sinew::linear
