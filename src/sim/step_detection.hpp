// src/sim/step_detection.hpp - first phase of a step: poses, velocities and contacts, at its start and at its end
#pragma once
#include <optional>

#include "step_setting.hpp"

namespace sinew::stepping {

class Detection {
 public:
  explicit Detection(const Setting&);
  void reserve(const State&, std::size_t contacts);

  // Contacts at the state of the step, and the motion there. Those that the last step found there are used again.
  void find(const Step&);
  // Contacts where the step would end, into end_contacts.
  void find_at_end(In<double> q, In<double> v, const Step&);
  void keep(const State& s) { left_ = s; }  // the step ended here
  void forget();                            // find them again in the next step
  void clear() { forget(), end_contacts_.clear(); }

  // Of the view at the start: after find, or the last move_to.
  const VelocityWorkspace<double>& motion() const { return motion_; }
  void move_to(In<double> q, In<double> v, double time) { set_.calc_motion(q, v, time, motion_); }
  // Of the model at the start: after find_joint_motion where the view is another model.
  const VelocityWorkspace<double>& joint_motion() const { return joint_motion_ ? *joint_motion_ : motion_; }
  void find_joint_motion(const State&);
  // Of the view where the step would end: after find_at_end. Scratch before that.
  VelocityWorkspace<double>& end_motion() { return end_motion_; }
  const VelocityWorkspace<double>& end_joint_motion() const { return joint_motion_ ? *joint_motion_ : end_motion_; }
  const std::vector<ContactPoint>& end_contacts() const { return end_contacts_; }

 private:
  const Setting& set_;
  VelocityWorkspace<double> motion_, end_motion_;
  std::optional<VelocityWorkspace<double>> joint_motion_;
  std::vector<ContactPoint> end_contacts_;
  State left_;  // after the last step: end_contacts_ are there; its time is not a number: find them again
};

}  // namespace sinew::stepping
