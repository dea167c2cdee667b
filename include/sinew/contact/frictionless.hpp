// sinew/contact/frictionless.hpp - contacts that persist or break, at the level of accelerations and without friction
//   H qdd + C = tau + T lambda,   zetadot = M lambda + d,   zetadot >= 0, lambda >= 0, zetadot lambda = 0   [F08 11.42]
//   M = T^T H^-1 T by the Delassus suite [F08 11.35],   d = T^T H^-1 (tau - C) + Tdot^T qd [F08 11.36]
// For contacts whose bodies neither approach nor part (zeta = 0, state 3 of [F08 section 11.4]). Where normals are
// linearly dependent, lambda need not be unique; qdd and zetadot are. There may be no solution at all [F08
// Example 11.1]: the certificate says `ray` or `infeasible`, and the cure is an impulse, or a little penetration.
#pragma once
#include <memory>

#include "sinew/contact/contact_point.hpp"
#include "sinew/lcp/solve.hpp"
#include "sinew/model/model.hpp"

namespace sinew {

struct FrictionlessAnswer {
  std::vector<double> qdd;         // (nv)
  std::vector<double> lambda;      // (contacts) [N]
  std::vector<double> separation;  // (contacts) zetadot [m/s^2]
  lcp::Certificate certificate;
};

// Contacts of one model; contacts may change from call to call.
class FrictionlessContacts {
 public:
  // The model must outlive it.
  explicit FrictionlessContacts(const Model&, const lcp::SolverOptions& = {});
  explicit FrictionlessContacts(const Model&&, const lcp::SolverOptions& = {}) = delete;
  ~FrictionlessContacts();
  FrictionlessContacts(FrictionlessContacts&&) noexcept;
  FrictionlessContacts& operator=(FrictionlessContacts&&) noexcept;
  // node_a is the successor, node_b the predecessor; the normal's spatial force is (point x normal, normal) in world
  // coordinates. ndot: its rate, one per contact and in the same coordinates; none: normals and points stand still.
  const FrictionlessAnswer& solve(In<double> q, In<double> v, In<double> tau, std::span<const ContactPoint>,
                                  In<Force<double>> ndot = {}, double time = 0);
  const lcp::Problem& problem() const;  // M and d of the last call

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// 1/2 (qdd - a)^T H (qdd - a), which the true acceleration makes least among those that contacts allow; a: what forces
// alone would give. [F08 11.44]
double calc_gauss_deviation(const Model&, In<double> q, In<double> qdd, In<double> a, double time = 0);

}  // namespace sinew
