// apps/sim/run.hpp - one run of `sinew sim`, recorded if asked for, and its summary
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/svg_chart.hpp"
#include "sim/steppers.hpp"

namespace sinew::app {

struct SimInput {
  std::string body, every = "1";
  std::vector<std::string> signals;
  std::filesystem::path plot, record, resume, flexible, report;
  double flush_seconds = 1;
  bool force = false;
  int threads = 1;           // 0: as many as the machine has
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

// What is known of problems that were not solved.
struct Trouble {
  double first = -1;  // [s] when the first one was not solved; negative: all were
  double worst = 0;   // relative residual
  std::string reason;
};

struct SimRun {
  std::string scene;               // its name
  std::vector<std::string> notes;  // of the scene: what was decided for the user
  Trouble trouble;
  bool prescribed = false;  // joints move by laws of time: what drives them is not accounted for
  double dt = 0, wall = 0, energy_before = 0, kinetic = 0, potential = 0;
  Force<double> unaccounted_momentum{};
  long steps_here = 0;  // of totals.steps: those that this process did
  SimulationTotals totals;
  OptionTexts options;  // of the stepper; the first: how it steps
  State end;
  std::vector<std::string> modes;  // names of the last numbers of end.q and end.v: of bodies that bend
  std::vector<BodyPlace> bodies;
  std::vector<ContactForce> contacts;
  std::vector<Chart> charts;                    // for --plot
  std::optional<int> freedoms;                  // of loops that were embedded
  std::vector<std::string> coordinate_changes;  // likewise, in words
  std::uint64_t saved_rows = 0;
  double saved_time = 0;
  int signal = 0;          // that ended it; 0: none
  bool abandoned = false;  // the signal came within a step, which was taken back
  std::string broken;      // why it ended early; empty: it did not
  bool record_failed = false;
  bool refused = false;  // broken because the stepper cannot handle what happens

  double seconds() const { return static_cast<double>(totals.steps) * dt; }
  double real_time_factor() const { return static_cast<double>(steps_here) * dt / wall; }
  double energy_after() const { return kinetic + potential; }
  double unaccounted() const { return energy_after() - energy_before - totals.work.total(); }
};

// Throws InputError for options that do not fit. A run that ends early says why in `broken`.
SimRun simulate(const SceneInput&, const Scene&, const SimInput&, WorstProblem* worst_or_null);

// trouble.cpp. After a step with unsolved problems: why that may be. contradiction: of the constraints at the start.
std::string find_reason(const Stepper&, const std::string& contradiction);

// report.cpp
std::string to_text(const SimRun&);
std::string describe_trouble(const SimRun&);  // one sentence, for the error stream
nlohmann::ordered_json to_json(const SimRun&);

}  // namespace sinew::app
