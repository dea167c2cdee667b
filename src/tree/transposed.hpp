// src/tree/transposed.hpp - transposes of matrices, a square of registers at a time
#pragma once
#include <algorithm>

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

// A square of registers, or of one number.
template <class T, int N>
SINEW_HD void transpose(Pack<T, N> (&x)[N]) {
  detail::transpose_from<N / 2>(x);
}
template <class T>
SINEW_HD void transpose(T (&)[1]) {}

namespace detail {
// The registers of coordinates k .. k + P::kLanes - 1, whose rows are rows[0], ..
template <class P, class T>
void copy_register(const DofTree& tree, const T* const* rows, int k, const MatrixView<T>& to) {
  constexpr int kLanes = P::kLanes;
  const int n = tree.size();
  const int* v = tree.velocities().data();
  const auto copy_square = [&](int i, auto whole) SINEW_INLINE_LAMBDA {
    typename P::Type square[kLanes];
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { square[r] = P::load(rows[r] + i); });
    transpose(square);
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA {
      if (whole || i + r < n) P::store(square[r], to.data() + static_cast<std::size_t>(v[i + r]) * to.stride() + k);
    });
  };
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) copy_square(i, std::true_type{});
  if (i < n) copy_square(i, std::false_type{});
}
}  // namespace detail

// to(v(i), v(j)) = from[j stride + i], v the coordinates of the freedoms. Rows of `from` fill whole registers.
// Registers of the result are put together from the rows of any freedoms.
template <class T>
void copy_transposed(const DofTree& tree, const std::vector<CoordinateRun>& runs, const T* from, std::ptrdiff_t stride,
                     const MatrixView<T>& to) {
  using P = AlignedPack<T>;
  const T* rows[P::kLanes];
  const int n = tree.size();
  int lane = 0;
  for (const CoordinateRun& run : runs)
    for (int j = 0; j < run.count; ++j) {
      rows[lane++] = from + (run.from + j) * stride;
      const int k = run.to + j + 1 - lane;
      if (lane == P::kLanes) detail::copy_register<P>(tree, rows, k, to), lane = 0;
    }
  if (lane > 0 && n >= P::kLanes) {  // the last of all: some rows twice
    std::rotate(rows, rows + lane, rows + P::kLanes);
    detail::copy_register<P>(tree, rows, n - P::kLanes, to);
    return;
  }
  for (int r = 0; r < lane; ++r)
    for (int i = 0; i < n; ++i)
      to.data()[static_cast<std::size_t>(tree.velocity(i)) * to.stride() + static_cast<std::size_t>(n - lane + r)] =
          rows[r][i];
}

}  // namespace sinew
