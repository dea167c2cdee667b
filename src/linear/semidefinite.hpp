// src/linear/semidefinite.hpp - A = L L^T of a positive semidefinite matrix, as far as its rank goes
// Cholesky with diagonal pivoting: the largest diagonal that is left gives the next column. Rank r costs r^2 m.
// [Higham: Accuracy and Stability of Numerical Algorithms, 10.3]
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/base/view.hpp"

namespace sinew::linear {

// Row i of L stands where row i of A does; column k belongs to the pivot order[k], and is zero above it in that order
// (not written). `diagonal` holds that of A, then what is left of it. Ends where no more than `tolerance` is left and
// returns the rank; the other rows follow the pivots in `order`. rest(i, p, k): A_ip less the first k columns' part,
// sum over j < k of L_ij L_pj. Of equal diagonals the first row's is taken.
template <class Rest>
int factor_semidefinite(MatrixView<double> L, double* diagonal, int* order, double tolerance, const Rest& rest) {
  const int m = static_cast<int>(L.rows());
  std::iota(order, order + m, 0);
  for (int k = 0; k < m; ++k) {
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
