// sinew/constraint/solve/projection.hpp - independent coordinates first: x = G y + g, then G^T H G y = G^T (f - H g)
// Reference: [F08 8.42-8.46], method 3 of [F08 section 8.5]; G and g by elimination of K with complete pivoting
// [F08 8.48-8.51]. y is a subset of x: complete pivoting eliminates the other entries, and those that the caller wants
// as y only where no others are left. Columns are scaled by sqrt(H_jj), so neither units of rows nor of coordinates
// matter; pivots below rank_tolerance end the elimination.
#pragma once
#include "sinew/constraint/constrained_system.hpp"
#include "sinew/constraint/rank/row_dependence.hpp"
#include "sinew/linear/pivoted_elimination.hpp"

namespace sinew {

// G, g and the coordinates y that were chosen; scratch of the calls below.
struct IndependentWorkspace {
  // independents: velocity coordinates wanted among y; one that depends on the others of them is left out.
  explicit IndependentWorkspace(const ConstrainedSystem&, const std::vector<int>& independents = {});
  int independent() const { return static_cast<int>(g.size()) - dependence.rank; }  // n - r
  int independent_coordinate(int j) const {  // the velocity coordinate that y_j is
    return elimination.col[dependence.rank + j];
  }
  double* column(int j) { return G.data() + static_cast<std::size_t>(j) * g.size(); }  // of G
  const double* column(int j) const { return G.data() + static_cast<std::size_t>(j) * g.size(); }

  std::vector<int> wanted;  // coordinates that the caller wants independent
  linear::PivotedElimination elimination;
  RowDependence dependence;
  std::vector<double> H;        // n x n, in the order of velocity coordinates
  std::vector<double> scale;    // (n)
  std::vector<double> G, g;     // G by columns
  std::vector<double> HG;       // H G by columns
  linear::SymmetricFactor M;    // of G^T H G
  std::vector<double> k, r, y;  // nearest k that can be obeyed; (n) residual of the forces; y
};

// After factor(tree, system): G and g, with K G = 0, K g = k (the nearest k that can be obeyed) and the rank.
void calc_explicit_constraint(const DofTree&, IndependentWorkspace&, const ConstrainedSystem&, const RankOptions&);
// After factor(tree, system).
void solve_by_projection(const DofTree&, IndependentWorkspace&, const ConstrainedSystem&, const RankOptions&,
                         Out<double> x, Out<double> lambda, SolveCertificate&);

}  // namespace sinew
