// src/sim/smooth_forces.hpp - all forces of a mechanism but those of contacts, as functions of its state
// Springs, dampers and actuators of the model, and what the owner of a Stepper applies to joints and bodies; these are
// held over a step.
#pragma once
#include "sinew/contact/joint_limits.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/stepper.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

class SmoothForces {
 public:
  // Throws std::invalid_argument naming a joint with dry friction: that is no smooth force.
  explicit SmoothForces(const Model&);
  // What the step that begins is told; true: it differs from the last one.
  bool hold(const Stepper&, In<double> tau);
  // tau: (nv) all of them as forces of joints.
  void calc(In<double> q, In<double> v, double time, Out<double> tau);
  // [W] after calc: who does how much.
  const WorkAccount& power() const { return power_; }
  const VelocityWorkspace<double>& motion() const { return motion_; }  // after calc
  In<double> actuator_forces() const { return drives_.actuator_forces(); }

 private:
  const Model& model_;
  Drives drives_;
  VelocityWorkspace<double> motion_;
  RneaWorkspace<double> rnea_;
  std::vector<double> control_, applied_, next_applied_;
  std::vector<Force<double>> external_, all_external_;
  std::vector<double> zeros_, weight_, with_external_;  // (nv)
  WorkAccount power_;
};

// Throws StepRefused where q is beyond a stop of a joint.
class StopWatch {
 public:
  explicit StopWatch(const Model&);
  void check(In<double> q, double time) const;

 private:
  const Model& model_;
  JointLimits limits_;
};

}  // namespace sinew
