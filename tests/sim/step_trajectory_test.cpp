// tests/sim/step_trajectory_test.cpp - products along a run of the quadruped: checkpoints, both directions, differences
#include "sinew/sim/step_trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/base/random.hpp"
#include "support/scenario.hpp"
#include "support/step_differences.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

struct QuadrupedRun {
  explicit QuadrupedRun(const Model& m, int between) : sim(m, plain_options()), trajectory(sim, {.between = between}) {
    const KeyframeSpec& key = m.spec().keyframes[0];
    if (!key.q.empty()) sim.state.q = key.q;
    if (!key.control.empty()) sim.control = key.control;
    rest = sim.control;
  }
  // change: along controls and applied forces of all steps.
  void go(int steps, double change = 0) {
    for (int k = 0; k < steps; ++k) {
      for (std::size_t i = 0; i < rest.size(); ++i)
        sim.control[i] =
            rest[i] + 0.05 * std::sin(0.3 * k + static_cast<double>(i)) + change * along(k, static_cast<int>(i));
      for (std::size_t i = 0; i < sim.applied.size(); ++i)
        sim.applied[i] =
            0.5 * std::cos(0.2 * k + 2.0 * static_cast<double>(i)) + change * along(static_cast<int>(i), k);
      trajectory.step();
    }
  }
  static double along(int i, int k) { return std::sin(1.0 + 3.1 * i + 1.7 * k); }
  Simulation sim;
  StepTrajectory trajectory;
  std::vector<double> rest;
};

std::vector<double> directions(std::size_t rows, std::size_t cols, bool turned) {
  std::vector<double> out;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < cols; ++k)
      out.push_back(turned ? QuadrupedRun::along(static_cast<int>(k), static_cast<int>(i))
                           : QuadrupedRun::along(static_cast<int>(i), static_cast<int>(k)));
  return out;
}

}  // namespace

TEST(StepTrajectory, ProductsOfBothDirectionsAgreeWithAndWithoutCheckpoints) {
  const Model m = Scenario::load("quadruped").model();
  const int steps = 23;
  const std::size_t n = 2 * at(m.nv()), controls = m.spec().actuators.size(), count = at(steps);
  Random rng(2);
  std::vector<double> x(n), w(n);
  for (double& y : x) y = rng.uniform(-1, 1);
  for (double& y : w) y = rng.uniform(-1, 1);
  const std::vector<double> dc = directions(count, controls, false), df = directions(count, n / 2, true);
  std::vector<double> expected;
  for (const int between : {0, 1, 5, 40}) {
    QuadrupedRun run(m, between);
    run.go(steps);
    const State end = run.sim.state;
    std::vector<double> forward(n), start(n), by_control(count * controls), by_applied(count * n / 2);
    run.trajectory.push_forward(x, {dc.data(), count, controls}, {df.data(), count, n / 2}, forward);
    run.trajectory.pull_back(w, start, {by_control.data(), count, controls}, {by_applied.data(), count, n / 2});
    EXPECT_EQ(run.sim.state.q, end.q);
    double one = 0, two = 0;
    for (std::size_t i = 0; i < n; ++i) one += w[i] * forward[i], two += start[i] * x[i];
    for (std::size_t i = 0; i < dc.size(); ++i) two += by_control[i] * dc[i];
    for (std::size_t i = 0; i < df.size(); ++i) two += by_applied[i] * df[i];
    EXPECT_NEAR(one, two, 5e-14 * std::abs(one)) << between;
    if (expected.empty()) expected = start;
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(start[i], expected[i]) << between;  // the same bits
    // It goes on from there.
    run.go(2);
    EXPECT_EQ(run.trajectory.steps(), steps + 2);
    EXPECT_EQ(run.trajectory.state(steps + 1).rows(), n);
    EXPECT_EQ(run.trajectory.control(0).cols(), controls);
    EXPECT_EQ(run.trajectory.applied(0).cols(), n / 2);
    run.trajectory.clear();
    EXPECT_EQ(run.trajectory.steps(), 0);
  }
}

// While no mode changes, the product is the difference of two runs.
TEST(StepTrajectory, IsTheDifferenceOfRuns) {
  const Model m = Scenario::load("quadruped").model();
  const int steps = 8;
  const std::size_t n = 2 * at(m.nv()), controls = m.spec().actuators.size(), count = at(steps);
  QuadrupedRun run(m, 3), more(m, 0), less(m, 0);
  const double h = 1e-6;
  run.go(steps), more.go(steps, h), less.go(steps, -h);
  const std::vector<double> none(n), dc = directions(count, controls, false), df = directions(count, n / 2, true);
  std::vector<double> forward(n), q(n / 2);
  run.trajectory.push_forward(none, {dc.data(), count, controls}, {df.data(), count, n / 2}, forward);
  difference(m, less.sim.state.q, more.sim.state.q, VectorView<double>(q.data(), q.size()));
  double scale = 0;
  for (const double x : forward) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < n / 2; ++i) {
    EXPECT_NEAR(q[i] / (2 * h), forward[i], 2e-10 * scale);
    EXPECT_NEAR((more.sim.state.v[i] - less.sim.state.v[i]) / (2 * h), forward[n / 2 + i], 3e-8 * scale);
  }
}

TEST(StepTrajectory, NamesWhatItRefuses) {
  const Model m = Scenario::load("quadruped").model();
  Simulation s(m, plain_options());
  s.controller = [](Simulation&) {};
  EXPECT_THROW(StepTrajectory{s}, std::invalid_argument);
  s.controller = {};
  EXPECT_THROW((StepTrajectory{s, {.between = -1}}), std::invalid_argument);
  StepTrajectory t(s);
  EXPECT_THROW(t.state(0), std::invalid_argument);
}

}  // namespace sinew::test
