// src/constraint/solve/response_columns.cpp
#include "constraint/solve/response_columns.hpp"

#include <algorithm>

namespace sinew {
namespace {

// Rows are better than this in the metric of H^-1: one round leaves rounding of less than 1e-12.
constexpr double kClearRows = 1e-2;

double* row_at(const MatrixView<double>& x, int r) { return x.data() + at(r) * x.stride(); }

// out += A^+ B without the projections: triangles of the factor, row by row.
void add_triangle_solution(const ForceEquation& e, const MatrixView<double>& B, const MatrixView<double>& Y,
                           const MatrixView<double>& out) {
  const RowDependence& d = e.dependence;
  const int m = e.rows();
  const std::size_t n = B.cols();
  for (int i = 0; i < d.rank; ++i) {
    double* y = row_at(Y, i);
    const double *b = row_at(B, d.order[at(i)]), *F = e.F.data() + i * m;
    const double scale = e.row_scale[at(d.order[at(i)])];
    for (std::size_t j = 0; j < n; ++j) y[j] = scale * b[j];
    for (int j = 0; j < i; ++j) add_multiple(y, -F[j], row_at(Y, j), n);
    for (std::size_t j = 0; j < n; ++j) y[j] /= F[i];
  }
  for (int i = d.rank - 1; i >= 0; --i) {
    double* y = row_at(Y, i);
    const double* F = e.F.data() + i * m;
    for (std::size_t j = 0; j < n; ++j) y[j] /= F[i];
    for (int j = 0; j < i; ++j) add_multiple(row_at(Y, j), -F[j], y, n);
    add_multiple(row_at(out, d.order[at(i)]), e.row_scale[at(d.order[at(i)])], y, n);
  }
}

// Columns are projected one by one: only rows that imply each other need it.
void project_columns(ForceEquation& e, const MatrixView<double>& X) {
  if (e.dependence.rest() == 0) return;
  for (std::size_t j = 0; j < X.cols(); ++j) {
    for (std::size_t r = 0; r < X.rows(); ++r) e.r[r] = X(r, j);
    project(e.dependence, e.r);
    for (std::size_t r = 0; r < X.rows(); ++r) X(r, j) = e.r[r];
  }
}

}  // namespace

void multiply_rows(const DofTree& tree, const ConstrainedSystem& s, MatrixView<const double> U,
                   MatrixView<double> out) {
  const std::size_t n = U.cols();
  for (int r = 0; r < s.rows(); ++r) {
    double* y = row_at(out, r);
    std::fill_n(y, n, 0.0);
    const double* K = s.K.data() + at(r) * s.f.size();
    for (int e = s.reach_begin[at(r)]; e < s.reach_begin[at(r) + 1]; ++e) {
      const auto c = at(tree.velocity(s.reach[at(e)]));
      if (K[c] != 0) add_multiple(y, K[c], U.data() + c * U.stride(), n);
    }
  }
}

void add_response(MatrixView<const double> VT, MatrixView<const double> X, MatrixView<double> U) {
  const std::size_t n = U.cols(), m = X.rows();
  for (std::size_t i = 0; i < U.rows(); ++i) {
    double* __restrict y = U.data() + i * U.stride();
    std::size_t r = 0;
    for (; r + 4 <= m; r += 4) {
      const double *a = X.data() + r * X.stride(), *b = a + X.stride(), *c = b + X.stride(), *d = c + X.stride();
      const double p = VT(r, i), q = VT(r + 1, i), s = VT(r + 2, i), t = VT(r + 3, i);
      for (std::size_t j = 0; j < n; ++j) y[j] += (p * a[j] + q * b[j]) + (s * c[j] + t * d[j]);
    }
    for (; r < m; ++r) add_multiple(y, VT(r, i), X.data() + r * X.stride(), n);
  }
}

void solve_columns(ForceEquation& e, double least_row, MatrixView<double> B, MatrixView<double> work,
                   MatrixView<double> left) {
  const int m = e.rows();
  const std::size_t n = B.cols();
  project_columns(e, B);
  for (int r = 0; r < m; ++r) std::copy_n(row_at(B, r), n, row_at(left, r)), std::fill_n(row_at(B, r), n, 0.0);
  add_triangle_solution(e, left, work, B);
  if (least_row < kClearRows) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        add_multiple(row_at(left, i), -e.A[at(i >= j ? i * m + j : j * m + i)], row_at(B, j), n);
    add_triangle_solution(e, left, work, B);
  }
  project_columns(e, B);
}

}  // namespace sinew
