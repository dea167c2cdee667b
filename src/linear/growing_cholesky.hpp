// src/linear/growing_cholesky.hpp - A = L L^T of a symmetric matrix given row by row; dependent rows are left out
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace sinew::linear {

class GrowingCholesky {
 public:
  std::size_t size() const { return size_; }
  void clear() { size_ = 0, L_.clear(); }
  // Adds a row: entry(i) is its product with row i so far, `own` that with itself. False, and nothing is changed, where
  // the new pivot is at most `tolerance` times `own`.
  template <class Entry>
  bool add(double own, double tolerance, const Entry& entry) {
    const std::size_t first = L_.size();
    double left = own;
    std::size_t line = 0;
    for (std::size_t i = 0; i < size_; line += ++i) {
      double l = entry(i);
      for (std::size_t j = 0; j < i; ++j) l -= L_[line + j] * L_[first + j];
      L_.push_back(l /= L_[line + i]);
      left -= l * l;
    }
    if (!(left > tolerance * own)) {
      L_.resize(first);
      return false;
    }
    L_.push_back(std::sqrt(left));
    ++size_;
    return true;
  }
  // x = A^-1 x; x(i): entry i, as a reference.
  template <class Entry>
  void solve(const Entry& x) const {
    const auto L = [this](std::size_t i, std::size_t j) { return L_[i * (i + 1) / 2 + j]; };
    for (std::size_t i = 0; i < size_; ++i) {
      double& y = x(i);
      for (std::size_t j = 0; j < i; ++j) y -= L(i, j) * x(j);
      y /= L(i, i);
    }
    for (std::size_t i = size_; i-- > 0;) {
      double& y = x(i);
      for (std::size_t j = i + 1; j < size_; ++j) y -= L(j, i) * x(j);
      y /= L(i, i);
    }
  }

 private:
  std::size_t size_ = 0;
  std::vector<double> L_;  // rows packed one after the other
};

}  // namespace sinew::linear
