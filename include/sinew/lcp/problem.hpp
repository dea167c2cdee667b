// sinew/lcp/problem.hpp - linear complementarity problems, and contact problems with Coulomb's law
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/lcp/row_layout.hpp"

namespace sinew::lcp {

// lower <= z <= upper,  w = M z + q:   w >= 0 where z = lower,  w <= 0 where z = upper,  w = 0 between.
// [J14 section 2.2]. A row without bounds (-inf, inf) is an equation w = 0. No bounds at all: 0 <= z, w >= 0, z w = 0.
struct Problem {
  MatrixView<const double> M;             // n x n
  VectorView<const double> q;             // (n)
  VectorView<const double> lower, upper;  // (n), or empty for 0 and infinity
  int size() const { return static_cast<int>(q.size()); }
};

// What every contact formulation makes: rows in three groups,
//   free        equations  w = 0  for unknowns of either sign (velocities, bilateral impulses)
//   unilateral  0 <= z  complementary to  w >= 0  (joint limits, hinges as pairs of inequalities); with bounds,
//               lower <= z <= upper  as in Problem (dry friction of a joint, a drive of limited strength)
//   contacts    three rows each: impulse r = (normal, tangent, tangent), velocity u = w of those rows, and
//               Coulomb's law
//                 0 <= r_n  complementary to  u_n >= 0,     |r_t| <= mu (r_n + preload),
//                 r_t = -mu (r_n + preload) u_t / |u_t|  where u_t is not zero
// preload is a normal impulse that already acts and is not part of r: that of the compression phase [J14 57]. Mostly 0.
struct FrictionProblem {
  MatrixView<const double> W;  // rows as above; symmetric positive semidefinite once the free ones are eliminated
  VectorView<const double> q;
  VectorView<const double> mu;       // one per contact
  VectorView<const double> preload;  // one per contact, or empty for zeros
  int free = 0, unilateral = 0;
  VectorView<const double> lower, upper;  // one per unilateral row, or empty for 0 and infinity
  int contacts() const { return static_cast<int>(mu.size()); }
  int size() const { return static_cast<int>(q.size()); }  // layout().rows()
  RowLayout layout() const { return {free, unilateral, contacts()}; }
};

// The same with Coulomb's cone cut to a pyramid of `directions` (even, at least 4) [J14 1-16]: unknowns are the free
// and unilateral ones, then for each contact the normal impulse, one impulse per direction, and the slip speed.
RowLayout make_polyhedral_layout(const FrictionProblem&, int directions);
int polyhedral_size(const FrictionProblem&, int directions);  // its rows

}  // namespace sinew::lcp
