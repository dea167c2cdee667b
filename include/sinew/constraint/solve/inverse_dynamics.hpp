// sinew/constraint/solve/inverse_dynamics.hpp - which actuator forces give a constrained mechanism its acceleration
//   G^T tau = G^T ID(q, v, qdd),   and with actuators at some velocity coordinates only   G_u^T u = G^T ID
// Reference: [F08 8.61-8.63]. u is the shortest solution. Where actuators cannot produce the motion, u leaves the
// least residual, and the report states it.
#pragma once
#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/constraint/solve/projection.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

// What actuators can do to the mechanism at this position.
struct ActuationReport {
  int mobility = 0;   // n - r: the freedoms of motion
  int actuators = 0;  // p
  int rank = 0;       // of G_u: the freedoms that actuators reach
  // Some motion is out of reach; or there are more actuators than freedoms; or neither.
  bool underactuated() const { return rank < mobility; }
  bool redundantly_actuated() const { return actuators > rank; }  // both may be true
  bool properly_actuated() const { return actuators == rank && rank == mobility; }
  double unreached = 0;            // largest entry of G_u^T u - G^T ID [N or N m]
  double constraint_residual = 0;  // largest entry of K qdd - k: not 0 where the constraints do not allow qdd
};

// Scratch of the calls below; u and G are those of the last call.
struct ActuationWorkspace {
  ActuationWorkspace(const Model&, const ConstraintSet&, const RankOptions& = {});
  RankOptions rank;
  ConstraintRows rows;
  ConstrainedSystem system;
  CrbaWorkspace<double> crba;
  RneaWorkspace<double> rnea;
  IndependentWorkspace projection;         // G and g at the last state
  linear::PivotedElimination elimination;  // of G_u^T, scaled
  RowDependence dependence;                // of its rows
  linear::SymmetricFactor B2;              // of B B^T, B being the independent ones of those rows
  std::vector<double> row_scale, rhs, y;   // (n) scale of the rows of G_u^T; their right side; B2^-1 of it
  std::vector<double> tau, u, Kx;          // (n) forces with all coordinates actuated; (actuated); (rows) K qdd
};

// `actuated`: velocity coordinates, each at most once; throws std::invalid_argument otherwise.
ActuationReport analyse_actuation(const Model&, const ConstraintSet&, ActuationWorkspace&, In<double> q,
                                  In<int> actuated, double time = 0);
// u: one number per actuator.
ActuationReport constrained_inverse_dynamics(const Model&, const ConstraintSet&, ActuationWorkspace&, In<double> q,
                                             In<double> v, In<double> qdd, In<int> actuated, Out<double> u,
                                             const Surroundings<double>& = {});
// u = U tau of the tree without constraints, p x n, at the position of the last analyse_actuation. [F08 Example 8.2]
void calc_actuation_map(const Model&, ActuationWorkspace&, In<int> actuated, OutMatrix<double> U);

}  // namespace sinew
