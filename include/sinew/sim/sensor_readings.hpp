// sinew/sim/sensor_readings.hpp - what the sensors of a model read (ModelSpec::sensors, MJCF's <sensor>)
//   SensorReadings sensors(model);
//   simulation.step(), sensors.update(simulation);
//   sensors.values(*sensors.find("imu_gyro"));
// Kinds, with MuJoCo's meaning: accelerometer velocimeter gyro (of a site, along its axes; the accelerometer shows g
// upwards at rest); framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel (of a site, a body's
// frame (xbody), a body's centre and principal axes (body) or a shape (geom), in the world or relative to another such
// object, which may move), framelinacc (less gravity, as an accelerometer) and frameangacc (in the world); jointpos
// jointvel ballquat ballangvel; subtreecom subtreelinvel subtreeangmom of a body and all below it; actuatorfrc; clock;
// e_kinetic and e_potential (gravity and springs); magnetometer; force and torque of a site (what its parent exerts on
// its body); touch (normal forces of contacts of the body within the site's volume); rangefinder (along z of a site;
// -1: nothing there); insidesite; distance, normal and fromto between two shapes or bodies; tendonpos tendonvel
// tendonactuatorfrc actuatorpos actuatorvel jointactuatorfrc; jointlimitpos jointlimitvel jointlimitfrc and those of
// tendons (0 where the limit is not passed; forces are those of the last step of a Simulation, 0 elsewhere).
// Forces of contacts are means over the step, without collisions; those of loops and of
// tendons through sites are not known: a force sensor in a model that has them is refused. Noise and delay are not
// applied; a positive cutoff clamps what is not a direction.
#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "sinew/sim/drives.hpp"
#include "sinew/sim/stepper.hpp"
#include "sinew/tree/tendon.hpp"
#include "sinew/tree/velocity.hpp"

namespace sinew {

namespace device {
class SensorItems;  // src/batch/observation_tables.cpp: the same sensors, as a device reads them
}

class SensorReadings {
 public:
  // The model must outlive it. Throws std::invalid_argument naming a sensor of a kind that is not in the list above, or
  // that names something the model does not have.
  explicit SensorReadings(const Model&);
  explicit SensorReadings(const Model&&) = delete;
  // The same, but such sensors are left out, each with a sentence in left_out.
  SensorReadings(const Model&, std::vector<std::string>& left_out);
  SensorReadings(const Model&&, std::vector<std::string>& left_out) = delete;

  int sensors() const { return static_cast<int>(sensors_.size()); }
  // Of a sensor, by its number.
  const std::string& name(int sensor) const;
  // One for each number of values(): "imu" or, of several numbers, "imu[0]".
  std::vector<std::string> labels() const;
  std::optional<int> find(std::string_view name) const;
  // After update or calc.
  In<double> values() const { return values_; }  // of all, one after the other
  In<double> values(int sensor) const;

  // Accelerations and actuator forces as in sim/sensors.hpp. Throws std::invalid_argument where bodies bend.
  void update(const Stepper&);
  // a: (nv) rates of v. actuator_forces: one per actuator, or empty for zeros.
  void calc(In<double> q, In<double> v, In<double> a, double time = 0, In<double> actuator_forces = {});

 private:
  friend class device::SensorItems;
  enum class Kind;
  struct Sensor {
    Kind kind;
    const std::string* name;
    Place object, reference;
    bool relative = false;               // to `reference`; else to the world
    int index = 0;                       // of a body, a coordinate, an actuator or a tendon
    const JointEntry* joint = nullptr;   // of limits
    double lower = 0, upper = 0;         // limits
    ShapeKind zone = ShapeKind::sphere;  // of a site
    std::array<double, 3> zone_size{};
    std::vector<int> shapes = {}, others = {};  // of the model's specification
    double cutoff = 0;
    std::size_t first = 0, size = 0;  // in values_
  };
  SensorReadings(const Model&, std::vector<std::string>* left_out);
  Sensor make(const SensorSpec&) const;
  Place find_place(const SensorSpec&, const std::string& kind, const std::string& name) const;
  void read(const Sensor&, In<double> q, In<double> v, double time, In<double> forces, double* out);
  void read_frame(const Sensor&, double* out) const;
  void read_subtree(const Sensor&, double* out) const;
  void read_interaction(const Sensor&, double* out) const;
  double read_touch(const Sensor&) const;
  double read_range(const Sensor&) const;
  void read_distance(const Sensor&, double* out);
  double read_limit(const Sensor&, In<double> q, In<double> v) const;
  double read_potential_energy(In<double> q) const;
  double read_joint_force(int coordinate, In<double> q, In<double> forces);
  void find_shapes(const SensorSpec&, const std::string& kind, const std::string& name, std::vector<int>& out) const;
  void set_zone(const SensorSpec&, const std::string& site, Sensor&) const;
  void calc_all(In<double> q, In<double> v, In<double> a, double time, In<double> actuator_forces);
  Transform<double> pose_of_shape(int shape) const;

  // What a stepper knows of its last step.
  struct Touch {
    Vec3<double> point, normal;  // world; from b to a
    int body_a = 0, body_b = 0;
    double force = 0;  // [N] along the normal
    Vec3<double> whole{};
  };
  struct LimitForce {
    int node = 0, tendon = -1;
    double force = 0;
  };

  const Model& model_;
  VelocityWorkspace<double> motion_;
  EnergyWorkspace<double> energies_;
  std::optional<Drives> drives_;  // where a sensor needs lengths or moments of actuators
  std::optional<TendonWorkspace> tendons_;
  std::vector<double> tau_, moment_, controls_, activations_;  // scratch
  std::vector<Force<double>> applied_;                         // scratch
  std::vector<Force<double>> external_;                        // (bodies, or none) as of the stepper
  std::vector<Touch> touches_;
  std::vector<LimitForce> limit_forces_;
  std::vector<TouchPoint> points_;
  std::vector<Sensor> sensors_;
  std::vector<double> values_;
};

}  // namespace sinew
