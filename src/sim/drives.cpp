// src/sim/drives.cpp
#include "sinew/sim/drives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/joint/armature.hpp"
#include "sinew/joint/quaternion_part.hpp"

namespace sinew {
namespace {

// Rotation vector of the unit quaternion at q; it is the same in both frames.
std::array<double, 3> rotation_vector(const double* q) {
  const double sign = q[0] < 0 ? -1 : 1, sine = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const double scale = sine > 0 ? sign * 2 * std::atan2(sine, sign * q[0]) / sine : 2;
  return {scale * q[1], scale * q[2], scale * q[3]};
}

}  // namespace

Drives::Drives(const Model& m, double dt) : model_(m), dt_(dt) {
  for (auto* x :
       {&spring_armature_, &damper_armature_, &actuator_armature_, &spring_force_, &damper_force_, &actuator_force_})
    x->resize(at(m.nv()));
  for (const Node& n : m.nodes()) {
    const bool turns = n.joint.kind == JointKind::spherical;
    for (int k = 0; k < n.nv; ++k) {
      const DofSpec& d = m.dofs()[n.v + k];
      if (d.stiffness == 0 && d.damping == 0) continue;
      if (d.stiffness != 0 && !turns && n.nq != n.nv)
        throw std::invalid_argument("Simulation: coordinate " + std::to_string(n.v + k) + " belongs to a " +
                                    std::string(to_string(n.joint.kind)) +
                                    " joint with a spring; springs act only on joints with one position coordinate "
                                    "per freedom, and on spherical joints; set its stiffness to zero");
      if (d.stiffness != 0 && turns && d.rest != 0)
        throw std::invalid_argument("Simulation: coordinate " + std::to_string(n.v + k) +
                                    " of a spherical joint has a spring with rest " + std::to_string(d.rest) +
                                    "; springs of spherical joints are at rest where the joint is not turned; set its "
                                    "rest to zero");
      springs_.push_back({at(turns ? n.q : n.q + k), at(n.v + k), d.stiffness, d.damping, d.rest, turns ? k : -1});
      spring_armature_[n.v + k] = dt * dt * d.stiffness, damper_armature_[n.v + k] = dt * d.damping;
    }
  }
  for (const ActuatorSpec& a : m.spec().actuators) {
    actuators_.push_back(make_actuator(a));
    const Actuator& made = actuators_.back();
    if (made.target == Target::number) actuator_armature_[made.v] += dt * made.damping + dt * dt * made.stiffness;
  }
  forces_.resize(actuators_.size());
  for (std::size_t k = 0; k < actuator_armature_.size(); ++k) implicit_ = implicit_ || added_armature(k) > 0;
}

Drives::Actuator Drives::make_actuator(const ActuatorSpec& spec) const {
  const auto refuse = [&](const std::string& why) {
    const std::string line = spec.where.line > 0 ? " (line " + std::to_string(spec.where.line) + ")" : "";
    throw std::invalid_argument("Simulation: actuator '" + spec.name + "'" + line + " " + why);
  };
  Actuator a;
  a.spec = &spec;
  if (spec.transmission == Transmission::site) {
    const auto frame = model_.find_frame(spec.target);
    if (!frame) refuse("acts on the site '" + spec.target + "', which the model does not have");
    a.target = Target::site, a.site = *frame;
    a.in_body = frame->in_node * inverse(model_.bodies()[frame->body].in_node);
    return a;
  }
  if (spec.transmission != Transmission::joint && spec.transmission != Transmission::joint_in_parent)
    refuse("acts on '" + spec.target +
           "' through a tendon, a crank or adhesion, which are not modelled; remove it, or "
           "drive joints or sites");
  const JointEntry* j = model_.find_joint(spec.target);
  if (!j) refuse("acts on the joint '" + spec.target + "', which the model does not have");
  a.q = at(j->q), a.v = at(j->v);
  if (j->kind == JointKind::spherical && spec.transmission == Transmission::joint) {
    a.target = Target::turn;
    return a;
  }
  if (j->nv != 1 || j->nq != 1)
    refuse("acts on the joint '" + spec.target + "', which has " + std::to_string(j->nv) +
           " velocity coordinates; drive joints of one coordinate, spherical joints or sites");
  // Only positive stiffness and damping are taken at the end of the step.
  const double gear = spec.gear[0];
  a.stiffness = std::max(0.0, -gear * gear * spec.bias[1]);
  a.damping = std::max(0.0, -gear * gear * spec.bias[2]);
  return a;
}

Model Drives::make_twin() const {
  std::vector<double> all(actuator_armature_.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = added_armature(k);
  return with_armature(model_, all);
}

double Drives::calc_force(const Actuator& a, double control, double length, double speed) const {
  const ActuatorSpec& s = *a.spec;
  const double u = std::clamp(control, s.control_lower, s.control_upper);
  const double force =
      (s.gain[0] + s.gain[1] * length + s.gain[2] * speed) * u + s.bias[0] + s.bias[1] * length + s.bias[2] * speed;
  return std::clamp(force, s.force_lower, s.force_upper);
}

void Drives::add_forces(In<double> q, In<double> v, In<double> control, const VelocityWorkspace<double>& motion,
                        Out<double> tau, std::vector<Force<double>>& external) {
  const char* call = "Drives";
  motion.kinematics.made_for.check(call, model_, "motion");
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "control", control.size(), actuators_.size());
  check_size(call, "tau", tau.size(), at(model_.nv()));
  if (!external.empty()) check_size(call, "external", external.size(), model_.bodies().size());
  for (auto* x : {&spring_force_, &damper_force_, &actuator_force_}) std::fill(x->begin(), x->end(), 0.0);
  for (const Spring& s : springs_) {
    double stretch = 0;
    if (s.axis < 0) {
      stretch = q[s.q] - s.rest;
    } else {
      stretch = rotation_vector(q.data() + s.q)[s.axis];
    }
    spring_force_[s.v] = -s.stiffness * (stretch + dt_ * v[s.v]);
    damper_force_[s.v] = -s.damping * v[s.v];
  }
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Actuator& a = actuators_[i];
    const auto& gear = a.spec->gear;
    if (a.target == Target::number) {
      const double force = calc_force(a, control[i], gear[0] * q[a.q], gear[0] * v[a.v]);
      const bool limited = force <= a.spec->force_lower || force >= a.spec->force_upper;
      actuator_force_[a.v] += gear[0] * force - (limited ? 0 : dt_ * a.stiffness * v[a.v]);
      forces_[i] = force;
    } else if (a.target == Target::turn) {
      const std::array<double, 3> turn = rotation_vector(q.data() + a.q);
      double length = 0, speed = 0;
      for (std::size_t k = 0; k < 3; ++k) length += gear[k] * turn[k], speed += gear[k] * v[a.v + k];
      forces_[i] = calc_force(a, control[i], length, speed);
      for (std::size_t k = 0; k < 3; ++k) actuator_force_[a.v + k] += gear[k] * forces_[i];
    } else {
      const Force<double> along{{gear[3], gear[4], gear[5]}, {gear[0], gear[1], gear[2]}};
      const Motion<double> moves = get_velocity(motion, a.site, ReferenceFrame::body);
      forces_[i] = calc_force(a, control[i], 0, dot(along, moves));
      external.resize(model_.bodies().size());
      external[a.site.body] += apply_inverse(a.in_body, forces_[i] * along);
    }
  }
  for (std::size_t k = 0; k < tau.size(); ++k) {
    const double most = model_.dofs()[k].max_effort;
    actuator_force_[k] = std::clamp(actuator_force_[k], -most, most);
    tau[k] += spring_force_[k] + damper_force_[k] + actuator_force_[k];
  }
}

void Drives::add_forces_of_twin(In<double> v, In<double> turning, Out<double> tau) const {
  check_size("Drives", "v", v.size(), at(model_.nv()));
  if (turning.size() != 0) check_size("Drives", "turning", turning.size(), at(model_.nv()));
  check_size("Drives", "tau", tau.size(), at(model_.nv()));
  if (!implicit_) return;
  for (const Node& n : model_.nodes()) {
    double E[kMaxJointDofs], b[kMaxJointDofs];
    for (int k = 0; k < n.nv; ++k) E[k] = added_armature(at(n.v + k));
    if (!has_armature_bias(n.joint.kind, E)) continue;
    calc_armature_bias(n.joint.kind, E, v, n.v, b);
    for (int k = 0; k < n.nv; ++k) tau[n.v + k] += b[k] - (turning.size() == 0 ? 0 : E[k] * turning[n.v + k]);
  }
}

DriveWork Drives::calc_power(In<double> v) const {
  check_size("Drives", "v", v.size(), at(model_.nv()));
  DriveWork w;
  for (std::size_t k = 0; k < v.size(); ++k) {
    w.springs += spring_force_[k] * v[k], w.dampers += damper_force_[k] * v[k];
    w.actuators += actuator_force_[k] * v[k];
  }
  return w;
}

DriveWork Drives::calc_work(In<double> v, In<double> v_after) const {
  check_size("Drives", "v", v.size(), at(model_.nv()));
  check_size("Drives", "v_after", v_after.size(), at(model_.nv()));
  DriveWork w;
  for (std::size_t k = 0; k < v.size(); ++k) {
    const double change = v_after[k] - v[k], mean = (v[k] + v_after[k]) / 2;
    w.springs += (dt_ * spring_force_[k] - spring_armature_[k] * change) * mean;
    w.dampers += (dt_ * damper_force_[k] - damper_armature_[k] * change) * mean;
    w.actuators += (dt_ * actuator_force_[k] - actuator_armature_[k] * change) * mean;
  }
  return w;
}

}  // namespace sinew
