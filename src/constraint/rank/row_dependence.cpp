// src/constraint/rank/row_dependence.cpp
#include "sinew/constraint/rank/row_dependence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinew {
namespace {

// Entry i of N^T x.
template <class V>
double calc_gap(const RowDependence& d, const V& x, int i) {
  double gap = x[d.order[d.rank + i]];
  for (int j = 0; j < d.rank; ++j) gap -= d.combination(i)[j] * x[d.order[j]];
  return gap;
}

}  // namespace

RowDependence::RowDependence(int rows)
    : order(at(rows)), W(at(rows) * at(rows)), left(at(rows)), N2(rows), y(at(rows)) {
  std::iota(order.begin(), order.end(), 0);
}

void factor(RowDependence& d) {
  d.N2.resize(d.rest());
  for (int i = 0; i < d.rest(); ++i)
    for (int j = i; j < d.rest(); ++j) {
      const double *a = d.combination(i), *b = d.combination(j);
      d.N2(i, j) = std::inner_product(a, a + d.rank, b, i == j ? 1.0 : 0.0);
    }
  factor(d.N2);
}

void factor_scaled(RowDependence& d, VectorView<const double> row_scale) {
  for (int i = 0; i < d.rest(); ++i) {
    const double scale = row_scale[d.order[d.rank + i]];
    for (int j = 0; j < d.rank; ++j)
      d.combination(i)[j] = scale > 0 ? d.combination(i)[j] * row_scale[d.order[j]] / scale : 0;
  }
  factor(d);
}

void project(RowDependence& d, VectorView<double> x) {
  for (int i = 0; i < d.rest(); ++i) d.y[i] = calc_gap(d, x, i);
  solve(d.N2, d.y.data());
  for (int i = 0; i < d.rest(); ++i) {
    x[d.order[d.rank + i]] -= d.y[i];
    for (int j = 0; j < d.rank; ++j) x[d.order[j]] += d.combination(i)[j] * d.y[i];
  }
}

void report(const RowDependence& d, VectorView<const double> k, VectorView<const double> size,
            VectorView<const double> row_scale, double tolerance, SolveCertificate& out) {
  constexpr double kMatters = 1e-6;  // coefficients of scaled rows below this are rounding
  out.rank = d.rank;
  out.redundant.assign(d.order.begin() + d.rank, d.order.end());
  std::sort(out.redundant.begin(), out.redundant.end());
  out.contradicting.clear();
  for (int i = 0; i < d.rest(); ++i) {
    const int implied = d.order[d.rank + i];
    double made_of = size[implied];
    for (int j = 0; j < d.rank; ++j) made_of += std::abs(d.combination(i)[j]) * size[d.order[j]];
    if (std::abs(calc_gap(d, k, i)) <= tolerance * made_of) continue;
    out.status = SolveStatus::inconsistent;
    const auto name = [&](int row) {
      if (std::find(out.contradicting.begin(), out.contradicting.end(), row) == out.contradicting.end())
        out.contradicting.push_back(row);
    };
    name(implied);
    for (int j = 0; j < d.rank; ++j)
      if (std::abs(d.combination(i)[j]) * row_scale[implied] > kMatters * row_scale[d.order[j]]) name(d.order[j]);
  }
  std::sort(out.contradicting.begin(), out.contradicting.end());
}

}  // namespace sinew
