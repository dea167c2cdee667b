// sinew/constraint/closure/manifold.hpp - states that obey their constraints: projection, and steps in time without
// drift
//   position  e0(q) = 0 by Newton's method with steps  dq = -H^-1 K^T A^+ e0  (the nearest point in the metric of H),
//             taken by model/configuration.hpp's integrate, so that quaternions stay unit
//   velocity  v - H^-1 K^T A^+ e1: the least change of kinetic energy that gives K v its target   [F08 11.57]
// The rank-revealing solve of constraint/solve/multipliers.hpp handles redundant rows and singular positions. Away from
// the manifold the rank tolerance grows with the distance. Rows without a position error (nonholonomic ones) take part
// in the velocity only. Allocates nothing.
#pragma once
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/model/configuration.hpp"

namespace sinew {

inline constexpr RankOptions kManifoldRank{.rank_tolerance = linear::kImpliedWhileClosing,
                                           .consistency_tolerance = linear::kImpliedWhileClosing};

struct ManifoldOptions {
  double position_tolerance = 1e-12;  // [m or rad] largest |e0| that counts as closed
  double velocity_tolerance = 1e-11;  // [m/s or rad/s] relative to the largest entry of v, or to 1
  int max_iterations = 30;
  // Positions are known to position_tolerance e. Near a singular position, where only a part s of a row is independent,
  // that makes an error of e / s^2 in the direction of motion; directions with a smaller s than this are not corrected.
  RankOptions rank = kManifoldRank;
};

struct ManifoldWorkspace {
  ManifoldWorkspace(const Model&, const ConstraintSet&, const ManifoldOptions& = {});
  ManifoldOptions options;
  ConstraintRows rows;
  ConstrainedSystem system;
  CrbaWorkspace<double> crba;
  MultipliersWorkspace solver;
  SolveCertificate certificate;       // of the last linear solve: rank and redundant rows
  std::vector<double> dq, lambda, q;  // (nv), (rows), (nq)
};

struct ManifoldReport {
  bool reached = false;
  int iterations = 0;
  double distance = 0;  // largest |e0| or |e1| at first
  double residual = 0;  // largest |e0| or |e1| at the end
};

// Moves q to the nearest position that closes the loops, and v to the nearest velocity that the rows allow.
ManifoldReport project_position(const Model&, const ConstraintSet&, ManifoldWorkspace&, Out<double> q, double time = 0);
ManifoldReport project_velocity(const Model&, const ConstraintSet&, ManifoldWorkspace&, In<double> q, Out<double> v,
                                double time = 0);

// One step of the classical Runge-Kutta method of order 4 on the manifold: the later stages are projected before they
// are evaluated, and so is the answer. An unprojected stage violates the constraints by about (v dt)^2, where the
// rows of an overconstrained loop no longer imply each other and lock it; see docs/constraints.md. The order stays 4:
// it is the Runge-Kutta method for f(P(x)), which has the same solutions on the manifold as f(x).
struct StepWorkspace {
  StepWorkspace(const Model&, const ConstraintSet&, const ConstrainedOptions& = {.rank = kManifoldRank},
                const ManifoldOptions& = {});
  ConstrainedWorkspace dynamics;
  ManifoldWorkspace manifold;
  std::vector<double> q, v, qdot, qdd, lambda, sum_q, sum_v;  // of a stage; the weighted sums over the stages
};
struct ProjectedStepReport {
  SolveStatus status = SolveStatus::solved;  // the worst of the stages; need not be solved at a singular position
  bool stages_reached = true;                // each stage could be projected
  double stage_distance = 0;                 // [m or rad] largest |e0| of a stage before its projection
  ManifoldReport position, velocity;         // of the answer
};
// tau is held over the step.
ProjectedStepReport step_rk4_projected(const Model&, const ConstraintSet&, StepWorkspace&, State&, In<double> tau,
                                       double dt);

}  // namespace sinew
