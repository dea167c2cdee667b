// src/linear/envelope.hpp - factors within an envelope: row i begins at column first[i], left of which there are zeros,
// and costs nothing there
#pragma once
#include "sinew/base/view.hpp"

namespace sinew::linear {

// A = L D L^T of a symmetric positive definite matrix whose lower triangle is given, in place: L below the diagonal,
// 1 / D on it. False where a pivot is not positive.
bool factor_envelope(MatrixView<double>, const int* first);
void solve_envelope(MatrixView<const double>, const int* first, double* x);
// A = L U without pivoting, the same envelope for rows and columns. First the rows of A as far as the diagonal; then
// its columns, each as a row, as far apart as those. Returns the smallest ratio of a pivot to what it was before: near
// 0, the answer is worthless.
double factor_envelope(MatrixView<double>, MatrixView<double>, const int* first);
void solve_envelope(MatrixView<const double>, MatrixView<const double>, const int* first, double* x);

}  // namespace sinew::linear
