// sinew/derivative/kernel/ltl_columns.hpp - M X = W for many columns, with the factors M = L^T D L of a tree
// W has one row per freedom and three blocks of columns, two of which have the sparsity of the derivatives of inverse
// dynamics: zero where neither of two freedoms is above the other. In the third W begins as the unit matrix.
//   (1) tips to root:  W_j -= sum of L_kj W_k over the k below j     [F08 Table 6.5], L^-T
//   (2) root to tips:  W_j = W_j / D_j - sum of L_ji W_i over the i above j,          L^-1 D^-1
// In (1) row j has entries only at the freedoms above and below j, and what is added to the columns of one branch comes
// from rows of that branch. A strip of a row is kept in registers while all others are subtracted from it.
#pragma once
#include "sinew/derivative/kernel/slope_rows.hpp"
#include "sinew/model/dof_tree.hpp"

namespace sinew {

// Rows `stride` apart, blocks `block` apart, which is a few registers more than there are freedoms.
template <class T>
struct LtlColumns {
  T* data;
  std::ptrdiff_t stride, block;
};

namespace detail {
// row[0 .. kPacks registers] = scale row - sum of factor[s] from[rows[s]], s = 0 .. count - 1. Of the last register
// only the first `lanes` change.
template <int kPacks, class T>
SINEW_HD void subtract_strip(T* row, int lanes, const T& scale, const T* from, std::ptrdiff_t stride, const int* rows,
                             const T* factors, int count) {
  using P = ColumnPack<T>;
  typename P::Type x[kPacks];
  const auto by = P::spread(scale);
  for (int c = 0; c < kPacks; ++c) x[c] = by * P::load(row + c * P::kLanes);
  for (int s = 0; s < count; ++s) {
    const T* other = from + rows[s] * stride;
    const auto f = P::spread(factors[s]);
    for (int c = 0; c < kPacks; ++c) x[c] = x[c] - f * P::load(other + c * P::kLanes);
  }
  for (int c = 0; c + 1 < kPacks; ++c) P::store(x[c], row + c * P::kLanes);
  T* last = row + (kPacks - 1) * P::kLanes;
  P::store(lanes < P::kLanes ? P::first(lanes, x[kPacks - 1], P::load(last)) : x[kPacks - 1], last);
}
// The columns begin .. end - 1 of row j.
template <class T>
SINEW_HD void subtract_rows(T* W, std::ptrdiff_t stride, int j, int begin, int end, const T& scale, const int* rows,
                            const T* factors, int count) {
  constexpr int kLanes = ColumnPack<T>::kLanes, kStrip = 8;
  T* row = W + j * stride;
  int c = begin, left = end - begin;
  const auto strip = [&](auto packs) SINEW_INLINE_LAMBDA {
    const int all = packs.value * kLanes, lanes = left < all ? left - (all - kLanes) : kLanes;
    subtract_strip<packs.value>(row + c, lanes, scale, W + c, stride, rows, factors, count);
    c += all, left -= all;
  };
  while (left > (kStrip - 1) * kLanes) strip(std::integral_constant<int, kStrip>{});
  if (left > 3 * kLanes) strip(std::integral_constant<int, 4>{});
  if (left > kLanes) strip(std::integral_constant<int, 2>{});
  if (left > 0) strip(std::integral_constant<int, 1>{});
}
}  // namespace detail

// L: packed, 1 / D on the diagonal (kernel/ltl_rows.hpp, factor_ltdl_reciprocal). On return the first two blocks hold
// -M^-1 W, the third the upper triangle of M^-1. rows, factors: (freedoms) scratch.
template <class T>
void solve_columns(const DofTree& tree, const T* L, const FreedomRuns& runs, const LtlColumns<T>& W, int* rows,
                   T* factors) {
  const int n = tree.size();
  const T one = lit<T>(1);
  // (1)
  for (int j = n - 1; j >= 0; --j) {
    const int end = tree.end(j), depth = tree.depth(j);
    if (end == j + 1) continue;
    int fork = j;  // the last freedom of the chain that begins at j
    while (fork + 1 < end && tree.end(fork + 1) == end) ++fork;
    for (int k = j + 1; k < end; ++k) {
      rows[k] = k;
      factors[k] = L[tree.row(k) + static_cast<std::size_t>(depth)];
    }
    for (int b = 0; b < 3; ++b) {
      // rows first .. last - 1 from the columns begin .. stop - 1
      const auto subtract = [&](int begin, int stop, int first, int last) {
        detail::subtract_rows(W.data + b * W.block, W.stride, j, begin, stop, one, rows + first, factors + first,
                              last - first);
      };
      const int own = runs.first[j + 1] - 1;  // the run that ends with j
      for (int r = runs.first[j]; b < 2 && r < own; ++r) subtract(runs.runs[r].begin, runs.runs[r].end, j + 1, end);
      subtract(b < 2 ? runs.runs[own].begin : j, fork + 1, j + 1, end);
      if (fork > j) subtract(fork + 1, end, j + 1, fork + 1);
      for (int c = fork + 1; c < end; c = tree.end(c)) subtract(c, tree.end(c), c, tree.end(c));
    }
  }
  // (2)
  for (int root = 0; root < n; root = tree.end(root))
    for (int j = root; j < tree.end(root); ++j) {
      const int depth = tree.depth(j), last = tree.end(root);
      const T* row = L + tree.row(j);
      for (int i = tree.parent(j), p = depth - 1; p >= 0; i = tree.parent(i), --p) rows[p] = i;
      const T less = -row[depth];
      detail::subtract_rows(W.data, W.stride, j, root, last, less, rows, row, depth);
      detail::subtract_rows(W.data + W.block, W.stride, j, root, last, less, rows, row, depth);
      detail::subtract_rows(W.data + 2 * W.block, W.stride, j, j, last, row[depth], rows, row, depth);
    }
}

}  // namespace sinew
