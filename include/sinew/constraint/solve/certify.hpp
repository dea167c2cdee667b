// sinew/constraint/solve/certify.hpp - measure an answer against the equations it should obey
//   H qdd + C = tau + K^T lambda,   K qdd = k
// From the state itself: the first by inverse dynamics, the second by the rows on their nodes; no matrix of a solver
// is used, so it may be called on any (qdd, lambda). O(n + rows), allocates nothing.
#pragma once
#include "sinew/constraint/certificate.hpp"
#include "sinew/constraint/rows/constraint_set.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

struct CertifyWorkspace {
  CertifyWorkspace(const Model&, const ConstraintSet&);
  RneaWorkspace<double> rnea;
  AbaWorkspace<double> aba;
  std::vector<double> demand, supply, free;  // (nv)
  std::vector<double> Kx;                    // (rows)
  // By certify: H qdd + C - tau - K^T lambda, and K qdd - k with the largest term of each row.
  std::vector<double> force_residual;           // (nv)
  std::vector<double> row_residual, row_terms;  // (rows)
};

// After calc_constraint_rows. Writes residuals, scales and the status, but not acceleration_error, which needs a solver
// (constraint/solve/refine.hpp). solved becomes not_reached where a residual exceeds out.tolerance times its scale. Any
// status becomes non_finite where a number is not finite. inconsistent stays, unless the residual of the dynamics
// exceeds its tolerance.
void certify(const Model&, const ConstraintSet&, ConstraintRows&, CertifyWorkspace&, In<double> q, In<double> v,
             In<double> tau, In<double> k, In<double> qdd, In<double> lambda, SolveCertificate& out,
             const Surroundings<double>& = {});
// The same for a step of velocity: H (after - before) = impulse + K^T P,   K after = target. Energy too.
void certify_impulse(const Model&, const ConstraintSet&, ConstraintRows&, CertifyWorkspace&, In<double> q,
                     In<double> before, In<double> impulse, In<double> target, In<double> after, In<double> P,
                     SolveCertificate& out, double time = 0);

// True where a number is not finite; sets the culprit and the status.
bool find_non_finite(std::string_view name, VectorView<const double> x, SolveCertificate& out);

}  // namespace sinew
