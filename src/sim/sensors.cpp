// src/sim/sensors.cpp
#include "sinew/sim/sensors.hpp"

#include <stdexcept>
#include <string>

namespace sinew {
namespace {
void refuse_if_bending(bool bends, const char* what) {
  if (bends)
    throw std::invalid_argument(std::string("Sensors: the ") + what +
                                " of a place is not known where bodies bend; read bodies by "
                                "Stepper::calc_body_motions, and contact forces by Stepper::contact_force");
}
}  // namespace

Sensors::Sensors(const Model& m) : model_(m), motion_(m), state_(make_state(m)), node_forces_(m.nodes().size()) {
  actuator_forces_.resize(m.spec().actuators.size());
}

void Sensors::update(const Stepper& s) {
  motion_.kinematics.made_for.check("Sensors::update", s.model(), "Sensors");
  state_ = s.state;
  std::copy(s.actuator_forces().begin(), s.actuator_forces().end(), actuator_forces_.begin());
  bends_ = !s.extra_coordinates().empty();
  if (bends_) return;
  calc_accelerations(model_, motion_, state_.q, state_.v, s.acceleration(), state_.time);
  std::fill(node_forces_.begin(), node_forces_.end(), Force<double>{});
  for (std::size_t c = 0; c < s.contacts().size(); ++c) {
    const ContactPoint& p = s.contacts()[c];
    const Vec3<double> f = s.contact_force(c);
    const Force<double> force{cross(p.point, f), f};
    node_forces_[p.node_a] += force, node_forces_[p.node_b] -= force;
  }
}

const JointEntry& Sensors::find_joint(int joint) const {
  if (joint < 0 || at(joint) >= model_.joints().size())
    throw std::invalid_argument("Sensors: there is no joint " + std::to_string(joint) + "; the model has " +
                                std::to_string(model_.joints().size()));
  const JointEntry& j = model_.joints()[joint];
  if (j.nq != 1 || j.nv != 1)
    throw std::invalid_argument("Sensors: joint '" + j.name + "' has " + std::to_string(j.nv) +
                                " coordinates; read its bodies, or the state");
  return j;
}
double Sensors::joint_position(int joint) const { return state_.q[find_joint(joint).q]; }
double Sensors::joint_velocity(int joint) const { return state_.v[find_joint(joint).v]; }

Transform<double> Sensors::pose(const Place& p) const {
  refuse_if_bending(bends_, "pose");
  check_index("Sensors", "node", p.node, node_forces_.size());
  return p.in_node * motion_.kinematics.X[p.node];
}
Motion<double> Sensors::velocity(const Place& p, ReferenceFrame reference) const {
  refuse_if_bending(bends_, "velocity");
  return get_velocity(motion_, p, reference);
}

ImuReading Sensors::imu(const Place& p) const {
  const Transform<double> X = pose(p);
  const Vec3<double> proper = get_point_acceleration(motion_, p) - model_.gravity();
  return {get_velocity(motion_, p, ReferenceFrame::body).ang, apply(X.E, proper)};
}

double Sensors::actuator_force(int actuator) const {
  check_index("Sensors", "actuator", actuator, actuator_forces_.size());
  return actuator_forces_[actuator];
}

Force<double> Sensors::contact_force(int body) const {
  check_index("Sensors", "body", body, model_.bodies().size());
  const BodyEntry& b = model_.bodies()[body];
  const Force<double>& f = node_forces_[b.node];
  return {f.ang - cross(pose(b).r, f.lin), f.lin};
}

}  // namespace sinew
