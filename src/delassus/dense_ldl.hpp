// src/delassus/dense_ldl.hpp - A = U^T D U of a dense symmetric matrix, row by row, a strip of a row in registers
#pragma once
#include "sinew/tree/row_strip.hpp"

namespace sinew::delassus {

inline constexpr int kStrip = 16;
inline int ldl_stride(int n) { return (n + kStrip - 1) / kStrip * kStrip + kStrip; }

struct LdlOutcome {
  int singular_row = -1;
  double least_pivot = 1;
};

// The upper triangle of a comes in, U with 1 / D on its diagonal goes out; rows ldl_stride(n) apart, what lies behind
// the n columns is scratch. Stops at a pivot below `tolerance` of the entry that stood on the diagonal. `pivots`,
// `scale`: n.
inline LdlOutcome factor_ldl(double* a, int n, double tolerance, double* pivots, double* scale) {
  const std::size_t stride = static_cast<std::size_t>(ldl_stride(n));
  LdlOutcome out;
  for (int i = 0; i < n; ++i) {
    double* row = a + static_cast<std::size_t>(i) * stride;
    const double before = row[i];
    for (int k = 0; k < i; ++k) {
      const double* above = a + static_cast<std::size_t>(k) * stride;
      scale[k] = above[i] * pivots[k];  // U_ki D_k
    }
    for (int j = i; j < n; j += kStrip) {
      sinew::detail::Block<double, kStrip> strip;
      strip.load(row + j);
      for (int k = 0; k < i; ++k) strip.subtract(scale[k], a + static_cast<std::size_t>(k) * stride + j);
      strip.store(row + j);
    }
    const double rest = before > 0 ? row[i] / before : 0;
    if (!(rest > tolerance)) return {i, rest};
    out.least_pivot = rest < out.least_pivot ? rest : out.least_pivot;
    pivots[i] = row[i];
    const double inverse = 1 / row[i];
    for (int j = i + 1; j < n; ++j) row[j] *= inverse;
    row[i] = inverse;
  }
  return out;
}
inline void solve_ldl(const double* a, int n, double* x) {
  const std::size_t stride = static_cast<std::size_t>(ldl_stride(n));
  for (int i = 0; i < n; ++i) {
    const double* row = a + static_cast<std::size_t>(i) * stride;
    for (int j = i + 1; j < n; ++j) x[j] -= row[j] * x[i];
  }
  for (int i = n - 1; i >= 0; --i) {
    const double* row = a + static_cast<std::size_t>(i) * stride;
    double sum = x[i] * row[i];
    for (int j = i + 1; j < n; ++j) sum -= row[j] * x[j];
    x[i] = sum;
  }
}

}  // namespace sinew::delassus
