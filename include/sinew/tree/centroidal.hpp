// sinew/tree/centroidal.hpp - the centroidal map: from velocities to the momentum about the centre of mass
//   h = A v,   dh/dt = A dv/dt + dA/dt v.   O(n).
// Column k of A is I^c s_k, the momentum of the composite body that joint motion s_k moves [F08 section 6.2]; its rate
// is
//   I^c ds_k/dt + dI^c/dt s_k   with   dI/dt = v x* I - I v x  [F08 2.65],
// less dc/dt x (linear part), because the point of reference moves.
// Rows: angular above linear momentum. Coordinates: axes of the world, about the centre of mass. What is welded to the
// world and armature do not count. The momentum due to prescribed joints is not in A v.
// tree/momentum.hpp has h, dh/dt and dA/dt v without the matrices.
#pragma once
#include <vector>

#include "sinew/spatial/inertia.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {

enum class SubspaceRule : unsigned char;  // how the columns of a joint's S change: src/tree/columns.hpp

template <class T>
struct CentroidalWorkspace {
  // Throws std::invalid_argument for a user's joint that does not say how its S changes, see JacobianWorkspace.
  explicit CentroidalWorkspace(const Model&);
  Vec3<T> centre_of_mass;             // [m] about the world's origin                                  by every call
  Vec3<T> velocity;                   // [m/s] of the centre of mass                              by .._map_rate
  KinematicsWorkspace<T> kinematics;  // node <- world                                                by every call
  std::vector<Motion<T>> J, dJ;       // (nv) joint motions and their rates             by .._map, .._map_rate
  std::vector<Motion<T>> v;           // (nodes)                                                  by .._map_rate
  std::vector<RigidInertia<T>> Ic;    // (nodes) of the subtree; entry 0: of all                  by every call
  std::vector<RigidInertia<T>> dIc;   // (nodes) its rate                                         by .._map_rate
  std::vector<SubspaceRule> rules;    // (nodes) constant
};

// For every scalar of the closed set. `time` matters to prescribed joints only.
// The composite inertia of all that moves: mass, zero, and the rotational inertia about the centre of mass.
template <class T>
const RigidInertia<T>& calc_composite_inertia(const Model&, CentroidalWorkspace<T>& ws, In<T> q, double time = 0);
// A, 6 x nv.
template <class T>
void calc_centroidal_map(const Model&, CentroidalWorkspace<T>& ws, In<T> q, OutMatrix<T> A, double time = 0);
// A and dA/dt, 6 x nv each.
template <class T>
void calc_centroidal_map_rate(const Model&, CentroidalWorkspace<T>& ws, In<T> q, In<T> v, OutMatrix<T> A,
                              OutMatrix<T> dA, double time = 0);

}  // namespace sinew
