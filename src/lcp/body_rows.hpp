// src/lcp/body_rows.hpp - rows of contacts of one body or between two: six numbers of each, side by side
// Contacts of the same bodies follow each other, so that their rows are one matrix A of 6 or 12 columns. Most rows of a
// heap are in such. Every sum has one order, whatever the machine. Numbers of bodies are read and written two by two: a
// processor waits where it reads four at once that were just written otherwise.
#pragma once
#include "linear/wide.hpp"
#include "sinew/base/unroll.hpp"

namespace sinew::lcp {

template <int Bodies>
struct BodyRows {
  static_assert(Bodies == 1 || Bodies == 2);
  using Four = linear::wide::Four;
  using Two [[gnu::vector_size(16)]] = double;
  // A row in parts of four columns. Those of a single body share two columns.
  static constexpr int kWidth = 6 * Bodies, kParts = Bodies + 1;
  static constexpr int column(int v) { return Bodies == 2 ? 4 * v : 2 * v; }
  static constexpr int kApart = 4 * kParts;  // width of a row whose parts lie one after the other

  [[gnu::always_inline]] static void load(const double* row, Four (&out)[kParts]) {
    unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { linear::wide::load(row + column(v), out[v]); });
  }
  static const double* row_of(const double* A, int i) { return A + i * kWidth; }

  // u = A v, v of each body; (0 + 1) + (2 + 3) in the end.
  [[gnu::always_inline]] static void multiply(const double* A, int rows, const double* a, const double* b, double* u) {
    Two x[3 * Bodies];
    unroll<3>([&](auto k) SINEW_INLINE_LAMBDA {
      std::memcpy(&x[k], a + 2 * k, sizeof x[k]);
      if constexpr (Bodies == 2) std::memcpy(&x[3 + k], b + 2 * k, sizeof x[k]);
    });
    Four v[kParts];
    join(x[0], x[1], v[0]);
    if constexpr (Bodies == 2)
      join(x[2], x[3], v[1]), join(x[4], x[5], v[2]);
    else
      join(Two{}, x[2], v[1]);  // what the parts share counts once
    const auto multiply_row = [&](int i, Four& sum) SINEW_INLINE_LAMBDA {
      Four y[kParts];
      load(row_of(A, i), y);
      sum = y[0] * v[0] + y[1] * v[1];
      if constexpr (Bodies == 2) sum += y[2] * v[2];
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
    add_two(__builtin_shufflevector(sum[0], sum[0], 0, 1), a);
    add_two(__builtin_shufflevector(sum[0], sum[0], 2, 3), a + 2);
    if constexpr (Bodies == 2) {
      add_two(__builtin_shufflevector(sum[1], sum[1], 0, 1), a + 4);
      add_two(__builtin_shufflevector(sum[1], sum[1], 2, 3), b);
      add_two(__builtin_shufflevector(sum[2], sum[2], 0, 1), b + 2);
      add_two(__builtin_shufflevector(sum[2], sum[2], 2, 3), b + 4);
    } else {
      add_two(__builtin_shufflevector(sum[1], sum[1], 2, 3), a + 4);
    }
  }

  // D A of one contact, rows of kApart; D by rows.
  [[gnu::always_inline]] static void multiply_block(const double* D, const double* A, double* DA) {
    Four x[3][kParts];
    unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { load(row_of(A, c), x[c]); });
    unroll<3>([&](auto r) SINEW_INLINE_LAMBDA {
      const double* d = D + 3 * r;
      unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA {
        const Four sum = (d[0] * x[0][v] + d[1] * x[1][v]) + d[2] * x[2][v];
        std::memcpy(DA + r * kApart + 4 * v, &sum, sizeof sum);
      });
    });
  }

  // A^T DA, rows of kApart: kWidth of them.
  [[gnu::always_inline]] static void multiply_transposed(const double* A, const double* DA, int rows, double* out) {
    constexpr int kTile = Bodies == 2 ? 4 : 3;
    for (int first = 0; first < kWidth; first += kTile) {
      Four sum[kTile][kParts] = {};
      for (int k = 0; k < rows; ++k) {
        Four b[kParts];
        unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { linear::wide::load(DA + k * kApart + 4 * v, b[v]); });
        unroll<kTile>([&](auto i) SINEW_INLINE_LAMBDA {
          const double a = row_of(A, k)[first + i];
          unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA { sum[i][v] += a * b[v]; });
        });
      }
      unroll<kTile>([&](auto i) SINEW_INLINE_LAMBDA {
        unroll<kParts>([&](auto v) SINEW_INLINE_LAMBDA {
          std::memcpy(out + (first + i) * kApart + 4 * v, &sum[i][v], sizeof sum[i][v]);
        });
      });
    }
  }
  // Column c of a row of kApart.
  static constexpr int apart(int c) { return Bodies == 2 || c < 4 ? c : c + 2; }

 private:
  [[gnu::always_inline]] static void join(const Two& a, const Two& b, Four& out) {
    out = __builtin_shufflevector(a, b, 0, 1, 2, 3);
  }
  [[gnu::always_inline]] static void add_two(const Two& a, double* to) {
    Two x;
    std::memcpy(&x, to, sizeof x);
    x += a;
    std::memcpy(to, &x, sizeof x);
  }
};

}  // namespace sinew::lcp
