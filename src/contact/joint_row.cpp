// src/contact/joint_row.cpp
#include "sinew/contact/joint_row.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "tree/columns.hpp"

namespace sinew {
namespace {
void check_nodes(const char* call, std::span<const JointRow> rows, std::size_t nodes) {
  for (const JointRow& r : rows) {
    for (const int node : {r.node, r.parent}) check_index(call, "node", node, nodes);
    for (const int node : r.forces.nodes) check_index(call, "node", node, nodes);
  }
}
}  // namespace

void check_joint_rows(const char* call, const Model& m, std::span<const JointRow> rows, const Model* of_contacts) {
  const int nodes = static_cast<int>(m.nodes().size()),
            contact_nodes = of_contacts ? static_cast<int>(of_contacts->nodes().size()) : nodes;
  const auto refuse = [&](std::size_t r, const std::string& why) {
    throw std::invalid_argument(std::string(call) + ": joint row " + std::to_string(r) + " " + why);
  };
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const JointRow& row = rows[r];
    for (const int node : row.forces.nodes)
      if (node <= 0 || node >= (row.of_contact ? contact_nodes : nodes))
        refuse(r, "has a force on node " + std::to_string(node));
    if (row.forces.nodes.size() != row.forces.forces.size()) refuse(r, "has not one force per node");
    if (!(row.softness >= 0) || !std::isfinite(row.softness)) refuse(r, "has a softness that is not 0 or positive");
    if (!std::isfinite(row.bias)) refuse(r, "has a bias that is not finite; check the gap it comes from");
    if (!(row.lower <= row.upper)) refuse(r, "has a lower bound above its upper bound");
    if (!row.forces.empty()) continue;
    if (row.node <= 0 || row.node >= nodes)
      refuse(r, "is on node " + std::to_string(row.node) + "; nodes that a joint moves are 1 to " +
                    std::to_string(nodes - 1));
    if (row.parent != m.nodes()[row.node].parent)
      refuse(r, "has node " + std::to_string(row.parent) + " for the parent of node " + std::to_string(row.node) +
                    ", which is " + std::to_string(m.nodes()[row.node].parent));
  }
}

void add_joint_row_entries(std::span<const JointRow> rows, int first, std::vector<delassus::Entry>& entries) {
  for (const JointRow& r : rows) {
    for (const int node : r.forces.nodes) entries.push_back({first, node});
    if (r.forces.empty()) entries.push_back({first, r.node});
    if (r.forces.empty() && r.parent != 0) entries.push_back({first, r.parent});
    ++first;
  }
}

Force<double>* calc_joint_row_forces(std::span<const JointRow> rows, const KinematicsWorkspace<double>& at_q,
                                     Force<double>* K) {
  check_nodes("calc_joint_row_forces", rows, at_q.X.size());
  for (const JointRow& r : rows) {
    K = std::copy(r.forces.forces.begin(), r.forces.forces.end(), K);
    if (!r.forces.empty()) continue;
    *K++ = r.direction;
    if (r.parent == 0) continue;
    const Transform<double>&X_i = at_q.X[r.node], &X_p = at_q.X[r.parent];
    *K++ = -apply_inverse(Transform<double>{X_i.E * inverse(X_p.E), apply(X_p.E, X_i.r - X_p.r)}, r.direction);
  }
  return K;
}

void calc_joint_row_velocities(std::span<const JointRow> rows, const VelocityWorkspace<double>& motion, Out<double> u) {
  check_nodes("calc_joint_row_velocities", rows, motion.v.size());
  check_size("calc_joint_row_velocities", "u", u.size(), rows.size());
  const auto& X = motion.kinematics.X;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const JointRow& r = rows[i];
    if (!r.forces.empty()) {
      u[i] = calc_row_velocity(r.forces, motion);
      continue;
    }
    Motion<double> v = motion.v[r.node];  // world axes, at the node's origin
    if (r.parent != 0) {
      const Motion<double>& p = motion.v[r.parent];
      v.ang = v.ang - p.ang;
      v.lin = v.lin - (p.lin + cross(p.ang, X[r.node].r - X[r.parent].r));
    }
    u[i] = dot(r.direction, in_node_axes(v, X[r.node]));
  }
}

}  // namespace sinew
