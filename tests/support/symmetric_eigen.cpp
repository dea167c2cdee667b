// tests/support/symmetric_eigen.cpp - apart from the rest of the dense algebra: Eigen takes its time
#include <Eigen/Eigenvalues>

#include "support/dense_algebra.hpp"

namespace sinew::test {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eig(a);
  return {eig.eigenvalues(), eig.eigenvectors()};
}

}  // namespace sinew::test
