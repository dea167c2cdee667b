// src/sim/step_account.cpp
#include "step_account.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::stepping {

Account::Account(const Setting& s, Detection& seen, const Rows& rows, Forces& forces, const Movement& movement,
                 Solution& solution, const Drives& drives)
    : set_(s), seen_(seen), rows_(rows), forces_(forces), movement_(movement), solution_(solution), drives_(drives) {}

void Account::reserve(std::size_t contacts, std::size_t rows) {
  impulses.reserve(3 * contacts);
  for (auto* x : {&row_impulses, &row_velocities}) x->reserve(rows);
  loop_impulses.reserve(at(set_.set.rows()));
}

void Account::clear_rows() {
  for (auto* x : {&row_impulses, &row_velocities, &loop_impulses}) x->clear();
}

void Account::calc_contact_forces(std::span<const ContactPoint> contacts, std::vector<Vec3<double>>& forces) const {
  forces.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double* p = impulses.data() + 3 * c;
    forces.push_back((1 / set_.options.dt) * to_world(contacts[c].normal, p[0], p[1], p[2]));
  }
}

void Account::run(const Step& step) {
  const ContactAnswer& a = solution_.answer();
  const std::vector<ContactPoint>& contacts = step.contacts;
  StepReport& r = step.report;
  r.contacts = static_cast<int>(contacts.size()), r.joint_rows = static_cast<int>(rows_.rows.size());
  r.size = a.costs.size, r.solver = a.certificate.solver, r.status = a.certificate.status;
  r.drift = set_.mechanism ? set_.mechanism->position_error() : a.drift;
  impulses.assign(a.contact.begin(), a.contact.end());
  calc_contact_forces(contacts, step.contact_forces);
  row_impulses.assign(a.joints.begin(), a.joints.end());
  row_velocities.assign(a.joint_velocity.begin(), a.joint_velocity.end());
  loop_impulses.assign(a.loops.begin(), a.loops.end());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double* p = impulses.data() + 3 * c;
    r.complementarity = std::max(r.complementarity, std::abs(p[0] * (a.velocity[3 * c] + rows_.bias()[c])));
    r.cone = std::max(r.cone, std::sqrt(p[1] * p[1] + p[2] * p[2]) - contacts[c].friction * p[0]);
  }
  r.impulse.contacts += calc_world_impulse(solution_.contacts(), impulses);
  if (!movement_.late().empty()) add_late_moments(step);
  r.impulse.contacts.ang += solution_.spin.calc_world_impulse(contacts, a);
  solution_.spin.learn(contacts, impulses);
  weigh(step);
  for (const ContactPoint& c : seen_.end_contacts()) r.penetration = std::max(r.penetration, -c.gap);
  r.violation = rows_.calc_violation(set_.q_of_joints(movement_.q()));
  work(step);
}

// [m s] Sum over the step of how much later a single body is on its path because of impacts, along the axes of the
// world.
Vec3<double> Account::calc_late(int node, const Step& step) const {
  if (movement_.late().empty() || set_.has_other_view()) return {};
  return forces_.flight.calc_way(node, set_.q_of_joints(step.state.q), set_.v_of_joints(movement_.late()));
}

// Of contact impulses on bodies that are later on their paths.
void Account::add_late_moments(const Step& step) {
  for (std::size_t c = 0; c < step.contacts.size(); ++c) {
    const double* p = impulses.data() + 3 * c;
    const Vec3<double> impulse = to_world(step.contacts[c].normal, p[0], p[1], p[2]);
    const auto late = [&](int node) {
      return calc_late(set_.model.bodies()[at(set_.body_of_node[at(node)])].node, step);
    };
    const Vec3<double> apart = late(step.contacts[c].node_b) - late(step.contacts[c].node_a);
    step.report.impulse.contacts.ang += (1 / set_.options.dt) * cross(apart, impulse);
  }
}

// Impulse of gravity: at the start, or half way along a parabola.
void Account::weigh(const Step& step) {
  const double dt = set_.options.dt;
  Force<double>& weight = step.report.impulse.weight;
  if (set_.has_other_view()) {
    weight = dt * set_.mechanism->weight(step.state.q, step.state.time);
    return;
  }
  for (std::size_t i = 1; i < set_.model.nodes().size(); ++i) {
    const auto& inertia = set_.model.nodes()[i].inertia;
    const auto moment = [&](const VelocityWorkspace<double>& motion) {
      const Transform<double>& X = motion.kinematics.X[i];
      return inertia.m * X.r + apply_inverse(X.E, inertia.h);
    };
    Vec3<double> h = moment(seen_.motion());
    if (forces_.flight.fell(static_cast<int>(i))) h = 0.5 * (h + moment(seen_.end_motion()));
    h += (-inertia.m / dt) * calc_late(static_cast<int>(i), step);
    const Vec3<double> pull = dt * set_.model.gravity();
    weight += Force<double>{cross(h, pull), inertia.m * pull};
  }
}

// Work of every force, accelerations, and impulses of forces on bodies.
void Account::work(const Step& step) {
  const double dt = set_.options.dt;
  const ContactAnswer& a = solution_.answer();
  const State& s = step.state;
  StepReport& r = step.report;
  const DriveWork drives = drives_.calc_work(set_.v_of_joints(s.v), set_.v_of_joints(a.v));
  r.work.actuators = drives.actuators, r.work.springs = drives.springs, r.work.dampers = drives.dampers;
  if (set_.mechanism) r.work.dampers += set_.mechanism->calc_damping_work(s.v, a.v);
  r.work.contact_normal = a.work.normal, r.work.contact_friction = a.work.friction, r.work.loops = a.work.loops;
  r.work.stops = a.work.stops, r.work.joint_friction = a.work.joint_friction;
  for (std::size_t i = 0; i < step.applied.size(); ++i) {
    const double force = step.tau.size() == 0 ? step.applied[i] : step.applied[i] + step.tau[i];
    r.work.applied += dt * force * (s.v[i] + a.v[i]) / 2;
    step.acceleration[i] = (a.v[i] - s.v[i]) / dt;
  }
  forces_.flight.turn_acceleration(set_.q_of_joints(s.q), set_.v_of_joints(s.v), set_.q_of_joints(movement_.q()),
                                   set_.v_of_joints(movement_.v()), step.acceleration);
  const std::vector<Force<double>>& external = forces_.on_bodies();
  if (external.empty()) return;
  const auto power = [&](const VelocityWorkspace<double>& motion) {
    double sum = 0;
    for (std::size_t b = 1; b < external.size(); ++b)
      sum += dot(external[b], get_velocity(motion, set_.view.bodies()[at(set_.view_body[b])], ReferenceFrame::body));
    return sum;
  };
  for (std::size_t b = 1; b < external.size(); ++b) {
    const Force<double> f =
        dt * apply_inverse(get_body_pose(set_.view, seen_.motion().kinematics, set_.view_body[b]), external[b]);
    r.impulse.external += f;
    r.impulse.external.ang += (-1 / dt) * cross(calc_late(set_.model.bodies()[b].node, step), f.lin);
  }
  r.work.external = dt / 2 * power(seen_.motion());
  seen_.move_to(s.q, a.v, s.time);
  r.work.external += dt / 2 * power(seen_.motion());
}

}  // namespace sinew::stepping
