// src/tree/joint_loads.cpp
#include "sinew/tree/joint_loads.hpp"

#include <stdexcept>

namespace sinew {
namespace {

const JointEntry& find_joint_with_nodes(const char* call, const Model& m, const JointLoadsWorkspace& ws, int joint) {
  ws.rnea.motions.made_for.check(call, m);
  check_index(call, "joint", joint, m.joints().size());
  const JointEntry& j = m.joints()[joint];
  if (j.nodes.empty())
    throw std::invalid_argument(std::string(call) + ": joint '" + j.name +
                                "' is fixed, so its bodies are one: make it a revolute joint with given motion");
  return j;
}

}  // namespace

JointLoadsWorkspace::JointLoadsWorkspace(const Model& m) : rnea(m), tau(at(m.nv())) {
  for (const Node& n : m.nodes()) inertias.push_back(n.inertia);
}

void calc_joint_forces(const Model& m, JointLoadsWorkspace& ws, In<double> q, In<double> v, In<double> a,
                       const Surroundings<double>& around) {
  rnea_with_inertias<double>(m, ws.rnea, ws.inertias, q, v, a, ws.tau, around);
}

Force<double> get_joint_force(const Model& m, const JointLoadsWorkspace& ws, int joint) {
  const JointEntry& j = find_joint_with_nodes("get_joint_force", m, ws, joint);
  return apply(m.bodies()[j.child].in_node, ws.rnea.f[j.nodes.back()]);
}

JointForceParts get_joint_load(const Model& m, const JointLoadsWorkspace& ws, int joint, const Drive& drive) {
  const JointEntry& j = find_joint_with_nodes("get_joint_load", m, ws, joint);
  const NodeMotions<double>& k = ws.rnea.motions;
  // S of all its nodes in the frame of the last, and the parent's frame there
  MotionSubspace S;
  Transform<double> X;  // last node so far <- node of the parent
  for (const int node : j.nodes) {
    for (int c = 0; c < S.size(); ++c) S[c] = apply(k.X[node], S[c]);
    X = k.X[node] * X;
    for (int c = m.nodes()[node].v; c < m.nodes()[node].v + m.nodes()[node].nv; ++c) S.push_back(k.S[c]);
  }
  const Transform<double> in_child = m.bodies()[j.child].in_node;
  for (int c = 0; c < S.size(); ++c) S[c] = apply(in_child, S[c]);
  ForceSubspace active;
  if (drive.directions.size() == 0) {
    active = dual_forces(S).active;
  } else {
    const Transform<double> to_child = in_child * X * inverse(m.bodies()[j.parent].in_node);
    ForceSubspace directions;
    for (const Force<double>& f : drive.directions) directions.push_back(drive.on_parent ? apply(to_child, f) : f);
    active = make_active_forces(S, directions);
  }
  return split_joint_force(get_joint_force(m, ws, joint), S, active);
}

}  // namespace sinew
