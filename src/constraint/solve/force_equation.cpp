// src/constraint/solve/force_equation.cpp
#include "sinew/constraint/solve/force_equation.hpp"

#include <cmath>
#include <numeric>

#include "constraint/rank/row_scale.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {
namespace {

// Cholesky of S A S with diagonal pivoting.
void factor_pivoted(ForceEquation& e, double tolerance) {
  const int m = e.rows();
  std::vector<int>& order = e.dependence.order;
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < m; ++i) e.diagonal[i] = e.A[i * m + i] * e.row_scale[i] * e.row_scale[i];
  const auto entry = [&](int i, int j) {
    const int a = std::max(order[i], order[j]), b = std::min(order[i], order[j]);
    return e.A[a * m + b] * e.row_scale[a] * e.row_scale[b];
  };
  int& rank = e.dependence.rank;
  for (rank = 0; rank < m; ++rank) {
    const int k = rank;
    const auto largest = std::max_element(e.diagonal.begin() + k, e.diagonal.end());
    if (!(*largest > tolerance)) break;
    const int p = static_cast<int>(largest - e.diagonal.begin());
    std::swap(order[k], order[p]);
    std::swap(e.diagonal[k], e.diagonal[p]);
    for (int j = 0; j < k; ++j) std::swap(e.F[k * m + j], e.F[p * m + j]);
    const double pivot = e.F[k * m + k] = std::sqrt(e.diagonal[k]);
    for (int i = k + 1; i < m; ++i) {
      const double *a = e.F.data() + i * m, *b = e.F.data() + k * m;
      const double l = (entry(i, k) - std::inner_product(a, a + k, b, 0.0)) / pivot;
      e.F[i * m + k] = l;
      e.diagonal[i] -= l * l;
    }
  }
}

// W in the rows' own units: the rows of F without a pivot times the inverse of its triangle.
void find_dependence(ForceEquation& e) {
  RowDependence& d = e.dependence;
  const int m = e.rows();
  for (int i = 0; i < d.rest(); ++i) {
    double* w = d.combination(i);
    d.left[i] = std::sqrt(std::max(0.0, e.diagonal[d.rank + i]));
    std::copy_n(e.F.data() + (d.rank + i) * m, d.rank, w);
    for (int j = d.rank - 1; j >= 0; --j) {
      w[j] /= e.F[j * m + j];
      for (int p = 0; p < j; ++p) w[p] -= e.F[j * m + p] * w[j];
    }
  }
  factor_scaled(d, e.row_scale);
}

// lambda += A^+ r
void add_solution(ForceEquation& e, Out<double> lambda) {
  const RowDependence& d = e.dependence;
  const int m = e.rows();
  for (int i = 0; i < d.rank; ++i) {
    double x = e.r[d.order[i]] * e.row_scale[d.order[i]];
    for (int j = 0; j < i; ++j) x -= e.F[i * m + j] * e.y[j];
    e.y[i] = x / e.F[i * m + i];
  }
  for (int i = d.rank - 1; i >= 0; --i) {
    e.y[i] /= e.F[i * m + i];
    for (int j = 0; j < i; ++j) e.y[j] -= e.F[i * m + j] * e.y[i];
    lambda[d.order[i]] += e.y[i] * e.row_scale[d.order[i]];
  }
}

}  // namespace

ForceEquation::ForceEquation(int rows)
    : A(at(rows) * at(rows)),
      k(at(rows)),
      b(k),
      size(k),
      full(k),
      dependence(rows),
      row_scale(k),
      F(A.size()),
      diagonal(k),
      r(k),
      y(k) {}

void ForceEquation::resize(int new_rows) {
  for (std::vector<double>* v : {&k, &b, &size, &full, &row_scale, &diagonal, &r, &y}) v->resize(at(new_rows));
  A.resize(at(new_rows) * at(new_rows));
  F.resize(A.size());
  dependence.order.resize(at(new_rows));
}

void factor(ForceEquation& e, const RankOptions& o, SolveCertificate& out) {
  const int m = e.rows();
  for (int i = 0; i < m; ++i) e.row_scale[i] = std::sqrt(std::max(0.0, e.A[i * m + i]));
  invert_row_norms(e.full, e.row_scale);
  add_size_of_others(e.row_scale, e.size);
  factor_pivoted(e, std::max(o.rank_tolerance * o.rank_tolerance, linear::rounding_of(m)));
  find_dependence(e);
  report(e.dependence, e.k, e.size, e.row_scale, o.consistency_tolerance, out);
  out.least_row = 1;
  for (int i = 0; i < e.dependence.rank; ++i) out.least_row = std::min(out.least_row, e.F[i * m + i]);
}

void solve_factored(ForceEquation& e, Out<double> lambda) {
  check_size("solve_factored", "lambda", lambda.size(), e.k.size());
  const int m = e.rows();
  // Two rounds: the second corrects the rounding of the first.
  project(e.dependence, e.b);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < m; ++i) {
      double sum = e.b[i];
      for (int j = 0; j < m; ++j) sum -= e.A[i >= j ? i * m + j : j * m + i] * lambda[j];
      e.r[i] = sum;
    }
    add_solution(e, lambda);  // [F08 8.40]
  }
  project(e.dependence, lambda);
}

void solve(ForceEquation& e, const RankOptions& o, Out<double> lambda, SolveCertificate& out) {
  check_size("solve", "lambda", lambda.size(), e.k.size());
  factor(e, o, out);
  solve_factored(e, lambda);
}

}  // namespace sinew
