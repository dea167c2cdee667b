// src/linear/ldl.hpp - A = U^T D U of a dense symmetric matrix, row by row, a strip of a row in registers
#pragma once
#include "sinew/base/interrupt.hpp"
#include "sinew/linear/kernel/strip.hpp"

namespace sinew::linear {

inline int ldl_stride(int n) { return n + 16; }  // room for one more strip

struct LdlOutcome {
  int singular_row = -1;
  double least_pivot = 1;
};

// Columns j .. j + W - 1 of row i, less scale[k] times those of the rows above it.
template <int W>
inline void subtract_rows(double* a, std::size_t stride, const double* scale, int i, int j) {
  Block<double, W> strip;
  double* row = a + static_cast<std::size_t>(i) * stride + j;
  strip.load(row);
  const double* above = a + j;
  for (int k = 0; k < i; ++k, above += stride) strip.subtract(scale[k], above);
  strip.store(row);
}

// The upper triangle of a comes in, U with 1 / D on its diagonal goes out; rows ldl_stride(n) apart; the columns
// from n on are scratch, but for `riders`: b in column n becomes D^-1 U^-T b, half of a solution. Stops at a pivot
// below `tolerance` times the diagonal entry of A. `pivots`, `scale`: n. Looks at the interrupt once a row.
inline LdlOutcome factor_ldl(double* a, int n, double tolerance, double* pivots, double* scale,
                             Interrupt interrupt = {}, int riders = 0) {
  const int columns = n + riders;
  const std::size_t stride = static_cast<std::size_t>(ldl_stride(n));
  LdlOutcome out;
  for (int i = 0; i < n; ++i) {
    double* row = a + static_cast<std::size_t>(i) * stride;
    interrupt.check();
    const double before = row[i];
    for (int k = 0; k < i; ++k) {
      const double* above = a + static_cast<std::size_t>(k) * stride;
      scale[k] = above[i] * pivots[k];  // U_ki D_k
    }
    int j = i;
    for (; j + 12 < columns; j += 16) subtract_rows<16>(a, stride, scale, i, j);
    for (; j + 4 < columns; j += 8) subtract_rows<8>(a, stride, scale, i, j);
    for (; j < columns; j += 4) subtract_rows<4>(a, stride, scale, i, j);
    const double rest = before > 0 ? row[i] / before : 0;
    if (!(rest > tolerance)) return {i, rest};
    out.least_pivot = rest < out.least_pivot ? rest : out.least_pivot;
    pivots[i] = row[i];
    const double inverse = 1 / row[i];
    for (int c = i + 1; c < columns; ++c) row[c] *= inverse;
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

// The other half, of a rider: U x = column n. Rows from the right, so that only the last product waits for the row
// before.
inline void solve_rider(const double* a, int n, double* x) {
  const std::size_t stride = static_cast<std::size_t>(ldl_stride(n));
  for (int i = n - 1; i >= 0; --i) {
    const double* row = a + static_cast<std::size_t>(i) * stride;
    double sum = row[n];
    for (int j = n - 1; j > i; --j) sum -= row[j] * x[j];
    x[i] = sum;
  }
}

}  // namespace sinew::linear
