// src/tree/symmetric.hpp - a symmetric matrix from rows that begin at the diagonal
#pragma once
#include <algorithm>

#include "sinew/base/view.hpp"
#include "sinew/model/dof_tree.hpp"
#include "sinew/sweep/kernel/columns.hpp"
#include "transposed.hpp"

namespace sinew {

// The lower triangle from the upper one, in squares of registers; whole ones lie on a grid.
template <class T>
void mirror_upper(T* data, std::size_t stride, std::size_t n) {
  using P = ColumnPack<T>;
  constexpr int kLanes = P::kLanes;
  const std::size_t whole = n - n % kLanes;
  const auto load = [&](std::size_t i, std::size_t j, typename P::Type(&x)[kLanes]) SINEW_INLINE_LAMBDA {
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = P::load(data + (i + r) * stride + j); });
  };
  const auto store = [&](std::size_t i, std::size_t j, const typename P::Type(&x)[kLanes]) SINEW_INLINE_LAMBDA {
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { P::store(x[r], data + (i + r) * stride + j); });
  };
  for (std::size_t j = 0; j < whole; j += kLanes) {
    typename P::Type x[kLanes], upper[kLanes];
    for (std::size_t i = 0; i < j; i += kLanes) load(i, j, x), transpose(x), store(j, i, x);
    load(j, j, upper), load(j, j, x), transpose(x);
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA {
      if constexpr (r > 0) upper[r] = P::first(r, x[r], upper[r]);
    });
    store(j, j, upper);
  }
  for (std::size_t j = whole; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i) data[j * stride + i] = data[i * stride + j];
}

namespace detail {
// Squares of freedoms that are consecutive coordinates too: freedom `from` on, coordinate `to` on.
struct FreedomSquare {
  int from, to;
};
// f(square) for the squares of a run, the last of which may overlap the one before it.
template <int kLanes, class F>
SINEW_HD void for_each_square(const CoordinateRun& run, F&& f) {
  if (run.count < kLanes) return;
  int j = 0;
  for (; j + kLanes <= run.count; j += kLanes) f(FreedomSquare{run.from + j, run.to + j});
  if (j < run.count) f(FreedomSquare{run.from + run.count - kLanes, run.to + run.count - kLanes});
}
}  // namespace detail

// to(v(i), v(j)) = to(v(j), v(i)) = x_ij, j >= i, v the coordinates of the freedoms. fill(i, columns(j), x) sets a
// square of registers of P, whose rows begin with freedom i and columns with freedom j >= i; what it sets below the
// diagonal is not used: squares that overlap the diagonal are written before the one on it. number(i, j) is one of
// them, j >= i.
template <class P, class T, class Columns, class Fill, class Number>
void fill_symmetric(const std::vector<CoordinateRun>& runs, const MatrixView<T>& to, Columns&& columns, Fill&& fill,
                    Number&& number) {
  using Square = detail::FreedomSquare;
  constexpr int kLanes = P::kLanes;
  using Registers = typename P::Type[kLanes];
  const std::ptrdiff_t width = static_cast<std::ptrdiff_t>(to.stride());
  const auto store = [&](const Square& i, const Square& j, const Registers& x) SINEW_INLINE_LAMBDA {
    T* at = to.data() + i.to * width + j.to;
    unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { P::store(x[r], at + r * width); });
  };
  const auto fill_pair = [&](const Square& i, const Square& j, const auto& held) SINEW_INLINE_LAMBDA {
    Registers x;
    fill(i.from, held, x), store(i, j, x);
    transpose(x), store(j, i, x);
  };
  for (const CoordinateRun& run : runs) {
    detail::for_each_square<kLanes>(run, [&](const Square& b) SINEW_INLINE_LAMBDA {
      for (const CoordinateRun* before = runs.data(); before != &run; ++before)
        detail::for_each_square<kLanes>(*before, [&](const Square& a) SINEW_INLINE_LAMBDA {
          const bool in_order = a.from < b.from;
          const Square &i = in_order ? a : b, &j = in_order ? b : a;
          fill_pair(i, j, columns(j.from));
        });
      const auto held = columns(b.from);
      for (Square a{run.from, run.to}; a.from < b.from; a.from += kLanes, a.to += kLanes) fill_pair(a, b, held);
      Registers upper, lower;
      fill(b.from, held, upper);
      unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA { lower[r] = upper[r]; });
      transpose(lower);
      unroll<kLanes>([&](auto r) SINEW_INLINE_LAMBDA {
        if constexpr (r > 0) upper[r] = P::first(r, lower[r], upper[r]);
      });
      store(b, b, upper);
    });
  }
  // runs that fill no square
  for (const CoordinateRun& run : runs)
    for (int k = run.from; k < run.from + run.count && run.count < kLanes; ++k)
      for (const CoordinateRun& other : runs)
        for (int h = other.from, v = other.to; h < other.from + other.count; ++h, ++v) {
          const T x = k < h ? number(k, h) : number(h, k);
          const int u = run.to + k - run.from;
          to.data()[u * width + v] = to.data()[v * width + u] = x;
        }
}

// x_ij = from[i stride + j].
template <class T>
void copy_symmetric(const std::vector<CoordinateRun>& runs, const T* from, std::ptrdiff_t stride,
                    const MatrixView<T>& to) {
  using P = ColumnPack<T>;
  const auto load = [&](int i, const T* column, typename P::Type(&x)[P::kLanes]) SINEW_INLINE_LAMBDA {
    unroll<P::kLanes>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = P::load(column + (i + r) * stride); });
  };
  fill_symmetric<P>(
      runs, to, [&](int j) SINEW_INLINE_LAMBDA { return from + j; }, load,
      [&](int i, int j) SINEW_INLINE_LAMBDA { return from[i * stride + j]; });
}

// Rows may come in any order; call finish() after the last. Entries right of a row's end are zero.
template <class T>
class SymmetricRows {
 public:
  SymmetricRows(const DofTree& tree, const MatrixView<T>& M) : tree_(tree), data_(M.data()), stride_(M.stride()) {
    if (tree.in_order()) return;
    for (std::size_t i = 0; i < M.rows(); ++i) std::fill_n(data_ + i * stride_, M.cols(), T{});
  }
  // entries[j] belongs to (i, j), j = i + 1 .. end - 1. They have room for one register more.
  void set_row(int i, const T& diagonal, const T* entries, int end) const {
    const int n = tree_.size();
    if (tree_.in_order()) {
      T* row = data_ + static_cast<std::size_t>(i) * stride_;
      fill_row(
          row, n, i + 1, end, [&](int j) SINEW_INLINE_LAMBDA { return P::load(entries + j); }, entries);
      fill_row(
          row, n, end, n, [&](int) SINEW_INLINE_LAMBDA { return P::spread(lit<T>(0)); }, nullptr);
      row[i] = diagonal;
      return;
    }
    const int* v = tree_.velocities().data();
    T *row = data_ + static_cast<std::size_t>(v[i]) * stride_, *column = data_ + v[i];
    row[v[i]] = diagonal;
    for (int j = i + 1; j < end; ++j) row[v[j]] = column[static_cast<std::size_t>(v[j]) * stride_] = entries[j];
  }
  void finish() const {
    if (tree_.in_order()) mirror_upper(data_, stride_, static_cast<std::size_t>(tree_.size()));
  }

 private:
  using P = ColumnPack<T>;
  // row[j], begin <= j < end, by whole registers within the n numbers of the row: some beyond `end` change. The rest
  // one by one, from `entries`; null: zeros. Rows are short, and a call of memcpy takes longer.
  template <class Load>
  static void fill_row(T* row, int n, int begin, int end, Load&& load, const T* entries) {
    int j = begin;
    for (; j < end && j + P::kLanes <= n; j += P::kLanes) P::store(load(j), row + j);
    for (; j < end; ++j) row[j] = entries ? entries[j] : lit<T>(0);
  }

  const DofTree& tree_;
  T* data_;
  std::size_t stride_;
};

}  // namespace sinew
