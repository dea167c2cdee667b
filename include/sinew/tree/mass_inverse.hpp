// sinew/tree/mass_inverse.hpp - the inverse of the joint-space inertia matrix
// Tip to base, the inverse N over the subtree of freedom i grows out of those of its children by bordering: with the
// row b = M_ij from the composite-rigid-body sweep, j below i,
//   s = N b,   d = M_ii - b . s,   N_i = [ 1/d  -s^T/d ; -s/d  N + s s^T/d ]
// d is the D of the articulated-body algorithm; subtrees that do not meet below i stay apart. Every loop runs along
// rows. O(n d) for the rows and O(sum of squared subtree sizes) for the inverse, which is dense.
#pragma once
#include <vector>

#include "sinew/tree/crba.hpp"

namespace sinew {

template <class T>
struct MassInverseWorkspace {
  explicit MassInverseWorkspace(const Model&);
  CrbaWorkspace<T> crba;
  std::vector<T> N;  // rows in the order of model.dof_tree(), padded
  std::vector<T> s;
};

// The whole symmetric matrix, nv x nv, in the order of the velocity coordinates. For every scalar of the closed set.
template <class T>
void calc_mass_inverse(const Model&, MassInverseWorkspace<T>&, In<T> q, OutMatrix<T> Minv, double time = 0);

}  // namespace sinew
