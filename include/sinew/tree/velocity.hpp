// sinew/tree/velocity.hpp - how bodies and frames move
//   v_i = v_lambda(i) + v_J,   a_i = a_lambda(i) + S dv_i + c_J + v_i x v_J,   O(n).
// Reference: [F08 5.7, 5.8], [F08 section 2.11] for what an acceleration is.
// Differs from [F08]: accelerations are true ones: the base has 0, not -g.
// Coordinates inside: axes of the world, about each node's own origin, so that motions go from node to node by a shift
// alone (9m + 12a per revolute joint, 30m + 33a with accelerations, after its pose), and lose no digits far from the
// world's origin. Results as asked for, see tree/reference_frame.hpp.
#pragma once
#include <vector>

#include "sinew/spatial/acceleration.hpp"
#include "sinew/tree/kinematics.hpp"
#include "sinew/tree/reference_frame.hpp"

namespace sinew {

template <class T>
struct VelocityWorkspace {
  explicit VelocityWorkspace(const Model&);
  KinematicsWorkspace<T> kinematics;  // node <- world                                               by both calls
  std::vector<Motion<T>> v;           // (nodes) [rad/s, m/s] world axes, about the node's origin    by both calls
  std::vector<Motion<T>> a;  // (nodes) spatial acceleration, as v                          by calc_accelerations
};

// For every scalar of the closed set. v and a: nv velocities and their rates; `time` matters to prescribed joints only.
template <class T>
void calc_velocities(const Model&, VelocityWorkspace<T>& ws, In<T> q, In<T> v, double time = 0);
template <class T>
void calc_accelerations(const Model&, VelocityWorkspace<T>& ws, In<T> q, In<T> v, In<T> a, double time = 0);

namespace detail {
// m, as ws.v and ws.a keep it for the place's node, in the coordinates asked for. X: node <- world.
template <class T>
Motion<T> express(const Motion<T>& m, const Transform<T>& X, const Place& place, ReferenceFrame reference) {
  if (reference == ReferenceFrame::world) return {m.ang, m.lin + cross(X.r, m.ang)};
  const Transform<T> in_node = cast<T>(place.in_node);
  const Motion<T> mixed{m.ang, m.lin - cross(apply_inverse(X.E, in_node.r), m.ang)};
  if (reference == ReferenceFrame::mixed) return mixed;
  return {apply(in_node.E, apply(X.E, mixed.ang)), apply(in_node.E, apply(X.E, mixed.lin))};
}
// The point p of the place, from the node's origin, along the axes of the world.
template <class T>
Vec3<T> arm_of(const VelocityWorkspace<T>& ws, const Place& place, const Vec3<T>& p) {
  return apply_inverse(ws.kinematics.X[place.node].E, apply_inverse_to_point(cast<T>(place.in_node), p));
}
}  // namespace detail

// After calc_velocities.
template <class T>
Motion<T> get_velocity(const VelocityWorkspace<T>& ws, const Place& place, ReferenceFrame reference) {
  check_index("get_velocity", "node", place.node, ws.v.size());
  const auto i = static_cast<std::size_t>(place.node);
  return detail::express(ws.v[i], ws.kinematics.X[i], place, reference);
}
// Of the point p of the place, given in the place's frame; along the axes of the world [m/s].
template <class T>
Vec3<T> get_point_velocity(const VelocityWorkspace<T>& ws, const Place& place,
                           const std::type_identity_t<Vec3<T>>& p = {}) {
  check_index("get_point_velocity", "node", place.node, ws.v.size());
  return point_velocity(ws.v[place.node], detail::arm_of(ws, place, p));
}

// After calc_accelerations. The spatial acceleration: the rate of the velocity seen at a fixed origin.
template <class T>
Motion<T> get_acceleration(const VelocityWorkspace<T>& ws, const Place& place, ReferenceFrame reference) {
  check_index("get_acceleration", "node", place.node, ws.v.size());
  const auto i = static_cast<std::size_t>(place.node);
  return detail::express(ws.a[i], ws.kinematics.X[i], place, reference);
}
// dw/dt, and d^2 r/dt^2 of the body-fixed point at the origin that `reference` stands for.
template <class T>
ClassicalAcceleration<T> get_classical_acceleration(const VelocityWorkspace<T>& ws, const Place& place,
                                                    ReferenceFrame reference) {
  return to_classical(get_acceleration(ws, place, reference), get_velocity(ws, place, reference));
}
// d^2 r/dt^2 of the point p of the place, given in the place's frame; along the axes of the world [m/s^2].
template <class T>
Vec3<T> get_point_acceleration(const VelocityWorkspace<T>& ws, const Place& place,
                               const std::type_identity_t<Vec3<T>>& p = {}) {
  check_index("get_point_acceleration", "node", place.node, ws.v.size());
  const auto i = static_cast<std::size_t>(place.node);
  return point_acceleration(ws.a[i], ws.v[i], detail::arm_of(ws, place, p));
}

}  // namespace sinew
