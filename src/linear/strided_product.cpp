// src/linear/strided_product.cpp
#include "linear/strided_product.hpp"

#include <algorithm>
#include <cstring>

#include "linear/wide.hpp"
#include "sinew/base/config.hpp"

namespace sinew::linear {
namespace {

using wide::Four;

// R rows of C, from column 0 of B and C on.
template <int R>
[[gnu::always_inline]] inline void add_block(double scale, const double* a, std::ptrdiff_t down, std::ptrdiff_t right,
                                             const double* B, std::ptrdiff_t B_stride, double* C,
                                             std::ptrdiff_t C_stride, const int* inner, std::size_t count) {
  Four sum[R][2] = {};
  for (std::size_t s = 0; s < count; ++s) {
    const std::ptrdiff_t k = inner[s];
    Four b0, b1;
    wide::load(B + k * B_stride, b0), wide::load(B + k * B_stride + 4, b1);
    for (int r = 0; r < R; ++r) {
      const double x = a[r * down + k * right];
      sum[r][0] += x * b0, sum[r][1] += x * b1;
    }
  }
  for (int r = 0; r < R; ++r)
    for (int half = 0; half < 2; ++half) {
      double* c = C + r * C_stride + 4 * half;
      Four all;
      wide::load(c, all);
      all += scale * sum[r][half];
      std::memcpy(c, &all, sizeof all);
    }
}

}  // namespace

SINEW_WIDE void add_product(double scale, const StridedRows& A, const double* B, std::ptrdiff_t B_stride, double* C,
                            std::ptrdiff_t C_stride, int rows, int cols, std::span<const int> inner) {
  const auto columns = pad_columns(cols);
  for (std::ptrdiff_t j = 0; j < columns; j += kColumnBlock) {
    int i = 0;
    const auto add = [&]<int R>() SINEW_INLINE_LAMBDA {
      add_block<R>(scale, A.data + i * A.down, A.down, A.right, B + j, B_stride, C + i * C_stride + j, C_stride,
                   inner.data(), inner.size());
    };
    for (; i + 3 < rows; i += 4) add.template operator()<4>();
    switch (rows - i) {
      case 3: add.template operator()<3>(); break;
      case 2: add.template operator()<2>(); break;
      case 1: add.template operator()<1>(); break;
      default: break;
    }
  }
}

}  // namespace sinew::linear
