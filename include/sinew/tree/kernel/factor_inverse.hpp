// sinew/tree/kernel/factor_inverse.hpp - M^-1 from the factors M = L^T D L of a tree, many columns at a time
//   (1) tips to root:  Z_k = e_k - sum of L_ik Z_i over the i below k        Z = L^-T: row k is zero but below k
//   (2)                N_i = sum of Z_ki / D_k Z_k over i and the k above it  N = Z^T D^-1 Z
// Two freedoms of different limbs have few others above both of them, which is what (2) costs for their entry. Rows of
// a chain are worked on together, in registers, so that each row that is read is loaded once for all of them. Sums are
// in the same order for every width of registers.
#pragma once
#include <algorithm>
#include <vector>

#include "sinew/base/unroll.hpp"
#include "sinew/sweep/kernel/columns.hpp"
#include "sinew/tree/kernel/freedom_chains.hpp"

namespace sinew {

// Rows of both matrices have a multiple of the register's numbers. Before the first call Z is the unit matrix and N is
// zero.
template <class T>
struct FactorInverse {
  const DofTree& tree;
  const T* L;  // packed, 1 / D on the diagonal (factor_ltdl_reciprocal)
  T *Z, *N;    // (freedoms) rows of `stride`; of N the upper triangle is filled, within each tree
  int stride;

  SINEW_HD const T* diagonal(int k) const { return L + tree.row(k) + tree.depth(k); }
  SINEW_HD T* row(T* matrix, int k) const { return matrix + static_cast<std::ptrdiff_t>(k) * stride; }
};

namespace detail {
// A register of columns of some rows.
template <int kRows, class T>
struct RowRegisters {
  using P = AlignedPack<T>;
  using V = typename P::Type;
  V x[kRows];

  SINEW_HD void set_zero() {
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = P::spread(lit<T>(0)); });
  }
  // Row r is that of the unit matrix with the one in lane first + r, if there is one.
  SINEW_HD void set_unit(int first) {
    const V zero = P::spread(lit<T>(0)), one = P::spread(lit<T>(1));
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA {
      const int lane = first + r;
      x[r] = zero;
      if (lane == 0) x[r] = P::first(1, one, zero);
      if (lane > 0 && lane < P::kLanes) x[r] = P::first(lane + 1, P::first(lane, zero, one), zero);
    });
  }
  // Row r +- f[r] y.
  SINEW_HD void add(const T* f, const V& y) {
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = x[r] + P::spread(f[r]) * y; });
  }
  SINEW_HD void subtract(const T* f, const V& y) {
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = x[r] - P::spread(f[r]) * y; });
  }
  SINEW_HD void store(T* to, int stride) const {
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA { P::store(x[r], to + r * stride); });
  }
};

// (1), the register of columns from c on.
template <int kRows, class T>
void invert_columns(const FactorInverse<T>& m, int begin, int c) {
  using P = AlignedPack<T>;
  const DofTree& tree = m.tree;
  const int end = begin + kRows, depth = tree.depth(begin), last = std::min(tree.end(end - 1), c + P::kLanes);
  RowRegisters<kRows, T> z;
  if (c < end)
    z.set_unit(begin - c);
  else
    z.set_zero();
  for (int i = end; i < last;) {
    if (tree.end(i) <= c) {  // nothing below it reaches these columns
      i = tree.end(i);
      continue;
    }
    z.subtract(m.L + tree.row(i) + depth, P::load(m.row(m.Z, i) + c));
    ++i;
  }
  unroll<kRows>([&](auto above) SINEW_INLINE_LAMBDA {
    constexpr int k = kRows - 1 - above;
    const T* f = m.L + tree.row(begin + k) + depth;
    unroll<k>([&](auto r) SINEW_INLINE_LAMBDA { z.x[r] = z.x[r] - P::spread(f[r]) * z.x[k]; });
  });
  z.store(m.row(m.Z, begin) + c, m.stride);
}
// (2), the same; above .. last - 1: the freedoms above the rows, and the rows.
template <int kRows, class T>
void multiply_columns(const FactorInverse<T>& m, const int* above, const int* last, int begin, int c) {
  using P = AlignedPack<T>;
  RowRegisters<kRows, T> n;
  n.set_zero();
  for (; above != last && *above < c + P::kLanes; ++above) {
    if (m.tree.end(*above) <= c) continue;
    const T* Z = m.row(m.Z, *above);
    n.add(Z + begin, P::spread(*m.diagonal(*above)) * P::load(Z + c));
  }
  n.store(m.row(m.N, begin) + c, m.stride);
}

// work(c) for the registers of columns begin .. end - 1; c is a multiple of the register.
template <class T, class F>
void for_each_register(int begin, int end, F&& work) {
  constexpr int kLanes = AlignedPack<T>::kLanes;
  for (int c = begin - begin % kLanes; c < end; c += kLanes) work(c);
}
}  // namespace detail

// chains and blocks: all freedoms, in order; above: of the blocks.
template <class T>
void invert_from_factor(const FactorInverse<T>& m, const std::vector<FreedomChain>& chains,
                        const std::vector<FreedomBlock>& blocks, const std::vector<int>& above) {
  const DofTree& tree = m.tree;
  for (std::size_t k = chains.size(); k-- > 0;) {
    const int begin = chains[k].begin;
    if (tree.end(begin) == begin + 1) continue;  // Z of a tip is always that of the unit matrix
    dispatch_chain(chains[k], [&](auto rows) {
      detail::for_each_register<T>(begin, tree.end(begin),
                                   [&](int c) { detail::invert_columns<rows.value>(m, begin, c); });
    });
  }
  int tree_end = 0;
  for (const FreedomBlock& b : blocks) {
    const int begin = b.rows.begin;
    if (tree.parent(begin) < 0) tree_end = tree.end(begin);
    dispatch_chain(b.rows, [&](auto rows) {
      detail::for_each_register<T>(begin, tree_end, [&](int c) {
        detail::multiply_columns<rows.value>(m, above.data() + b.first, above.data() + b.last, begin, c);
      });
    });
  }
}

}  // namespace sinew
