// src/linear/envelope.hpp - factors within an envelope: row i begins at column first[i]; the zeros left of it
// are not worked on. Factorizations look at the interrupt once a row.
#pragma once
#include "sinew/base/interrupt.hpp"
#include "sinew/base/view.hpp"

namespace sinew::linear {

// A = L D L^T of a symmetric positive definite matrix whose lower triangle is given, in place: L below the diagonal,
// 1 / D on it. False where a pivot is not positive.
bool factor_envelope(MatrixView<double>, const int* first, Interrupt = {});
void solve_envelope(MatrixView<const double>, const int* first, double* x);
// A = L U without pivoting, the same envelope for rows and columns. The first matrix holds the rows of A up to the
// diagonal, the second its columns up to the diagonal, each stored as a row. Returns the smallest ratio of a pivot to
// the largest entry of its column: near 0 the answer has no correct digits.
double factor_envelope(MatrixView<double>, MatrixView<double>, const int* first, Interrupt = {});
void solve_envelope(MatrixView<const double>, MatrixView<const double>, const int* first, double* x);

}  // namespace sinew::linear
