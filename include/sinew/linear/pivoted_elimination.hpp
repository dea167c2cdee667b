// sinew/linear/pivoted_elimination.hpp - elimination with complete pivoting, in place: P A Q = L U  [F08 section 8.8]
// The rank is the number of pivots above the tolerance; the rows after them are implied by the pivot rows.
#pragma once
#include <vector>

#include "sinew/base/interrupt.hpp"
#include "sinew/base/view.hpp"

namespace sinew::linear {

struct PivotedElimination {
  PivotedElimination(int most_rows, int most_cols);
  void resize(int new_rows, int new_cols);  // at most the size at construction; entries become zero, `held` is cleared
  double& operator()(int i, int j) { return a[static_cast<std::size_t>(i * cols + j)]; }
  double operator()(int i, int j) const { return a[static_cast<std::size_t>(i * cols + j)]; }

  int rows = 0, cols = 0, rank = 0;
  std::vector<double> a;      // A, then L (whose diagonal is 1) below U; rounding left beyond the rank is not zeroed
  std::vector<int> row, col;  // which row and column of A stand at each place
  std::vector<char> held;     // (cols) columns of A that become pivots only where no other can
};

// The first `first` rows and columns of A are known to be independent: they become pivots however small they are.
// Looks at the interrupt once a pivot.
void eliminate(PivotedElimination&, double tolerance, int first = 0, Interrupt = {});

// A copy of the matrix, eliminated; the tolerance is relative to its largest entry. Allocates.
PivotedElimination eliminate(MatrixView<const double>, double relative_tolerance);

// After eliminate. With A11 the block of the pivots, in place and on `rank` numbers in the order of the pivots:
void solve_pivots(const PivotedElimination&, double* x);            // x = A11^-1 x
void solve_pivots_transpose(const PivotedElimination&, double* x);  // x = A11^-T x
// A x = b by the pivots alone: entries of x without a pivot become zero, entries of b without a pivot are not read.
// work: rank.
void solve(const PivotedElimination&, const double* b, double* x, double* work);
// The same from A itself; pivots that are only rounding are left out. Allocates.
std::vector<double> solve(MatrixView<const double> A, VectorView<const double> b);
// x = -A11^-1 column(rank + j): with a 1 at column rank + j and zeros at the other columns without a pivot, it is a
// null vector of A. [F08 8.51]
void calc_null_column(const PivotedElimination&, int j, double* x);
// A row without a pivot as a combination of the pivot rows: row(rank + i) = sum_j w[j] row(j).
void calc_combination(const PivotedElimination&, int i, double* w);
// The smallest pivot, at most 1; and the largest entry that elimination left in row(rank + i).
double find_least_pivot(const PivotedElimination&);
double find_largest_left(const PivotedElimination&, int i);

}  // namespace sinew::linear
