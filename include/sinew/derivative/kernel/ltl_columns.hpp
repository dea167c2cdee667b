// sinew/derivative/kernel/ltl_columns.hpp - M X = W for many columns, with the factors M = L^T D L of a tree
// W has one row and one column per freedom, and is zero where neither of two freedoms is above the other.
//   (1) tips to root:  W_j -= sum of L_kj W_k over the k below j     [F08 Table 6.5], L^-T
//   (2) root to tips:  W_j = W_j / D_j - sum of L_ji W_i over the i above j,          L^-1 D^-1
// Columns do not depend on each other, so a strip of a few registers goes through (1) and (2) before the next one
// begins. In (1) only the rows above and below the strip's freedoms are not zero: those above its first one, and a run
// of numbers from that one on. Rows of a chain are worked on together, in registers, so that each row that is
// subtracted is loaded once for all of them.
#pragma once
#include <algorithm>
#include <vector>

#include "sinew/base/unroll.hpp"
#include "sinew/derivative/kernel/slope_rows.hpp"
#include "sinew/tree/kernel/freedom_chains.hpp"

namespace sinew {

// Of a strip: processors with registers of 64 bytes have twice as many of them.
inline constexpr int kMostRegisters = SINEW_PACK_BYTES >= 64 ? 4 : 2;
// From so many freedoms on, whole strips use the whole registers. Measured: the same on a tree of 50, slower on less.
inline constexpr int kWideFrom = 64;

// What W is, and what becomes of it.
enum class LtlSolve : unsigned char {
  minus,    // any matrix with that sparsity: -M^-1 W
  inverse,  // the unit matrix: the upper triangle of M^-1; what comes below it is not defined
};

namespace detail {
// Columns c .. c + registers - 1 of W; of the last register only the first `lanes` change. Rows of these columns from
// `reach` on are zero, before (1) and after it.
template <class T>
struct ColumnStrip {
  SlopeMatrix<T> W;
  int c, lanes, reach;
};
// The same columns of the rows of a chain.
template <int kRows, int kPacks, class P, class T>
struct ChainRows {
  using X = typename P::Type;
  X x[kRows][kPacks];

  // f(r, p) for all rows and registers.
  template <class F>
  static SINEW_HD void each(F&& f) {
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA { unroll<kPacks>([&](auto p) SINEW_INLINE_LAMBDA { f(r, p); }); });
  }
  SINEW_HD void load(const ColumnStrip<T>& s, int row) {
    each([&](auto r, auto p) SINEW_INLINE_LAMBDA { x[r][p] = P::load(s.W.row(row + r) + s.c + p * P::kLanes); });
  }
  SINEW_HD void store(const ColumnStrip<T>& s, int row) const {
    each([&](auto r, auto p) SINEW_INLINE_LAMBDA {
      T* to = s.W.row(row + r) + s.c + p * P::kLanes;
      const bool part = p == kPacks - 1 && s.lanes < P::kLanes;
      P::store(part ? P::first(s.lanes, x[r][p], P::load(to)) : x[r][p], to);
    });
  }
  // Row r *= factor(r).
  template <class F>
  SINEW_HD void scale(F&& factor) {
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA {
      const X f = P::spread(factor(r));
      unroll<kPacks>([&](auto p) SINEW_INLINE_LAMBDA { x[r][p] = f * x[r][p]; });
    });
  }
  // Row r -= factor(r) row k.
  template <class F>
  SINEW_HD void subtract(const ColumnStrip<T>& s, int k, F&& factor) {
    const T* row = s.W.row(k) + s.c;
    X y[kPacks];
    unroll<kPacks>([&](auto p) SINEW_INLINE_LAMBDA { y[p] = P::load(row + p * P::kLanes); });
    unroll<kRows>([&](auto r) SINEW_INLINE_LAMBDA {
      const X f = P::spread(factor(r));
      unroll<kPacks>([&](auto p) SINEW_INLINE_LAMBDA { x[r][p] = x[r][p] - f * y[p]; });
    });
  }
  // Row r -= f row k of the chain itself.
  template <int r, int k>
  SINEW_HD void subtract_own(const T& f) {
    const X by = P::spread(f);
    unroll<kPacks>([&](auto p) SINEW_INLINE_LAMBDA { x[r][p] = x[r][p] - by * x[k][p]; });
  }
};

// (1) for the chain that begins at `begin`.
template <int kRows, int kPacks, class P, class T>
void solve_chain_up(const DofTree& tree, const FreedomRuns& runs, const T* L, const ColumnStrip<T>& s, int begin) {
  const int end = begin + kRows;
  const auto factors = [&](int k) { return L + tree.row(k) + tree.depth(begin); };
  ChainRows<kRows, kPacks, P, T> x;
  x.load(s, begin);
  const auto subtract_below = [&](int from, int to) SINEW_INLINE_LAMBDA {
    for (int k = from; k < to; ++k) x.subtract(s, k, [f = factors(k)](int r) SINEW_INLINE_LAMBDA { return f[r]; });
  };
  if (end < s.c)
    for (int r = runs.first[s.c]; r < runs.first[s.c + 1]; ++r)
      subtract_below(std::max(runs.runs[r].begin, end), std::min(runs.runs[r].end, s.c));
  subtract_below(std::max(end, s.c), std::min(tree.end(end - 1), s.reach));
  unroll<kRows>([&](auto above) SINEW_INLINE_LAMBDA {
    constexpr int k = kRows - 1 - above;
    unroll<k>([&](auto r) SINEW_INLINE_LAMBDA { x.template subtract_own<r, k>(factors(begin + k)[r]); });
  });
  x.store(s, begin);
}
// (2) for the same; `negative`: minus the answer is asked for.
template <int kRows, int kPacks, class P, class T>
void solve_chain_down(const DofTree& tree, const FreedomRuns& runs, const T* L, const ColumnStrip<T>& s, int begin,
                      bool negative) {
  const int depth = tree.depth(begin);
  const T* rows[kRows];
  for (int r = 0; r < kRows; ++r) rows[r] = L + tree.row(begin + r);
  ChainRows<kRows, kPacks, P, T> x;
  x.load(s, begin);
  x.scale([&](int r) SINEW_INLINE_LAMBDA { return negative ? -rows[r][depth + r] : rows[r][depth + r]; });
  int at = 0;  // in the rows of L
  for (int run = runs.first[begin]; run < runs.first[begin + 1]; ++run)
    for (int k = runs.runs[run].begin, end = std::min(runs.runs[run].end, begin); k < end; ++k, ++at)
      x.subtract(s, k, [&](int r) SINEW_INLINE_LAMBDA { return rows[r][at]; });
  unroll<kRows>([&](auto k) SINEW_INLINE_LAMBDA {
    unroll<kRows - 1 - k>([&](auto more) SINEW_INLINE_LAMBDA {
      constexpr int r = k + 1 + more;
      x.template subtract_own<r, k>(rows[r][depth + k]);
    });
  });
  x.store(s, begin);
}

template <class F>
void dispatch_registers(int registers, F&& f) {
  static_assert(kMostRegisters <= 4);
  switch (registers) {
    case 1: return f(std::integral_constant<int, 1>{});
    case 2: return f(std::integral_constant<int, 2>{});
    case 3: return f(std::integral_constant<int, 3>{});
    default: return f(std::integral_constant<int, 4>{});
  }
}

// Both for one strip of the tree with the chains first .. last - 1.
template <LtlSolve what, int kPacks, class P, class T>
void solve_strip(const DofTree& tree, const FreedomRuns& runs, const FreedomChain* first, const FreedomChain* last,
                 const T* L, const ColumnStrip<T>& s) {
  for (const FreedomChain* chain = last; chain-- != first;) {
    const auto [begin, end] = *chain;
    if (begin >= s.reach || (end <= s.c && tree.end(end - 1) <= s.c)) continue;  // zeros
    dispatch_chain(*chain,
                   [&, from = begin](auto rows) { solve_chain_up<rows.value, kPacks, P>(tree, runs, L, s, from); });
  }
  const int columns_end = s.c + kPacks * P::kLanes;
  for (const FreedomChain* chain = first; chain != last; ++chain) {
    if (what == LtlSolve::inverse && chain->begin >= columns_end) break;
    dispatch_chain(*chain, [&](auto rows) {
      solve_chain_down<rows.value, kPacks, P>(tree, runs, L, s, chain->begin, what == LtlSolve::minus);
    });
  }
}
}  // namespace detail

// chains: all freedoms, in order. L: packed, 1 / D on the diagonal (kernel/ltl_rows.hpp, factor_ltdl_reciprocal). Rows
// of W have room for one register more.
template <LtlSolve what, class T>
void solve_columns(const DofTree& tree, const FreedomRuns& runs, const std::vector<FreedomChain>& chains, const T* L,
                   const SlopeMatrix<T>& W) {
  using P = ColumnPack<T>;
  using Wide = AlignedPack<T>;
  const FreedomChain* chain = chains.data();
  for (int root = 0; root < tree.size(); root = tree.end(root)) {
    const int tree_end = tree.end(root);
    const FreedomChain* first = chain;
    while (chain != chains.data() + chains.size() && chain->begin < tree_end) ++chain;
    const auto work = [&](int c, int end, auto registers, auto pack) {
      using Q = decltype(pack);
      constexpr int kPacks = registers.value;
      int reach = end;
      if (what == LtlSolve::minus)
        for (int k = c; k < end; ++k) reach = std::max(reach, tree.end(k));
      const detail::ColumnStrip<T> strip{W, c, end - c - (kPacks - 1) * Q::kLanes, reach};
      detail::solve_strip<what, kPacks, Q>(tree, runs, first, chain, L, strip);
    };
    for (int c = root, end = root; c < tree_end; c = end) {
      if constexpr (Wide::kLanes > P::kLanes)
        if (tree_end - root >= kWideFrom && tree_end - c > (kMostRegisters - 1) * Wide::kLanes) {
          end = std::min(c + kMostRegisters * Wide::kLanes, tree_end);
          work(c, end, std::integral_constant<int, kMostRegisters>{}, Wide{});
          continue;
        }
      const int registers = std::min((tree_end - c + P::kLanes - 1) / P::kLanes, kMostRegisters);
      end = std::min(c + registers * P::kLanes, tree_end);
      detail::dispatch_registers(registers, [&](auto r) {
        if constexpr (r.value <= kMostRegisters) work(c, end, r, P{});
      });
    }
  }
}

}  // namespace sinew
