// apps/reproduce/j14_study.hpp - J14 sections 6 and 8 again: problem sizes, the colliding pendulum, its figure
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "common/scene.hpp"

namespace sinew::app {

inline constexpr std::array kPendulums{3, 6, 12, 15, 24, 30};
inline constexpr int kDirections = 4;       // of the friction pyramid, as in the paper
inline constexpr double kPaperStep = 1e-4;  // [s]

// Unknowns of the problem with four contacts, by the formulations that solve it.
struct ProblemSizes {
  int nmc = 0, mc = 0, rmc = 0, os = 0, nmc_os = 0;
};

// One run of a pendulum in one formulation.
struct PendulumRun {
  double wall = 0;  // [s] of all steps
  SimulationTotals totals;
  double problem_time() const { return totals.assembly + totals.solution + totals.recovery; }
};
struct PendulumRow {
  int links = 0;
  ProblemSizes sizes;
  PendulumRun os, nmc_os;
};

// Motion of one body along z, at its centre of mass.
struct Track {
  std::vector<double> time, height, velocity;
  void add(const Stepper&, int body);
};

// The last of twelve links, in the tree's coordinates and in maximal ones, for several steps.
struct FigureRun {
  double dt = 0;
  Track os, nmc_os;
  double difference = 0;   // [m] the largest of its heights, until `until`
  double hinge_error = 0;  // [m, rad] the largest of the maximal run: the tree has none
};
// Figure 5: the twelve spheres at one instant.
struct Snapshot {
  double time = 0, radius = 0;
  std::vector<double> x, z;
};
struct J14Study {
  std::vector<Snapshot> snapshots;
  ProblemSizes dual_arm;
  std::vector<PendulumRow> table;
  std::vector<FigureRun> figure;
  double seconds = 0, until = 0;
};

// `seconds`: simulated in each run of the table and in the figure. `tick` is called count_j14_ticks() times.
int count_j14_ticks();
J14Study run_j14(double seconds, const std::function<void()>& tick);

}  // namespace sinew::app
