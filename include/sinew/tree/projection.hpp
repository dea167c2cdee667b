// sinew/tree/projection.hpp - articulated-body inertia by projection: how the handles of a tree respond to forces
// For forces f on the handles, bodies or frames of the tree, their accelerations are
//   a = Phi f + b,   Phi = J M^-1 J^T,   b = dJ/dt v + J M^-1 (tau - h).
// Reference: [F08 7.4-7.14]. Where one handle has six freedoms, its articulated-body inertia is Phi^-1; elsewhere Phi
//   is singular, with the rank of J.
// Cost: M and its factors, O(n d^2), then O(d^2) for each pair of handles.
// Coordinates: each handle's own frame, six rows after another in the order given: angular above linear.
#pragma once
#include "sinew/tree/hybrid.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew {

template <class T>
struct ProjectionWorkspace {
  ProjectionWorkspace(const Model&, std::vector<Place> on);
  std::vector<Place> handles;       // as given
  HybridCrbaWorkspace<T> dynamics;  // all forces given: M, factored, and the motion without forces on the handles
  std::vector<int> freedom;         // (nv) of each velocity coordinate, its place in the tree
  std::vector<T> a, tau;            // (nv) accelerations without forces on the handles; the joint forces
  std::vector<T> Y;                 // (6 handles x nv) L^-T J^T, one row each, in the order of the tree
};

// Phi: 6h x 6h, b: 6h. b holds true accelerations, without the -g of the base. For every scalar of the closed set.
template <class T>
void project(const Model&, ProjectionWorkspace<T>&, In<T> q, In<T> v, In<T> tau, OutMatrix<T> Phi, Out<T> b,
             const std::type_identity_t<Surroundings<T>>& = {});

}  // namespace sinew
