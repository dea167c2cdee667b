// src/linear/symmetric_eigenvalues.hpp - eigenvalues and vectors of small symmetric matrices, by Jacobi's rotations
// Each value is accurate to a few eps of the largest; those of a diagonal matrix are exact. About 20 n^3, less where
// the matrix is nearly diagonal. [Golub, Van Loan: Matrix Computations, 8.5]
#pragma once
#include <vector>

#include "linear/matrix.hpp"

namespace sinew::linear {

// From the smallest up. Only the lower triangle is read. Entries that are not finite make all of them not finite.
std::vector<double> symmetric_eigenvalues(Matrix A);

struct SymmetricEigen {
  std::vector<double> values;  // from the smallest up; empty where there is no answer
  Matrix vectors;              // row i belongs to value i
};
// The same with vectors of length one.
SymmetricEigen symmetric_eigenvectors(Matrix A);
// A x = lambda B x, with x^T B x = 1. Only lower triangles are read. No answer where B is not positive definite or an
// entry is not finite.
SymmetricEigen symmetric_eigenvectors(Matrix A, const Matrix& B);

}  // namespace sinew::linear
