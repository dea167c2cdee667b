// sinew/tree/crba.hpp - the joint-space inertia matrix by the composite-rigid-body algorithm
// Finds M(q) of tau = M a + h.   O(n d), d the depth of the tree.
// Reference: [F08 Table 6.2], costs [F08 10.10].
// Read first: tree/textbook.hpp, the algorithm as the book prints it. How it is done here: kernel/crba_sweeps.hpp.
// Differs from [F08]: one pass from tip to base; the columns F of a whole subtree cross a link together.
// Armature counts as inertia of its coordinate, on the diagonal.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/sweep/kernel/general_joint.hpp"
#include "sinew/sweep/kernel/inertia_crossing.hpp"
#include "sinew/sweep/kernel/turns.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct CrbaWorkspace {
  explicit CrbaWorkspace(const Model&);
  MadeFor made_for;
  std::vector<T> angles;                        // (nodes, and a register more) of one-axis joints
  std::vector<T> columns;                       // F: 6 rows, a column for each freedom
  std::vector<T> row;                           // (nv) of M, while a joint that is not revolute makes it
  std::vector<Turn<T>> turns;                   // (nodes) cosine and sine of one-axis joints
  std::vector<CompositeInertia<T>> slot_loads;  // (branch slots) inertias that the children hand over
  std::vector<GeneralJoint<T>> general;         // (general joints) X and S
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
// The whole symmetric matrix, nv x nv, in the order of the velocity coordinates.
template <class T>
void crba(const Model&, CrbaWorkspace<T>&, In<T> q, OutMatrix<T> M, double time = 0);
// Only what is not zero by the shape of the tree, packed by model.dof_tree(): what `ltl` factors.
template <class T>
void crba_packed(const Model&, CrbaWorkspace<T>&, In<T> q, Out<T> packed, double time = 0);

}  // namespace sinew
