// apps/bench/device_times.hpp - `sinew bench --device`: whole steps of many worlds with contact on a device
// Worlds begin near the start of the scene, each at its own random positions and velocities, and fall for `settle`
// steps. Then calls of step(`steps`) are timed, by wall clock, from the call until the device has finished. Then as
// many single steps give the distribution of residuals.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "sinew/sim/scene.hpp"

namespace sinew::app {

struct DeviceInput {
  std::vector<std::string> devices;  // "cpu", "cuda" or "cuda:N"; empty: no --device
  std::string precision = "float";   // or "double"
  std::vector<std::string> worlds;   // numbers; empty: usual ones
  int steps = 20, calls = 5, settle = 150;
  double spread = 0.05;        // of positions [m, rad]; velocities in proportion
  int contacts = 0, rows = 0;  // room per world; 0: as DeviceSimulationOptions says
};

inline constexpr std::array<double, 6> kResidualLimits{1e-10, 1e-8, 1e-5, 1e-4, 1e-3, 1e-2};

// Worlds that were set aside for one reason.
struct SetAside {
  std::string cause, text;  // as in JSON; of the first such world
  std::size_t worlds = 0, first = 0;
};
struct DeviceRun {
  std::size_t worlds = 0;
  double best = 0, mean = 0;        // million steps per second; worlds set aside take no steps
  double contacts = 0, rows = 0;    // mean over worlds, in the last step
  long residuals = 0;               // how many steps were looked at one by one
  std::array<long, 6> above{};      // of these, with a residual above kResidualLimits
  double worst = 0;                 // residual of any step since the start
  long steps = 0, unsolved = 0;     // since the start; with a residual above the tolerance
  std::size_t bytes_per_world = 0;  // that stay on the device
  std::vector<SetAside> aside;
};
struct DeviceResult {
  std::string file, name, precision;
  std::vector<std::string> devices;  // as they call themselves
  int nv = 0;
  double dt = 0, tolerance = 0;  // [s]; of residuals
  int contacts = 0, rows = 0;    // room per world
  DeviceInput input;
  std::vector<DeviceRun> runs;
};

// What is wrong with a name in the list of --device; empty: nothing.
std::string complain_about_device(const std::string& list);
// Throws InputError: where there is no such device or library, the scene cannot run on one, or there is no memory.
DeviceResult time_device(const Scene&, const std::string& file, const DeviceInput&);

// device_report.cpp
std::string to_text(const DeviceResult&);
std::string to_json_text(const std::vector<DeviceResult>&);

}  // namespace sinew::app
