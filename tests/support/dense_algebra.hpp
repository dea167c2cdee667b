// tests/support/dense_algebra.hpp - Eigen's factorizations and products behind plain functions
// Compiled once, in dense_algebra.cpp: they are what makes a test slow to compile.
#pragma once
#include <Eigen/Core>

namespace sinew::test {

Eigen::MatrixXd dense_product(const Eigen::MatrixXd&, const Eigen::MatrixXd&);
Eigen::MatrixXd dense_inverse(const Eigen::MatrixXd&);
Eigen::VectorXd dense_solve(const Eigen::MatrixXd&,
                            const Eigen::VectorXd&);   // square and regular, or any solution of wide ones
Eigen::MatrixXd dense_kernel(const Eigen::MatrixXd&);  // columns: a basis of A x = 0
Eigen::Index dense_rank(const Eigen::MatrixXd&, double threshold);
double dense_determinant(const Eigen::MatrixXd&);
double dense_condition(const Eigen::MatrixXd&);  // |A| |A^-1|, Frobenius; 1 for an empty one

struct SymmetricEigen {
  Eigen::VectorXd values;  // from the smallest up
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd&);

}  // namespace sinew::test
