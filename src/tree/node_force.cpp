// src/tree/node_force.cpp
#include "sinew/tree/node_force.hpp"

#include <algorithm>

#include "tree/columns.hpp"

namespace sinew {

double calc_row_velocity(const NodeForces& row, const VelocityWorkspace<double>& motion) {
  check_size("calc_row_velocity", "forces", row.forces.size(), row.nodes.size());
  double sum = 0;
  for (std::size_t k = 0; k < row.nodes.size(); ++k) {
    const int node = row.nodes[k];
    check_index("calc_row_velocity", "node", node, motion.v.size());
    sum += dot(row.forces[k], in_node_axes(motion.v[node], motion.kinematics.X[node]));
  }
  return sum;
}

void calc_row_jacobian(const Model& m, const KinematicsWorkspace<double>& at_q, In<double> q, const NodeForces& row,
                       Out<double> J, double time) {
  const char* call = "calc_row_jacobian";
  at_q.made_for.check(call, m);
  check_size(call, "q", q.size(), at(m.nq()));
  check_size(call, "J", J.size(), at(m.nv()));
  std::fill(J.begin(), J.end(), 0.0);
  check_size(call, "forces", row.forces.size(), row.nodes.size());
  for (std::size_t e = 0; e < row.nodes.size(); ++e) {
    check_index(call, "node", row.nodes[e], at_q.X.size());
    // Along the axes of the world, about the origin of node i.
    const Transform<double>& X = at_q.X[row.nodes[e]];
    Force<double> carried{apply_inverse(X.E, row.forces[e].ang), apply_inverse(X.E, row.forces[e].lin)};
    for (int i = row.nodes[e]; i > 0;) {
      const Node& n = m.nodes()[i];
      Motion<double> S[kMaxJointDofs];
      calc_columns(n, Transform<double>{at_q.X[i].E, {}}, q.data() + n.q, time, S);
      for (int k = 0; k < n.nv; ++k) J[n.v + k] += dot(carried, S[k]);
      carried.ang += cross(at_q.X[i].r - at_q.X[n.parent].r, carried.lin);
      i = n.parent;
    }
  }
}

}  // namespace sinew
