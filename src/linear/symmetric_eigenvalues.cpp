// src/linear/symmetric_eigenvalues.cpp
#include "linear/symmetric_eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/rows.hpp"

namespace sinew::linear {
namespace {

// Rows and columns p, q are turned so that A_pq vanishes.
void rotate(Matrix& A, int p, int q) {
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
}

}  // namespace

std::vector<double> symmetric_eigenvalues(Matrix A) {
  const int n = A.rows();
  std::vector<double> out(at(n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) A(j, i) = A(i, j);
  if (!is_finite(A.data(), A.size())) {
    std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  // convergence is quadratic: six sweeps are usually enough
  constexpr int kSweeps = 60;
  const double least = 0.5 * std::numeric_limits<double>::epsilon() / std::max(1, n);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const double negligible = least * largest_entry(A.data(), static_cast<int>(A.size()));
    bool turned = false;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q)
        if (std::abs(A(p, q)) > negligible) rotate(A, p, q), turned = true;
    if (!turned) break;
  }
  for (int i = 0; i < n; ++i) out[i] = A(i, i);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace sinew::linear
