// sinew/tree/mass_inverse.hpp - the inverse of the joint-space inertia matrix
// In one of two ways, by the shape of the tree:
//   factors       M = L^T D L without filling in, then M^-1 = L^-1 D^-1 L^-T with the zeros of the tree left out:
//   robots
//                 with limbs; O(n d^2), and for each entry the freedoms above both of its own
//   columns       Column j is the acceleration that a unit force on freedom j causes, at rest and without weight: the
//                 articulated-body algorithm for all columns at once, O(n^2): long chains. M itself is not formed.
//                 Where the tree has no branches, in one pass over the columns.
// The matrix is dense even where M is sparse.
// Reference: [F08 Table 6.3, Table 7.1]; how it is done: kernel/factor_inverse.hpp, kernel/mass_inverse_sweeps.hpp,
// kernel/path_inverse.hpp.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/kernel/articulated_workspace.hpp"
#include "sinew/tree/kernel/coordinate_runs.hpp"
#include "sinew/tree/kernel/freedom_chains.hpp"
#include "sinew/tree/kernel/mass_inverse_sweeps.hpp"
#include "sinew/tree/kernel/path_inverse.hpp"

namespace sinew {

// Which way.
enum class InverseBy : unsigned char {
  shape,  // what is quicker for the tree
  factors,
  columns,
};

// Scratch of one call, sized once; nothing in it is a result. May be moved but not copied: what lies on whole registers
// depends on where the lists are.
template <class T>
struct MassInverseWorkspace {
  explicit MassInverseWorkspace(const Model&, InverseBy = InverseBy::shape);
  MassInverseWorkspace(MassInverseWorkspace&&) noexcept = default;
  MassInverseWorkspace& operator=(MassInverseWorkspace&&) noexcept = default;
  bool by_factors;   // else by columns
  std::vector<T> N;  // M^-1 in the order of model.dof_tree(), upper triangle, padded rows
  // By factors.
  CrbaWorkspace<T> crba;                   // makes M
  std::vector<T> L;                        // M packed by model.dof_tree(), then its factors
  std::vector<T> Z;                        // L^-T, padded rows
  std::vector<FreedomChain> chains;        // all freedoms; constant, as those below
  std::vector<int> above;                  // freedoms above those of each block
  std::vector<FreedomBlock> blocks;        // all freedoms
  std::vector<CoordinateRun> coordinates;  // from the order of the freedoms to that of the coordinates
  // By columns.
  ArticulatedWorkspace<T> inertias;        // k and 1 / D of each freedom
  std::vector<Transform<T>> X;             // (nodes) where they stand
  std::vector<PlacedFreedom<T>> freedoms;  // (nv) S, k and 1 / D
  std::vector<FreedomResponse<T>> path;    // (nv) these and more where the tree has no branches, else none
  std::vector<T> columns;                  // forces and accelerations that are carried, padded rows
};

// The whole symmetric matrix, nv x nv, in the order of the velocity coordinates. For every scalar of the closed set.
// Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void calc_mass_inverse(const Model&, MassInverseWorkspace<T>&, In<T> q, OutMatrix<T> Minv, double time = 0);

}  // namespace sinew
