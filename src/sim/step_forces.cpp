// src/sim/step_forces.cpp
#include "step_forces.hpp"

#include <algorithm>

namespace sinew::stepping {

Forces::Forces(const Setting& s, Detection& seen, Rows& rows, Drives& drives)
    : flight(s.model, s.mechanism ? SingleBodies::as_roots : SingleBodies::spin_exactly),
      guess(s.model),
      set_(s),
      seen_(seen),
      rows_(rows),
      drives_(drives),
      fluid_(s.model) {}

void Forces::reserve(const State& s) {
  for (auto* x : {&joint_, &change_, &middle_, &turning_, &expected_}) x->resize(s.v.size());
  rates_.resize(at(set_.model.nv()));
  on_bodies_.reserve(set_.model.bodies().size());
}

void Forces::guess_middle(const State& s) {
  if (guesses()) guess.find_change(s, set_.options.dt, change_);
}

In<double> Forces::expect_velocity(const State& s) {
  if (!knows(s)) return {};
  for (std::size_t i = 0; i < s.v.size(); ++i) expected_[i] = s.v[i] + 2 * change_[i];
  return expected_;
}

void Forces::find(const Step& step) {
  const State& s = step.state;
  const In<double> q = set_.q_of_joints(s.q), v = set_.v_of_joints(s.v), middle = set_.v_of_joints(middle_);
  const Out<double> joint = set_.v_of_joints(joint_);
  std::copy(step.applied.begin(), step.applied.end(), joint_.begin());
  for (std::size_t i = 0; i < step.tau.size(); ++i) joint_[i] += step.tau[i];
  on_bodies_.assign(step.external.begin(), step.external.end());
  if (drives_.adheres()) drives_.hold_contacts(step.contacts, set_.options.overlap);
  seen_.find_joint_motion(s);
  const VelocityWorkspace<double>& motion = seen_.joint_motion();
  if (drives_.any()) drives_.add_forces(q, v, step.control, motion, joint, on_bodies_, s.activation);
  drives_.add_soft_rows(rows_.rows);
  fluid_.add_forces(motion, on_bodies_);
  for (std::size_t i = 0; i < middle_.size(); ++i) middle_[i] = s.v[i] + (guesses() ? change_[i] : 0);
  flight.begin(v, set_.v_of_joints(middle_), set_.options.dt);
  for (const delassus::Entry& e : set_.set.problem().entries()) flight.touch(e.node);
  touch(step.contacts);
  flight.add_forces(joint);
  std::copy(flight.turning().begin(), flight.turning().end(), turning_.begin());
  drives_.add_forces_of_twin(middle, flight.any() ? flight.turning() : In<double>(), joint);
}

bool Forces::update_limits(const Step& step, In<double> v_after) {
  return drives_.is_implicit() &&
         drives_.update_limits(set_.v_of_joints(step.state.v), set_.v_of_joints(v_after), set_.v_of_joints(joint_));
}

void Forces::touch(std::span<const ContactPoint> contacts) {
  for (const ContactPoint& c : contacts)
    for (const int node : {c.node_a, c.node_b}) flight.touch(set_.model.bodies()[at(set_.body_of_node[at(node)])].node);
}

void Forces::learn(const State& s, In<double> acceleration) {
  std::copy(acceleration.begin(), acceleration.end(), rates_.begin());
  flight.add_turning(set_.v_of_joints(s.v), rates_);
  if (guesses()) guess.learn(s, rates_);
}

}  // namespace sinew::stepping
