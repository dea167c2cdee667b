// sinew/constraint/solve/constrained_dca.hpp - how a constrained mechanism accelerates, by divide and conquer
//   H qdd + C = tau + K^T lambda + (external forces),   K qdd = k
// Every constraint of the set is a tie of tree/dca.hpp: a loop between two bodies of one tree is closed inside the
// smallest assembly that has both, the others when the trees stand on the world. The multipliers are those of a basis
// of the rows; the accelerations do not depend on which. Neither H nor K H^-1 K^T is formed.
// Cost: that of dca, and about 1500 operations a tie for every pair of handles that are open where it is closed: linear
// in the number of loops for chains of loops, cubic for loops that all meet at the base.
// Reference: [F08 section 7.5], which leaves loops to the reader; the same answers as [F08 8.34, 8.35].
// For comparison and for many processors: constrained_forward_dynamics has the methods for daily use, with
// certificates.
#pragma once
#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/tree/dca.hpp"

namespace sinew {

struct ConstrainedDcaWorkspace {
  // Throws std::invalid_argument where the set is of another model.
  ConstrainedDcaWorkspace(const Model&, const ConstraintSet&);
  DcaWorkspace<double> tree;          // and its ties
  std::vector<int> entry_of;          // (entries of ties) the entry of the set
  std::vector<int> row_of;            // (rows of ties) the row of the set
  std::vector<Force<double>> forces;  // (entries of ties) scratch
  std::vector<double> k, y;           // (rows of ties) scratch
};

// After calc_constraint_rows at the same q and v. `k`: rows.k, or what stabilize() made of it. Returns the rank of K.
// Where a motion has no inertia and no constraint holds it, qdd is infinite or NaN. Allocates nothing.
int constrained_dca(const Model&, const ConstraintSet&, const ConstraintRows& rows, ConstrainedDcaWorkspace&,
                    In<double> q, In<double> v, In<double> tau, In<double> k, Out<double> qdd, Out<double> lambda,
                    const Surroundings<double>& = {});

}  // namespace sinew
