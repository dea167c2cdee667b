// sinew/constraint/rank/row_dependence.hpp - rows of K that others imply, and what follows for k and lambda
// Row order[rank + i] is the sum over j < rank of W(i, j) times row order[j]. With N = [-W^T; 1], K^T N = 0, so
//   x - N (N^T N)^-1 N^T x
// is the shortest lambda that acts as x does (K^T lambda = K^T x), and the nearest k that some acceleration obeys:
// together they are A^+ b of [F08 8.41].
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/constraint/certificate.hpp"
#include "sinew/linear/symmetric_factor.hpp"

namespace sinew {

struct RowDependence {
  explicit RowDependence(int rows);
  int rows() const { return static_cast<int>(order.size()); }
  int rest() const { return rows() - rank; }
  // Row i of W: how the i-th implied row is made of the independent ones.
  double* combination(int i) { return W.data() + i * rows(); }
  const double* combination(int i) const { return W.data() + i * rows(); }

  int rank = 0;
  std::vector<int> order;
  std::vector<double> W;  // rest x rank, rows `rows()` apart
  // (rest) by the caller: estimated part of each implied row, of size 1, that the others do not imply. Methods that
  // know only its square give no less than the square root of rounding.
  std::vector<double> left;
  linear::SymmetricFactor N2;  // by factor(): of N^T N = 1 + W W^T
  std::vector<double> y;
};

// After rank, order and W are set.
void factor(RowDependence&);
// The same where W is that of the rows times row_scale: converts W to the rows' own units first.
void factor_scaled(RowDependence&, VectorView<const double> row_scale);
// After factor().
void project(RowDependence&, VectorView<double> x);
// After factor(). Rank, redundant rows, and which rows contradict: implied rows whose k differs from the k that the
// others give them by more than `tolerance` of the terms of both (size, one per row), and the rows that imply them.
// Sets the status where there are any. row_scale: as in ConstrainedSystem.
void report(const RowDependence&, VectorView<const double> k, VectorView<const double> size,
            VectorView<const double> row_scale, double tolerance, SolveCertificate&);

}  // namespace sinew
