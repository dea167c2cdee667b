// sinew/lcp/residual.hpp - one measure of success for every solver
// The natural map of an answer:  z - P(z - w),  P the projection onto the bounds; for a contact the normal row against
// r_n >= 0 and the tangents against the disc of radius mu (r_n + preload), which is zero exactly where Coulomb's law
// holds.
//   absolute   its largest entry, as it stands (impulses and velocities weigh the same)
//   relative   the same after scaling unknown i to the units of w:  s_i z_i  with  s_i = M_ii  (where that is zero: the
//              largest entry of the column), rows with zero diagonal scaled likewise, over the largest |q|. Free of
//              units: q -> c q, M -> c M and mass ratios do not change it. At least the rounding error of w where that
//              matters: huge impulses that cancel certify nothing.
#pragma once
#include "sinew/lcp/problem.hpp"
#include "sinew/lcp/sparse_problem.hpp"

namespace sinew::lcp {

struct Residual {
  double relative = 0;
  double absolute = 0;
  bool finite = true;
};
// Allocate nothing; O(n^2), of a sparse problem O(its entries).
Residual calc_residual(const Problem&, VectorView<const double> z);
Residual calc_residual(const FrictionProblem&, VectorView<const double> z);
Residual calc_residual(const SparseProblem&, VectorView<const double> z);

}  // namespace sinew::lcp
