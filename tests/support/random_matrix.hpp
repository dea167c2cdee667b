// tests/support/random_matrix.hpp - dense matrices whose rank and condition are known
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "sinew/base/random.hpp"
#include "sinew/base/view.hpp"

namespace sinew::test {

// Rows and columns, the empty ones among them.
struct Shape {
  int rows, cols;
};
inline constexpr Shape kShapes[] = {{0, 0}, {0, 3}, {3, 0}, {1, 1},   {1, 5},  {5, 1},
                                    {4, 4}, {3, 8}, {8, 3}, {12, 12}, {31, 20}};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline MatrixView<double> view_of(RowMajor& a) {
  return {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())};
}
inline MatrixView<const double> view_of(const RowMajor& a) {
  return {a.data(), static_cast<std::size_t>(a.rows()), static_cast<std::size_t>(a.cols())};
}

inline std::vector<double> numbers_of(const Eigen::VectorXd& x) { return {x.begin(), x.end()}; }
inline std::vector<double> numbers_of(const RowMajor& a) { return {a.data(), a.data() + a.size()}; }

inline Eigen::VectorXd random_vector(Random& rng, Eigen::Index n) {
  Eigen::VectorXd out(n);
  for (Eigen::Index i = 0; i < n; ++i) out[i] = rng.normal();
  return out;
}
inline RowMajor random_matrix(Random& rng, Eigen::Index rows, Eigen::Index cols) {
  RowMajor out(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < cols; ++j) out(i, j) = rng.normal();
  return out;
}
// Columns are orthonormal: a product of reflections.
inline RowMajor random_orthogonal(Random& rng, Eigen::Index n) {
  RowMajor out = RowMajor::Identity(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::VectorXd v = random_vector(rng, n).normalized();
    const Eigen::VectorXd w = out.transpose().lazyProduct(v);
    out -= 2 * v.lazyProduct(w.transpose());
  }
  return out;
}
// U diag(values) V^T with as many values as are given.
inline RowMajor matrix_of_singular_values(Random& rng, Eigen::Index rows, Eigen::Index cols,
                                          const Eigen::VectorXd& values) {
  const RowMajor U = random_orthogonal(rng, rows), V = random_orthogonal(rng, cols);
  RowMajor out = RowMajor::Zero(rows, cols);
  for (Eigen::Index k = 0; k < values.size(); ++k) out += values[k] * U.col(k).lazyProduct(V.col(k).transpose());
  return out;
}
// Q diag(values) Q^T
inline RowMajor symmetric_of_eigenvalues(Random& rng, const Eigen::VectorXd& values) {
  const RowMajor Q = random_orthogonal(rng, values.size());
  RowMajor out = RowMajor::Zero(values.size(), values.size());
  for (Eigen::Index k = 0; k < values.size(); ++k) out += values[k] * Q.col(k).lazyProduct(Q.col(k).transpose());
  return out;
}
// 1 down to `least` in equal ratios.
inline Eigen::VectorXd graded(Eigen::Index n, double least) {
  Eigen::VectorXd out(n);
  for (Eigen::Index i = 0; i < n; ++i)
    out[i] = n == 1 ? 1 : std::pow(least, static_cast<double>(i) / static_cast<double>(n - 1));
  return out;
}

}  // namespace sinew::test
