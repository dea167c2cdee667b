// src/sim/smooth_forces.hpp - all forces of a mechanism except those of contacts, as functions of its state
// Springs, dampers and actuators of the model, its medium, and what the owner of a Stepper applies to joints and
// bodies; the latter are constant over a step.
#pragma once
#include "sinew/contact/joint_limits.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/fluid.hpp"
#include "sinew/sim/stepper.hpp"
#include "sinew/tree/rnea.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew {

class SmoothForces {
 public:
  // Throws std::invalid_argument naming what is not smooth, or what has no place among forces: dry friction of joints
  // and tendons, armature of tendons, actuators on contacts.
  explicit SmoothForces(const Model&);
  // Takes the control and forces of the coming step; true if they differ from the last step's.
  bool hold(const Stepper&, In<double> tau);
  // tau: (nv) all forces, as joint forces.
  void calc(In<double> q, In<double> v, In<double> activation, double time, Out<double> tau);
  // Rates of activations with the control of the step.
  void calc_activation_rates(In<double> activation, Out<double> rates) const;
  // [W] by source, after calc.
  const WorkAccount& power() const { return power_; }
  const VelocityWorkspace<double>& motion() const { return motion_; }  // after calc
  In<double> actuator_forces() const { return drives_.actuator_forces(); }

 private:
  const Model& model_;
  Drives drives_;
  FluidForces fluid_;
  VelocityWorkspace<double> motion_;
  RneaWorkspace<double> rnea_;
  std::vector<double> control_, applied_, next_applied_;
  std::vector<Force<double>> external_, all_external_;
  std::vector<double> zeros_, weight_, with_external_;  // (nv)
  WorkAccount power_;
};

// Throws StepRefused where q is beyond a stop of a joint or tendon.
class StopWatch {
 public:
  explicit StopWatch(const Model&);
  void check(In<double> q, double time);

 private:
  const Model& model_;
  JointLimits limits_;
  TendonWorkspace tendons_;
  KinematicsWorkspace<double> kinematics_;
};

}  // namespace sinew
