// tests/sim/smooth_simulation_test.cpp
#include "sinew/sim/smooth_simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/mjcf.hpp"
#include "sinew/sim/sensors.hpp"
#include "sinew/tree/aba.hpp"
#include "support/no_alloc.hpp"
#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

struct Scene {
  explicit Scene(const std::string& inside)
      : model(
            compile(
                parse_mjcf("<mujoco><option timestep=\"0.001\" gravity=\"0 0 -9.81\"/>" + inside + "</mujoco>").value())
                .value()),
        set(model) {}
  Model model;
  ConstraintSet set;
};

const char* kDoublePendulum = R"(<worldbody><body><joint type="hinge" axis="0 1 0"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0.4 0 0" mass="1"/>
  <body pos="0.4 0 0"><joint type="hinge" axis="0 1 0"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0" mass="0.5"/></body></body></worldbody>)";
const char* kBallOverFloor = R"(<worldbody><geom name="floor" type="plane" size="9 9 1"/>
  <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" type="sphere" size="0.1" mass="2"/></body></worldbody>)";
const char* kCart = R"(<worldbody><body><joint name="x" type="slide" axis="1 0 0" %s/>
  <geom type="box" size="0.1 0.1 0.1" mass="2"/></body></worldbody>
  <actuator><motor name="push" joint="x" gear="3"/></actuator>)";

std::string cart(const std::string& joint) {
  std::string text = kCart;
  return text.replace(text.find("%s"), 2, joint);
}

}  // namespace

// The work that is integrated beside changes nothing.
TEST(SmoothSimulation, StepsAsTheIntegratorDoes) {
  const Scene s(kDoublePendulum);
  for (const IntegrationMethod method : {IntegrationMethod::rk4, IntegrationMethod::rkmk4, IntegrationMethod::heun}) {
    SmoothSimulation run(s.model, s.set, {.method = method});
    Integrator other(s.model, make_forward_dynamics(s.model), {.method = method, .dt = 1e-3});
    other.set_state(run.state);
    for (int i = 0; i < 200; ++i) run.step(), other.advance(other.state().time + 1e-3);
    EXPECT_EQ(run.state.q, other.state().q);
    EXPECT_EQ(run.state.v, other.state().v);
    EXPECT_EQ(run.totals().steps, 200);
  }
}

// x'' = (-k x - d x' + 3 u + tau) / m, each with its own work in closed form or from the motion.
TEST(SmoothSimulation, EveryForceActsAndIsAccountedFor) {
  const Scene s(cart(R"(stiffness="50" damping="4")"));
  for (const IntegrationMethod method : {IntegrationMethod::rkmk4, IntegrationMethod::dormand_prince}) {
    SmoothSimulation run(s.model, s.set, {.method = method});
    run.control = {2};
    run.applied = {1};
    run.external.assign(s.model.bodies().size(), {});
    run.external[1] = {{}, {0.5, 0, 0}};
    double damped = 0;
    for (int i = 0; i < 500; ++i) {
      const double before = run.state.v[0];
      run.step();
      damped += 1e-3 * 4 * (before * before + run.state.v[0] * run.state.v[0]) / 2;
    }
    // the exact motion
    const double force = 3 * 2 + 1 + 0.5, decay = 4.0 / (2 * 2), w = std::sqrt(50.0 / 2 - decay * decay), t = 0.5;
    const double x = force / 50 * (1 - std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t)));
    EXPECT_NEAR(run.state.q[0], x, 1e-11);
    const WorkAccount& work = run.totals().work;
    EXPECT_NEAR(work.actuators, 6 * x, 5e-11);
    EXPECT_NEAR(work.applied, 1 * x, 1e-11);
    EXPECT_NEAR(work.external, 0.5 * x, 5e-12);
    EXPECT_NEAR(work.springs, -25 * x * x, 2e-10);
    EXPECT_NEAR(work.dampers, -damped, 1e-5);
    EXPECT_NEAR(run.unaccounted_energy(), 0, 5e-11);
    EXPECT_EQ(run.actuator_forces()[0], 2);
  }
}

// A force that is switched on between steps acts from there on, though an adaptive method keeps its last rates.
TEST(SmoothSimulation, ForcesMayChangeBetweenSteps) {
  const Scene s(cart(""));
  SmoothSimulation run(s.model, s.set);
  for (int i = 0; i < 100; ++i) run.step();
  EXPECT_EQ(run.state.q[0], 0);
  run.applied = {4};
  for (int i = 0; i < 100; ++i) run.step();
  EXPECT_NEAR(run.state.q[0], 4.0 / 2 * 0.1 * 0.1 / 2, 2e-14);
  const std::vector<double> push{-4};
  for (int i = 0; i < 100; ++i) run.step(push);
  EXPECT_NEAR(run.state.v[0], 4.0 / 2 * 0.1, 2e-14);
  EXPECT_NEAR(run.acceleration()[0], 0, 2e-14);
}

// Forces on bodies become forces of joints: against the articulated-body algorithm, which takes them as they are.
TEST(SmoothSimulation, ForcesOnBodiesActAsInAba) {
  const Scene s(kDoublePendulum);
  SmoothSimulation run(s.model, s.set, {.method = IntegrationMethod::rk4});
  run.external.assign(s.model.bodies().size(), {});
  run.external[1] = {{0.3, -0.7, 0.2}, {4, 5, -6}}, run.external[2] = {{0, 0.1, 0}, {-3, 1, 2}};
  for (int i = 0; i < 50; ++i) run.step();
  AbaWorkspace<double> ws(s.model);
  std::vector<double> expected(2);
  aba<double>(s.model, ws, run.state.q, run.state.v, run.applied, expected, {run.external, run.state.time});
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(run.acceleration()[k], expected[k], 3e-14 * std::abs(expected[k]));
  EXPECT_NEAR(run.unaccounted_energy(), 0, 2e-11);
}

TEST(SmoothSimulation, ContactIsRefusedWhenItComes) {
  const Scene s(kBallOverFloor);
  SmoothSimulation run(s.model, s.set);
  const double touch = std::sqrt(2 * 0.9 / 9.81);
  try {
    while (run.state.time < 1) run.step();
    FAIL();
  } catch (const StepRefused& e) {
    EXPECT_NE(std::string(e.what()).find("sphere 'ball' on plane 'floor'"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("--law soft"), std::string::npos) << e.what();
  }
  EXPECT_NEAR(run.state.time, touch, 1e-3);
  EXPECT_LT(run.state.time, touch);
  EXPECT_GT(run.state.q[6], 0.1);
  run.state.q[6] = 0.1;  // from the start
  EXPECT_THROW(run.step(), StepRefused);
}

TEST(SmoothSimulation, StopsAndDryFrictionAreRefused) {
  const Scene stop(cart(R"(range="-1 0.01")"));
  SmoothSimulation run(stop.model, stop.set);
  run.state.v = {1};
  try {
    for (int i = 0; i < 20; ++i) run.step();
    FAIL();
  } catch (const StepRefused& e) {
    EXPECT_NE(std::string(e.what()).find("joint 'x' reaches its stop"), std::string::npos) << e.what();
  }
  EXPECT_NEAR(run.state.q[0], 0.01, 2e-14);
  const Scene dry(cart(R"(frictionloss="1")"));
  EXPECT_THROW(SmoothSimulation(dry.model, dry.set), std::invalid_argument);
}

// The ball falls, sinks in, and comes to rest 1 mm deep.
TEST(SmoothSimulation, SoftSurfacesCarry) {
  const Scene s(kBallOverFloor);
  const SoftSurface surface = make_soft_surface(s.model);
  EXPECT_NEAR(surface.stiffness, 2 * 9.81 / 1e-3, 3e-10);
  SmoothSimulation run(s.model, s.set, {.soft = surface});
  run.state.q[6] = 0.2;
  Sensors sensors(s.model);
  while (run.state.time < 2) run.step();
  sensors.update(run);
  ASSERT_EQ(run.contacts().size(), 1u);
  EXPECT_NEAR(run.contacts()[0].gap, -1e-3, 2e-14);
  EXPECT_NEAR(run.report().penetration, 1e-3, 2e-14);
  EXPECT_NEAR(run.contact_force(0).z, 2 * 9.81, 3e-13);
  EXPECT_NEAR(sensors.contact_force(1).lin.z, 2 * 9.81, 3e-13);
  EXPECT_NEAR(sensors.imu(s.model.bodies()[1]).accelerometer.z, 9.81, 2e-13);
  EXPECT_NEAR(run.unaccounted_energy(), 0, 1e-7);
  const ImpulseAccount& impulse = run.totals().impulse;  // nobody keeps it: not zero, but not a number
  for (const Force<double>& i : {impulse.weight, impulse.external, impulse.contacts, run.unaccounted_momentum()})
    EXPECT_TRUE(std::isnan(i.ang.x) && std::isnan(i.lin.z));
  EXPECT_NEAR(run.momentum().lin.z, 0, 2e-14);
  EXPECT_NEAR(run.stored_energy(), surface.stiffness * 1e-6 / 2, 2e-14);
  EXPECT_LT(run.totals().work.contact_normal, -2 * 9.81 * 0.1);
  EXPECT_GT(run.totals().iterations, 0);
}

// As Simulation has it, but for how deep it sinks in: it rolls at 5/7 of the speed that it slid with.
TEST(SmoothSimulation, SoftFrictionMakesABallRoll) {
  const Scene s(kBallOverFloor);
  SmoothSimulation run(s.model, s.set, {.soft = make_soft_surface(s.model, 1e-5)});
  run.state.q[6] = 0.1 - 1e-5;
  run.state.v[3] = 1;
  while (run.state.time < 0.4) run.step();
  const std::vector<double>& v = run.state.v;
  EXPECT_NEAR(std::hypot(v[3], v[4], v[5]), 5.0 / 7, 2e-3);
  EXPECT_NEAR(std::hypot(v[0], v[1], v[2]), 5.0 / 7 / 0.1, 0.01);
  EXPECT_LT(run.totals().work.contact_friction, 0);
}

TEST(SmoothSimulation, LoopsStayClosed) {
  Scenario four_bar = Scenario::load("four_bar_wall");
  SmoothSimulation run(four_bar.model(), four_bar.sim().constraints(), {.method = IntegrationMethod::rk4});
  run.state = four_bar.sim().state;
  while (run.state.time < 0.2) run.step();
  EXPECT_TRUE(is_small(run.totals().worst_drift, 1e-14));
  EXPECT_NEAR(run.unaccounted_energy(), 0, 2e-11);
  EXPECT_GT(std::abs(run.state.v[0]), 0.1);
}

TEST(SmoothSimulation, StepsAllocateNothingOnceThereWasAContact) {
  const Scene s(kBallOverFloor);
  SmoothSimulation run(s.model, s.set, {.soft = make_soft_surface(s.model)});
  run.state.q[6] = 0.11;
  for (int i = 0; i < 100; ++i) run.step();
  const AllocationCount allocations;
  for (int i = 0; i < 100; ++i) run.step();
  EXPECT_EQ(allocations.count(), 0);
}

TEST(SmoothSimulation, RefusesASurfaceThatIsNone) {
  const Scene s(kBallOverFloor);
  EXPECT_THROW(SmoothSimulation(s.model, s.set, {.soft = SoftSurface{}}), std::invalid_argument);
  EXPECT_THROW(make_soft_surface(s.model, 0), std::invalid_argument);
  EXPECT_THROW(make_soft_surface(compile(ModelSpec{}).value()), std::invalid_argument);
}

}  // namespace sinew::test
