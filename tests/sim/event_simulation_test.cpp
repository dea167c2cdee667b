// tests/sim/event_simulation_test.cpp
#include "sinew/sim/event_simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/sim/sensors.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

const char* kDroppedBall = R"(<geom name="floor" type="plane" size="9 9 1"/>
  <body name="ball" pos="0 0 1.1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="2"/></body>)";

}  // namespace

// From 1 m, e = 0.5: the first impact at sqrt(2 / g), each keeps a quarter of the energy.
TEST(EventSimulation, ABallBouncesAtTheRightTimes) {
  Scenario s(kDroppedBall, {.friction = 0, .restitution = 0.5});
  EventSimulation run(s.model(), s.sim().constraints());
  const double fall = std::sqrt(2 / kGravity), energy = 2 * kGravity * 1;
  while (run.state.time < fall + 0.1) run.step();
  const double since = run.state.time - fall, up = 0.5 * kGravity * fall;
  EXPECT_NEAR(run.state.q[6], 0.1 + up * since - kGravity * since * since / 2, 2e-13);
  EXPECT_EQ(run.totals().collisions, 1);
  EXPECT_NEAR(run.totals().work.collisions, -0.75 * energy, 1e-11);
  EXPECT_NEAR(run.unaccounted_energy(), 0, 1e-11);
  while (run.state.time < 3) run.step();
  ASSERT_EQ(run.contacts().size(), 1u);  // at rest
  EXPECT_NEAR(run.contact_force(0).z, 2 * kGravity, 3e-13);
  EXPECT_NEAR(run.totals().work.collisions, -energy, 1e-11);
  EXPECT_GT(run.events(), 5);
  Sensors sensors(s.model());
  sensors.update(run);
  EXPECT_NEAR(sensors.imu(s.model().bodies()[1]).accelerometer.z, kGravity, 2e-13);
}

// Friction takes 1/7 of the energy of a ball that slides, until it rolls.
TEST(EventSimulation, FrictionIsAccountedFor) {
  Scenario s(kDroppedBall, {.friction = 0.3});
  EventSimulation run(s.model(), s.sim().constraints());
  run.state.q[6] = 0.1, run.state.v[3] = 1;
  while (run.state.time < 0.5) run.step();
  EXPECT_NEAR(std::hypot(run.state.v[3], run.state.v[4], run.state.v[5]), 5.0 / 7, 2e-14);
  EXPECT_NEAR(run.totals().work.contact_friction, -2.0 / 7, 1e-4);
}

// A push between steps, and the same state afterwards as one with the force on from the start of the step.
TEST(EventSimulation, ForcesMayChangeBetweenSteps) {
  Scenario s(kDroppedBall, {.friction = 0, .gravity = {0, 0, 0}});
  EventSimulation run(s.model(), s.sim().constraints());
  run.external.assign(2, {});
  for (int i = 0; i < 10; ++i) run.step();
  run.external[1].lin = {0, 4, 0};
  for (int i = 0; i < 100; ++i) run.step();
  run.external[1].lin = {};
  for (int i = 0; i < 10; ++i) run.step();
  EXPECT_NEAR(run.state.v[4], 4.0 / 2 * 0.1, 2e-14);
  EXPECT_NEAR(run.totals().work.external, 2 * 0.2 * 0.2 / 2, 2e-14);
}

TEST(EventSimulation, StopsAreRefusedWhenTheyAreReached) {
  Scenario s(R"(<body><joint name="x" type="slide" axis="1 0 0" range="-1 0.01" limited="true"/>
    <geom type="box" size="0.1 0.1 0.1" mass="2"/></body>)");
  EventSimulation run(s.model(), s.sim().constraints());
  run.state.v = {1};
  EXPECT_THROW(
      {
        for (int i = 0; i < 20; ++i) run.step();
      },
      StepRefused);
  EXPECT_NEAR(run.state.q[0], 0.01, 2e-14);
}

// In free flight with a spin all ways of stepping agree: those of higher order with each other, the first-order one to
// its order.
TEST(EventSimulation, AllSteppersFlyTheSameWay) {
  Scenario s(R"(<body name="box" pos="0 0 5"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/></body>)");
  const ConstraintSet& set = s.sim().constraints();
  std::vector<std::unique_ptr<Stepper>> all;
  all.push_back(std::make_unique<EventSimulation>(s.model(), set));
  all.push_back(std::make_unique<SmoothSimulation>(s.model(), set));
  all.push_back(std::make_unique<SmoothSimulation>(s.model(), set, SmoothOptions{.method = IntegrationMethod::rkmk4}));
  all.push_back(std::make_unique<Simulation>(s.model(), set, SimulationOptions{}));
  for (const auto& x : all) {
    x->state.v = {1, 2, 3, 0.4, 0.5, 0.6};
    for (int i = 0; i < 300; ++i) x->step();
    EXPECT_EQ(x->totals().steps, 300);
    EXPECT_NEAR(x->state.time, 0.3, 2e-14);
    const double tolerance = dynamic_cast<Simulation*>(x.get()) ? 2e-5 : 3e-10;
    for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(x->state.q[k], all[0]->state.q[k], tolerance) << k;
    EXPECT_EQ(x->describe().front().first, "integrator");
  }
}

}  // namespace sinew::test
