// sinew/sim/drives.hpp - what drives joints: springs, dampers, actuators
// Springs, dampers and the parts of actuators that depend on position and velocity are taken at the end of the step, so
// that no stiffness is too large for a step:
//   (M + dt D + dt^2 K) (v+ - v) = dt (tau - D v - K (q + dt v - rest) - C) + impulses
// The matrix is that of a twin of the model whose joints have the more armature; every algorithm takes it as it is.
// An actuator's force is  gain . (1, length, speed) control + bias . (1, length, speed), within its limits, as MuJoCo
// has it: length = gear times the coordinate. Where it is at a limit, its share of the twin's armature stays.
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
  // The model must outlive it. Throws std::invalid_argument naming an actuator that acts on something else than joints
  // or sites.
  Drives(const Model&, double dt);
  Drives(const Model&&, double dt) = delete;
  int controls() const { return static_cast<int>(actuators_.size()); }  // one an actuator, in the order of the model
  bool any() const { return !springs_.empty() || !actuators_.empty(); }
  // True where springs, dampers or actuators ask for a twin.
  bool is_implicit() const { return implicit_; }
  Model make_twin() const;

  // Adds the forces of a step from q at v to tau (nv), and those of actuators at sites to `external` (bodies, in their
  // frames). After calc_velocities.
  void add_forces(In<double> q, In<double> v, In<double> control, const VelocityWorkspace<double>&, Out<double> tau,
                  std::vector<Force<double>>& external);
  // After add_forces and the step to v_after.
  DriveWork calc_work(In<double> v, In<double> v_after) const;
  DriveWork calc_power(In<double> v) const;  // [W] after add_forces
  // Force of each actuator [N or N m], as in the last add_forces.
  In<double> actuator_forces() const { return forces_; }

 private:
  struct Spring {  // and damper of one coordinate; of a spherical joint: of one axis
    std::size_t q = 0, v = 0;
    double stiffness = 0, damping = 0, rest = 0;
    int axis = -1;  // of the turn by quaternion at q; -1: q is a number
  };
  enum class Target { number, turn, site };  // a joint of one coordinate, a spherical one, a place on a body
  struct Actuator {
    const ActuatorSpec* spec = nullptr;
    Target target = Target::number;
    std::size_t q = 0, v = 0;  // of the joint
    FrameEntry site;
    Transform<double> in_body;          // site <- body
    double stiffness = 0, damping = 0;  // of the coordinate, taken at the end of the step
  };
  Actuator make_actuator(const ActuatorSpec&) const;
  double calc_force(const Actuator&, double control, double length, double speed) const;

  const Model& model_;
  double dt_;
  bool implicit_ = false;
  std::vector<Spring> springs_;
  std::vector<Actuator> actuators_;
  // One a velocity coordinate. Impulse of a drive over the step: dt force - more (v+ - v).
  std::vector<double> spring_more_, damper_more_, actuator_more_;     // dt D + dt^2 K
  std::vector<double> spring_force_, damper_force_, actuator_force_;  // of the last step, at its start
  std::vector<double> forces_;                                        // (actuators)
};

}  // namespace sinew
