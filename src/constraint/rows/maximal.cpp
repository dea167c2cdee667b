// src/constraint/rows/maximal.cpp
#include "sinew/constraint/rows/maximal.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "sinew/spatial/orientation.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {
namespace {

[[noreturn]] void refuse(const JointSpec& j, const std::string& why) {
  throw std::invalid_argument("make_maximal: joint '" + j.name + "' " + why);
}

LoopSpec to_loop(const JointSpec& j) {
  if (j.kind == JointKind::composite || j.kind == JointKind::prescribed || j.kind == JointKind::user)
    refuse(j, "is " + std::string(to_string(j.kind)) + ", which cannot be a loop; use a primitive kind");
  for (const DofSpec& d : j.dofs)
    if (d.armature != 0) refuse(j, "has armature, which maximal coordinates cannot carry; set it to zero");
  LoopSpec l;
  l.name = j.name, l.kind = j.kind, l.where = j.where;
  l.axis = j.axis, l.axis2 = j.axis2, l.pitch = j.pitch, l.radius = j.radius;
  l.body_a = j.parent, l.pose_a = j.placement;
  l.body_b = j.child, l.pose_b = j.child_placement;
  if (j.reversed) std::swap(l.body_a, l.body_b), std::swap(l.pose_a, l.pose_b);
  return l;
}

// Coordinates of a free joint from the world to a body.
std::vector<double> free_coordinates(const Transform<double>& pose) {
  const Quaternion<double> turn = to_quaternion(pose.E);
  return {turn.w, turn.x, turn.y, turn.z, pose.r.x, pose.r.y, pose.r.z};
}

}  // namespace

ModelSpec make_maximal(const Model& tree) {
  const ModelSpec& spec = tree.spec();
  ModelSpec twin = spec;
  twin.joints.clear(), twin.couplings.clear(), twin.actuators.clear(), twin.keyframes.clear();
  twin.tendons.clear(), twin.tendon_couplings.clear();
  KinematicsWorkspace<double> ws(tree);
  calc_kinematics(tree, ws, tree.neutral());
  for (const JointSpec& j : spec.joints) {
    JointSpec free;
    free.name = j.child + " floats", free.parent = spec.world, free.child = j.child, free.kind = JointKind::free;
    free.neutral = free_coordinates(get_body_pose(tree, ws, *tree.find_body(j.child)));
    twin.joints.push_back(free);
    if (j.kind == JointKind::free && j.parent == spec.world) continue;
    twin.loops.push_back(to_loop(j));
    if (j.parent != spec.world) twin.exclusions.push_back({j.parent, j.child, {}});
  }
  return twin;
}

State to_maximal_state(const Model& tree, const Model& twin, const State& state) {
  check_size("to_maximal_state", "the twin", twin.bodies().size(), tree.bodies().size());
  check_size("to_maximal_state", "v of the twin", at(twin.nv()), 6 * (tree.bodies().size() - 1));
  VelocityWorkspace<double> ws(tree);
  calc_velocities(tree, ws, state.q, state.v, state.time);
  State out = make_state(twin);
  out.time = state.time;
  for (const JointEntry& j : twin.joints()) {
    const int body = *tree.find_body(twin.bodies()[j.child].name);
    const BodyEntry& b = tree.bodies()[body];
    const std::vector<double> q = free_coordinates(get_body_pose(tree, ws.kinematics, body));
    const Motion<double> v = get_velocity(ws, b, ReferenceFrame::body);
    std::copy(q.begin(), q.end(), out.q.begin() + j.q);
    const double twist[] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
    std::copy(std::begin(twist), std::end(twist), out.v.begin() + j.v);
  }
  return out;
}

}  // namespace sinew
