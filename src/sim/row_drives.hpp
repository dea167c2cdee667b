// src/sim/row_drives.hpp - drives along numbers L(q) that are no coordinates: tendons, cranks, frames against frames
// Each L has a row J = dL/dq (tree/node_force.hpp). At the end of a step of dt, with u = dL/dt, the force along it is
//   F - D (u - u0) - K dt u,   F at its start,
// and its inertia a takes  a (u - u0 + dt dJ/dt v). So the impulse is  z = c - S u  with  S = a + dt D + dt^2 K: a soft
// row (contact/joint_row.hpp). With S = 0, or in a step of no length, F is a plain force. A spring with a range of rest
// only ever pulls or only ever pushes: each side is a soft row of its own, with z of one sign.
#pragma once
#include <vector>

#include "sinew/contact/joint_row.hpp"
#include "sinew/sim/actuator_law.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/tree/tendon.hpp"

namespace sinew {

class RowDrives {
 public:
  // Rows of all tendons, and of those actuators that act on other rows. Throws std::invalid_argument naming an actuator
  // that acts on something that no row is known for.
  RowDrives(const Model&, double dt);
  bool any() const { return !rows_.empty(); }
  int most_rows() const { return 5 * static_cast<int>(rows_.size()); }

  // Lengths, speeds and rows at the state.
  void calc(In<double> q, In<double> v, const VelocityWorkspace<double>&);
  // The row that an actuator acts on; -1: none of these.
  int row_of(std::size_t actuator) const { return row_of_[actuator]; }
  double length(int row) const { return rows_[row].length; }
  double speed(int row) const { return rows_[row].speed; }
  In<double> jacobian(int row) const { return rows_[row].J; }

  // Springs and dampers at the state; then the actuators, each with its force and slopes, of the length times gear;
  // then their total within the limits of the tendon.
  void calc_passive();
  void push(int row, double gear, const ActuatorForce&);
  void limit();
  double effort_share(int row) const { return rows_[row].effort_share; }  // of the actuators' forces that limit() left
  // Adds to tau what acts as a plain force, and the rest as rows, which are views into this object.
  void add_forces(Out<double> tau) const;
  void add_soft_rows(std::vector<JointRow>&) const;
  // Dry friction of tendons, and their stops within reach of the step.
  void add_stops(double recovery, std::vector<JointRow>&) const;
  // Adds the stops that are not among the rows and that the step would pass at v_after; true where there was one.
  bool add_passed(In<double> v_after, double recovery, std::vector<JointRow>&) const;
  double calc_violation(const KinematicsWorkspace<double>&, In<double> q);  // [m] the farthest beyond a stop
  std::string name_row(const JointRow&) const;                              // of those that it added
  DriveWork calc_work(In<double> v, In<double> v_after) const;
  DriveWork calc_power() const;

 private:
  struct Part {                      // of the force along a row
    double force = 0, K = 0, D = 0;  // at the start of the step; what pulls back and what brakes
  };
  struct Row {
    const TendonSpec* tendon = nullptr;  // null: of an actuator
    const ActuatorSpec* actuator = nullptr;
    FrameEntry frame, reference;  // site, crank
    int joint_node = 0;           // free or ball joint
    bool has_band = false;
    double rest[2] = {0, 0};                      // [m]
    std::vector<int> nodes;                       // of an actuator's own row
    std::vector<Force<double>> forces, opposite;  // opposite: for the upper stop
    std::vector<double> J;
    double length = 0, speed = 0, drift = 0;  // drift: dJ/dt v, where the tendon has armature
    Part spring, damper, actuators;
    double effort = 0, effort_share = 1;  // sum of the actuators' forces, before their gears
  };
  enum RowId : std::uint64_t { soft, pulled, pushed, rubbed, lower_stop, upper_stop, ids_per_row = 8 };
  void add_own_row(const ActuatorSpec&);
  JointRow make_stop(std::size_t i, RowId side, double recovery) const;  // of row i
  static double gap_of(const Row&, RowId side);
  void calc_own_row(Row&, In<double> q, const KinematicsWorkspace<double>&) const;
  NodeForces forces_of(std::size_t row) const;
  double armature(const Row& r) const { return r.tendon ? r.tendon->armature : 0; }
  bool has_one_sided_springs(const Row&) const;  // as rows of their own
  double stiffness_of_row(const Row&) const;     // S, without those

  const Model& model_;
  double dt_;
  TendonWorkspace tendons_, at_end_;  // of calc; of calc_violation
  VelocityWorkspace<double> motion_;  // with accelerations, where a tendon has armature
  bool has_armature_ = false, has_stops_ = false;
  std::vector<double> zeros_, v_;  // v_: of calc
  std::vector<Row> rows_;
  std::vector<int> row_of_;  // (actuators)
};

// Rotation vector of the unit quaternion at q; it is the same in both frames.
std::array<double, 3> rotation_vector(const double* q);

}  // namespace sinew
