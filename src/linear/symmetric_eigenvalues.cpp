// src/linear/symmetric_eigenvalues.cpp
#include "linear/symmetric_eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linear/rows.hpp"
#include "sinew/linear/symmetric_factor.hpp"

namespace sinew::linear {
namespace {

// Rows and columns p, q are turned so that A_pq vanishes; rows p, q of V, where there are any, with them.
void rotate(Matrix& A, Matrix& V, int p, int q) {
  const double half = 0.5 * (A(q, q) - A(p, p)), off = A(p, q);
  const double t = off / (half + std::copysign(std::hypot(half, off), half));  // the smaller angle
  const double c = 1 / std::sqrt(1 + t * t), s = t * c;
  A(p, p) -= t * off, A(q, q) += t * off, A(p, q) = A(q, p) = 0;
  for (int k = 0; k < A.rows(); ++k) {
    if (k == p || k == q) continue;
    const double x = A(p, k), y = A(q, k);
    A(p, k) = A(k, p) = c * x - s * y;
    A(q, k) = A(k, q) = s * x + c * y;
  }
  for (int k = 0; k < V.cols(); ++k) {
    const double x = V(p, k), y = V(q, k);
    V(p, k) = c * x - s * y;
    V(q, k) = s * x + c * y;
  }
}

// A becomes diagonal; only its lower triangle is read. False where an entry is not finite.
bool diagonalize(Matrix& A, Matrix& V) {
  const int n = A.rows();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) A(j, i) = A(i, j);
  if (!is_finite(A.data(), A.size())) return false;
  // convergence is quadratic: six sweeps are usually enough
  constexpr int kSweeps = 60;
  const double least = 0.5 * std::numeric_limits<double>::epsilon() / std::max(1, n);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const double negligible = least * largest_entry(A.data(), static_cast<int>(A.size()));
    bool turned = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q)
        if (std::abs(A(p, q)) > negligible) rotate(A, V, p, q), turned = true;
    if (!turned) break;
  }
  return true;
}

}  // namespace

std::vector<double> symmetric_eigenvalues(Matrix A) {
  std::vector<double> out(at(A.rows()), std::numeric_limits<double>::quiet_NaN());
  Matrix none;
  if (!diagonalize(A, none)) return out;
  for (int i = 0; i < A.rows(); ++i) out[i] = A(i, i);
  std::sort(out.begin(), out.end());
  return out;
}

SymmetricEigen symmetric_eigenvectors(Matrix A) {
  const int n = A.rows();
  Matrix V = make_identity(n);
  if (!diagonalize(A, V)) return {};
  std::vector<int> order(at(n));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return A(i, i) < A(j, j); });
  SymmetricEigen out{{}, Matrix(n, n)};
  for (int i = 0; i < n; ++i) {
    out.values.push_back(A(order[i], order[i]));
    std::copy_n(V.row(order[i]), n, out.vectors.row(i));
  }
  return out;
}

// With B = R^T R: the vectors R x of R^-T A R^-1.
SymmetricEigen symmetric_eigenvectors(Matrix A, const Matrix& B) {
  const int n = A.rows();
  SymmetricFactor U(n);  // R = D^1/2 U, U with 1 / D on its diagonal
  U.resize(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) U(j, i) = B(i, j), A(j, i) = A(i, j);
  if (!is_finite(A.data(), A.size()) || !factor(U)) return {};
  const auto solve_transposed = [&](double* x) {  // x = R^-T x
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) x[j] -= U(i, j) * x[i];
      x[i] *= std::sqrt(U(i, i));
    }
  };
  for (int i = 0; i < n; ++i) solve_transposed(A.row(i));  // A R^-1
  A = transpose(A);
  for (int i = 0; i < n; ++i) solve_transposed(A.row(i));
  SymmetricEigen out = symmetric_eigenvectors(std::move(A));
  for (int i = 0; i < static_cast<int>(out.values.size()); ++i) {
    double* x = out.vectors.row(i);
    for (int k = n - 1; k >= 0; --k) {
      x[k] *= std::sqrt(U(k, k));
      for (int j = k + 1; j < n; ++j) x[k] -= U(k, j) * x[j];
    }
  }
  return out;
}

}  // namespace sinew::linear
