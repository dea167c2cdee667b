// sinew/tree/crba.hpp - the joint-space inertia matrix by the composite-rigid-body algorithm
// Finds M(q) of tau = M a + h.   O(n d), d the depth of the tree.
// Reference: [F08 Table 6.2], costs [F08 10.10].
// In one of two ways, by the shape of the tree:
//   link frames   One pass from tip to base; the columns F of a whole subtree cross a link together: robots. Always
//                 for packed rows, models with moved inertias, and float.
//   common frame  All in the frame of the tree's first node, where no column turns: long chains. At a distance r from
//                 there M_ii of a load of size s loses the digits of (r / s)^2, as much as moments about there do.
// Read first: tree/textbook.hpp, the algorithm as the book prints it. How it is done here: kernel/crba_sweeps.hpp,
// kernel/crba_common_frame.hpp.
// Armature counts as inertia of its coordinate, on the diagonal.
#pragma once
#include <vector>

#include "sinew/base/view.hpp"
#include "sinew/model/model.hpp"
#include "sinew/sweep/kernel/general_joint.hpp"
#include "sinew/sweep/kernel/inertia_crossing.hpp"
#include "sinew/sweep/kernel/turns.hpp"
#include "sinew/tree/kernel/coordinate_runs.hpp"

namespace sinew {

// Which way.
enum class CrbaBy : unsigned char {
  shape,  // what is quicker for the tree
  link_frames,
  common_frame,
};

// Of as many rows as a register has lanes: where the subtree of the first that ends, and of the last, does.
struct RowEnds {
  int first, last;
};

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct CrbaWorkspace {
  explicit CrbaWorkspace(const Model&, CrbaBy = CrbaBy::shape);
  MadeFor made_for;                             // the model
  bool in_common_frame;                         // else in link frames
  std::vector<T> angles;                        // (nodes, and a register more) of one-axis joints
  std::vector<T> columns;                       // F: 6 rows, a column for each freedom
  std::vector<T> row;                           // (nv) of M, while a joint that is not revolute makes it
  std::vector<Turn<T>> turns;                   // (nodes) cosine and sine of one-axis joints
  std::vector<CompositeInertia<T>> slot_loads;  // (branch slots) inertias that the children hand over
  std::vector<GeneralJoint<T>> general;         // (general joints) X and S
  // In the common frame; else empty.
  std::vector<Transform<T>> branches;      // (branch slots) poses that the children start from
  std::vector<T> X, placed;                // (12 and 9 x nodes) poses and inertias
  std::vector<T> S, motions;               // (nv x 6 and 6 x nv) the freedoms, and again
  std::vector<T> composites;               // (9 x nv) inertias that the freedoms move
  std::vector<T> own, mass;                // (10 x nodes) inertias in their frames, (nv) moved masses; constant
  std::vector<RowEnds> ends;               // (nv) of the rows from each on; constant
  std::vector<CoordinateRun> coordinates;  // from the order of the freedoms to that of the coordinates; constant
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
// The whole symmetric matrix, nv x nv, in the order of the velocity coordinates.
template <class T>
void crba(const Model&, CrbaWorkspace<T>&, In<T> q, OutMatrix<T> M, double time = 0);
// Only what is not zero by the shape of the tree, packed by model.dof_tree(): what `ltl` factors.
template <class T>
void crba_packed(const Model&, CrbaWorkspace<T>&, In<T> q, Out<T> packed, double time = 0);

}  // namespace sinew
