// sinew/constraint/solve/forward_dynamics.hpp - how a constrained mechanism accelerates
//   H qdd + C = tau + K^T lambda + (external forces),   K qdd = k + stabilization         [F08 8.34-8.36]
// One interface for every method. The caller chooses the method when making the workspace; the library never does.
//   ConstraintSet set(model);
//   ConstrainedWorkspace ws(model, set, {.method = ConstrainedMethod::multipliers});
//   const SolveCertificate& c = constrained_forward_dynamics(model, set, ws, q, v, tau, qdd, lambda);
// Redundant rows: qdd is unique, lambda is the shortest. Contradicting rows: least squares, and a certificate that says
// so. A number that is not finite, a motion without inertia: the certificate names it, qdd and lambda are NaN. Rows
// that are nearly dependent: qdd is corrected until its error is within the tolerance; otherwise the status is not
// solved.
// Throws for wrong sizes only. Allocates nothing, except that `sparse` does inside Eigen.
#pragma once
#include <variant>

#include "sinew/constraint/solve/certify.hpp"
#include "sinew/constraint/solve/kkt.hpp"
#include "sinew/constraint/solve/multipliers.hpp"
#include "sinew/constraint/solve/projection.hpp"
#include "sinew/constraint/solve/proximal.hpp"
#include "sinew/constraint/solve/pv.hpp"
#include "sinew/constraint/solve/refine.hpp"
#include "sinew/constraint/solve/sparse.hpp"
#include "sinew/tree/crba.hpp"

namespace sinew {

// How the system is solved; docs/constraints.md compares them.
enum class ConstrainedMethod { kkt, multipliers, projection, sparse, proximal, pv };
std::string_view to_string(ConstrainedMethod);

// Method, stabilization and tolerances.
struct ConstrainedOptions {
  ConstrainedMethod method = ConstrainedMethod::multipliers;
  Baumgarte stabilization;
  RankOptions rank;
  ProximalOptions proximal;              // also of the rounds that `sparse` makes
  std::vector<int> independent;          // `projection`: velocity coordinates preferred as y
  double residual_tolerance = 1e-8;      // of the certificate, relative to the scales it states
  double acceleration_tolerance = 1e-7;  // likewise, of the error of the acceleration
};

// Rows, system and solver of one method; made once for a model and a set.
struct ConstrainedWorkspace {
  ConstrainedWorkspace(const Model&, const ConstraintSet&, const ConstrainedOptions& = {});
  ConstrainedOptions options;  // all but the method and `independent` may be changed at any time
  ConstraintRows rows;         // at the last state
  ConstrainedSystem system;
  CrbaWorkspace<double> crba;
  CertifyWorkspace check;
  RefineWorkspace refine;
  std::variant<KktWorkspace, MultipliersWorkspace, IndependentWorkspace, SparseWorkspace, ProximalWorkspace, PvSolver>
      solver;
  SolveCertificate certificate;
  std::vector<double> zeros;  // (nv)
};

// qdd: nv, lambda: one per row.
const SolveCertificate& constrained_forward_dynamics(const Model&, const ConstraintSet&, ConstrainedWorkspace&,
                                                     In<double> q, In<double> v, In<double> tau, Out<double> qdd,
                                                     Out<double> lambda, const Surroundings<double>& = {});

// H (after - before) = impulse + K^T P,   K after = target: rows that become active in an instant. [F08 11.57]
// `impulse` in joint space, or none; `target`: the wanted K v, or none for the rows' own targets.
// The certificate states the change of kinetic energy.
const SolveCertificate& constrained_impulse(const Model&, const ConstraintSet&, ConstrainedWorkspace&, In<double> q,
                                            In<double> before, In<double> impulse, In<double> target, Out<double> after,
                                            Out<double> P, double time = 0);

}  // namespace sinew
