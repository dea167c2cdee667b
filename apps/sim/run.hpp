// apps/sim/run.hpp - one run of `sinew sim`, recorded if asked for, and its summary
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/steppers.hpp"

namespace sinew::app {

struct SimInput {
  std::string body, every = "1";
  std::filesystem::path plot, record, resume, flexible;
  double flush_seconds = 1;
  bool force = false;
  std::uint64_t pushes = 0;  // seed of random pushes; 0: none
  StepperInput stepper;
};

struct BodyPlace {
  std::string name;
  Vec3<double> position{};
  Quaternion<double> orientation{};
};
struct ContactForce {
  std::string shapes, body_a, body_b;
  ContactPoint at;
  Vec3<double> force{};  // on body a
};

struct SimRun {
  double dt = 0, wall = 0, energy_before = 0, kinetic = 0, potential = 0;
  Force<double> unaccounted_momentum{};
  long steps_here = 0;  // of totals.steps: those that this process did
  SimulationTotals totals;
  OptionTexts options;  // of the stepper; the first: how it steps
  State end;
  std::vector<BodyPlace> bodies;
  std::vector<ContactForce> contacts;
  Track track;
  std::optional<int> freedoms;                  // of loops that were embedded
  std::vector<std::string> coordinate_changes;  // likewise, in words
  std::uint64_t saved_rows = 0;
  double saved_time = 0;
  int signal = 0;      // that ended it; 0: none
  std::string broken;  // why it ended early; empty: it did not
  bool record_failed = false;
  bool refused = false;  // broken because the stepper cannot handle what happens

  double seconds() const { return static_cast<double>(totals.steps) * dt; }
  double real_time_factor() const { return static_cast<double>(steps_here) * dt / wall; }
  double energy_after() const { return kinetic + potential; }
  double unaccounted() const { return energy_after() - energy_before - totals.work.total(); }
};

// Throws InputError for options that do not fit. A run that ends early says why in `broken`.
SimRun simulate(const SceneInput&, const Scene&, const SimInput&, WorstProblem* worst_or_null);

// report.cpp
std::string to_text(const SimRun&);
nlohmann::ordered_json to_json(const SimRun&);
std::string charts(const SimRun&);

}  // namespace sinew::app
