// sinew/tree/mass_inverse.hpp - the inverse of the joint-space inertia matrix
// Column j of M^-1 is the acceleration that a unit force on freedom j causes, at rest and without weight: the
// articulated-body algorithm for all columns at once. O(n) for the inertias, O(n d) for the forces, O(n^2) for the
// accelerations; M itself is not formed. The matrix is dense even where M is sparse.
// Reference: [F08 Table 7.1]; steps in mass_inverse_sweeps.hpp.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"
#include "sinew/tree/kernel/mass_inverse_sweeps.hpp"

namespace sinew {

template <class T>
struct MassInverseWorkspace {
  explicit MassInverseWorkspace(const Model&);
  ArticulatedWorkspace<T> inertias;
  std::vector<T> columns;  // F, A and those of the branch slots
  std::vector<SpatialColumns<T>> slot_columns;
  std::vector<T> N;  // in the order of model.dof_tree(), padded
};

// The whole symmetric matrix, nv x nv, in the order of the velocity coordinates. For every scalar of the closed set.
template <class T>
void calc_mass_inverse(const Model&, MassInverseWorkspace<T>&, In<T> q, OutMatrix<T> Minv, double time = 0);

}  // namespace sinew
