// src/delassus/driver.hpp - what the Delassus algorithms share: checks, articulated inertias, the matrix in rows
#pragma once
#include <algorithm>

#include "sinew/delassus/articulated_workspace.hpp"
#include "sinew/delassus/problem.hpp"
#include "tree/crba_driver.hpp"

namespace sinew::delassus {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class T>
void check_call(const char* call, const Model& m, const Problem& p, std::size_t nodes, In<T> q, In<Force<T>> K,
                OutMatrix<T> W) {
  check_size(call, "workspace", nodes, node_count(m));
  check_positions(call, m, q.size());
  check_size(call, "K", K.size(), p.entries().size());
  check_size(call, "rows of W", W.rows(), at(p.rows()));
  check_size(call, "columns of W", W.cols(), at(p.rows()));
}

template <class T>
void prepare(const Model& m, ArticulatedWorkspace<T>& ws, const T* q, double time, bool free_too) {
  const auto links = links_of<T>(m);
  calc_turns(links.data(), static_cast<int>(links.size()), q, ws.angles.data(), ws.turns.data());
  calc_general_joints(m, q, time, ws.general, free_too);
}
template <class T>
ArticulatedScratch<T> scratch_of(ArticulatedWorkspace<T>& ws) {
  return {ws.slot_loads.data(), ws.general.data(), ws.k.data(), ws.Dinv.data()};
}

// W from Lambda over the problem's columns, of which only p <= q is read.
template <class T>
void to_rows(const Problem& p, const T* Lambda, int stride, const MatrixView<T>& W) {
  const int n = p.columns();
  if (p.plain()) {
    for (int i = 0; i < n; ++i) {
      const T* row = Lambda + static_cast<std::ptrdiff_t>(i) * stride;
      for (int j = i; j < n; ++j) W(at(i), at(j)) = W(at(j), at(i)) = row[j];
    }
    return;
  }
  for (std::size_t i = 0; i < W.rows(); ++i)
    for (std::size_t j = 0; j < W.cols(); ++j) W(i, j) = lit<T>(0);
  for (int i = 0; i < n; ++i) {
    const T* row = Lambda + static_cast<std::ptrdiff_t>(i) * stride;
    const std::size_t r = at(p.row_of(i));
    W(r, r) += row[i];
    for (int j = i + 1; j < n; ++j) {
      const std::size_t c = at(p.row_of(j));
      W(r, c) += row[j];
      if (r == c)
        W(r, c) += row[j];
      else
        W(c, r) += row[j];
    }
  }
}

// The same, only the upper triangle, rows `to_stride` apart.
template <class T>
void to_upper_rows(const Problem& p, const T* Lambda, int stride, T* W, int to_stride) {
  const int n = p.columns();
  const auto row_at = [&](int r) { return W + static_cast<std::ptrdiff_t>(r) * to_stride; };
  if (p.plain()) {
    for (int i = 0; i < n; ++i) {
      const T* row = Lambda + static_cast<std::ptrdiff_t>(i) * stride;
      std::copy(row + i, row + n, row_at(i) + i);
    }
    return;
  }
  for (int r = 0; r < p.rows(); ++r) std::fill_n(row_at(r), p.rows(), lit<T>(0));
  for (int i = 0; i < n; ++i) {
    const T* row = Lambda + static_cast<std::ptrdiff_t>(i) * stride;
    const int r = p.row_of(i);
    row_at(r)[r] += row[i];
    for (int j = i + 1; j < n; ++j) {
      const int c = p.row_of(j);
      row_at(std::min(r, c))[std::max(r, c)] += r == c ? row[j] + row[j] : row[j];
    }
  }
}

}  // namespace sinew::delassus
