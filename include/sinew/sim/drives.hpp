// sinew/sim/drives.hpp - what drives joints: springs, dampers, actuators
// Springs, dampers and the parts of actuators that depend on position and velocity are taken at the end of the step, so
// that no stiffness is too large for a step:
//   (M + dt D + dt^2 K) (v+ - v) = dt (tau - D v - K (q + dt v - rest) - C) + impulses
// This is the mass matrix of a twin of the model with dt D + dt^2 K as additional armature: every algorithm can use it.
// An actuator's force is  gain . (1, length, speed) control + bias . (1, length, speed), within its limits, as in
// MuJoCo: length = gear times the coordinate. An actuator at its limit keeps its share of the twin's armature.
#pragma once
#include <vector>

#include "sinew/model/model.hpp"
#include "sinew/spatial/force.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

// [J] done on the mechanism in one step: force times the mean of the velocities before and after.
struct DriveWork {
  double actuators = 0, springs = 0, dampers = 0;
};

class Drives {
 public:
  // The model must outlive it. Throws std::invalid_argument naming an actuator that acts on something other than joints
  // or sites.
  Drives(const Model&, double dt);
  Drives(const Model&&, double dt) = delete;
  int controls() const { return static_cast<int>(actuators_.size()); }  // one per actuator, in the order of the model
  bool any() const { return !springs_.empty() || !actuators_.empty(); }
  // True if springs, dampers or actuators need a twin.
  bool is_implicit() const { return implicit_; }
  Model make_twin() const;

  // Adds the drives' forces in a step from q and v to tau (nv); those of actuators at sites to `external` (bodies, in
  // their frames). After calc_velocities.
  void add_forces(In<double> q, In<double> v, In<double> control, const VelocityWorkspace<double>&, Out<double> tau,
                  std::vector<Force<double>>& external);
  // Adds to tau what cancels the velocity terms of the twin's additional armature: it stands for forces at the end of
  // the step and has no momentum. turning: (nv) from StraightMotion::calc_turning, or empty.
  void add_forces_of_twin(In<double> v, In<double> turning, Out<double> tau) const;
  // After add_forces and the step to v_after.
  DriveWork calc_work(In<double> v, In<double> v_after) const;
  DriveWork calc_power(In<double> v) const;  // [W] after add_forces
  // Force of each actuator [N or N m], as in the last add_forces.
  In<double> actuator_forces() const { return forces_; }

 private:
  struct Spring {  // spring and damper of one coordinate, or of one axis of a spherical joint
    std::size_t q = 0, v = 0;
    double stiffness = 0, damping = 0, rest = 0;
    int axis = -1;  // of the rotation whose quaternion is at q; -1: q is a plain coordinate
  };
  enum class Target { number, turn, site };  // joint of one coordinate, spherical joint, site
  struct Actuator {
    const ActuatorSpec* spec = nullptr;
    Target target = Target::number;
    std::size_t q = 0, v = 0;  // of the joint
    FrameEntry site;
    Transform<double> in_body;          // site <- body
    double stiffness = 0, damping = 0;  // of the coordinate, taken at the end of the step
  };
  Actuator make_actuator(const ActuatorSpec&) const;
  double added_armature(std::size_t v) const {
    return spring_armature_[v] + damper_armature_[v] + actuator_armature_[v];
  }
  double calc_force(const Actuator&, double control, double length, double speed) const;

  const Model& model_;
  double dt_;
  bool implicit_ = false;
  std::vector<Spring> springs_;
  std::vector<Actuator> actuators_;
  // One per velocity coordinate. Impulse of a drive over the step: dt force - armature (v+ - v).
  std::vector<double> spring_armature_, damper_armature_, actuator_armature_;  // dt D + dt^2 K
  std::vector<double> spring_force_, damper_force_, actuator_force_;           // at the start of the last step
  std::vector<double> forces_;                                                 // (actuators)
};

}  // namespace sinew
