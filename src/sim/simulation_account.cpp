// src/sim/simulation_account.cpp - where energy and momentum of a step went
#include <algorithm>
#include <cmath>

#include "sinew/contact/contact_rows.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew {

// Impulse of contacts with the world on the mechanism.
Force<double> Simulation::calc_world_impulse(std::span<const ContactPoint> contacts, In<double> impulses) const {
  Force<double> sum{};
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (contacts[c].node_a != 0 && contacts[c].node_b != 0) continue;
    const double* p = impulses.data() + 3 * c;
    const Vec3<double> on_a = to_world(contacts[c].normal, p[0], p[1], p[2]);
    const Vec3<double> impulse = contacts[c].node_b == 0 ? on_a : -on_a;
    sum += Force<double>{cross(contacts[c].point, impulse), impulse};
  }
  return sum;
}

void Simulation::account(In<double> tau) {
  const double dt = options_.dt;
  StepReport& r = report_;
  const ContactAnswer& a = *answer_;
  r.contacts = static_cast<int>(contacts_.size()), r.joint_rows = static_cast<int>(rows_.size());
  r.size = a.costs.size, r.solver = a.certificate.solver, r.status = a.certificate.status;
  r.drift = mechanism_ ? mechanism_->position_error() : a.drift;
  impulses_.assign(a.contact.begin(), a.contact.end());
  calc_contact_forces();
  row_impulses_.assign(a.joints.begin(), a.joints.end());
  row_velocities_.assign(a.joint_velocity.begin(), a.joint_velocity.end());
  loop_impulses_.assign(a.loops.begin(), a.loops.end());
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double* p = impulses_.data() + 3 * c;
    r.complementarity = std::max(r.complementarity, std::abs(p[0] * (a.velocity[3 * c] + bias_[c])));
    r.cone = std::max(r.cone, std::sqrt(p[1] * p[1] + p[2] * p[2]) - contacts_[c].friction * p[0]);
  }
  r.impulse.contacts += calc_world_impulse(contacts_, impulses_);
  r.impulse.contacts.ang += spin_.calc_world_impulse(contacts_, a);
  spin_.learn(contacts_, impulses_);
  const bool other_view = &view() != &model_;
  if (other_view) r.impulse.weight = dt * mechanism_->weight(state.q, state.time);
  for (std::size_t i = 1; i < model_.nodes().size() && !other_view; ++i) {
    const auto& inertia = model_.nodes()[i].inertia;
    const Transform<double>& X = motion_.kinematics.X[i];
    const Vec3<double> pull = dt * model_.gravity(), h = inertia.m * X.r + apply_inverse(X.E, inertia.h);
    r.impulse.weight += Force<double>{cross(h, pull), inertia.m * pull};
  }
  for (const ContactPoint& c : next_contacts_) r.penetration = std::max(r.penetration, -c.gap);
  int coordinate = 0;
  r.violation = std::max(
      limits_.calc_violation(q_of_joints(next_q_), coordinate),
      drives_.calc_violation((joint_motion_ ? *joint_motion_ : next_motion_).kinematics, q_of_joints(next_q_)));

  const DriveWork drives = drives_.calc_work(v_of_joints(state.v), v_of_joints(a.v));
  r.work.actuators = drives.actuators, r.work.springs = drives.springs, r.work.dampers = drives.dampers;
  if (mechanism_) r.work.dampers += mechanism_->calc_damping_work(state.v, a.v);
  r.work.contact_normal = a.work.normal, r.work.contact_friction = a.work.friction, r.work.loops = a.work.loops;
  r.work.stops = a.work.stops, r.work.joint_friction = a.work.joint_friction;
  for (std::size_t i = 0; i < applied.size(); ++i) {
    const double force = tau.size() == 0 ? applied[i] : applied[i] + tau[i];
    r.work.applied += dt * force * (state.v[i] + a.v[i]) / 2;
    acceleration_[i] = (a.v[i] - state.v[i]) / dt;
  }
  flight_.turn_acceleration(q_of_joints(state.q), v_of_joints(state.v), q_of_joints(next_q_), v_of_joints(next_v_),
                            acceleration_);
  if (all_external_.empty()) return;
  const auto power = [&](const VelocityWorkspace<double>& motion) {
    double sum = 0;
    for (std::size_t b = 1; b < all_external_.size(); ++b)
      sum += dot(all_external_[b], get_velocity(motion, view().bodies()[at(view_body_[b])], ReferenceFrame::body));
    return sum;
  };
  for (std::size_t b = 1; b < all_external_.size(); ++b)
    r.impulse.external +=
        dt * apply_inverse(get_body_pose(view(), motion_.kinematics, view_body_[b]), all_external_[b]);
  r.work.external = dt / 2 * power(motion_);
  calc_motion(state.q, a.v, state.time, motion_);
  r.work.external += dt / 2 * power(motion_);
}

}  // namespace sinew
