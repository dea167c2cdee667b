// src/constraint/solve/projection.cpp
#include "sinew/constraint/solve/projection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "constraint/checks.hpp"
#include "constraint/solve/reduced_inertia.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {
namespace {

void find_dependence(IndependentWorkspace& ws, const ConstrainedSystem& s) {
  const linear::PivotedElimination& e = ws.elimination;
  RowDependence& d = ws.dependence;
  d.rank = e.rank;
  d.order = e.row;
  for (int i = 0; i < d.rest(); ++i) {
    d.left[i] = find_largest_left(e, i);
    calc_combination(e, i, d.combination(i));
  }
  factor_scaled(d, s.row_scale);
}

// out = f - H x
void calc_rest(const IndependentWorkspace& ws, const ConstrainedSystem& s, const double* x, double* out) {
  const int n = s.freedoms();
  for (int i = 0; i < n; ++i) out[i] = s.f[i] - std::inner_product(x, x + n, ws.H.data() + at(i) * at(n), 0.0);
}

}  // namespace

IndependentWorkspace::IndependentWorkspace(const ConstrainedSystem& s, const std::vector<int>& independents)
    : wanted(independents),
      elimination(s.rows(), s.freedoms()),
      dependence(s.rows()),
      H(s.f.size() * s.f.size()),
      scale(s.f.size()),
      G(H.size()),
      g(s.f.size()),
      HG(H.size()),
      M(s.freedoms()),
      k(s.k),
      r(s.f.size()),
      y(s.f.size() + s.k.size()) {
  for (const int j : wanted)
    if (j < 0 || j >= s.freedoms())
      throw std::invalid_argument("independent: there is no velocity coordinate " + std::to_string(j) + " (there are " +
                                  std::to_string(s.freedoms()) + ", counted from 0)");
}

void calc_explicit_constraint(const DofTree& tree, IndependentWorkspace& ws, const ConstrainedSystem& s,
                              const RankOptions& o) {
  check_size("calc_explicit_constraint", "the workspace", ws.g.size(), s.f.size());
  check_solve("calc_explicit_constraint", tree, s, ws.k.size(), ws.g.size(), s.k.size());
  const int n = s.freedoms(), m = s.rows();
  to_dense<double>(tree, s.H, {ws.H.data(), s.f.size(), s.f.size()});
  for (int j = 0; j < n; ++j) ws.scale[j] = 1 / std::sqrt(ws.H[j * n + j]);
  linear::PivotedElimination& e = ws.elimination;
  e.resize(m, n);
  for (const int j : ws.wanted) e.held[j] = 1;
  for (int r = 0; r < m; ++r)
    for (int j = 0; j < n; ++j) e(r, j) = s.row_scale[r] * ws.scale[j] * s.K[r * n + j];
  eliminate(e, std::max(o.rank_tolerance, linear::rounding_of(n + m)));
  find_dependence(ws, s);

  // x1 = -K11^-1 K12 y + K11^-1 k1, x2 = y. [F08 8.51]
  for (int j = 0; j < ws.independent(); ++j) {
    double* column = ws.column(j);
    const double scale = ws.scale[ws.independent_coordinate(j)];
    std::fill(column, column + n, 0.0);
    calc_null_column(e, j, ws.y.data());
    for (int i = 0; i < e.rank; ++i) column[e.col[i]] = ws.y[i] * ws.scale[e.col[i]] / scale;
    column[ws.independent_coordinate(j)] = 1;
  }
  ws.k = s.k;
  project(ws.dependence, ws.k);
  std::fill(ws.g.begin(), ws.g.end(), 0.0);
  for (int i = 0; i < e.rank; ++i) ws.y[i] = s.row_scale[e.row[i]] * ws.k[e.row[i]];
  solve_pivots(e, ws.y.data());
  for (int i = 0; i < e.rank; ++i) ws.g[e.col[i]] = ws.y[i] * ws.scale[e.col[i]];
}

void solve_by_projection(const DofTree& tree, IndependentWorkspace& ws, const ConstrainedSystem& s,
                         const RankOptions& o, Out<double> x, Out<double> lambda, SolveCertificate& out) {
  check_solve("solve_by_projection", tree, s, ws.k.size(), x.size(), lambda.size());
  const int n = s.freedoms();
  calc_explicit_constraint(tree, ws, s, o);
  report(ws.dependence, s.k, s.size, s.row_scale, o.consistency_tolerance, out);
  out.least_row = find_least_pivot(ws.elimination);

  // M = G^T H G
  const int free = ws.independent();
  ws.M.resize(free);
  calc_reduced_inertia(ws.H.data(), ws.G.data(), n, free, ws.HG.data(),
                       [&](int i, int j, double sum) { ws.M(i, j) = sum; });
  factor(ws.M);

  // Two rounds: the second corrects the rounding of the first.
  std::copy(ws.g.begin(), ws.g.end(), x.begin());
  for (int round = 0; round < 2; ++round) {
    calc_rest(ws, s, x.data(), ws.r.data());
    for (int j = 0; j < free; ++j) ws.y[j] = std::inner_product(ws.column(j), ws.column(j) + n, ws.r.data(), 0.0);
    solve(ws.M, ws.y.data());  // [F08 8.46]
    for (int j = 0; j < free; ++j)
      for (int i = 0; i < n; ++i) x[i] += ws.column(j)[i] * ws.y[j];  // [F08 8.42]
  }

  // K^T lambda = H x - f, in the equations of the coordinates that were eliminated.
  const linear::PivotedElimination& e = ws.elimination;
  calc_rest(ws, s, x.data(), ws.r.data());
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (int i = 0; i < e.rank; ++i) ws.y[i] = -ws.scale[e.col[i]] * ws.r[e.col[i]];
  solve_pivots_transpose(e, ws.y.data());
  for (int i = 0; i < e.rank; ++i) lambda[e.row[i]] = s.row_scale[e.row[i]] * ws.y[i];
  project(ws.dependence, lambda);
}

}  // namespace sinew
