// apps/sim/signals.hpp - what --plot draws: signals of a run over time, thinned without losing extremes
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/svg_chart.hpp"
#include "sinew/sim/sensor_readings.hpp"

namespace sinew::app {

// A signal of any length in at most a thousand parts, each with its lowest and highest value and their times.
class Thinned {
 public:
  void add(double time, double value);
  // Two points per part, in the order of time; one where they are the same.
  void get(std::vector<double>& time, std::vector<double>& value) const;

 private:
  struct Part {
    double low_time, low, high_time, high;
  };
  static void join(Part&, const Part&);
  std::vector<Part> parts_;
  long per_part_ = 1, in_last_ = 0;
};

class Signals {
 public:
  // names: see kSignalHelp; none: height and velocity of the body, energies, contacts. Throws InputError for unknown
  // ones. The stepper must outlive it.
  Signals(Stepper&, const std::vector<std::string>& names, const std::string& body);
  void sample();  // after each step
  std::vector<Chart> charts() const;

 private:
  struct Curve {
    std::string panel, unit, name;
    std::function<double()> read;
    Thinned values;
  };
  void add(const std::string& name, const std::string& body);
  void add(std::string panel, std::string unit, std::string name, std::function<double()> read);
  void add_coordinate(const std::string& name, bool position);
  void add_place(const std::string& name, int axis);
  void add_actuator(const std::string& name, bool force);
  void add_sensor(const std::string& name);

  Stepper& s_;
  std::vector<BodyMotion> motions_;  // (bodies) at the state
  std::optional<SensorReadings> sensors_;
  std::vector<Curve> curves_;
};

inline constexpr const char* kSignalHelp =
    "What --plot draws, with commas or repeated: height, velocity (of --track), energy, contacts, residual, "
    "penetration, "
    "q.JOINT, v.JOINT, x.BODY, y.BODY, z.BODY, control.ACTUATOR, force.ACTUATOR, sensor.SENSOR. Default: the first "
    "four";

}  // namespace sinew::app
