// sinew/constraint/solve/kkt.hpp - the augmented system, solved directly
//   [H K^T; K 0] [x; -lambda] = [f; k]                                  [F08 8.36], method 1 of [F08 section 8.5]
// Dense elimination with complete pivoting, O((n + m)^3), rows and columns scaled by sqrt(H_ii) and by row_scale. The
// matrix has rank n + r. The pivot of a direction of K is the square of its size, so pivots below rank_tolerance^2 end
// the elimination. lambda is the shortest one; contradicting k: least squares.
#pragma once
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/constraint/rank/row_dependence.hpp"
#include "sinew/linear/pivoted_elimination.hpp"

namespace sinew {

struct KktWorkspace {
  explicit KktWorkspace(const ConstrainedSystem&);
  linear::PivotedElimination elimination;
  RowDependence dependence;
  std::vector<double> H;           // n x n, in the order of velocity coordinates
  std::vector<double> scale;       // (n + m)
  std::vector<double> k, r, y, w;  // nearest k that can be obeyed; residual; its solution; one combination of rows
};

// After factor(tree, system).
void solve_by_kkt(const DofTree&, KktWorkspace&, const ConstrainedSystem&, const RankOptions&, Out<double> x,
                  Out<double> lambda, SolveCertificate&);

}  // namespace sinew
