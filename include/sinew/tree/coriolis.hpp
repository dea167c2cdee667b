// sinew/tree/coriolis.hpp - the Coriolis matrix, and the rate of the joint-space inertia matrix
// Finds C(q, v) with  C v + g = h  and  dM/dt - 2 C skew, so that  dM/dt = C + C^T.   O(n d), d the depth of the tree.
// Derivation. J_i takes v to the velocity v_i of body i, so M is the sum of J_i^T I_i J_i, and (1) below is one of many
// factors B_i with B_i v_i = v_i x* I_i v_i; this one also has (2), which makes dM/dt - 2 C skew:
//   (1)  C = sum of J_i^T (I_i dJ_i/dt + B_i J_i),   B = 1/2 [(v x*) I - I (v x) + (I v) xbar*],   f xbar* m = m x* f
//   (2)  B + B^T = (v x*) I - I (v x) = dI/dt  [F08 2.65], because f xbar* is skew
// Written out, with second moments P = (tr I / 2) 1 - I and linear momentum l = m v - h x w, half of B is zero:
//   (3)  B = - [ w x P + h x v x   0 ]
//              [       l x         0 ]
// In common coordinates the bodies of a subtree add up (I^c, B^c), as in the composite-rigid-body algorithm.
// Armature is in M, but constant: it is not in dM/dt, and in C only as a skew part, on joints whose velocities turn
// with the child (joint/armature.hpp). With prescribed joints h has a further part, due to their motion;
// dM/dt = C + C^T still holds.
#pragma once
#include <vector>

#include "sinew/spatial/inertia.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {

enum class SubspaceRule : unsigned char;  // how the columns of a joint's S change: src/tree/columns.hpp

template <class T>
struct CoriolisWorkspace {
  // Throws std::invalid_argument for a user's joint that does not say how its S changes, see JacobianWorkspace.
  explicit CoriolisWorkspace(const Model&);
  // By both calls; axes of the world, about the origin of the first node.
  KinematicsWorkspace<T> kinematics;
  std::vector<Motion<T>> J, dJ;     // (nv) joint motions and their rates
  std::vector<Motion<T>> v;         // (nodes)
  std::vector<RigidInertia<T>> Ic;  // (nodes) of the subtree
  std::vector<Mat3<T>> N;           // (nodes) sum of w x P + h x v x over the subtree
  std::vector<Vec3<T>> l;           // (nodes) linear momentum of the subtree
  std::vector<SubspaceRule> rules;  // (nodes) constant
  std::vector<int> above;           // (nv) the next coordinate on the way to the world, -1: none; constant
};

// C, nv x nv. For every scalar of the closed set. `time` matters to prescribed joints only.
template <class T>
void calc_coriolis_matrix(const Model&, CoriolisWorkspace<T>& ws, In<T> q, In<T> v, OutMatrix<T> C, double time = 0);
// dM/dt, nv x nv and symmetric.
template <class T>
void calc_mass_matrix_rate(const Model&, CoriolisWorkspace<T>& ws, In<T> q, In<T> v, OutMatrix<T> dM, double time = 0);

}  // namespace sinew
