// src/sim/mocap.cpp
#include "sinew/sim/mocap.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/joint/mocap.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {

MocapBodies::MocapBodies(const Model& m) : nq_(at(m.nq())), all_(m.bodies().size()) {
  for (std::size_t k = 0; k < m.joints().size(); ++k) {
    const JointEntry& j = m.joints()[k];
    if (j.kind != JointKind::user || m.spec().joints[k].user != get_mocap_joint()) continue;
    const BodyEntry& body = m.bodies()[at(j.child)];
    const Node& node = m.nodes()[at(body.node)];
    if (node.parent != 0 || m.spec().joints[k].reversed)
      throw std::invalid_argument("MocapBodies: joint '" + j.name + "' must lead from the world to the mocap body");
    bodies_.push_back(j.child);
    list_.push_back({j.q, node.placement, body.in_node, false, {}});
  }
}

std::size_t MocapBodies::find(const char* call, int body, const Transform<double>& pose) const {
  check_index(call, "body", body, all_);
  const auto found = std::find(bodies_.begin(), bodies_.end(), body);
  if (found == bodies_.end())
    throw std::invalid_argument(std::string(call) + ": body " + std::to_string(body) + " is not a mocap body");
  const Quaternion<double> turn = to_quaternion(pose.E);
  if (!std::isfinite(norm(pose.r)) || !std::isfinite(turn.w + turn.x + turn.y + turn.z))
    throw std::invalid_argument(std::string(call) + ": the pose of body " + std::to_string(body) + " is not finite");
  return static_cast<std::size_t>(found - bodies_.begin());
}

std::array<double, 7> MocapBodies::find_coordinates(const Body& b, const Transform<double>& pose) const {
  const Transform<double> X = inverse(b.after) * (pose * inverse(b.before));
  const Quaternion<double> turn = to_quaternion(X.E);
  return {turn.w, turn.x, turn.y, turn.z, X.r.x, X.r.y, X.r.z};
}

void MocapBodies::move(int body, const Transform<double>& pose) {
  Body& b = list_[find("MocapBodies::move", body, pose)];
  b.target = find_coordinates(b, pose);
  b.told = true;
}

void MocapBodies::place(State& s, int body, const Transform<double>& pose) const {
  const Body& b = list_[find("MocapBodies::place", body, pose)];
  check_size("MocapBodies::place", "q of the state", s.q.size(), nq_);
  double* q = s.q.data() + b.q;
  const std::array<double, 7> there = find_coordinates(b, pose);
  std::copy(there.begin(), there.end(), q);
  std::fill(q + MocapJoint::kVelocity, q + MocapJoint::kNq, 0.0);
}

bool MocapBodies::moves() const {
  return std::any_of(list_.begin(), list_.end(), [](const Body& b) { return b.told; });
}

void MocapBodies::begin_step(Out<double> q, double dt) {
  check_size("MocapBodies::begin_step", "q", q.size(), nq_);
  for (const Body& b : list_) {
    double *at_q = q.data() + b.q, *velocity = at_q + MocapJoint::kVelocity, *rate = at_q + MocapJoint::kRate;
    std::array<double, 6> change{};
    if (b.told) FreeJoint::difference(at_q, b.target.data(), change.data());
    for (std::size_t k = 0; k < 6; ++k) {
      const double next = change[k] / dt;
      rate[k] = (next - velocity[k]) / dt, velocity[k] = next;
    }
  }
}

void MocapBodies::end_step(In<double> q, double dt, Out<double> next_q) const {
  check_size("MocapBodies::end_step", "q", q.size(), nq_);
  check_size("MocapBodies::end_step", "next_q", next_q.size(), nq_);
  for (const Body& b : list_) {
    const double* from = q.data() + b.q;
    std::array<double, 6> change{};
    for (std::size_t k = 0; k < 6; ++k) change[k] = dt * from[MocapJoint::kVelocity + k];
    std::copy_n(from, MocapJoint::kNq, next_q.data() + b.q);
    FreeJoint::integrate(from, change.data(), next_q.data() + b.q);
  }
}

void MocapBodies::forget() {
  for (Body& b : list_) b.told = false;
}

}  // namespace sinew
