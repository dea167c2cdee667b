// src/constraint/rank/explicit_form.cpp
#include "sinew/constraint/rank/explicit_form.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/linear/pivoted_elimination.hpp"

namespace sinew {

ExplicitForm calc_explicit_form(MatrixView<const double> K, VectorView<const double> k,
                                const ExplicitFormOptions& options) {
  check_size("calc_explicit_form", "k", k.size(), K.rows());
  const int m = static_cast<int>(K.rows()), n = static_cast<int>(K.cols());
  linear::PivotedElimination e(m, n);
  for (const int i : options.independent) {
    if (i < 0 || i >= n)
      throw std::invalid_argument("calc_explicit_form: there is no coordinate " + std::to_string(i) + " of " +
                                  std::to_string(n));
    e.held[i] = 1;
  }
  double scale = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      e(i, j) = K(at(i), at(j));
      scale = std::max(scale, std::abs(e(i, j)));
    }
  eliminate(e, options.tolerance * scale);
  for (int p = 0; p < e.rank; ++p)
    if (e.held[e.col[p]])
      throw std::invalid_argument("calc_explicit_form: coordinate " + std::to_string(e.col[p]) +
                                  " is not independent of the others that are named (name fewer, or another)");

  ExplicitForm out;
  const int r = out.rank = e.rank;
  out.independent.assign(e.col.begin() + r, e.col.end());
  std::sort(out.independent.begin(), out.independent.end());
  out.redundant.assign(e.row.begin() + r, e.row.end());
  std::sort(out.redundant.begin(), out.redundant.end());
  out.G.assign(at(n) * at(n - r), 0);
  out.g.assign(at(n), 0);
  std::vector<double> x(at(std::max(r, 1)));
  for (int j = 0; j < n - r; ++j) {
    const auto place = std::lower_bound(out.independent.begin(), out.independent.end(), e.col[r + j]);
    const std::size_t c = static_cast<std::size_t>(place - out.independent.begin());
    calc_null_column(e, j, x.data());
    for (int p = 0; p < r; ++p) out.G[at(e.col[p]) * at(n - r) + c] = x[p];  // [F08 8.51]
    out.G[at(e.col[r + j]) * at(n - r) + c] = 1;
  }
  for (int i = 0; i < m - r; ++i) {
    calc_combination(e, i, x.data());
    double left = k[e.row[r + i]];
    for (int p = 0; p < r; ++p) left -= x[p] * k[e.row[p]];
    out.inconsistency = std::max(out.inconsistency, std::abs(left));
  }
  for (int p = 0; p < r; ++p) x[p] = k[e.row[p]];
  solve_pivots(e, x.data());
  for (int p = 0; p < r; ++p) out.g[e.col[p]] = x[p];
  return out;
}

}  // namespace sinew
