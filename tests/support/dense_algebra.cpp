// tests/support/dense_algebra.cpp
#include "support/dense_algebra.hpp"

#include <Eigen/Dense>

namespace sinew::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd dense_product(const MatrixXd& a, const MatrixXd& b) { return a * b; }
MatrixXd dense_inverse(const MatrixXd& a) { return a.inverse(); }
VectorXd dense_solve(const MatrixXd& a, const VectorXd& b) {
  if (a.rows() == a.cols()) return a.partialPivLu().solve(b);
  return a.fullPivLu().solve(b);
}
MatrixXd dense_kernel(const MatrixXd& a) { return a.fullPivLu().kernel(); }
Eigen::Index dense_rank(const MatrixXd& a, double threshold) {
  Eigen::FullPivLU<MatrixXd> lu(a);
  lu.setThreshold(threshold);
  return lu.rank();
}
double dense_determinant(const MatrixXd& a) { return a.determinant(); }
double dense_condition(const MatrixXd& a) { return a.size() == 0 ? 1 : a.norm() * dense_inverse(a).norm(); }

}  // namespace sinew::test
