// src/lcp/body_rows.hpp - rows of contacts of one body or between two: six numbers of each, side by side
// Contacts of the same bodies follow each other, so that their rows are one matrix A of 6 or 12 columns. Most rows of a
// heap are in such. Every sum has one order, whatever the machine.
#pragma once
#include "linear/wide.hpp"
#include "sinew/base/unroll.hpp"

namespace sinew::lcp {

template <int Bodies>
struct BodyRows {
  static_assert(Bodies == 1 || Bodies == 2);
  using Four = linear::wide::Four;
  static constexpr int kWidth = 6 * Bodies, kParts = Bodies + 1;
  // Columns of part v, four of them: those of a single body overlap.
  static constexpr int column(int v) { return Bodies == 2 ? 4 * v : 2 * v; }

  [[gnu::always_inline]] static void load(const double* row, Four (&out)[kParts]) {
    unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { linear::wide::load(row + column(v), out[v]); });
  }
  [[gnu::always_inline]] static void store(const Four (&a)[kParts], double* row) {
    unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { std::memcpy(row + column(v), &a[v], sizeof a[v]); });
  }
  static const double* row_of(const double* A, int i) { return A + i * kWidth; }

  // u = A v, v of each body; (0 + 1) + (2 + 3) in the end.
  [[gnu::always_inline]] static void multiply(const double* A, int rows, const double* a, const double* b, double* u) {
    double joined[kWidth];
    std::copy_n(a, 6, joined);
    if constexpr (Bodies == 2) std::copy_n(b, 6, joined + 6);
    Four v[kParts];
    load(joined, v);
    if constexpr (Bodies == 1) v[1] = Four{0, 0, a[4], a[5]};
    const auto multiply_row = [&](int i, Four& sum) SINEW_INLINE_LAMBDA {
      Four x[kParts];
      load(row_of(A, i), x);
      sum = x[0] * v[0] + x[1] * v[1];
      if constexpr (Bodies == 2) sum += x[2] * v[2];
    };
    int i = 0;
    for (; i + 3 < rows; i += 4) {
      Four s[4];
      unroll<4>([&](auto k) SINEW_INLINE_LAMBDA { multiply_row(i + k, s[k]); });
      const Four low =
                     __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6) + __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7),
                 high =
                     __builtin_shufflevector(s[2], s[3], 0, 4, 2, 6) + __builtin_shufflevector(s[2], s[3], 1, 5, 3, 7),
                 sums = __builtin_shufflevector(low, high, 0, 1, 4, 5) + __builtin_shufflevector(low, high, 2, 3, 6, 7);
      std::memcpy(u + i, &sums, sizeof sums);
    }
    for (; i < rows; ++i) {
      Four s;
      multiply_row(i, s);
      u[i] = (s[0] + s[1]) + (s[2] + s[3]);
    }
  }

  // f += A^T r, f of each body.
  [[gnu::always_inline]] static void push(const double* A, int rows, const double* r, double* a, double* b) {
    Four sum[kParts] = {};
    for (int i = 0; i < rows; ++i) {
      Four x[kParts];
      load(row_of(A, i), x);
      unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { sum[v] += r[i] * x[v]; });
    }
    double f[kWidth];
    store(sum, f);
    for (int i = 0; i < 6; ++i) a[i] += f[i];
    if constexpr (Bodies == 2)
      for (int i = 0; i < 6; ++i) b[i] += f[6 + i];
  }

  // D A of one contact; D by rows.
  [[gnu::always_inline]] static void multiply_block(const double* D, const double* A, double* DA) {
    Four x[3][kParts];
    unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { load(row_of(A, c), x[c]); });
    unroll<3>([&](auto r) SINEW_INLINE_LAMBDA {
      const double* d = D + 3 * r;
      Four sum[kParts];
      unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { sum[v] = (d[0] * x[0][v] + d[1] * x[1][v]) + d[2] * x[2][v]; });
      store(sum, DA + r * kWidth);
    });
  }

  // A^T DA, kWidth x kWidth by rows.
  [[gnu::always_inline]] static void multiply_transposed(const double* A, const double* DA, int rows, double* out) {
    constexpr int kTile = Bodies == 2 ? 4 : 3;
    for (int first = 0; first < kWidth; first += kTile) {
      Four sum[kTile][kParts] = {};
      for (int k = 0; k < rows; ++k) {
        Four b[kParts];
        load(row_of(DA, k), b);
        unroll<kTile>([&](auto i) SINEW_INLINE_LAMBDA {
          const double a = row_of(A, k)[first + i];
          unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { sum[i][v] += a * b[v]; });
        });
      }
      unroll<kTile>([&](auto i) SINEW_INLINE_LAMBDA { store(sum[i], out + (first + i) * kWidth); });
    }
  }
};

}  // namespace sinew::lcp
