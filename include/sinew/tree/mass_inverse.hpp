// sinew/tree/mass_inverse.hpp - the inverse of the joint-space inertia matrix
// Column j of M^-1 is the acceleration that a unit force on freedom j causes, at rest and without weight: the
// articulated-body algorithm for all columns at once. O(n) for the inertias, O(n d) for the forces, O(n^2) for the
// accelerations; M itself is not formed. The matrix is dense even where M is sparse.
// Reference: [F08 Table 7.1]; how it is done: kernel/mass_inverse_sweeps.hpp.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/sweep/kernel/columns.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result. May be moved but not copied: it points into itself.
template <class T>
struct MassInverseWorkspace {
  explicit MassInverseWorkspace(const Model&);
  MassInverseWorkspace(MassInverseWorkspace&&) noexcept = default;
  MassInverseWorkspace& operator=(MassInverseWorkspace&&) noexcept = default;
  ArticulatedWorkspace<T> inertias;             // k and 1 / D of each freedom
  std::vector<T> columns;                       // F, A and those of the branch slots: 6 rows each
  std::vector<SpatialColumns<T>> slot_columns;  // (branch slots) where each has its own in `columns`
  std::vector<T> N;                             // M^-1 in the order of model.dof_tree(), upper triangle, padded rows
};

// The whole symmetric matrix, nv x nv, in the order of the velocity coordinates. For every scalar of the closed set.
// Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void calc_mass_inverse(const Model&, MassInverseWorkspace<T>&, In<T> q, OutMatrix<T> Minv, double time = 0);

}  // namespace sinew
