// src/constraint/multipliers.cpp
#include "sinew/constraint/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sinew {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Cholesky of S A S with diagonal pivoting, row by row of what is already known.
void factor_pivoted(MultipliersWorkspace& ws, const ConstrainedSystem& s, double tolerance) {
  const int m = s.rows();
  std::vector<int>& order = ws.dependence.order;
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < m; ++i) ws.diagonal[at(i)] = s.row_scale[at(i)] > 0 ? 1 : 0;
  const auto entry = [&](int i, int j) {
    const int a = std::max(order[at(i)], order[at(j)]), b = std::min(order[at(i)], order[at(j)]);
    return ws.A[at(a * m + b)] * s.row_scale[at(a)] * s.row_scale[at(b)];
  };
  int& rank = ws.dependence.rank;
  for (rank = 0; rank < m; ++rank) {
    const int k = rank;
    const auto largest = std::max_element(ws.diagonal.begin() + k, ws.diagonal.end());
    if (!(*largest > tolerance)) break;
    const int p = static_cast<int>(largest - ws.diagonal.begin());
    std::swap(order[at(k)], order[at(p)]);
    std::swap(ws.diagonal[at(k)], ws.diagonal[at(p)]);
    for (int j = 0; j < k; ++j) std::swap(ws.F[at(k * m + j)], ws.F[at(p * m + j)]);
    const double pivot = ws.F[at(k * m + k)] = std::sqrt(ws.diagonal[at(k)]);
    for (int i = k + 1; i < m; ++i) {
      const double *a = ws.F.data() + i * m, *b = ws.F.data() + k * m;
      const double l = (entry(i, k) - std::inner_product(a, a + k, b, 0.0)) / pivot;
      ws.F[at(i * m + k)] = l;
      ws.diagonal[at(i)] -= l * l;
    }
  }
}

// W in the rows' own units: the rows that are left of F times the inverse of its triangle.
void find_dependence(MultipliersWorkspace& ws, const ConstrainedSystem& s) {
  RowDependence& d = ws.dependence;
  const int m = s.rows();
  for (int i = 0; i < d.rest(); ++i) {
    double* w = d.combination(i);
    std::copy_n(ws.F.data() + (d.rank + i) * m, d.rank, w);
    for (int j = d.rank - 1; j >= 0; --j) {
      w[j] /= ws.F[at(j * m + j)];
      for (int p = 0; p < j; ++p) w[p] -= ws.F[at(j * m + p)] * w[j];
    }
    const double scale = s.row_scale[at(d.order[at(d.rank + i)])];
    for (int j = 0; j < d.rank; ++j) w[j] = scale > 0 ? w[j] * s.row_scale[at(d.order[at(j)])] / scale : 0;
  }
  factor(d);
}

// lambda += A^+ r
void add_solution(MultipliersWorkspace& ws, const ConstrainedSystem& s, Out<double> lambda) {
  const RowDependence& d = ws.dependence;
  const int m = s.rows();
  for (int i = 0; i < d.rank; ++i) {
    double x = ws.r[at(d.order[at(i)])] * s.row_scale[at(d.order[at(i)])];
    for (int j = 0; j < i; ++j) x -= ws.F[at(i * m + j)] * ws.y[at(j)];
    ws.y[at(i)] = x / ws.F[at(i * m + i)];
  }
  for (int i = d.rank - 1; i >= 0; --i) {
    ws.y[at(i)] /= ws.F[at(i * m + i)];
    for (int j = 0; j < i; ++j) ws.y[at(j)] -= ws.F[at(i * m + j)] * ws.y[at(i)];
    lambda[at(d.order[at(i)])] += ws.y[at(i)] * s.row_scale[at(d.order[at(i)])];
  }
}

}  // namespace

MultipliersWorkspace::MultipliersWorkspace(const ConstrainedSystem& s)
    : dependence(s.rows()), A(s.k.size() * s.k.size()), F(A.size()), diagonal(s.k.size()), k(s.k), r(s.k), y(s.k) {}

void solve_by_multipliers(const DofTree& tree, MultipliersWorkspace& ws, const ConstrainedSystem& s,
                          const RankOptions& o, Out<double> x, Out<double> lambda, SolveCertificate& out) {
  const int m = s.rows();
  const double rounding = 16 * m * std::numeric_limits<double>::epsilon();
  calc_inverse_inertia(s, {ws.A.data(), s.k.size(), s.k.size()});
  factor_pivoted(ws, s, std::max(o.rank_tolerance * o.rank_tolerance, rounding));
  find_dependence(ws, s);
  report(ws.dependence, s.k, o.consistency_tolerance * s.scale, out);

  // Two rounds: the second takes away what the first has lost to rounding.
  ws.k = s.b;
  project(ws.dependence, ws.k);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < m; ++i) {
      double sum = ws.k[at(i)];
      for (int j = 0; j < m; ++j) sum -= ws.A[at(i >= j ? i * m + j : j * m + i)] * lambda[at(j)];
      ws.r[at(i)] = sum;
    }
    add_solution(ws, s, lambda);  // [F08 8.40]
  }
  project(ws.dependence, lambda);
  calc_motion(tree, s, lambda, x);
}

}  // namespace sinew
