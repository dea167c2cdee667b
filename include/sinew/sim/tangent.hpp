// sinew/sim/tangent.hpp - motion on the joints' Lie groups, expressed by vectors at one position
// Near q0 a position is  q = q0 moved along u for unit time  (integrate of model/configuration.hpp), u has nv numbers.
// Moving at the velocity v then means
//   du/dt = dexp^-1(u) v = v + 1/2 [u, v] + 1/12 [u, [u, v]] - 1/720 [u, [u, [u, [u, v]]]] + ...
// in closed form for turns and rigid displacements; for joints whose velocities are rates of coordinates it is v.
// A method for vectors applied to u keeps its order, and quaternions stay unit (Runge-Kutta-Munthe-Kaas).
// Angles of u must stay below a full turn, where the map is singular; keep steps to a few tenths of one.
#pragma once
#include <vector>

#include "sinew/model/configuration.hpp"

namespace sinew {

// Rates of tangent coordinates about a position, for integrators on groups.
class TangentMap {
 public:
  // The model must outlive it.
  explicit TangentMap(const Model&);
  explicit TangentMap(const Model&&) = delete;
  // udot: (nv), may alias v. Allocates nothing.
  void calc_rate(In<double> q0, In<double> u, In<double> v, Out<double> udot) const;

 private:
  // A user-defined joint: from the derivatives of its `integrate` and its `rate`.
  void calc_user_rate(const Node&, const double* q0, const double* u, const double* v, double* udot) const;

  const Model& model_;
  std::vector<int> turning_, moving_, planar_, user_;  // nodes with spherical, free, planar and user joints
};

}  // namespace sinew
