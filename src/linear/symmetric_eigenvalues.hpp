// src/linear/symmetric_eigenvalues.hpp - eigenvalues of a small symmetric matrix, by Jacobi's rotations
// Each is accurate to a few eps of the largest; those of a diagonal matrix are exact. About 20 n^3. [Golub, Van Loan:
// Matrix Computations, 8.5]
#pragma once
#include <vector>

#include "linear/matrix.hpp"

namespace sinew::linear {

// From the smallest up. Only the lower triangle is read. Entries that are not finite make all of them not finite.
std::vector<double> symmetric_eigenvalues(Matrix A);

}  // namespace sinew::linear
