// src/sim/step_movement.cpp
#include "step_movement.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sinew::stepping {
namespace {

int index_of_non_finite(In<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return static_cast<int>(i);
  return -1;
}

// The body that a coordinate moves, or the name of an extra coordinate.
std::string body_of(const Setting& s, int index, bool of_position) {
  const Model& m = s.model;
  for (const JointEntry& j : m.joints()) {
    const int first = of_position ? j.q : j.v, count = of_position ? j.nq : j.nv;
    if (index >= first && index < first + count) return "body '" + m.bodies()[j.child].name + "'";
  }
  const int beyond = index - (of_position ? m.nq() : m.nv());
  if (beyond >= 0 && beyond < static_cast<int>(s.extra.size())) return s.extra[at(beyond)];
  return "coordinate " + std::to_string(index);
}

}  // namespace

Movement::Movement(const Setting& s, Forces& forces, Rows& rows) : set_(s), forces_(forces), rows_(rows) {}

void Movement::reserve(const State& s) {
  for (auto* x : {&q_, &moved_q_}) x->resize(s.q.size());
  for (auto* x : {&v_, &moved_v_}) x->resize(s.v.size());
  back_.reserve(s.v.size()), late_.reserve(s.v.size());
}

void Movement::move_back(const State& s) {
  const FreeFlight& flight = forces_.flight;
  for (std::size_t i = 0; i < back_.size(); ++i) moved_v_[i] = -back_[i];
  std::copy(q_.begin(), q_.end(), moved_q_.begin());
  flight.turn(set_.q_of_joints(s.q), set_.q_of_joints(moved_q_), set_.v_of_joints(moved_v_));
  flight.shift(set_.q_of_joints(moved_q_), set_.v_of_joints(moved_v_), set_.q_of_joints(q_));
  std::copy(v_.begin(), v_.end(), moved_v_.begin());
  flight.turn(set_.q_of_joints(moved_q_), set_.q_of_joints(q_), set_.v_of_joints(v_));
  // What met nothing keeps its bits.
  for (const Node& n : set_.model.nodes()) {
    if (std::any_of(back_.begin() + n.v, back_.begin() + n.v + n.nv, [](double x) { return x != 0; })) continue;
    std::copy_n(moved_q_.begin() + n.q, n.nq, q_.begin() + n.q);
    std::copy_n(moved_v_.begin() + n.v, n.nv, v_.begin() + n.v);
  }
  for (std::size_t k = at(set_.model.nq()), e = at(set_.model.nv()); k < q_.size(); ++k, ++e) q_[k] -= back_[e];
}

bool Movement::run(const Step& step, const ContactAnswer& answer) {
  const State& s = step.state;
  const double dt = set_.options.dt;
  FreeFlight& flight = forces_.flight;
  forces_.touch(step.contacts);
  for (const JointRow& r : rows_.rows)
    if (!r.of_contact)
      for (const int node : r.forces.nodes) flight.touch(node);
  const In<double> v = set_.v_of_joints(answer.v);
  flight.move(set_.q_of_joints(s.q), v, set_.q_of_joints(q_), set_.v_of_joints(v_));
  // What does not move keeps its bits: turning by nothing may round a quaternion.
  const auto is_still = [](const Node& n, In<double> x) {
    return std::all_of(x.begin() + n.v, x.begin() + n.v + n.nv, [](double y) { return y == 0; });
  };
  for (const Node& n : set_.model.nodes())
    if (is_still(n, v) && is_still(n, set_.v_of_joints(s.v))) std::copy_n(s.q.begin() + n.q, n.nq, q_.begin() + n.q);
  step.mocap.end_step(set_.q_of_joints(s.q), dt, set_.q_of_joints(q_));
  if (set_.mechanism) set_.mechanism->move_extra(s.q, answer.v, dt, q_, v_);
  if (!back_.empty()) move_back(s);
  check_finite(step, answer.certificate);
  if (set_.mechanism) set_.mechanism->settle(q_, v_, s.time + dt);
  return rows_.add_passed(step, set_.q_of_joints(q_), v);
}

void Movement::check_finite(const Step& step, const lcp::Certificate& c) const {
  const int bad_v = index_of_non_finite(v_), bad_q = index_of_non_finite(q_);
  if (bad_v < 0 && bad_q < 0) return;
  const State& s = step.state;
  std::string cause = "the contact problem was " + std::string(to_string(c.status));
  if (const int i = index_of_non_finite(step.control); i >= 0)
    cause = "the control of actuator '" + set_.model.spec().actuators[i].name + "' is not finite";
  else if (const int k = index_of_non_finite(forces_.joint()); k >= 0)
    cause = "the force on " + body_of(set_, k, false) + " is not finite";
  else if (index_of_non_finite(s.v) >= 0 || index_of_non_finite(s.q) >= 0)
    cause = "the state before the step was not finite";
  throw std::runtime_error("Simulation: step " + std::to_string(step.totals.steps + 1) +
                           " at t = " + std::to_string(s.time) + " s gave a number that is not finite, at " +
                           (bad_v >= 0 ? body_of(set_, bad_v, false) : body_of(set_, bad_q, true)) + ": " + cause +
                           "; the state is that before the step");
}

}  // namespace sinew::stepping
