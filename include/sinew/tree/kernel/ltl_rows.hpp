// sinew/tree/kernel/ltl_rows.hpp - LTL and LTDL on packed rows, unchecked and inline [F08 sections 6.4, 6.5]
// H is what dof_tree.hpp calls packed: row k holds the entries at the ancestors of k, from the root to k. Factors
// take the place of H; vectors are in the order of the freedoms. `tree/ltl.hpp` has the same with checks.
//   factor_ltl        H -> L                       n sqrt + D1 d + D2 (m + a)
//   factor_ltdl       H -> D on the diagonal, L    D1 d + D2 (m + a)
//   factor_ltdl_reciprocal   1/D on the diagonal   n d + D1 m + D2 (m + a): the quickest
// Differs from [F08 Table 6.3]: each row takes in all of its descendants (left-looking) instead of handing itself on
// to its ancestors; the same operations in another order, with one row in registers instead of many in memory.
#pragma once
#include "sinew/base/scalar.hpp"
#include "sinew/tree/kernel/row_strip.hpp"

namespace sinew::kernel {

template <class T>
void factor_ltl(const DofTree& tree, T* H) {
  using std::sqrt;
  for (int i = tree.size() - 1; i >= 0; --i) {
    const int d = tree.depth(i);
    T* __restrict row = H + tree.row(i);
    sinew::detail::gather_from_descendants(tree, H, i, d + 1);  // area 3 of Figure 6.4
    row[d] = sqrt(row[d]);                                      // area 1
    const T pivot = row[d];
    for (int p = 0; p < d; ++p) row[p] /= pivot;  // area 2
  }
}

namespace detail {
template <bool reciprocal, class T>
void factor_ltdl(const DofTree& tree, T* H) {
  for (int i = tree.size() - 1; i >= 0; --i) {
    const int p = tree.depth(i);
    T pivot = H[tree.row(i) + static_cast<std::size_t>(p)];
    for (int k = i + 1; k < tree.end(i); ++k) {
      T* row = H + tree.row(k);
      const T h = row[p], D = row[tree.depth(k)];
      if constexpr (reciprocal)
        row[p] = h * D;
      else
        row[p] = h / D;
      pivot -= row[p] * h;
    }
    H[tree.row(i) + static_cast<std::size_t>(p)] = reciprocal ? lit<T>(1) / pivot : pivot;
    sinew::detail::gather_from_descendants(tree, H, i, p);
  }
}
}  // namespace detail
template <class T>
void factor_ltdl(const DofTree& tree, T* H) {
  detail::factor_ltdl<false>(tree, H);
}
template <class T>
void factor_ltdl_reciprocal(const DofTree& tree, T* H) {
  detail::factor_ltdl<true>(tree, H);
}

// Products and solves with L, in situ. `unit`: the diagonal of L is 1 and the stored diagonal is not part of L.
// Each n m or n d (not if unit) and D1 (m + a). [F08 Table 6.5]
template <bool unit, class T>
void multiply_l(const DofTree& tree, const T* L, T* x) {
  for (int i = tree.size() - 1; i >= 0; --i) {
    const int d = tree.depth(i);
    const T* row = L + tree.row(i);
    T y = unit ? x[i] : row[d] * x[i];
    for (int j = tree.parent(i), p = d - 1; p >= 0; j = tree.parent(j), --p) y += row[p] * x[j];
    x[i] = y;
  }
}
// From the root to the tips no entry is read after it has changed, so this needs no second vector either.
template <bool unit, class T>
void multiply_l_transpose(const DofTree& tree, const T* L, T* x) {
  for (int i = 0; i < tree.size(); ++i) {
    const int d = tree.depth(i);
    const T* row = L + tree.row(i);
    const T xi = x[i];
    if constexpr (!unit) x[i] = row[d] * xi;
    for (int j = tree.parent(i), p = d - 1; p >= 0; j = tree.parent(j), --p) x[j] += row[p] * xi;
  }
}
template <bool unit, class T>
void solve_l(const DofTree& tree, const T* L, T* x) {
  for (int i = 0; i < tree.size(); ++i) {
    const int d = tree.depth(i);
    const T* row = L + tree.row(i);
    T y = x[i];
    for (int j = tree.parent(i), p = d - 1; p >= 0; j = tree.parent(j), --p) y -= row[p] * x[j];
    if constexpr (!unit) y /= row[d];
    x[i] = y;
  }
}
template <bool unit, class T>
void solve_l_transpose(const DofTree& tree, const T* L, T* x) {
  for (int i = tree.size() - 1; i >= 0; --i) {
    const int d = tree.depth(i);
    const T* row = L + tree.row(i);
    if constexpr (!unit) x[i] /= row[d];
    const T xi = x[i];
    for (int j = tree.parent(i), p = d - 1; p >= 0; j = tree.parent(j), --p) x[j] -= row[p] * xi;
  }
}

// y = H x with H itself: n m + 2 D1 (m + a). y is not x. [F08 Table 6.5]
template <class T>
void multiply_h(const DofTree& tree, const T* H, const T* x, T* y) {
  for (int i = 0; i < tree.size(); ++i) y[i] = H[tree.row(i) + static_cast<std::size_t>(tree.depth(i))] * x[i];
  for (int i = tree.size() - 1; i >= 0; --i) {
    const T* row = H + tree.row(i);
    for (int j = tree.parent(i), p = tree.depth(i) - 1; p >= 0; j = tree.parent(j), --p) {
      y[i] += row[p] * x[j];
      y[j] += row[p] * x[i];
    }
  }
}

// L -> L^-1 = W in place, which has the same sparsity. W L = 1 gives, for each row k of W from k up to the root,
//   W_kj = - (sum of W_ki L_ij over the i from below j down to k) / L_jj,
// so rows go from the tips to the root and find L still above them. Unit: (D2 - D1)(m + a), the diagonal is left alone.
template <bool unit, class T>
void invert_l(const DofTree& tree, T* L) {
  for (int k = tree.size() - 1; k >= 0; --k) {
    const int d = tree.depth(k);
    T* __restrict row = L + tree.row(k);
    if constexpr (!unit) row[d] = lit<T>(1) / row[d];
    for (int p = 0; p < d; ++p) row[p] = unit ? -row[p] : -(row[d] * row[p]);
    for (int i = tree.parent(k), p = d - 1; p >= 0; i = tree.parent(i), --p) {
      const T* __restrict above = L + tree.row(i);
      if constexpr (!unit) row[p] /= above[p];
      const T w = row[p];
      for (int j = 0; j < p; ++j) row[j] -= w * above[j];
    }
  }
}

}  // namespace sinew::kernel
