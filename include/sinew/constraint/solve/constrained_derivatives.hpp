// sinew/constraint/solve/constrained_derivatives.hpp - derivatives of constrained forward dynamics and of impulses
//   M a + h = tau + K^T lambda,   K a = k + stabilization:      a and lambda as functions of q, v and tau
// Differentiate both equations; with ID = M a + h and the rows' rate G = K a - k - stabilization:
//   (1) U = -M^-1 (d ID - d(K^T lambda))     forward dynamics of the tree, with K^T lambda as external forces
//   (2) A dlambda = -(dG + K U),   A = K M^-1 K^T
//   (3) da = U + M^-1 K^T dlambda
// A is factored once, by the solution itself, so ranks are those of the solution. All rows of the library: loops, masks
// along axes of bodies or of the world, rolling, couplings of joints and of tendons along joints; with their laws of
// time and Baumgarte's terms. Refused by name: tendons through sites, constraints that a program wrote.
// Those of make_loop_joint are differentiated; where such a loop is open they are off by about its opening.
// Redundant rows: da is unique. lambda is the shortest, so with N^T K = 0 and lambda = K w,
//   (4) N^T dlambda = N^T d(K w)      because lambda + dlambda = (K + dK)(w + dw)
// dq, joints, armature and external forces: as in derivative/rnea_derivatives.hpp.
// O(n^2 d + n^2 m + n m^2). Derivation: docs/derivatives.md.
#pragma once
#include <memory>

#include "sinew/constraint/solve/forward_dynamics.hpp"

namespace sinew {

// Along which directions the derivatives hold.
enum class DerivativeStatus {
  exact,  // all
  // Rows imply each other only where the constraints hold: d/dq x + d/dv y holds for x and y that keep them, K x = 0
  // and K y = -(d(K v)/dq) x.
  along_constraints,
  rank_changes,  // implied rows become independent, or contradict, even along those: d/dq (or d/dv) is NaN
  not_accurate,  // the derivatives do not obey the rows to residual_tolerance
  not_solved,    // the solution itself failed: all are NaN; its certificate says why
};
std::string_view to_string(DerivativeStatus);

// What is known about a set of derivatives.
struct DerivativeCertificate {
  DerivativeStatus status = DerivativeStatus::exact;
  SolveStatus solution = SolveStatus::solved;  // of a and lambda; ConstrainedDerivativesWorkspace::solution has all
  int rank = 0;                                // of K
  double residual = 0;           // largest entry of K da + dG along one allowed direction, as the answer has it
  double scale = 0;              // largest term of that
  std::vector<int> rows;         // implied rows that do not stay implied
  std::vector<int> coordinates;  // velocity coordinates along which they do not
};
// Sentences for a reader, with the names of the model. Empty where the status is `exact`.
std::vector<std::string> describe(const DerivativeCertificate&, const Model&, const ConstraintSet&);

// Matrices to be filled: of a nv x nv, of lambda rows x nv.
struct ConstrainedDerivatives {
  MatrixView<double> a_q, a_v, a_tau;                 // da/dq, da/dv, da/dtau
  MatrixView<double> lambda_q, lambda_v, lambda_tau;  // dlambda/dq, dlambda/dv, dlambda/dtau
};
// The same of the velocity after an impulse and of the impulses P of the rows.
struct ImpulseDerivatives {
  MatrixView<double> after_q, after_before, after_impulse;  // nv x nv
  MatrixView<double> P_q, P_before, P_impulse;              // rows x nv
};

// Solver and scratch, made once for a model and a set.
struct ConstrainedDerivativesWorkspace {
  // Throws std::invalid_argument for a method other than `multipliers`, and naming a constraint or a joint that cannot
  // be differentiated.
  ConstrainedDerivativesWorkspace(const Model&, const ConstraintSet&, const ConstrainedOptions& = {});
  ~ConstrainedDerivativesWorkspace();
  ConstrainedDerivativesWorkspace(ConstrainedDerivativesWorkspace&&) noexcept;
  ConstrainedDerivativesWorkspace& operator=(ConstrainedDerivativesWorkspace&&) noexcept;

  ConstrainedWorkspace solution;      // of a and lambda, with their certificate; options as there
  DerivativeCertificate certificate;  // of the last call
  struct Impl;                        // src/constraint/solve/constrained_derivatives.cpp
  std::unique_ptr<Impl> impl;         // scratch
};

// a: nv, lambda: one per row; both as constrained_forward_dynamics gives them. Throws std::invalid_argument naming both
// sizes where one does not fit, std::domain_error naming a loop of make_loop_joint that is too far open. Allocates
// nothing.
const DerivativeCertificate& calc_constrained_derivatives(const Model&, const ConstraintSet&,
                                                          ConstrainedDerivativesWorkspace&, In<double> q, In<double> v,
                                                          In<double> tau, Out<double> a, Out<double> lambda,
                                                          const ConstrainedDerivatives&,
                                                          const Surroundings<double>& = {});

// M (after - before) = impulse + K^T P,   K after = target: arguments as in constrained_impulse. `target` is held.
const DerivativeCertificate& calc_impulse_derivatives(const Model&, const ConstraintSet&,
                                                      ConstrainedDerivativesWorkspace&, In<double> q, In<double> before,
                                                      In<double> impulse, In<double> target, Out<double> after,
                                                      Out<double> P, const ImpulseDerivatives&, double time = 0);

}  // namespace sinew
