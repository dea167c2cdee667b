// src/constraint/row_dependence.cpp
#include "sinew/constraint/row_dependence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "small_cholesky.hpp"

namespace sinew {
namespace {
std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Entry i of N^T x.
template <class V>
double calc_gap(const RowDependence& d, const V& x, int i) {
  double gap = x[at(d.order[at(d.rank + i)])];
  for (int j = 0; j < d.rank; ++j) gap -= d.combination(i)[j] * x[at(d.order[at(j)])];
  return gap;
}
}  // namespace

RowDependence::RowDependence(int rows) : order(at(rows)), W(at(rows) * at(rows)), N2(at(rows) * at(rows)), y(at(rows)) {
  std::iota(order.begin(), order.end(), 0);
}

void factor(RowDependence& d) {
  for (int i = 0; i < d.rest(); ++i)
    for (int j = 0; j <= i; ++j) {
      const double *a = d.combination(i), *b = d.combination(j);
      d.N2[at(i * d.rows() + j)] = std::inner_product(a, a + d.rank, b, i == j ? 1.0 : 0.0);
    }
  factor_cholesky(d.N2.data(), d.rest(), d.rows());
}

void project(RowDependence& d, VectorView<double> x) {
  for (int i = 0; i < d.rest(); ++i) d.y[at(i)] = calc_gap(d, x, i);
  solve_cholesky(d.N2.data(), d.rest(), d.rows(), d.y.data());
  for (int i = 0; i < d.rest(); ++i) {
    x[at(d.order[at(d.rank + i)])] -= d.y[at(i)];
    for (int j = 0; j < d.rank; ++j) x[at(d.order[at(j)])] += d.combination(i)[j] * d.y[at(i)];
  }
}

void report(const RowDependence& d, VectorView<const double> k, double allowed, SolveCertificate& out) {
  constexpr double kMatters = 1e-6;  // coefficients below this are rounding
  out.rank = d.rank;
  out.redundant.assign(d.order.begin() + d.rank, d.order.end());
  std::sort(out.redundant.begin(), out.redundant.end());
  out.contradicting.clear();
  for (int i = 0; i < d.rest(); ++i) {
    if (std::abs(calc_gap(d, k, i)) <= allowed) continue;
    out.status = SolveStatus::inconsistent;
    const auto name = [&](int row) {
      if (std::find(out.contradicting.begin(), out.contradicting.end(), row) == out.contradicting.end())
        out.contradicting.push_back(row);
    };
    name(d.order[at(d.rank + i)]);
    for (int j = 0; j < d.rank; ++j)
      if (std::abs(d.combination(i)[j]) > kMatters) name(d.order[at(j)]);
  }
  std::sort(out.contradicting.begin(), out.contradicting.end());
}

}  // namespace sinew
