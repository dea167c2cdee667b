// sinew/tree/jacobian.hpp - Jacobians of bodies and frames, their rates, and the products J^T f and dJ/dt v
//   velocity of a place = J v,   its acceleration = J dv/dt + dJ/dt v,   joint forces of a force on it = J^T f.
// Column k is the joint motion of velocity coordinate k, angular above linear; it is zero unless the coordinate's joint
// lies between the world and the place. O(n) for all joint motions, O(depth) and 6 nv zeros for one Jacobian.
// Reference: [F08 2.18, 4.5, 4.6, 7.6, 7.7].
// Coordinates: as asked for (tree/reference_frame.hpp). Rates are those of the numbers in the matrix, so that
//   world, body   J dv/dt + dJ/dt v is the spatial acceleration
//   mixed         it is dw/dt above d^2 r/dt^2 of the origin of the place (the classical acceleration)
#pragma once
#include <vector>

#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew {

enum class SubspaceRule : unsigned char;  // how the columns of a joint's S change: src/tree/columns.hpp

template <class T>
struct JacobianWorkspace {
  // Throws std::invalid_argument for a user's joint whose rate of S cannot be found: one of two or more freedoms, with
  // an S that is not constant and velocities that are not the rates of its positions.
  explicit JacobianWorkspace(const Model&);
  KinematicsWorkspace<T> kinematics;  // node <- world                                         by both calls
  std::vector<Motion<T>> J;           // (nv) joint motions: world axes, about its origin      by both calls
  std::vector<Motion<T>> dJ;          // (nv) their rates                                      by calc_jacobian_rates
  std::vector<Motion<T>> v;           // (nodes) velocities, in the same coordinates           by calc_jacobian_rates
  std::vector<Motion<T>> bias;        // (nodes) accelerations where dv/dt = 0                 by calc_jacobian_rates
  std::vector<SubspaceRule> rules;    // (nodes) constant
  std::vector<int> turn;              // (nodes) coordinate of a plain revolute joint, -1 for others; constant
};

// All joint motions in world coordinates: column k of what Pinocchio calls J is ws.J[k]. `time` matters to prescribed
// joints only. For every scalar of the closed set.
template <class T>
void calc_jacobian(const Model&, JacobianWorkspace<T>& ws, In<T> q, double time = 0);
template <class T>
void calc_jacobian_rates(const Model&, JacobianWorkspace<T>& ws, In<T> q, In<T> v, double time = 0);

// After calc_jacobian. All joint motions, 6 x nv.
template <class T>
void get_joint_motions(const Model&, const JacobianWorkspace<T>& ws, OutMatrix<T> J);
// The Jacobian of a place, 6 x nv.
template <class T>
void get_jacobian(const Model&, const JacobianWorkspace<T>& ws, const Place&, ReferenceFrame, OutMatrix<T> J);
// J^T f, with f in the same coordinates as J would be. [F08 7.6]
template <class T>
void multiply_by_jacobian_transpose(const Model&, const JacobianWorkspace<T>& ws, const Place&, ReferenceFrame,
                                    const std::type_identity_t<Force<T>>& f, Out<T> tau);

// After calc_jacobian_rates. dJ/dt, 6 x nv.
template <class T>
void get_jacobian_rate(const Model&, const JacobianWorkspace<T>& ws, const Place&, ReferenceFrame, OutMatrix<T> dJ);
// The acceleration of the place where dv/dt = 0: dJ/dt v, and what prescribed joints add to it.
template <class T>
Motion<T> get_bias_acceleration(const JacobianWorkspace<T>& ws, const Place&, ReferenceFrame);

}  // namespace sinew
