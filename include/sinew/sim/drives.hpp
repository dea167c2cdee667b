// sinew/sim/drives.hpp - what drives joints: springs, dampers, actuators
// Springs, dampers and the parts of actuators that depend on position and velocity are taken at the end of the step, so
// that no stiffness is too large for a step:
//   (M + dt D + dt^2 K) (v+ - v) = dt (tau - D v - K (q + dt v - rest) - C) + impulses
// This is the mass matrix of a twin of the model with dt D + dt^2 K as additional armature: every algorithm can use it.
// Terms of springs and dampers above the linear one are those at the beginning of the step.
// An actuator's force is  gain . (1, length, speed) control + bias . (1, length, speed), within its limits, as in
// MuJoCo: length = gear times the coordinate. The limits are those of the force at the end of the step: an actuator on
// a joint that would be beyond one pushes with exactly that, and its share of the twin's armature is taken away until
// it is free again (update_limits), except where a joint moves no other inertia. Tendons, and actuators through
// tendons, cranks and between frames, act along rows. What pulls back and brakes there is taken at the end of the step
// as soft rows of the contact problem (add_soft_rows), so it does not need the twin. Actuators with an activation, and
// muscles: sim/actuator_law.hpp.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "sinew/contact/contact_point.hpp"
#include "sinew/contact/joint_row.hpp"
#include "sinew/sim/actuator_law.hpp"
#include "sinew/spatial/force.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

// [J] done on the mechanism in one step: force times the mean of the velocities before and after.
struct DriveWork {
  double actuators = 0, springs = 0, dampers = 0;
};

// How the forces of a step change. Each drive acts on one coordinate: the force on it is F(q, v, v+, control), v+ the
// velocity at the end of the step.
struct DriveSlopes {
  std::vector<double> force, q, v, after;  // (nv) F, dF/dq, dF/dv, dF/dv+
  std::vector<double> control;             // (actuators) dF/dcontrol
  std::vector<int> coordinate;             // (actuators) on which it acts
  // (actuators) [N or N m], [control], (nv) [N or N m]: how far from the next limit, which changes the slopes.
  std::vector<double> force_room, control_room, effort_room;
  std::vector<char> limited;  // (actuators) its force, its control or the effort on its coordinate is at a limit
};

class RowDrives;  // src/sim/row_drives.hpp

class Drives {
 public:
  // The model must outlive it. Throws std::invalid_argument naming an actuator or spring that has no meaning here.
  Drives(const Model&, double dt);
  Drives(const Model&&, double dt) = delete;
  ~Drives();
  Drives(Drives&&) noexcept;
  int controls() const { return static_cast<int>(actuators_.size()); }  // one per actuator, in the order of the model
  bool any() const { return any_; }
  bool adheres() const { return adheres_; }  // an actuator acts on the contacts of a body
  // True if springs, dampers or actuators need a twin.
  bool is_implicit() const { return implicit_; }
  Model make_twin() const;

  // Adds the drives' forces in a step from q and v to tau (nv); those of actuators at sites and of gravity compensation
  // to `external` (bodies, in their frames). After calc_velocities. activation: of the state, (Model::activations).
  void add_forces(In<double> q, In<double> v, In<double> control, const VelocityWorkspace<double>&, Out<double> tau,
                  std::vector<Force<double>>& external, In<double> activation = {});
  // After add_forces and a step to v_after: finds which limits the forces on joints meet at its end. Where these are
  // others than before, changes tau and the armature, and returns true: the step is to be solved again.
  bool update_limits(In<double> v, In<double> v_after, Out<double> tau);
  // Calls change(v, armature) for coordinates whose armature is no longer that of the last call, or of make_twin.
  template <class Change>
  void update_twin(Change&& change) {
    for (std::size_t v = 0; v < twin_armature_.size(); ++v)
      if (const double a = added_armature(v); a != twin_armature_[v])
        twin_armature_[v] = a, change(static_cast<int>(v), model_.armature()[v] + a);
  }
  // Contacts that actuators on bodies act on, in the next add_forces: those closer than `reach` [m].
  void hold_contacts(std::span<const ContactPoint>, double reach);
  // Adds the rows of tendons and of actuators along rows. They point into this object, and are those of the last
  // add_forces. With dt > 0.
  void add_soft_rows(std::vector<JointRow>&) const;
  // Adds dry friction of tendons, and the stops of tendons that twice the velocity would reach. A step takes back the
  // share `recovery` of what is beyond. Then those that the step would pass at v_after and that are not among the rows;
  // true where there was one.
  void add_stops(In<double> q, In<double> v, const VelocityWorkspace<double>&, double recovery, std::vector<JointRow>&);
  bool add_passed(In<double> v_after, double recovery, std::vector<JointRow>&) const;
  int most_rows() const;                                                          // that both may add
  double calc_violation(const KinematicsWorkspace<double>&, In<double> q) const;  // [m] of stops of tendons
  std::string name_row(const JointRow&) const;  // of those that it added: "tendon 'cable'", "actuator 'motor'"
  // Rates of activations; activations after dt.
  void calc_activation_rates(In<double> control, In<double> activation, Out<double> rates) const;
  void step_activations(In<double> control, Out<double> activation) const;
  // Adds to tau what cancels the velocity terms of the twin's additional armature: it stands for forces at the end of
  // the step and has no momentum. turning: (nv) from FreeFlight::turning, or empty.
  void add_forces_of_twin(In<double> v, In<double> turning, Out<double> tau) const;
  // After add_forces and a step to v_after with its limits. Throws std::invalid_argument naming what acts on more than
  // one coordinate, or has an activation.
  void calc_slopes(In<double> q, In<double> v, In<double> v_after, In<double> control, DriveSlopes&) const;
  // After add_forces and the step to v_after.
  DriveWork calc_work(In<double> v, In<double> v_after) const;
  DriveWork calc_power(In<double> v) const;  // [W] after add_forces
  // Force of each actuator [N or N m], as in the last add_forces.
  In<double> actuator_forces() const { return forces_; }
  void forget();  // those forces: zero until the next add_forces
  // Of what each acts on, times its gear: as in the last add_forces. Lengths of actuators at sites are 0.
  In<double> actuator_lengths() const { return lengths_; }
  In<double> actuator_speeds() const { return speeds_; }
  // J: (nv) d(length)/dq of an actuator. After add_forces at q.
  void calc_moment(int actuator, const KinematicsWorkspace<double>&, In<double> q, Out<double> J);

 private:
  struct Spring {  // spring and damper of one coordinate, or of one axis of a spherical joint
    std::size_t q = 0, v = 0;
    double stiffness = 0, damping = 0, rest = 0;
    int axis = -1;  // of the rotation whose quaternion is at q; -1: q is a plain coordinate
    std::array<double, 2> stiffness_terms{}, damping_terms{};  // as in DofSpec; at the beginning of the step
  };
  // Joint of one coordinate, spherical joint, site, row of RowDrives, contacts of a body.
  enum class Target { number, turn, site, row, contacts };
  struct Actuator {
    const ActuatorSpec* spec = nullptr;
    Target target = Target::number;
    std::size_t q = 0, v = 0;  // of the joint
    FrameEntry site;
    Transform<double> in_body;          // site <- body
    double stiffness = 0, damping = 0;  // of the coordinate, taken at the end of the step
    double plain = 0;                   // force at the start of the step, without limits
    int row = -1, node = 0;             // of RowDrives; of a body
    ActuatorLaw law;
  };
  struct Lifted {  // a body whose weight is carried
    int body = 0;
    Vec3<double> com, force;  // force: of the world
  };
  Actuator make_actuator(const ActuatorSpec&) const;
  void find_weightless();
  double added_armature(std::size_t v) const {
    return spring_armature_[v] + damper_armature_[v] + actuator_armature_[v];
  }
  void make_laws();
  bool find_limits(In<double> v, In<double> v_after);
  void sum_actuators(In<double> v);
  void pull_contacts(const Actuator&, double force, In<double> q, const KinematicsWorkspace<double>&);

  const Model& model_;
  double dt_;
  bool implicit_ = false, any_ = false, adheres_ = false;
  std::unique_ptr<RowDrives> rows_;
  std::vector<Lifted> lifted_;
  std::vector<ContactPoint> contacts_;  // that adhesion may act on
  std::vector<double> moment_;          // (nv) scratch
  std::vector<Spring> springs_;
  std::vector<Actuator> actuators_;
  // One per velocity coordinate. Impulse of a drive over the step: dt force - armature (v+ - v).
  std::vector<double> spring_armature_, damper_armature_, actuator_armature_;  // dt D + dt^2 K
  std::vector<double> spring_force_, damper_force_, actuator_force_;           // at the start of the last step
  std::vector<double> other_force_;    // of actuators that act on more than one coordinate
  std::vector<double> twin_armature_;  // that the twin has
  std::vector<bool> weightless_;       // moves no inertia but that of its drives
  // The limit that holds: a force [N or N m]; NaN: none. Of actuators; of all actuators on a coordinate.
  std::vector<double> limits_, effort_limits_;
  std::vector<double> forces_, lengths_, speeds_;  // (actuators)
};

}  // namespace sinew
