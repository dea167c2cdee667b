// src/constraint/solve/response_columns.hpp - many right sides of the equation for the constraint forces
// Matrices are row-major; a row of K or of X belongs to a row of the set, a column to a right side.
#pragma once
#include "sinew/constraint/solve/force_equation.hpp"

namespace sinew {

// y += factor x of n numbers.
inline void add_multiple(double* __restrict y, double factor, const double* __restrict x, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) y[j] += factor * x[j];
}

// out = K U, for U of nv rows.
void multiply_rows(const DofTree&, const ConstrainedSystem&, MatrixView<const double> U, MatrixView<double> out);
// U += V X, with V^T given: rows x nv.
void add_response(MatrixView<const double> VT, MatrixView<const double> X, MatrixView<double> U);
// B = A^+ B, after factor(ForceEquation). work: as large as B; left: as large.
void solve_columns(ForceEquation&, double least_row, MatrixView<double> B, MatrixView<double> work,
                   MatrixView<double> left);

}  // namespace sinew
