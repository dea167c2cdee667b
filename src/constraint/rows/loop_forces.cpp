// src/constraint/rows/loop_forces.cpp
#include "sinew/constraint/rows/loop_forces.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "constraint/rows/frame_pair.hpp"
#include "constraint/rows/nearest_pose.hpp"

namespace sinew {
namespace {

void check_nodes(const char* call, const LoopEntry& loop, const VelocityWorkspace<double>& motion) {
  for (const int node : {loop.node_a, loop.node_b}) check_index(call, "node", node, motion.v.size());
}
FramePair frames_of(const LoopEntry& l) { return {l.node_a, l.node_b, l.in_a, l.in_b}; }

JointComplements<double> forces_at(const Joint& joint, const Transform<double>& X, double* q) {
  JointComplements<double> out;
  find_nearest_pose(joint, X, q);
  visit_primitive(joint.kind, [&](auto kind) { kind.complements(joint.parameter, q, out); });
  return out;
}

// A force on a node, given to the first body that is fixed to it.
void add_to_body(const Model& m, int node, const Force<double>& f, const Out<Force<double>>& external) {
  for (std::size_t b = 0; b < m.bodies().size(); ++b)
    if (m.bodies()[b].node == node) {
      external[b] += apply(m.bodies()[b].in_node, f);
      return;
    }
}

// active_at(X, T_a) gives T_a in F_s where X is F_s <- F_p.
template <class ActiveAt>
void add_active_force(const Model& model, const LoopEntry& loop, const VelocityWorkspace<double>& motion,
                      const In<double>& tau, const Out<Force<double>>& external, const ActiveAt& active_at) {
  motion.kinematics.made_for.check("add_loop_force", model);
  check_nodes("add_loop_force", loop, motion);
  check_size("add_loop_force", "tau", tau.size(), static_cast<std::size_t>(loop.joint.nv()));
  check_size("add_loop_force", "external", external.size(), model.bodies().size());
  const RelativeMotion m = calc_relative_motion(frames_of(loop), motion);
  ForceSubspace active;
  active_at(m.X, active);
  Force<double> f{};
  for (int j = 0; j < loop.joint.nv(); ++j) f += tau[j] * active[j];
  add_to_body(model, loop.node_b, apply_inverse(loop.in_b, f), external);
  add_to_body(model, loop.node_a, -apply_inverse(loop.in_a, apply_inverse(m.X, f)), external);  // [F08 8.28]
}

}  // namespace

LoopJointState get_loop_joint_state(const LoopEntry& loop, const VelocityWorkspace<double>& motion) {
  check_nodes("get_loop_joint_state", loop, motion);
  const RelativeMotion m = calc_relative_motion(frames_of(loop), motion);
  LoopJointState out;
  const JointComplements<double> force = forces_at(loop.joint, m.X, out.q.data());
  for (int j = 0; j < loop.joint.nv(); ++j) out.v[j] = dot(force.active[j], m.velocity());
  return out;
}

void add_loop_force(const Model& model, const LoopEntry& loop, const VelocityWorkspace<double>& motion, In<double> tau,
                    Out<Force<double>> external) {
  add_active_force(model, loop, motion, tau, external, [&](const Transform<double>& X, ForceSubspace& active) {
    double q[7];
    const JointComplements<double> force = forces_at(loop.joint, X, q);
    for (int j = 0; j < loop.joint.nv(); ++j) active.push_back(force.active[j]);
  });
}

void add_loop_force(const Model& model, const LoopEntry& loop, const VelocityWorkspace<double>& motion, In<double> tau,
                    const ForceSubspace& directions, DriveSide side, Out<Force<double>> external) {
  add_active_force(model, loop, motion, tau, external, [&](const Transform<double>& X, ForceSubspace& active) {
    double q[7];
    const double rest[kMaxJointDofs] = {};
    find_nearest_pose(loop.joint, X, q);
    JointMotion<double> joint;
    calc_joint(loop.joint, q, rest, 0, joint);
    MotionSubspace S;
    for (int j = 0; j < loop.joint.nv(); ++j) S.push_back(joint.S[j]);
    ForceSubspace in_b;
    for (const Force<double>& f : directions) in_b.push_back(side == DriveSide::on_a ? apply(X, f) : f);
    active = make_active_forces(S, in_b);
  });
}

SpringEffort calc_loop_spring(const LoopEntry& loop, const LoopJointState& state, const LoopSpring& spring) {
  if (loop.joint.nv() != 1)
    throw std::invalid_argument("loop '" + loop.name + "': a spring needs one freedom, a " +
                                std::string(to_string(loop.joint.kind)) + " joint has " +
                                std::to_string(loop.joint.nv()) + " (use add_loop_force)");
  double stretch = state.q[0] - spring.rest;
  if (loop.joint.kind == JointKind::revolute) stretch = std::remainder(stretch, 2 * std::numbers::pi);
  return {-spring.stiffness * stretch - spring.damping * state.v[0], spring.stiffness * stretch * stretch / 2};
}

}  // namespace sinew
