// src/delassus/driver.hpp - what the Delassus algorithms share: checks, articulated inertias, the matrix in rows
#pragma once
#include <algorithm>

#include "sinew/delassus/problem.hpp"
#include "tree/articulated_driver.hpp"
#include "tree/checks.hpp"
#include "tree/symmetric.hpp"

namespace sinew::delassus {

template <class T>
void check_call(const char* call, const Model& m, const Problem& p, In<T> q, In<Force<T>> K, OutMatrix<T> W) {
  p.made_for().check(call, m);
  check_positions(call, m, q.size());
  check_size(call, "K", K.size(), p.entries().size());
  check_size(call, "rows of W", W.rows(), at(p.rows()));
  check_size(call, "columns of W", W.cols(), at(p.rows()));
}

// put(same column?, row, row, number) for every pair of columns in the upper triangle of Lambda.
template <class T, class Put>
void scatter(const Problem& p, const T* Lambda, int stride, Put put) {
  const int n = p.columns();
  for (int i = 0; i < n; ++i) {
    const T* row = Lambda + static_cast<std::ptrdiff_t>(i) * stride;
    const int r = p.row_of(i);
    for (int j = i; j < n; ++j) put(i == j, r, p.row_of(j), row[j]);
  }
}
// W from Lambda, whose lower triangle is overwritten.
template <class T>
void to_rows(const Problem& p, T* Lambda, int stride, const MatrixView<T>& W) {
  const std::size_t n = W.rows();
  if (p.one_entry_a_row()) {  // a permutation
    mirror_upper(Lambda, at(stride), n);
    for (std::size_t r = 0; r < n; ++r) {
      const T* row = Lambda + at(p.column_of(static_cast<int>(r))) * at(stride);
      T* to = &W(r, 0);
      if (p.plain())
        std::copy_n(row, n, to);
      else
        for (std::size_t c = 0; c < n; ++c) to[c] = row[p.column_of(static_cast<int>(c))];
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) std::fill_n(&W(i, 0), n, lit<T>(0));
  scatter(p, Lambda, stride, [&](bool diagonal, int r, int c, const T& x) {
    W(at(r), at(c)) += x;
    if (!diagonal) W(at(c), at(r)) += x;
  });
}
// The same, only the upper triangle, rows `to_stride` apart.
template <class T>
void to_upper_rows(const Problem& p, T* Lambda, int stride, T* W, int to_stride) {
  const auto row_at = [&](int r) { return W + static_cast<std::ptrdiff_t>(r) * to_stride; };
  if (p.plain()) {
    for (int i = 0; i < p.rows(); ++i) {
      const T* row = Lambda + static_cast<std::ptrdiff_t>(i) * stride;
      std::copy(row + i, row + p.rows(), row_at(i) + i);
    }
  } else if (p.one_entry_a_row()) {
    mirror_upper(Lambda, at(stride), at(p.rows()));
    for (int r = 0; r < p.rows(); ++r) {
      const T* row = Lambda + static_cast<std::ptrdiff_t>(p.column_of(r)) * stride;
      T* to = row_at(r);
      for (int c = r; c < p.rows(); ++c) to[c] = row[p.column_of(c)];
    }
  } else {
    for (int r = 0; r < p.rows(); ++r) std::fill_n(row_at(r), p.rows(), lit<T>(0));
    scatter(p, Lambda, stride, [&](bool diagonal, int r, int c, const T& x) {
      row_at(std::min(r, c))[std::max(r, c)] += r == c && !diagonal ? x + x : x;
    });
  }
}

}  // namespace sinew::delassus
