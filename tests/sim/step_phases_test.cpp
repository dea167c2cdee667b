// tests/sim/step_phases_test.cpp - each phase of a step alone
#include <gtest/gtest.h>

#include <cmath>

#include "sim/step_account.hpp"
#include "sim/step_collisions.hpp"
#include "sinew/io/mjcf.hpp"
#include "support/ball_world.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// A ball above a floor, a hinge with a stop, and all that a step needs, without a Simulation.
struct Workshop {
  explicit Workshop(double gap, SimulationOptions o = {})
      : model(compile(parse_mjcf(R"(<mujoco><option gravity="0 0 -9.81"/><default><geom friction="0.5"/></default>
<custom><numeric name="sinew_restitution" data="1"/></custom><worldbody>)" +
                                 kFloor +
                                 R"(<body name="ball"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body>
<body name="arm" pos="3 0 1"><joint name="hinge" type="hinge" axis="0 1 0" limited="true" range="-90 90"/>
<geom type="sphere" size="0.05" pos="0 0 -0.3" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>)")
                          .value())
                  .value()),
        set(model),
        shapes(model),
        mocap(model),
        state(make_state(model)),
        control(0),
        applied(at(model.nv())),
        acceleration(at(model.nv())),
        setting{model, model, set, nullptr, complete(o), {}, find_first_bodies(model), {0, 1, 2}},
        drives(model, setting.options.dt),
        detection(setting),
        rows(setting, detection, drives) {
    state.q[6] = 0.1 + gap;
    detection.reserve(state, 8), rows.reserve(8);
  }
  static SimulationOptions complete(SimulationOptions o) {
    o.dt = 1e-3, o.rest_speed = 2 * kGravity * o.dt;
    return o;
  }
  stepping::Step step() {
    return {state,    contacts,       shapes,       mocap,  control, applied, {},
            external, contact_forces, acceleration, report, wedged,  totals,  {}};
  }

  const Model model;
  const ConstraintSet set;
  ContactShapes shapes;
  MocapBodies mocap;
  State state;
  std::vector<double> control, applied, acceleration;
  std::vector<Force<double>> external;
  std::vector<Vec3<double>> contact_forces;
  std::vector<ContactPoint> contacts;
  StepReport report;
  std::vector<WedgedPart> wedged;
  SimulationTotals totals;
  stepping::Setting setting;
  Drives drives;
  stepping::Detection detection;
  stepping::Rows rows;
};

}  // namespace

TEST(StepPhases, DetectionUsesTheEndOfTheLastStepAgain) {
  Workshop w(1e-3);
  w.state.v[5] = -2;
  w.detection.find(w.step());
  ASSERT_EQ(w.contacts.size(), 1u);
  EXPECT_NEAR(w.contacts[0].gap, 1e-3, 1e-16);
  std::vector<double> q = w.state.q;
  q[6] -= 5e-4;
  w.detection.find_at_end(q, w.state.v, w.step());
  EXPECT_NEAR(w.detection.end_contacts()[0].gap, 5e-4, 1e-16);
  w.state.q = q, w.state.time += 1e-3;
  w.detection.keep(w.state);
  w.detection.find(w.step());
  EXPECT_NEAR(w.contacts[0].gap, 5e-4, 1e-16);
  w.state.q[6] += 1;  // somebody moves the ball between steps
  w.detection.keep(w.state), w.detection.forget();
  w.detection.find(w.step());
  EXPECT_TRUE(w.contacts.empty());
}

TEST(StepPhases, RowsMayCloseGapsAndTakeBackOverlap) {
  const double dt = 1e-3;
  Workshop apart(5e-4), little(-1e-4), deep(-0.01);
  for (Workshop* w : {&apart, &little, &deep}) {
    w->state.v[5] = -2;
    w->detection.find(w->step()), w->rows.find_bias(w->step());
    ASSERT_EQ(w->rows.bias().size(), 1u);
  }
  EXPECT_NEAR(apart.rows.bias()[0], 5e-4 / dt, 4e-14);
  EXPECT_NEAR(little.rows.bias()[0], -0.2 * 1e-4 / dt, 5e-14);
  EXPECT_NEAR(deep.rows.bias()[0], -0.5, 1e-15);  // no faster than recovery_speed
  EXPECT_EQ(little.report.slowed, 0);
  EXPECT_EQ(deep.report.slowed, 1);
}

TEST(StepPhases, RowsFindStopsWithinReach) {
  Workshop w(1);
  w.rows.find_stops(w.step());
  EXPECT_TRUE(w.rows.rows.empty());
  w.state.q[7] = std::acos(-1.0) / 2 - 1e-3, w.state.v[6] = 3;
  w.rows.find_stops(w.step());
  ASSERT_EQ(w.rows.rows.size(), 1u);
  EXPECT_NEAR(w.rows.rows[0].bias, 1, 1e-12);
}

TEST(StepPhases, ForcesAreThoseOfTheCaller) {
  Workshop w(1);
  stepping::Forces forces(w.setting, w.detection, w.rows, w.drives);
  forces.reserve(w.state);
  w.applied[6] = 4;
  w.detection.find(w.step());
  forces.guess_middle(w.state);
  forces.find(w.step());
  EXPECT_EQ(forces.joint()[6], 4);
  EXPECT_EQ(forces.middle()[6], 0);
}

TEST(StepPhases, MovementNamesWhatIsNotFinite) {
  Workshop w(1);
  stepping::Forces forces(w.setting, w.detection, w.rows, w.drives);
  stepping::Movement movement(w.setting, forces, w.rows);
  forces.reserve(w.state), movement.reserve(w.state);
  w.detection.find(w.step());
  forces.guess_middle(w.state), forces.find(w.step());
  ContactAnswer answer;
  answer.v.assign(w.state.v.size(), 0.0);
  answer.v[6] = 2;
  EXPECT_FALSE(movement.run(w.step(), answer));
  EXPECT_NEAR(movement.q()[7], 2e-3, 1e-18);
  answer.v[6] = std::nan("");
  try {
    movement.run(w.step(), answer);
    ADD_FAILURE() << "not refused";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("body 'arm'"), std::string::npos) << e.what();
  }
}

TEST(StepPhases, SolutionAndAccountOfABallAtRest) {
  Workshop w(0);
  stepping::Forces forces(w.setting, w.detection, w.rows, w.drives);
  stepping::Movement movement(w.setting, forces, w.rows);
  stepping::Arms arms(w.setting);
  stepping::Solution solution(w.setting, nullptr, w.drives, w.detection, arms, w.rows, forces, movement);
  stepping::Account account(w.setting, w.detection, w.rows, forces, movement, solution, w.drives);
  forces.reserve(w.state), movement.reserve(w.state), solution.reserve(8, 8), account.reserve(8, 8);
  w.applied[6] = 3;
  w.detection.find(w.step());
  w.rows.find_stops(w.step());
  solution.begin_step(), solution.set_far_aside(w.step());
  forces.guess_middle(w.state), forces.find(w.step());
  w.rows.find_bias(w.step());
  solution.run(w.step());
  account.run(w.step());
  ASSERT_EQ(account.impulses.size(), 3u);
  EXPECT_NEAR(account.impulses[0], 2 * kGravity * 1e-3, 1e-14);
  EXPECT_NEAR(w.contact_forces[0].z, 2 * kGravity, 4e-13);
  EXPECT_NEAR(w.report.work.applied, 3 * 1e-3 * movement.v()[6] / 2, 1e-15);
  EXPECT_NEAR(w.report.impulse.weight.lin.z, -3 * kGravity * 1e-3, 1e-16);
}

// It falls for gap / speed, turns there, and the step ends as if it had come from below the floor.
TEST(StepPhases, CollisionsHappenAtTheirOwnTimes) {
  const double gap = 1e-3, v = -3, g = kGravity, dt = 1e-3;
  Workshop w(gap);
  stepping::Arms arms(w.setting);
  stepping::Forces forces(w.setting, w.detection, w.rows, w.drives);
  stepping::Movement movement(w.setting, forces, w.rows);
  stepping::Solution solution(w.setting, nullptr, w.drives, w.detection, arms, w.rows, forces, movement);
  stepping::Collisions collisions(w.setting, w.detection, w.rows, forces, movement, solution);
  forces.reserve(w.state), movement.reserve(w.state), solution.reserve(8, 8), collisions.reserve(w.state, 8, 8);
  w.state.v[5] = v;
  solution.begin_step(), forces.guess_middle(w.state);
  w.detection.find(w.step());
  w.rows.find_stops(w.step());
  collisions.run(w.step());
  const double t = (v + std::sqrt(v * v + 2 * g * gap)) / g, hit = v - g * t;
  EXPECT_NEAR(v * t - g * t * t / 2, -gap, 1e-16);
  EXPECT_EQ(w.report.collisions, 1);
  EXPECT_NEAR(w.state.v[5], v - 2 * hit, 8e-14);
  ASSERT_EQ(movement.displacement().size(), w.state.v.size());
  EXPECT_NEAR(movement.displacement()[5], -2 * hit * t, 1e-15);
  EXPECT_LT(t, dt);
  // Slow enough, nothing happens.
  Workshop slow(1e-6);
  slow.state.v[5] = -g * dt;
  slow.detection.find(slow.step());
  stepping::Forces forces2(slow.setting, slow.detection, slow.rows, slow.drives);
  stepping::Movement movement2(slow.setting, forces2, slow.rows);
  stepping::Solution solution2(slow.setting, nullptr, slow.drives, slow.detection, arms, slow.rows, forces2, movement2);
  stepping::Collisions collisions2(slow.setting, slow.detection, slow.rows, forces2, movement2, solution2);
  forces2.reserve(slow.state), movement2.reserve(slow.state), collisions2.reserve(slow.state, 8, 8);
  forces2.guess_middle(slow.state);
  collisions2.run(slow.step());
  EXPECT_EQ(slow.report.collisions, 0);
  EXPECT_TRUE(movement2.displacement().empty());
}

}  // namespace sinew::test
