// sinew/constraint/solve/constrained_inverse_derivatives.hpp - derivatives of constrained inverse dynamics
//   ID(q, v, qdd) = B u + K^T lambda,   B: the actuated coordinates;      u as a function of q, v and qdd
// With the map U of calc_actuation_map (u = U ID, U K^T = 0) and lambda of that equation:
//   (1) du = U (d ID - d(K^T lambda))       du/dqdd = U M
// More actuators than freedoms: u is the shortest, u = B^T z with K z = 0, so du has a part that moves nothing,
//   (2) (1 - U B) B^T dz,   dz = -K^+ d(K z)
// Fewer: u leaves a residual, and its derivatives are not given. Rows, joints, dq and what is refused: as in
// constraint/solve/constrained_derivatives.hpp. O(n^3 + n^2 m).
#pragma once
#include <memory>

#include "sinew/constraint/solve/constrained_derivatives.hpp"
#include "sinew/constraint/solve/inverse_dynamics.hpp"

namespace sinew {

// Matrices to be filled: actuators x nv each.
struct ConstrainedInverseDerivatives {
  MatrixView<double> u_q, u_v, u_qdd;
};

// Solver and scratch, made once for a model and a set.
struct ActuationDerivativesWorkspace {
  // Throws std::invalid_argument naming a constraint or a joint that cannot be differentiated.
  ActuationDerivativesWorkspace(const Model&, const ConstraintSet&, const RankOptions& = {});
  ~ActuationDerivativesWorkspace();
  ActuationDerivativesWorkspace(ActuationDerivativesWorkspace&&) noexcept;
  ActuationDerivativesWorkspace& operator=(ActuationDerivativesWorkspace&&) noexcept;

  ActuationWorkspace solution;        // of u
  ActuationReport report;             // of the last call
  DerivativeCertificate certificate;  // of the last call; residual: of ID - B u - K^T lambda, which (1) needs to be 0
  struct Impl;                        // src/constraint/solve/constrained_inverse_derivatives.cpp
  std::unique_ptr<Impl> impl;         // scratch
};

// u as constrained_inverse_dynamics gives it. Status `not_solved`, and NaN, where actuators do not reach every freedom
// of motion or where ID is not finite. Throws std::invalid_argument for wrong sizes and coordinates. Allocates nothing.
const DerivativeCertificate& calc_constrained_inverse_derivatives(const Model&, const ConstraintSet&,
                                                                  ActuationDerivativesWorkspace&, In<double> q,
                                                                  In<double> v, In<double> qdd, In<int> actuated,
                                                                  Out<double> u, const ConstrainedInverseDerivatives&,
                                                                  const Surroundings<double>& = {});

}  // namespace sinew
