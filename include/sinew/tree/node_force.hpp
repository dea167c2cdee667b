// sinew/tree/node_force.hpp - a row of a Jacobian as forces on nodes
//   dL/dt = sum of force . velocity of its node,   dL/dq as one number per velocity coordinate
// The length of a tendon, of a crank, or any other number L(q) has such a row. O(depth) per force.
#pragma once
#include <span>

#include "sinew/tree/velocity.hpp"

namespace sinew {

// forces[k] acts on nodes[k], in the node's coordinates, about its origin. A view: the numbers are its owner's.
struct NodeForces {
  std::span<const int> nodes;
  std::span<const Force<double>> forces;
  bool empty() const { return nodes.empty(); }  // no force acts
};

// J v, with the motion of prescribed joints. After calc_velocities.
double calc_row_velocity(const NodeForces&, const VelocityWorkspace<double>&);
// J: (nv) is overwritten. After calc_kinematics at q.
void calc_row_jacobian(const Model&, const KinematicsWorkspace<double>&, In<double> q, const NodeForces&, Out<double> J,
                       double time = 0);

}  // namespace sinew
