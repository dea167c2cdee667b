// src/linear/pivoted_elimination.cpp
#include "sinew/linear/pivoted_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/linear/tolerance.hpp"

namespace sinew::linear {
namespace {

struct Pivot {
  int row = -1, col = -1;
  double size = 0;
};
// The largest entry of what is left among the columns that are allowed.
template <class Allowed>
Pivot find_pivot(const PivotedElimination& e, int k, Allowed allowed) {
  Pivot best;
  for (int i = k; i < e.rows; ++i)
    for (int j = k; j < e.cols; ++j)
      if (std::abs(e(i, j)) > best.size && allowed(e.row[i], e.col[j])) best = {i, j, std::abs(e(i, j))};
  return best;
}

}  // namespace

PivotedElimination::PivotedElimination(int most_rows, int most_cols)
    : rows(most_rows),
      cols(most_cols),
      a(at(most_rows) * at(most_cols)),
      row(at(most_rows)),
      col(at(most_cols)),
      held(at(most_cols)) {}

void PivotedElimination::resize(int new_rows, int new_cols) {
  rows = new_rows, cols = new_cols, rank = 0;
  std::fill(a.begin(), a.end(), 0.0);
  std::fill(held.begin(), held.end(), char{0});
}

void eliminate(PivotedElimination& e, double tolerance, int first, Interrupt interrupt) {
  std::iota(e.row.begin(), e.row.end(), 0);
  std::iota(e.col.begin(), e.col.end(), 0);
  int taken_rows = 0, taken_cols = 0;
  bool hold = true;
  for (e.rank = 0; e.rank < std::min(e.rows, e.cols); ++e.rank) {
    interrupt.check();
    const int k = e.rank;
    Pivot p = find_pivot(e, k, [&](int, int col) { return !hold || !e.held[col]; });
    if (hold && !(p.size > tolerance)) {
      hold = false;
      p = find_pivot(e, k, [](int, int) { return true; });
    }
    if (!(p.size > tolerance)) {
      if (taken_rows == first && taken_cols == first) return;
      p = find_pivot(e, k, [&](int row, int col) { return row < first || col < first; });
      if (p.row < 0) return;
    }
    std::swap(e.row[k], e.row[p.row]);
    std::swap(e.col[k], e.col[p.col]);
    for (int j = 0; j < e.cols; ++j) std::swap(e(k, j), e(p.row, j));
    for (int i = 0; i < e.rows; ++i) std::swap(e(i, k), e(i, p.col));
    taken_rows += e.row[k] < first;
    taken_cols += e.col[k] < first;
    for (int i = k + 1; i < e.rows; ++i) {
      const double l = e(i, k) /= e(k, k);
      if (l == 0) continue;
      for (int j = k + 1; j < e.cols; ++j) e(i, j) -= l * e(k, j);
    }
  }
}

PivotedElimination eliminate(MatrixView<const double> A, double relative_tolerance) {
  PivotedElimination e(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  double largest = 0;
  for (int i = 0; i < e.rows; ++i)
    for (int j = 0; j < e.cols; ++j) {
      e(i, j) = A(at(i), at(j));
      largest = std::max(largest, std::abs(e(i, j)));
    }
  eliminate(e, relative_tolerance * largest);
  return e;
}

void solve(const PivotedElimination& e, const double* b, double* x, double* work) {
  for (int k = 0; k < e.rank; ++k) work[k] = b[e.row[k]];
  solve_pivots(e, work);
  std::fill_n(x, e.cols, 0.0);
  for (int k = 0; k < e.rank; ++k) x[e.col[k]] = work[k];
}

std::vector<double> solve(MatrixView<const double> A, VectorView<const double> b) {
  check_size("solve", "b", b.size(), A.rows());
  const PivotedElimination e = eliminate(A, rounding_of(static_cast<int>(std::max(A.rows(), A.cols()))));
  std::vector<double> x(A.cols()), work(A.cols());
  solve(e, b.data(), x.data(), work.data());
  return x;
}

void solve_pivots(const PivotedElimination& e, double* x) {
  for (int i = 0; i < e.rank; ++i)
    for (int j = 0; j < i; ++j) x[i] -= e(i, j) * x[j];
  for (int i = e.rank - 1; i >= 0; --i) {
    for (int j = i + 1; j < e.rank; ++j) x[i] -= e(i, j) * x[j];
    x[i] /= e(i, i);
  }
}

void solve_pivots_transpose(const PivotedElimination& e, double* x) {
  for (int i = 0; i < e.rank; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= e(j, i) * x[j];
    x[i] /= e(i, i);
  }
  for (int i = e.rank - 1; i >= 0; --i)
    for (int j = i + 1; j < e.rank; ++j) x[i] -= e(j, i) * x[j];
}

void calc_null_column(const PivotedElimination& e, int j, double* x) {
  // What is left of A12 is L^-1 A12.
  for (int i = e.rank - 1; i >= 0; --i) {
    x[i] = -e(i, e.rank + j);
    for (int p = i + 1; p < e.rank; ++p) x[i] -= e(i, p) * x[p];
    x[i] /= e(i, i);
  }
}

void calc_combination(const PivotedElimination& e, int i, double* w) {
  // w L11 = the row of L21
  for (int j = 0; j < e.rank; ++j) w[j] = e(e.rank + i, j);
  for (int j = e.rank - 1; j >= 0; --j)
    for (int p = j + 1; p < e.rank; ++p) w[j] -= w[p] * e(p, j);
}

double find_least_pivot(const PivotedElimination& e) {
  double out = 1;
  for (int i = 0; i < e.rank; ++i) out = std::min(out, std::abs(e(i, i)));
  return out;
}

double find_largest_left(const PivotedElimination& e, int i) {
  double out = 0;
  for (int j = e.rank; j < e.cols; ++j) out = std::max(out, std::abs(e(e.rank + i, j)));
  return out;
}

}  // namespace sinew::linear
