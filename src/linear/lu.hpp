// src/linear/lu.hpp - P A = L U with partial pivoting, in place, in panels of 16 columns: 2/3 n^3
// [Golub, Van Loan: Matrix Computations, 3.4]
#pragma once
#include "sinew/base/interrupt.hpp"
#include "sinew/base/view.hpp"

namespace sinew::linear {

// Row i of P A is row order[i] of A (n numbers). Pivots smaller than `least` are raised to it. Returns the smallest
// ratio of a pivot to the largest entry of A: 0 where singular; the factor is then not usable.
// Looks at the interrupt every two rows of a panel.
double factor_lu(MatrixView<double>, int* order, double least = 0, Interrupt = {});
// x = A^-1 x, after factor_lu; work: n.
void solve_lu(MatrixView<const double>, const int* order, double* x, double* work);

// A = L U without pivoting, in place, with the inverses of the pivots on the diagonal; more than twice as fast. work:
// n. Returns the smallest ratio of a pivot to the numbers that it is what is left of: 0 where one is zero; where it is
// small the factor is inaccurate.
double factor_plain(MatrixView<double>, double* work, Interrupt = {});
// x = A^-1 x, after factor_plain.
void solve_plain(MatrixView<const double>, double* x);

}  // namespace sinew::linear
