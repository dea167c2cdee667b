// sinew/constraint/solve/constrained_body.hpp - one rigid body on one joint, three ways [F08 section 3.6]
//   f + f_c = I a + p,   v = S qd,   a = S qdd + Sdot qd,   S^T f_c = 0
// p = v x* I v - f_g is the bias force. For teaching, analysis and tests; in double.
#pragma once
#include <vector>

#include "sinew/spatial/subspace.hpp"

namespace sinew {

struct ConstrainedBody {
  RigidInertia<double> I;
  Force<double> p;
  MotionSubspace S;
  Motion<double> Sdot_qd;
};

// How the body accelerates, and what the constraint does to it.
struct ConstrainedAcceleration {
  Motion<double> a;
  Force<double> constraint_force;
};

// Method 1: project onto the freedoms. [F08 3.52]
ConstrainedAcceleration accelerate_by_projection(const ConstrainedBody&, const Force<double>& f);
// Method 2: solve for acceleration and constraint forces together. [F08 3.60]
ConstrainedAcceleration accelerate_by_multipliers(const ConstrainedBody&, const Force<double>& f);
// Method 3: H qdd + C = tau with tau = S^T f. [F08 3.61-3.64]
std::vector<double> accelerate_coordinates(const ConstrainedBody&, const std::vector<double>& tau);

// a = Phi f + b: apparent inverse inertia and bias acceleration. [F08 3.54, 3.55]
struct ApparentInertia {
  InverseInertia<double> Phi;
  Motion<double> b;
};
ApparentInertia calc_apparent_inertia(const ConstrainedBody&);

}  // namespace sinew
