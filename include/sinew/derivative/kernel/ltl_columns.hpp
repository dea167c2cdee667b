// sinew/derivative/kernel/ltl_columns.hpp - M X = W for many columns, with the factors M = L^T D L of a tree
// W has one row and one column per freedom, and is zero where neither of two freedoms is above the other.
//   (1) tips to root:  W_j -= sum of L_kj W_k over the k below j     [F08 Table 6.5], L^-T
//   (2) root to tips:  W_j = W_j / D_j - sum of L_ji W_i over the i above j,          L^-1 D^-1
// In (1) the entries of row j at freedoms that are neither above nor below j stay zero. A strip of a row is kept in
// registers while all others are subtracted from it.
#pragma once
#include "sinew/derivative/kernel/slope_rows.hpp"
#include "sinew/model/dof_tree.hpp"

namespace sinew {

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
// The columns begin .. end - 1 of row j. A strip takes as many registers as are left, for one alone would wait for
// itself.
template <class T>
void subtract_rows(T* W, std::ptrdiff_t stride, int j, int begin, int end, const T& scale, const int* rows,
                   const T* factors, int count) {
  constexpr int kLanes = ColumnPack<T>::kLanes, kMost = 8;
  T* row = W + j * stride;
  for (int c = begin; c < end;) {
    const int packs = (end - c + kLanes - 1) / kLanes, width = packs < kMost ? packs : kMost;
    const int lanes = packs > kMost ? kLanes : end - c - (packs - 1) * kLanes;
    const auto strip = [&](auto k) SINEW_INLINE_LAMBDA {
      subtract_strip<k.value>(row + c, lanes, scale, W + c, stride, rows, factors, count);
    };
    switch (width) {
      case 1: strip(std::integral_constant<int, 1>{}); break;
      case 2: strip(std::integral_constant<int, 2>{}); break;
      case 3: strip(std::integral_constant<int, 3>{}); break;
      case 4: strip(std::integral_constant<int, 4>{}); break;
      case 5: strip(std::integral_constant<int, 5>{}); break;
      case 6: strip(std::integral_constant<int, 6>{}); break;
      case 7: strip(std::integral_constant<int, 7>{}); break;
      default: strip(std::integral_constant<int, 8>{}); break;
    }
    c += width * kLanes;
  }
}
}  // namespace detail

// What W is, and what becomes of it.
enum class LtlSolve : unsigned char {
  minus,    // any matrix with that sparsity: -M^-1 W
  inverse,  // the unit matrix: the upper triangle of M^-1; what comes below it is not defined
};

// L: packed, 1 / D on the diagonal (kernel/ltl_rows.hpp, factor_ltdl_reciprocal). Rows of W have room for one register
// more. rows, factors: (freedoms) scratch.
template <LtlSolve what, class T>
void solve_columns(const DofTree& tree, const T* L, const SlopeMatrix<T>& W, int* rows, T* factors) {
  constexpr bool kInverse = what == LtlSolve::inverse;
  for (int root = 0; root < tree.size(); root = tree.end(root)) {
    const int last = tree.end(root);
    // the first column of row j that is asked for, at a register's border
    const auto begin_of = [root](int j) { return kInverse ? j - (j - root) % ColumnPack<T>::kLanes : root; };
    for (int j = last - 1; j >= root; --j) {  // (1)
      const int end = tree.end(j), depth = tree.depth(j);
      if (end == j + 1) continue;
      for (int k = j + 1; k < end; ++k) {
        rows[k] = k;
        factors[k] = L[tree.row(k) + static_cast<std::size_t>(depth)];
      }
      detail::subtract_rows(W.data, W.stride, j, begin_of(j), end, lit<T>(1), rows + j + 1, factors + j + 1,
                            end - j - 1);
    }
    for (int j = root; j < last; ++j) {  // (2)
      const int depth = tree.depth(j);
      const T* row = L + tree.row(j);
      for (int i = tree.parent(j), p = depth - 1; p >= 0; i = tree.parent(i), --p) rows[p] = i;
      detail::subtract_rows(W.data, W.stride, j, begin_of(j), last, kInverse ? row[depth] : -row[depth], rows, row,
                            depth);
    }
  }
}

}  // namespace sinew
