// sinew/tree/tendon.hpp - lengths of tendons and how they change
//   fixed     L = sum of factor q
//   spatial   L = sum over its branches of the shortest string through its sites and outside of its spheres and
//             cylinders, divided by the branch's divisor
//   dL/dt = J v,   d^2L/dt^2 = J dv/dt + dJ/dt v
// Around a shape the string is straight up to the points where it touches, and the shortest way between them. With the
// side given it goes around as the way from end to side to end does; with the side inside the shape it passes through
// the inside. Ends inside the shape: it is straight. As in MuJoCo 4.
// J is exact where the string does not jump: a shortest string does not change to first order when it slides along the
// shape, so J is that of strings tied where they touch.
#pragma once
#include <span>
#include <vector>

#include "sinew/tree/node_force.hpp"

namespace sinew {

struct TendonWorkspace {
  // Finds the lengths at rest and at neutral.
  explicit TendonWorkspace(const Model&);
  MadeFor made_for;
  std::vector<double> length;         // (tendons) [m]                                     by both calls
  std::vector<Force<double>> forces;  // J of all tendons, one after the other             by both calls
  std::vector<double> velocity;       // (tendons) J v                                     by calc_tendon_rates
  std::vector<double> acceleration;   // (tendons) d^2L/dt^2 where dv/dt = 0               by calc_tendon_rates
  std::vector<double> neutral;        // (tendons) length at the neutral position          by the constructor
  std::vector<double> rest;           // (tendons) length where springs of joints rest     by the constructor
  std::vector<int> first;             // (tendons + 1) of `forces`                         by the constructor

  // J of one tendon. The model must be alive.
  NodeForces row(const Model& m, int tendon) const {
    return {m.tendons()[tendon].nodes, {forces.data() + first[tendon], forces.data() + first[tendon + 1]}};
  }
};

// Allocate nothing. After calc_kinematics at q; after calc_accelerations at q and v with dv/dt = 0.
void calc_tendons(const Model&, TendonWorkspace&, const KinematicsWorkspace<double>&, In<double> q, double time = 0);
void calc_tendon_rates(const Model&, TendonWorkspace&, const VelocityWorkspace<double>&, In<double> q, double time = 0);

}  // namespace sinew
