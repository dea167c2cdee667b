// tests/sim/step_trajectory_test.cpp - products along a run of the quadruped: checkpoints, both directions, differences
#include "sinew/sim/step_trajectory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sinew/base/random.hpp"
#include "sinew/io/mjcf.hpp"
#include "sinew/tree/regressor.hpp"
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

// A ball that bounces, and a sledge that is pulled and slides: where they end, by the sledge's friction and inertia and
// by the ball's restitution, against runs of other models.
TEST(StepTrajectory, ParametersAreThoseOfTheDifferenceOfRuns) {
  struct Values {
    double friction = 0.3, restitution = 0.7, mass = 1;
  };
  const auto make = [](const Values& p) {
    ModelSpec spec = parse_mjcf(R"(<mujoco><option timestep="0.002"/><worldbody>
<geom name="floor" type="plane" size="5 5 1"/>
<body name="sledge" pos="0 0 0.05"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom name="runner" type="box" size=".2 .1 .05" mass="1"/></body>
<body name="ball" pos="0 2 0.11"><freejoint/><geom name="round" type="sphere" size="0.1" mass="0.5"/></body>
</worldbody></mujoco>)")
                         .value();
    for (ShapeSpec& s : spec.shapes) {
      s.friction = p.friction;
      if (s.name != "runner") s.restitution = p.restitution;
    }
    for (BodySpec& b : spec.bodies)
      if (b.name == "sledge") b.mass *= p.mass, b.inertia = p.mass * b.inertia;
    return compile(spec).value();
  };
  constexpr int kSteps = 120;
  const auto run = [&](StepTrajectory* t, Simulation& s) {
    s.applied[0] = 1.5;
    for (int k = 0; k < kSteps; ++k) t ? void(t->step()) : void(s.step());
  };
  const auto begin = [](Simulation& s) { s.state.v[0] = 1, s.state.v[5] = 1, s.state.v[7] = -0.4; };
  const Model m = make({});
  const auto shape = [&](const char* name) {
    const auto& all = m.spec().shapes;
    return static_cast<int>(std::find_if(all.begin(), all.end(), [&](const ShapeSpec& s) { return s.name == name; }) -
                            all.begin());
  };
  Simulation s(m, plain_options());
  begin(s);
  using Kind = StepParameter::Kind;
  const std::vector<StepParameter> parameters{{Kind::friction, shape("floor"), shape("runner")},
                                              {Kind::restitution, shape("round"), shape("floor")},
                                              {Kind::inertia, *m.find_body("sledge")}};
  StepTrajectory t(s, {.between = 25, .parameters = parameters});
  run(&t, s);
  ASSERT_EQ(t.parameters(), 12);
  EXPECT_GT(s.totals().collisions, 1);
  const std::size_t n = 2 * at(m.nv());

  // Forwards along each, against differences; backwards, the same numbers.
  const auto end_at = [&](const Values& p) {
    const Model other = make(p);
    Simulation at_it(other, plain_options());
    begin(at_it);
    run(nullptr, at_it);
    return at_it.state;
  };
  const std::vector<double> none(n);
  double compared = 0;
  for (const auto& [column, member, h] :
       {std::tuple{0, &Values::friction, 1e-5}, {1, &Values::restitution, 1e-6}, {2, &Values::mass, 1e-4}}) {
    Values more, less;
    more.*member += h, less.*member -= h;
    const State high = end_at(more), low = end_at(less);
    std::vector<double> along(12), end(n), q(n / 2);
    along[at(column)] = 1;
    if (column == 2) {  // all ten numbers of the sledge grow with its mass
      std::vector<double> pi(inertial_parameter_count(m));
      get_inertial_parameters(m, pi);
      std::copy_n(pi.begin() + 10 * (*m.find_body("sledge") - 1), 10, along.begin() + 2);
    }
    t.push_forward(none, {}, {}, end, along);
    difference(m, low.q, high.q, VectorView<double>(q.data(), q.size()));
    for (std::size_t i = 0; i < n / 2; ++i) {
      EXPECT_NEAR(end[i], q[i] / (2 * h), 2e-8) << column << ' ' << i;
      EXPECT_NEAR(end[n / 2 + i], (high.v[i] - low.v[i]) / (2 * h), 1e-7) << column << ' ' << i;
      compared = std::max(compared, std::abs(end[i]));
    }
    std::vector<double> w(n), start(n), by_parameter(12);
    for (std::size_t i = 0; i < n; ++i) w[i] = std::sin(1.0 + static_cast<double>(i));
    t.pull_back(w, start, {}, {}, {}, by_parameter);
    double forwards = 0, backwards = 0;
    for (std::size_t i = 0; i < n; ++i) forwards += w[i] * end[i];
    for (std::size_t k = 0; k < 12; ++k) backwards += by_parameter[k] * along[k];
    EXPECT_NEAR(forwards, backwards, 5e-14 * std::abs(forwards));
  }
  EXPECT_GT(compared, 1e-2);
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
