// src/lcp/dense_kernels.hpp - elimination of small dense matrices, row-major, in the caller's memory
#pragma once
#include <cstddef>

namespace sinew::lcp {

// P A = L U with partial pivoting, in place, rows `stride` apart; row i of P A is row order[i] of A. Pivots smaller
// than `least` in size become that. Returns the smallest ratio of a pivot to the largest entry of A: 0 where singular.
double factor_lu(double* A, int n, int stride, int* order, double least = 0);
// x = A^-1 x; work: n.
void solve_lu(const double* A, int n, int stride, const int* order, double* x, double* work);

// A = L D L^T of a symmetric positive definite matrix whose lower triangle is given, in place: L below the diagonal, 1
// / D on it. Row i begins at column first[i], left of which there are zeros, and costs nothing there. False where a
// pivot is not positive.
bool factor_envelope(double* A, int n, int stride, const int* first);
void solve_envelope(const double* A, int n, int stride, const int* first, double* x);
// A = L U without pivoting, the same envelope for rows and columns. lower: the rows of A as far as the diagonal; upper:
// its columns, each as a row. Returns the smallest ratio of a pivot to what it was before: near 0, the answer is
// worthless.
double factor_envelope(double* lower, double* upper, int n, int stride, const int* first);
void solve_envelope(const double* lower, const double* upper, int n, int stride, const int* first, double* x);

// a . b, in an order that does not depend on the machine
double dot(const double* a, const double* b, int n);
// largest |a_i|
double largest_entry(const double* a, int n);
bool is_finite(const double* x, std::size_t n);

}  // namespace sinew::lcp
