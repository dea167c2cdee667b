// src/linear/semidefinite.hpp - A = L L^T of a positive semidefinite matrix, up to its rank
// Cholesky with diagonal pivoting: the largest remaining diagonal entry gives the next column. Rank r costs r^2 m.
// [Higham: Accuracy and Stability of Numerical Algorithms, 10.3]
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/interrupt.hpp"
#include "sinew/base/view.hpp"

namespace sinew::linear {

// Row i of L belongs to row i of A, column k to the pivot order[k]; entries above the pivot in that order are zero and
// not written. `diagonal`: in, that of A; out, what remains after the pivots. Stops where no entry of it exceeds
// `tolerance` and returns the rank; the rows without a pivot come last in `order`. rest(i, p, k) gives A_ip less the
// sum over j < k of L_ij L_pj. Of equal diagonal entries the first is taken. Looks at
// the interrupt once a column.
template <class Rest>
int factor_semidefinite(MatrixView<double> L, double* diagonal, int* order, double tolerance, const Rest& rest,
                        Interrupt interrupt = {}) {
  const int m = static_cast<int>(L.rows());
  std::iota(order, order + m, 0);
  for (int k = 0; k < m; ++k) {
    interrupt.check();
    int* const best = std::max_element(order + k, order + m, [&](int i, int j) { return diagonal[i] < diagonal[j]; });
    const int p = *best;
    if (!(diagonal[p] > tolerance)) return k;
    std::rotate(order + k, best, best + 1);
    const double root = L(at(p), at(k)) = std::sqrt(diagonal[p]);
    for (int j = k + 1; j < m; ++j) {
      const int i = order[j];
      const double l = L(at(i), at(k)) = rest(i, p, k) / root;
      diagonal[i] -= l * l;
    }
  }
  return m;
}

}  // namespace sinew::linear
