// src/linear/pivoted_qr.cpp
#include "linear/pivoted_qr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "linear/wide.hpp"

namespace sinew::linear {
namespace {

// w += v row
SINEW_WIDE void add_times(double* __restrict w, double v, const double* __restrict row, int n) {
  for (int j = 0; j < n; ++j) w[j] += v * row[j];
}

double calc_column_norm(const Matrix& a, int j, int first) {
  double sum = 0;
  for (int i = first; i < a.rows(); ++i) sum += a(i, j) * a(i, j);
  return std::sqrt(sum);
}

}  // namespace

// B = (1 - tau v v^T) B, columns from `first` on.
void PivotedQr::reflect(int k, Matrix& B, int first, std::vector<double>& w) const {
  const int n = B.cols() - first;
  if (n <= 0 || tau_[k] == 0) return;
  w.assign(at(n), 0.0);
  for (int i = k; i < a_.rows(); ++i) add_times(w.data(), i == k ? 1 : a_(i, k), B.row(i) + first, n);
  for (double& x : w) x *= tau_[k];
  for (int i = k; i < a_.rows(); ++i) add_times(B.row(i) + first, i == k ? -1 : -a_(i, k), w.data(), n);
}

PivotedQr::PivotedQr(Matrix A, Pivoting pivoting)
    : a_(std::move(A)), tau_(at(std::min(a_.rows(), a_.cols()))), order_(at(a_.cols())) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<double> length(order_.size()), exact(order_.size()), w;
  for (int j = 0; j < a_.cols(); ++j) length[j] = exact[j] = calc_column_norm(a_, j, 0);
  for (int k = 0; k < steps(); ++k) {
    if (pivoting == Pivoting::columns) {
      const auto best = std::max_element(length.begin() + k, length.end()) - length.begin();
      const int p = static_cast<int>(best);
      if (p != k)
        for (int i = 0; i < a_.rows(); ++i) std::swap(a_(i, k), a_(i, p));
      std::swap(order_[k], order_[p]), std::swap(length[k], length[p]), std::swap(exact[k], exact[p]);
    }
    // v = x - diagonal e1, with the sign that does not cancel
    const double x = a_(k, k), norm = calc_column_norm(a_, k, k), diagonal = x > 0 ? -norm : norm;
    tau_[k] = norm > 0 ? (diagonal - x) / diagonal : 0;
    if (norm == 0) continue;
    for (int i = k + 1; i < a_.rows(); ++i) a_(i, k) /= x - diagonal;
    reflect(k, a_, k + 1, w);
    a_(k, k) = diagonal;
    // lengths of the remaining columns: by subtraction while enough digits are left
    for (int j = k + 1; j < a_.cols(); ++j) {
      if (length[j] == 0) continue;
      const double ratio = a_(k, j) / length[j], left = std::max(0.0, (1 - ratio) * (1 + ratio));
      const double since = length[j] / exact[j];
      if (left * since * since <= std::sqrt(std::numeric_limits<double>::epsilon()))
        length[j] = exact[j] = calc_column_norm(a_, j, k + 1);
      else
        length[j] *= std::sqrt(left);
    }
  }
}

int PivotedQr::find_rank(double tolerance) const {
  int rank = 0;
  while (rank < steps() && std::abs(a_(rank, rank)) > tolerance * std::abs(a_(0, 0))) ++rank;
  return rank;
}

void PivotedQr::multiply_by_transpose(Matrix& B) const {
  std::vector<double> w;
  for (int k = 0; k < steps(); ++k) reflect(k, B, 0, w);
}
void PivotedQr::multiply(Matrix& B) const {
  std::vector<double> w;
  for (int k = steps(); k-- > 0;) reflect(k, B, 0, w);
}

Matrix pseudo_inverse(const Matrix& A, double tolerance) {
  const int m = A.rows(), n = A.cols();
  const PivotedQr qr(A);
  const int rank = qr.find_rank(tolerance);
  Matrix Rt(n, rank);
  for (int i = 0; i < rank; ++i)
    for (int j = i; j < n; ++j) Rt(j, i) = qr.r(i, j);
  const PivotedQr zs(std::move(Rt), Pivoting::none);

  Matrix Qt = make_identity(m), X(n, m);
  qr.multiply_by_transpose(Qt);
  for (int i = 0; i < rank; ++i) {  // S^T X = the first rows of Q^T
    std::copy_n(Qt.row(i), m, X.row(i));
    for (int k = 0; k < i; ++k) add_times(X.row(i), -zs.r(k, i), X.row(k), m);
    const double pivot = zs.r(i, i);
    std::for_each_n(X.row(i), m, [pivot](double& x) { x /= pivot; });
  }
  zs.multiply(X);
  Matrix out(n, m);
  for (int j = 0; j < n; ++j) std::copy_n(X.row(j), m, out.row(qr.order()[j]));
  return out;
}

}  // namespace sinew::linear
