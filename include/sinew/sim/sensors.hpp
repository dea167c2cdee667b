// sinew/sim/sensors.hpp - what instruments on a mechanism would read
//   Sensors sensors(model);
//   simulation.step(), sensors.update(simulation);
//   sensors.imu(*model.find_frame("head")).accelerometer;
// Positions and velocities are those after the step. From a Simulation, accelerations and contact forces are means
// over the step, without collisions. In free fall an accelerometer reads zero exactly at the origin of a free body, and
// to first order in the step at other places that turn. From other steppers they are the values after the step.
// Where bodies bend, joints and actuators can be read; places throw std::invalid_argument that names the other way.
#pragma once
#include "sinew/sim/simulation.hpp"

namespace sinew {

// What an inertial measurement unit shows.
struct ImuReading {
  Vec3<double> gyro;           // [rad/s] along the axes of the place
  Vec3<double> accelerometer;  // [m/s^2] what a mass on a spring would show: at rest, g upwards
};

class Sensors {
 public:
  // The model must outlive it.
  explicit Sensors(const Model&);
  explicit Sensors(const Model&&) = delete;
  void update(const Stepper&);

  // Of a joint with one coordinate, by its number among the model's joints. Throws std::invalid_argument for others.
  double joint_position(int joint) const;
  double joint_velocity(int joint) const;
  // Of a body or a frame.
  Transform<double> pose(
      const Place&) const;  // place <- world: r its position, E from the axes of the world to its own
  Motion<double> velocity(const Place&, ReferenceFrame) const;
  ImuReading imu(const Place&) const;
  // On a body from all its contacts, along the axes of the world and about the body's origin. [N m, N]
  Force<double> contact_force(int body) const;
  // [N m or N] of an actuator of the model.
  double actuator_force(int actuator) const;

 private:
  const JointEntry& find_joint(int joint) const;

  const Model& model_;
  VelocityWorkspace<double> motion_;
  State state_;
  std::vector<Force<double>> node_forces_;  // about the origin of the world
  std::vector<double> actuator_forces_;
  bool bends_ = false;  // the stepper has extra coordinates
};

}  // namespace sinew
