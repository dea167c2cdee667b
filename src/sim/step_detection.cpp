// src/sim/step_detection.cpp
#include "step_detection.hpp"

#include <limits>

namespace sinew::stepping {

Detection::Detection(const Setting& s) : set_(s), motion_(s.view), end_motion_(s.view) {
  if (s.has_other_view()) joint_motion_.emplace(s.model);
}

void Detection::reserve(const State& s, std::size_t contacts) {
  end_contacts_.reserve(contacts);
  left_ = s;
  forget();
}

void Detection::forget() { left_.time = std::numeric_limits<double>::quiet_NaN(); }

void Detection::find(const Step& step) {
  State& s = step.state;
  if (left_.time == s.time && left_.q == s.q && left_.v == s.v) {
    std::swap(step.contacts, end_contacts_);
    std::swap(motion_, end_motion_);
  } else {
    if (set_.mechanism) set_.mechanism->settle(s.q, s.v, s.time);
    move_to(s.q, s.v, s.time);
    step.shapes.find_within(motion_, set_.options.look_ahead ? set_.options.dt : 0, step.contacts);
  }
  forget();
}

void Detection::find_at_end(In<double> q, In<double> v, const Step& step) {
  set_.calc_motion(q, v, step.state.time + set_.options.dt, end_motion_);
  step.shapes.find_within(end_motion_, set_.options.look_ahead ? set_.options.dt : 0, end_contacts_);
}

void Detection::find_joint_motion(const State& s) {
  if (joint_motion_) calc_velocities(set_.model, *joint_motion_, set_.q_of_joints(s.q), set_.v_of_joints(s.v), s.time);
}

}  // namespace sinew::stepping
