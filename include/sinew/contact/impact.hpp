// sinew/contact/impact.hpp - impulsive dynamics in closed form [F08 section 11.7]
// Two free bodies that meet at one point, without friction or sticking; and the response of a mechanism to an impulse
// on one body. For analysis and tests; collisions of mechanisms are contact/collision.hpp, rows that take
// hold in an instant are constrained_impulse in constraint/solve/forward_dynamics.hpp.
#pragma once
#include <array>

#include "sinew/delassus/pv_dynamics.hpp"
#include "sinew/spatial/inverse_inertia.hpp"

namespace sinew {

// Everything of one impact in the same coordinates.
struct ImpactBody {
  RigidInertia<double> I;
  Motion<double> v;
};

// What an impact did.
struct TwoBodyImpact {
  double separation = 0;            // [m/s] along the normal before; negative: they approach
  std::array<double, 3> impulse{};  // coefficients of the impulse that goes from body 1 to body 2; the last: normal
  Motion<double> v1, v2;            // after
};
// The impulse is n lambda, lambda >= 0; n: a unit force along the normal, from body 1 to body 2. e: restitution, 0
// .. 1. Bodies that separate get no impulse. [F08 11.60-11.65]
TwoBodyImpact collide_without_friction(const ImpactBody&, const ImpactBody&, const Force<double>& n, double e);
// N: unit forces along two tangents and the normal, through the point. They end without slip:
// E = diag(0, 0, e). [F08 11.66-11.72]
TwoBodyImpact collide_and_stick(const ImpactBody&, const ImpactBody&, const std::array<Force<double>, 3>& N, double e);

// An impulse on one node of a mechanism.
struct ImpulseWorkspace {
  ImpulseWorkspace(const Model&, int node);
  delassus::PvDynamicsWorkspace pv;
  std::array<Force<double>, 6> units;  // on the node
  std::vector<double> zeros;           // (nv)
};
// iota, in the node's coordinates, changes joint velocities by dqd and the node's velocity by dv = (I^A)^-1 iota.
// [F08 11.56-11.59]
Motion<double> calc_impulse_response(const Model&, ImpulseWorkspace&, In<double> q, const Force<double>& iota,
                                     Out<double> dqd, double time = 0);
// (I^A)^-1 of the node as a handle of the mechanism, 6 x 6, angular above linear; singular where joints hold it.
// [F08 11.56]
void calc_handle_inverse_inertia(const Model&, ImpulseWorkspace&, In<double> q, OutMatrix<double> Phi, double time = 0);

}  // namespace sinew
