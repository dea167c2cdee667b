// src/linear/symmetric_eigenvalues.hpp - of a small symmetric matrix, by Jacobi's rotations
// Each is good to a few eps of the largest; a diagonal matrix comes out as it is. About 20 n^3. [Golub, Van Loan:
// Matrix Computations, 8.5]
#pragma once
#include <vector>

#include "linear/matrix.hpp"

namespace sinew::linear {

// From the smallest up. Only the lower triangle is read. Entries that are not finite make all of them not finite.
std::vector<double> symmetric_eigenvalues(Matrix A);

}  // namespace sinew::linear
