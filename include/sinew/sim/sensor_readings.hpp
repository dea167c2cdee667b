// sinew/sim/sensor_readings.hpp - what the sensors of a model read (ModelSpec::sensors, MJCF's <sensor>)
//   SensorReadings sensors(model);
//   simulation.step(), sensors.update(simulation);
//   sensors.values(*sensors.find("imu_gyro"));
// Kinds, with MuJoCo's meaning: accelerometer velocimeter gyro (of a site, along its axes; the accelerometer shows g
// upwards at rest); framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel (of a site, a body's
// frame (xbody), a body's centre and principal axes (body) or a shape (geom), in the world or relative to another such
// object, which may move), framelinacc (less gravity, as an accelerometer) and frameangacc (in the world); jointpos
// jointvel ballquat ballangvel; subtreecom subtreelinvel subtreeangmom of a body and all below it; actuatorfrc; clock;
// e_kinetic. Noise and delay are not applied; a positive cutoff clamps what is not a direction.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "sinew/sim/stepper.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

class SensorReadings {
 public:
  // The model must outlive it. Throws std::invalid_argument naming a sensor of a kind that is not in the list above, or
  // that names something the model does not have.
  explicit SensorReadings(const Model&);
  explicit SensorReadings(const Model&&) = delete;

  int sensors() const { return static_cast<int>(sensors_.size()); }
  std::optional<int> find(std::string_view name) const;
  // After update or calc.
  In<double> values() const { return values_; }  // of all, one after the other
  In<double> values(int sensor) const;

  // Accelerations and actuator forces as in sim/sensors.hpp.
  void update(const Stepper&);
  // a: (nv) rates of v. actuator_forces: one per actuator, or empty for zeros.
  void calc(In<double> q, In<double> v, In<double> a, double time = 0, In<double> actuator_forces = {});

 private:
  enum class Kind;
  struct Sensor {
    Kind kind;
    Place object, reference;
    bool relative = false;  // to `reference`; else to the world
    int index = 0;          // of a body, a coordinate or an actuator
    double cutoff = 0;
    std::size_t first = 0, size = 0;  // in values_
  };
  Sensor make(const SensorSpec&) const;
  Place find_place(const SensorSpec&, const std::string& kind, const std::string& name) const;
  void read(const Sensor&, In<double> q, In<double> v, double time, In<double> forces, double* out);
  void read_frame(const Sensor&, double* out) const;
  void read_subtree(const Sensor&, double* out) const;

  const Model& model_;
  VelocityWorkspace<double> motion_;
  EnergyWorkspace<double> energies_;
  std::vector<Sensor> sensors_;
  std::vector<double> values_;
};

}  // namespace sinew
