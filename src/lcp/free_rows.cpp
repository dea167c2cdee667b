// src/lcp/free_rows.cpp
#include "sinew/lcp/free_rows.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/dense_kernels.hpp"

namespace sinew::lcp {
namespace {

constexpr double kRankTolerance = 1e-11;  // of the largest entry

std::size_t at(int i) { return static_cast<std::size_t>(i); }
std::size_t at(int i, int stride, int j) { return at(i) * at(stride) + at(j); }

}  // namespace

void FreeRows::reserve(std::size_t n) {
  if (room_ >= static_cast<int>(n)) return;
  room_ = static_cast<int>(n);
  A_.reserve(n * n), X_.reserve((n + 2) * (n + 2) / 4 + n), order_.reserve(n), work_.reserve(n), x_.reserve(n);
  ranked_.emplace(room_, room_);
}

FreeRows::Outcome FreeRows::eliminate(MatrixView<const double> M, VectorView<const double> q,
                                      const std::vector<int>& free, const std::vector<int>& rest, double shift,
                                      const double* centre) {
  reserve(free.size() + rest.size());
  free_ = &free, rest_ = &rest;
  f_ = static_cast<int>(free.size()), r_ = static_cast<int>(rest.size());
  regular_ = true, shifted_ = shift > 0;
  A_.resize(at(f_) * at(f_)), X_.resize(at(r_ + 1) * at(f_)), order_.resize(at(f_)), work_.resize(at(f_));
  x_.resize(at(std::max(f_, r_)));
  for (int i = 0; i < f_; ++i) {
    for (int j = 0; j < f_; ++j) A_[at(i, f_, j)] = M(at(free[at(i)]), at(free[at(j)]));
    A_[at(i, f_, i)] += shift;
  }
  for (int j = 0; j <= r_; ++j)
    for (int i = 0; i < f_; ++i) {
      const std::size_t row = at(free[at(i)]);
      X_[at(j, f_, i)] = j < r_ ? M(row, at(rest[at(j)])) : q[row] - (shifted_ ? shift * centre[row] : 0);
    }
  if (factor_lu(A_.data(), f_, f_, order_.data()) <= kRankTolerance) return eliminate_by_rank(M, q);
  for (int j = 0; j <= r_; ++j) solve_lu(A_.data(), f_, f_, order_.data(), X_.data() + at(j, f_, 0), work_.data());
  return Outcome::regular;
}

FreeRows::Outcome FreeRows::eliminate_by_rank(MatrixView<const double> M, VectorView<const double> q) {
  regular_ = false;
  PivotedElimination& e = *ranked_;
  e.resize(f_, f_);
  double largest = 0, coefficients = 0, constants = 0;
  for (int i = 0; i < f_; ++i)
    for (int j = 0; j < f_; ++j) {
      e(i, j) = M(at((*free_)[at(i)]), at((*free_)[at(j)]));
      largest = std::max(largest, std::abs(e(i, j)));
    }
  for (int j = 0; j < r_; ++j)
    for (int i = 0; i < f_; ++i) coefficients = std::max(coefficients, std::abs(X_[at(j, f_, i)]));
  for (std::size_t i = 0; i < q.size(); ++i) constants = std::max(constants, std::abs(q[i]));
  sinew::eliminate(e, kRankTolerance * largest);
  // rows beyond the rank, less their combination of the pivot rows: what is left of B and q there
  double left_over = 0, contradiction = 0;
  for (int i = e.rank; i < f_; ++i) {
    calc_combination(e, i - e.rank, work_.data());
    for (int j = 0; j <= r_; ++j) {
      double rest = X_[at(j, f_, e.row[at(i)])], size = std::abs(rest);
      for (int k = 0; k < e.rank; ++k) {
        const double term = work_[at(k)] * X_[at(j, f_, e.row[at(k)])];
        rest -= term, size += std::abs(term);
      }
      if (j < r_)
        left_over = std::max(left_over, std::abs(rest) / std::max({coefficients, size, 1e-300}));
      else
        contradiction = std::max(contradiction, std::abs(rest) / std::max({constants, size, 1e-300}));
    }
  }
  if (left_over > 1e-9) return Outcome::not_eliminated;
  if (contradiction > 1e-9) return Outcome::contradictory;
  for (int j = 0; j <= r_; ++j) solve(X_.data() + at(j, f_, 0));
  return Outcome::deficient;
}

// x = A^-1 x on the pivots, zero elsewhere
void FreeRows::solve(double* x) {
  if (regular_) return solve_lu(A_.data(), f_, f_, order_.data(), x, work_.data());
  const PivotedElimination& e = *ranked_;
  for (int k = 0; k < e.rank; ++k) work_[at(k)] = x[e.row[at(k)]];
  solve_pivots(e, work_.data());
  std::fill_n(x, f_, 0.0);
  for (int k = 0; k < e.rank; ++k) x[e.col[at(k)]] = work_[at(k)];
}

void FreeRows::calc_rest(MatrixView<const double> M, VectorView<const double> q, double* reduced, double* reduced_q) {
  for (int i = 0; i < r_; ++i) {
    const std::size_t row = at((*rest_)[at(i)]);
    for (int k = 0; k < f_; ++k) x_[at(k)] = M(row, at((*free_)[at(k)]));
    for (int j = 0; j < r_; ++j)
      reduced[at(i, r_, j)] = M(row, at((*rest_)[at(j)])) - dot(x_.data(), X_.data() + at(j, f_, 0), f_);
    reduced_q[i] = q[row] - dot(x_.data(), X_.data() + at(r_, f_, 0), f_);
  }
}

void FreeRows::recover(MatrixView<const double> M, VectorView<const double> q, VectorView<double> z) {
  for (int i = 0; i < f_; ++i) {
    double sum = X_[at(r_, f_, i)];
    for (int j = 0; j < r_; ++j) sum += X_[at(j, f_, i)] * z[at((*rest_)[at(j)])];
    z[at((*free_)[at(i)])] = -sum;
  }
  if (shifted_) return;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < f_; ++i) {
      const std::size_t row = at((*free_)[at(i)]);
      double sum = q[row];
      for (std::size_t j = 0; j < z.size(); ++j) sum += M(row, j) * z[j];
      x_[at(i)] = sum;
    }
    solve(x_.data());
    for (int i = 0; i < f_; ++i) z[at((*free_)[at(i)])] -= x_[at(i)];
  }
}

}  // namespace sinew::lcp
