// sinew/tree/crba.hpp - the joint-space inertia matrix by the composite-rigid-body algorithm
// Finds M(q) of tau = M a + h.   O(n d), d the depth of the tree.
// Reference: [F08 Table 6.2], costs [F08 10.10].
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/kernel/crba_sweeps.hpp"

namespace sinew {

template <class T>
struct CrbaWorkspace {
  explicit CrbaWorkspace(const Model&);
  MadeFor made_for;
  std::vector<T> angles, columns, row;
  std::vector<Turn<T>> turns;
  std::vector<CompositeInertia<T>> slot_loads;
  std::vector<GeneralJoint<T>> general;
};

// The whole symmetric matrix, nv x nv, in the order of the velocity coordinates.
template <class T>
void crba(const Model&, CrbaWorkspace<T>&, In<T> q, OutMatrix<T> M, double time = 0);
// Only what is not zero by the shape of the tree, packed by model.dof_tree(): what `ltl` factors.
template <class T>
void crba_packed(const Model&, CrbaWorkspace<T>&, In<T> q, Out<T> packed, double time = 0);

}  // namespace sinew
