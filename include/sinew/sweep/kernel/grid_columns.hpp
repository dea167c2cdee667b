// sinew/sweep/kernel/grid_columns.hpp - columns of a tree's freedoms, on a fixed grid of registers
// In sweeps that visit the same columns at every node: what one node wrote, the next one reads as it was written, so
// that nothing waits for the memory. P is a ColumnPack; a register begins at a column c that is a multiple of its
// lanes.
#pragma once
#include "sinew/sweep/kernel/six_numbers.hpp"

namespace sinew {

// Trees with so many freedoms use the whole registers. Measured: the same on less.
inline constexpr int kWideColumnsFrom = 24;

namespace detail {

// f(c, edge) for the registers with columns begin .. end - 1; edge is a constant: false where all columns of the
// register are among them.
SINEW_HD_CALLER
template <class P, class F>
SINEW_HD void for_grid(int begin, int end, F&& f) {
  if (begin >= end) return;
  int c = begin - begin % P::kLanes;
  if (c < begin) f(c, std::true_type{}), c += P::kLanes;
  for (; c + P::kLanes <= end; c += P::kLanes) f(c, std::false_type{});
  if (c < end) f(c, std::true_type{});
}

// The same, where column `begin` itself is not one of those that all registers have, but its register is the first.
SINEW_HD_CALLER
template <class P, class F>
SINEW_HD void for_grid_from(int begin, int end, F&& f) {
  int c = begin - begin % P::kLanes;
  f(c, std::true_type{});
  for (c += P::kLanes; c + P::kLanes <= end; c += P::kLanes) f(c, std::false_type{});
  if (c < end) f(c, std::true_type{});
}

// `count` rows, `stride` apart.
template <int count, class P, class T>
SINEW_HD void load_columns(const T* from, int stride, typename P::Type (&x)[count]) {
  unroll<count>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = P::load(from + r * stride); });
}
template <int count, class P, class T>
SINEW_HD void store_columns(const typename P::Type (&x)[count], T* to, int stride) {
  unroll<count>([&](auto r) SINEW_INLINE_LAMBDA { P::store(x[r], to + r * stride); });
}
// a^T x of six rows, and of three.
template <class P, class T, class V>
SINEW_HD V dot_columns(const T* a, const V* x) {
  const auto term = [&](int r) SINEW_INLINE_LAMBDA { return P::spread(a[r]) * x[r]; };
  return ((term(0) + term(1)) + (term(2) + term(3))) + (term(4) + term(5));
}
template <class P, class T, class V>
SINEW_HD V dot_three(const T* a, const V* x) {
  return (P::spread(a[0]) * x[0] + P::spread(a[1]) * x[1]) + P::spread(a[2]) * x[2];
}

}  // namespace detail

}  // namespace sinew
