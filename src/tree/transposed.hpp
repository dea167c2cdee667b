// src/tree/transposed.hpp - transposes of matrices, a square of registers at a time
#pragma once
#include "sinew/base/unroll.hpp"
#include "sinew/tree/kernel/coordinate_runs.hpp"

namespace sinew {
namespace detail {

// Exchanges the lanes whose number has `bit` of x with those of y that do not.
template <int bit, class T, int N, int... k>
SINEW_HD void exchange_lanes(Pack<T, N>& x, Pack<T, N>& y, std::integer_sequence<int, k...>) {
  using V = typename Pack<T, N>::Vector;
  const V low = __builtin_shufflevector(x.v, y.v, (k & bit ? N + k - bit : k)...);
  const V high = __builtin_shufflevector(x.v, y.v, (k & bit ? N + k : k + bit)...);
  x.v = low, y.v = high;
}
template <int bit, class T, int N>
SINEW_HD void transpose_from(Pack<T, N> (&x)[N]) {
  unroll<N>([&](auto r) SINEW_INLINE_LAMBDA {
    if constexpr ((r.value & bit) == 0) exchange_lanes<bit>(x[r], x[r + bit], std::make_integer_sequence<int, N>{});
  });
  if constexpr (bit > 1) transpose_from<bit / 2>(x);
}

}  // namespace detail

// to(v(i), v(j)) = from[j stride + i], v the coordinates of the freedoms. Rows of `from` have room for one register
// more.
template <class T>
void copy_transposed(const DofTree& tree, const std::vector<CoordinateRun>& runs, const T* from, std::ptrdiff_t stride,
                     const MatrixView<T>& to) {
  using P = ColumnPack<T>;
  constexpr int kLanes = P::kLanes;
  const int n = tree.size();
  const int* v = tree.velocities().data();
  const auto row = [&](int i) SINEW_INLINE_LAMBDA { return to.data() + static_cast<std::size_t>(v[i]) * to.stride(); };
  for (const CoordinateRun& run : runs) {
    const auto copy_square = [&](int j) SINEW_INLINE_LAMBDA {
      const T* x = from + (run.from + j) * stride;
      for (int i = 0; i < n; i += kLanes) {
        typename P::Type square[kLanes];
        for (int r = 0; r < kLanes; ++r) square[r] = P::load(x + r * stride + i);
        if constexpr (kLanes > 1) detail::transpose_from<kLanes / 2>(square);
        for (int r = 0; r < kLanes && i + r < n; ++r) P::store(square[r], row(i + r) + run.to + j);
      }
    };
    int j = 0;
    for (; j + kLanes <= run.count; j += kLanes) copy_square(j);
    if (j < run.count && run.count >= kLanes) {
      copy_square(run.count - kLanes);  // some numbers twice
      continue;
    }
    for (; j < run.count; ++j)
      for (int i = 0; i < n; ++i) row(i)[run.to + j] = from[(run.from + j) * stride + i];
  }
}

}  // namespace sinew
