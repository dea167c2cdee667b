// src/constraint/solve/kkt.cpp
#include "sinew/constraint/solve/kkt.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {
namespace {

void fill_matrix(KktWorkspace& ws, const ConstrainedSystem& s) {
  const int n = s.freedoms(), m = s.rows();
  for (int i = 0; i < n; ++i) ws.scale[i] = 1 / std::sqrt(ws.H[i * n + i]);
  for (int r = 0; r < m; ++r) ws.scale[n + r] = s.row_scale[r];
  linear::PivotedElimination& e = ws.elimination;
  e.resize(n + m, n + m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) e(i, j) = ws.scale[i] * ws.scale[j] * ws.H[i * n + j];
  for (int r = 0; r < m; ++r)
    for (int j = 0; j < n; ++j) e(n + r, j) = e(j, n + r) = ws.scale[n + r] * ws.scale[j] * s.K[r * n + j];
}

// The rows without a pivot are rows of K and combinations of rows of K alone.
void find_dependence(KktWorkspace& ws, const ConstrainedSystem& s) {
  const linear::PivotedElimination& e = ws.elimination;
  RowDependence& d = ws.dependence;
  const int n = s.freedoms(), m = s.rows();
  d.rank = e.rank - n;
  int place = 0;
  for (int i = 0; i < n + m; ++i)
    if (e.row[i] >= n) d.order[place++] = e.row[i] - n;
  for (int i = 0; i < d.rest(); ++i) {
    d.left[i] = std::sqrt(find_largest_left(e, i));
    calc_combination(e, i, ws.w.data());
    int j = 0;
    for (int p = 0; p < e.rank; ++p)
      if (e.row[p] >= n) d.combination(i)[j++] = ws.w[p];
  }
  factor_scaled(d, s.row_scale);
}

}  // namespace

KktWorkspace::KktWorkspace(const ConstrainedSystem& s)
    : elimination(s.freedoms() + s.rows(), s.freedoms() + s.rows()),
      dependence(s.rows()),
      H(s.f.size() * s.f.size()),
      scale(s.f.size() + s.k.size()),
      k(s.k),
      r(scale),
      y(scale),
      w(scale) {}

void solve_by_kkt(const DofTree& tree, KktWorkspace& ws, const ConstrainedSystem& s, const RankOptions& o,
                  Out<double> x, Out<double> lambda, SolveCertificate& out) {
  check_size("solve_by_kkt", "the workspace", ws.scale.size(), s.f.size() + s.k.size());
  check_solve("solve_by_kkt", tree, s, ws.k.size(), x.size(), lambda.size());
  const int n = s.freedoms(), m = s.rows();
  to_dense<double>(tree, s.H, {ws.H.data(), s.f.size(), s.f.size()});
  fill_matrix(ws, s);
  const linear::PivotedElimination& e = ws.elimination;
  eliminate(ws.elimination, std::max(o.rank_tolerance * o.rank_tolerance, linear::rounding_of(n + m)), n);
  find_dependence(ws, s);
  report(ws.dependence, s.k, s.size, s.row_scale, o.consistency_tolerance, out);
  out.least_row = std::sqrt(find_least_pivot(e));

  // Two rounds: the second corrects the rounding of the first.
  ws.k = s.k;
  project(ws.dependence, ws.k);
  std::fill(x.begin(), x.end(), 0.0);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < n; ++i) {
      double sum = s.f[i];
      for (int j = 0; j < n; ++j) sum -= ws.H[i * n + j] * x[j];
      for (int r = 0; r < m; ++r) sum += s.K[r * n + i] * lambda[r];
      ws.r[i] = sum;
    }
    for (int r = 0; r < m; ++r) {
      double sum = ws.k[r];
      for (int j = 0; j < n; ++j) sum -= s.K[r * n + j] * x[j];
      ws.r[n + r] = sum;
    }
    for (int p = 0; p < e.rank; ++p) ws.y[p] = ws.scale[e.row[p]] * ws.r[e.row[p]];
    solve_pivots(e, ws.y.data());  // [F08 8.36]
    for (int p = 0; p < e.rank; ++p) {
      const int c = e.col[p];
      if (c < n)
        x[c] += ws.scale[c] * ws.y[p];
      else
        lambda[c - n] -= ws.scale[c] * ws.y[p];
    }
  }
  project(ws.dependence, lambda);
}

}  // namespace sinew
