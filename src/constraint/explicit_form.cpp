// src/constraint/explicit_form.cpp
#include "sinew/constraint/explicit_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace sinew {
namespace {

// K and k side by side; rows and columns are swapped by their numbers.
class Elimination {
 public:
  Elimination(MatrixView<const double> K, VectorView<const double> k) : rows_(K.rows()), cols_(K.cols()) {
    numbers_.resize(rows_ * (cols_ + 1));
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < cols_; ++j) {
        at(i, j) = K(i, j);
        scale_ = std::max(scale_, std::abs(K(i, j)));
      }
      at(i, cols_) = k[i];
    }
    row_.resize(rows_);
    std::iota(row_.begin(), row_.end(), std::size_t{0});
  }

  // Gauss-Jordan on the columns that may be dependent: each pivot's column becomes a unit column.
  void run(std::vector<std::size_t> columns, double tolerance) {
    while (pivots_.size() < rows_) {
      std::size_t best_row = rows_, best_column = 0;
      double best = tolerance * scale_;
      for (std::size_t i = pivots_.size(); i < rows_; ++i)
        for (std::size_t c = 0; c < columns.size(); ++c)
          if (const double x = std::abs(at(row_[i], columns[c])); x > best) best = x, best_row = i, best_column = c;
      if (best_row == rows_) return;
      std::swap(row_[pivots_.size()], row_[best_row]);
      pivots_.push_back(columns[best_column]);
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(best_column));
      clear_column(row_[pivots_.size() - 1], pivots_.back());
    }
  }

  std::size_t rank() const { return pivots_.size(); }
  const std::vector<std::size_t>& pivots() const { return pivots_; }
  double solved(std::size_t pivot, std::size_t column) const { return at(row_[pivot], column); }
  double right(std::size_t row) const { return at(row_[row], cols_); }
  std::size_t row(std::size_t i) const { return row_[i]; }
  // Largest entry that is left in a column below the pivots.
  double left_over(std::size_t column) const {
    double out = 0;
    for (std::size_t i = rank(); i < rows_; ++i) out = std::max(out, std::abs(at(row_[i], column)));
    return out;
  }
  double scale() const { return scale_; }

 private:
  double& at(std::size_t i, std::size_t j) { return numbers_[i * (cols_ + 1) + j]; }
  double at(std::size_t i, std::size_t j) const { return numbers_[i * (cols_ + 1) + j]; }
  void clear_column(std::size_t pivot_row, std::size_t column) {
    const double pivot = at(pivot_row, column);
    for (std::size_t j = 0; j <= cols_; ++j) at(pivot_row, j) /= pivot;
    for (std::size_t i = 0; i < rows_; ++i) {
      const double factor = at(i, column);
      if (i == pivot_row || factor == 0) continue;
      for (std::size_t j = 0; j <= cols_; ++j) at(i, j) -= factor * at(pivot_row, j);
      at(i, column) = 0;
    }
  }

  std::size_t rows_, cols_;
  std::vector<double> numbers_;
  std::vector<std::size_t> row_, pivots_;
  double scale_ = 0;
};

}  // namespace

ExplicitForm calc_explicit_form(MatrixView<const double> K, VectorView<const double> k,
                                const ExplicitFormOptions& options) {
  check_size("calc_explicit_form", "k", k.size(), K.rows());
  const std::size_t n = K.cols();
  std::vector<bool> named(n, false);
  for (const int i : options.independent) {
    if (i < 0 || static_cast<std::size_t>(i) >= n)
      throw std::invalid_argument("calc_explicit_form: there is no coordinate " + std::to_string(i) + " of " +
                                  std::to_string(n));
    named[static_cast<std::size_t>(i)] = true;
  }
  std::vector<std::size_t> may_depend;
  for (std::size_t j = 0; j < n; ++j)
    if (!named[j]) may_depend.push_back(j);
  Elimination e(K, k);
  e.run(may_depend, options.tolerance);
  // What is left of a named column ties it to other named ones.
  for (std::size_t j = 0; j < n; ++j)
    if (named[j] && e.left_over(j) > options.tolerance * e.scale())
      throw std::invalid_argument("calc_explicit_form: coordinate " + std::to_string(j) +
                                  " is not independent of the others that are named (name fewer, or another)");

  ExplicitForm out;
  const std::size_t r = e.rank();
  out.rank = static_cast<int>(r);
  std::vector<bool> dependent(n, false);
  for (const std::size_t j : e.pivots()) dependent[j] = true;
  for (std::size_t j = 0; j < n; ++j)
    if (!dependent[j]) out.independent.push_back(static_cast<int>(j));
  out.G.assign(n * (n - r), 0);
  out.g.assign(n, 0);
  for (std::size_t c = 0; c < n - r; ++c) {
    const auto y = static_cast<std::size_t>(out.independent[c]);
    out.G[y * (n - r) + c] = 1;
    for (std::size_t p = 0; p < r; ++p) out.G[e.pivots()[p] * (n - r) + c] = -e.solved(p, y);  // [F08 8.51]
  }
  for (std::size_t p = 0; p < r; ++p) out.g[e.pivots()[p]] = e.right(p);
  for (std::size_t i = r; i < K.rows(); ++i) {
    out.redundant.push_back(static_cast<int>(e.row(i)));
    out.inconsistency = std::max(out.inconsistency, std::abs(e.right(i)));
  }
  std::sort(out.redundant.begin(), out.redundant.end());
  return out;
}

}  // namespace sinew
