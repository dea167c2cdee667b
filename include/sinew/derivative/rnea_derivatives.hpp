// sinew/derivative/rnea_derivatives.hpp - inverse dynamics and its derivatives
//   tau(q, v, a),   dtau/dq, dtau/dv, dtau/da = M;   nv x nv each.   O(n d), d the depth of the tree.
// dq are changes along the velocity coordinates of each joint, as integrate(model, q, dq) takes them: of a free joint
// the turn and the shift along its own axes. Zero where neither of two freedoms is above the other. All joints, moving
// subspaces and those of users included (derivative/joint_slopes.hpp). Armature as in rnea (tree/rnea.hpp). External
// forces are given in body frames and stay as they are there while q changes. Reference: Singh, Russell, Wensing 2022;
// equations and how it is done: kernel/dynamics_slopes.hpp.
#pragma once
#include <vector>

#include "sinew/derivative/kernel/slope_rows.hpp"
#include "sinew/model/model.hpp"
#include "sinew/tree/kernel/coordinate_runs.hpp"
#include "sinew/tree/surroundings.hpp"

namespace sinew {

// Scratch of one call, sized once; nothing in it is a result.
template <class T>
struct RneaDerivativesWorkspace {
  // Throws std::invalid_argument, naming the joint, for a user's joint of more than kMaxUserPositions positions, and in
  // Dual for every user's joint: its second derivatives are not known. In Traced these are a TraceError.
  explicit RneaDerivativesWorkspace(const Model&);
  MadeFor made_for;                        // the model
  std::vector<T> angles;                   // (nodes, and a register more) of one-axis joints
  std::vector<Turn<T>> turns;              // (nodes) cosine and sine of one-axis joints
  std::vector<SlopeNode<T>> nodes;         // (nodes) place, motion and sums over the subtree
  std::vector<SlopeJoint<T>> joints;       // (general joints) motion across them
  std::vector<JointSlopes<T>> slopes;      // (joints whose S changes) d_k S and d_k c
  std::vector<int> slopes_of;              // (nodes) which of these; -1: none; constant
  std::vector<Force<T>> external;          // (nodes) external forces, in the node's frame
  std::vector<T> columns;                  // S, psi, phi, chi, u, y, z, w: 6 rows of freedoms each
  std::vector<int> first_run;              // (freedoms and one more) FreedomRuns::first; constant
  std::vector<FreedomRun> runs;            // FreedomRuns::runs; constant
  std::vector<CoordinateRun> coordinates;  // all freedoms, from left to right; constant
  std::vector<int> first_segment;          // (freedoms and one more) RowSegments::first; constant
  std::vector<RowSegment> segments;        // RowSegments::segments; constant
  std::vector<unsigned char> direct;  // (freedoms) whether what a row writes beyond its end is overwritten; constant
  std::vector<T> rows;                // two of each matrix

 private:
  void find_segments(const Model&);
};

// For every scalar of the closed set. Throws std::invalid_argument naming both sizes where one does not fit the model.
template <class T>
void calc_rnea_derivatives(const Model&, RneaDerivativesWorkspace<T>&, In<T> q, In<T> v, In<T> a, Out<T> tau,
                           OutMatrix<T> dtau_dq, OutMatrix<T> dtau_dv, OutMatrix<T> M,
                           const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
