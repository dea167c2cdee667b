// src/lcp/free_rows.cpp
#include "sinew/lcp/free_rows.hpp"

#include <algorithm>
#include <cmath>

#include "linear/lu.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

std::size_t entry(int i, int stride, int j) { return at(i) * at(stride) + at(j); }

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
    for (int j = 0; j < f_; ++j) A_[entry(i, f_, j)] = M(at(free[i]), at(free[j]));
    A_[entry(i, f_, i)] += shift;
  }
  for (int j = 0; j <= r_; ++j)
    for (int i = 0; i < f_; ++i) {
      const std::size_t row = at(free[i]);
      X_[entry(j, f_, i)] = j < r_ ? M(row, at(rest[j])) : q[row] - (shifted_ ? shift * centre[row] : 0);
    }
  const MatrixView<double> A = linear::square(A_.data(), f_);
  if (linear::factor_lu(A, order_.data(), 0, interrupt) <= linear::kSingular) return eliminate_by_rank(M, q);
  for (int j = 0; j <= r_; ++j) {
    interrupt.check();
    linear::solve_lu(linear::constant(A), order_.data(), X_.data() + entry(j, f_, 0), work_.data());
  }
  return Outcome::regular;
}

FreeRows::Outcome FreeRows::eliminate_by_rank(MatrixView<const double> M, VectorView<const double> q) {
  regular_ = false;
  linear::PivotedElimination& e = *ranked_;
  e.resize(f_, f_);
  double largest = 0, coefficients = 0, constants = 0;
  for (int i = 0; i < f_; ++i)
    for (int j = 0; j < f_; ++j) {
      e(i, j) = M(at((*free_)[i]), at((*free_)[j]));
      largest = std::max(largest, std::abs(e(i, j)));
    }
  for (int j = 0; j < r_; ++j)
    for (int i = 0; i < f_; ++i) coefficients = std::max(coefficients, std::abs(X_[entry(j, f_, i)]));
  for (std::size_t i = 0; i < q.size(); ++i) constants = std::max(constants, std::abs(q[i]));
  linear::eliminate(e, linear::kSingular * largest, 0, interrupt);
  // remainders of B and q in rows without a pivot, after subtracting their combination of the pivot rows
  double left_over = 0, contradiction = 0;
  for (int i = e.rank; i < f_; ++i) {
    interrupt.check();
    calc_combination(e, i - e.rank, work_.data());
    for (int j = 0; j <= r_; ++j) {
      double rest = X_[entry(j, f_, e.row[i])], size = std::abs(rest);
      for (int k = 0; k < e.rank; ++k) {
        const double term = work_[k] * X_[entry(j, f_, e.row[k])];
        rest -= term, size += std::abs(term);
      }
      if (j < r_)
        left_over = std::max(left_over, std::abs(rest) / std::max({coefficients, size, 1e-300}));
      else
        contradiction = std::max(contradiction, std::abs(rest) / std::max({constants, size, 1e-300}));
    }
  }
  if (left_over > linear::kLeftOver) return Outcome::not_eliminated;
  if (contradiction > linear::kLeftOver) return Outcome::contradictory;
  for (int j = 0; j <= r_; ++j) solve(X_.data() + entry(j, f_, 0));
  return Outcome::deficient;
}

// x = A^-1 x on the pivots, zero elsewhere
void FreeRows::solve(double* x) {
  if (regular_) return linear::solve_lu(linear::square<const double>(A_.data(), f_), order_.data(), x, work_.data());
  linear::solve(*ranked_, x, x, work_.data());
}

void FreeRows::calc_rest(MatrixView<const double> M, VectorView<const double> q, double* reduced, double* reduced_q) {
  for (int i = 0; i < r_; ++i) {
    interrupt.check();
    const std::size_t row = at((*rest_)[i]);
    for (int k = 0; k < f_; ++k) x_[k] = M(row, at((*free_)[k]));
    for (int j = 0; j < r_; ++j)
      reduced[entry(i, r_, j)] = M(row, at((*rest_)[j])) - linear::dot(x_.data(), X_.data() + entry(j, f_, 0), f_);
    reduced_q[i] = q[row] - linear::dot(x_.data(), X_.data() + entry(r_, f_, 0), f_);
  }
}

void FreeRows::recover(MatrixView<const double> M, VectorView<const double> q, VectorView<double> z) {
  for (int i = 0; i < f_; ++i) {
    double sum = X_[entry(r_, f_, i)];
    for (int j = 0; j < r_; ++j) sum += X_[entry(j, f_, i)] * z[(*rest_)[j]];
    z[(*free_)[i]] = -sum;
  }
  if (shifted_) return;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < f_; ++i) {
      const std::size_t row = at((*free_)[i]);
      double sum = q[row];
      for (std::size_t j = 0; j < z.size(); ++j) sum += M(row, j) * z[j];
      x_[i] = sum;
    }
    solve(x_.data());
    for (int i = 0; i < f_; ++i) z[(*free_)[i]] -= x_[i];
  }
}

}  // namespace sinew::lcp
