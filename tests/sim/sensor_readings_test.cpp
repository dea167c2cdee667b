// tests/sim/sensor_readings_test.cpp - sensors of a model: a pendulum by hand, refusals
// tests/apps/test_eval_sensors.py compares every kind with MuJoCo's.
#include "sinew/sim/sensor_readings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/io/mjcf.hpp"
#include "sinew/io/mjcf_write.hpp"
#include "sinew/sim/simulation.hpp"
#include "support/tolerance.hpp"

namespace sinew {
namespace {

ModelSpec pendulum(const std::string& sensors) {
  return parse_mjcf(
             "<mujoco><worldbody><body name='b'><joint name='j' axis='0 1 0'/><geom size='.1' pos='1 0 0' "
             "mass='2'/><site name='tip' pos='2 0 0'/></body></worldbody><sensor>" +
             sensors + "</sensor></mujoco>")
      .value();
}

TEST(SensorReadings, APendulumAtRestAndSwinging) {
  const Model m = compile(pendulum("<accelerometer name='acc' site='tip'/><gyro name='gyro' site='tip'/>"
                                   "<framelinvel name='v' objtype='site' objname='tip'/><clock/>"
                                   "<jointpos name='q' joint='j' cutoff='.1'/>"))
                      .value();
  SensorReadings s(m);
  s.calc(std::vector<double>{0}, std::vector<double>{0}, std::vector<double>{0}, 3);
  EXPECT_NEAR(s.values(*s.find("acc"))[2], 9.81, 1e-15);
  s.calc(std::vector<double>{0.5}, std::vector<double>{3}, std::vector<double>{0}, 3);
  const auto acc = s.values(*s.find("acc"));
  EXPECT_NEAR(acc[0], -9.0 * 2 - 9.81 * std::sin(0.5), 1e-14);  // towards the axis, and weight along the rod
  EXPECT_NEAR(s.values(*s.find("gyro"))[1], 3, 1e-15);
  EXPECT_NEAR(s.values(*s.find("v"))[2], -6 * std::cos(0.5), 1e-14);
  EXPECT_EQ(s.values(3)[0], 3);
  EXPECT_EQ(s.values(*s.find("q"))[0], 0.1);  // clamped
  EXPECT_FALSE(s.find("none"));
  EXPECT_THROW((void)s.values(5), std::invalid_argument);
}

TEST(SensorReadings, FollowAStepper) {
  const Model m = compile(pendulum("<jointvel joint='j'/><e_kinetic/>")).value();
  Simulation simulation(m, {.dt = 1e-3});
  SensorReadings s(m);
  for (int i = 0; i < 10; ++i) simulation.step();
  s.update(simulation);
  EXPECT_EQ(s.values(0)[0], simulation.state.v[0]);
  EXPECT_NEAR(s.values(1)[0] / simulation.kinetic_energy(), 1, 1e-15);
}

// A box of 8 kg on the floor, half of it in the zone; a rod on its stop.
TEST(SensorReadings, ForcesOfHardContactsAndStops) {
  const Model m =
      compile(parse_mjcf("<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='1 1 1'/>"
                         "<body name='box' pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/>"
                         "<site name='all' type='box' size='.2 .2 .11'/>"
                         "<site name='half' type='box' size='.1 .2 .11' pos='.1 0 0'/>"
                         "<site name='none' type='sphere' size='.01'/></body>"
                         "<body name='rod' pos='0 0 2'><joint name='hinge' axis='0 -1 0' range='0 90'/>"
                         "<geom type='sphere' size='.1' pos='.5 0 0' mass='2'/><site name='on'/></body></worldbody>"
                         "<sensor><touch site='all'/><touch site='half'/><touch site='none'/>"
                         "<jointlimitfrc joint='hinge'/><force site='on'/><torque site='on'/>"
                         "<force name='lies' site='all'/></sensor></mujoco>")
                  .value())
          .value();
  Simulation simulation(m);
  SensorReadings s(m);
  for (int i = 0; i < 5; ++i) simulation.step();
  s.update(simulation);
  EXPECT_NEAR(s.values(0)[0], 8 * 9.81, 1e-12);
  EXPECT_NEAR(s.values(1)[0], 4 * 9.81, 5e-13);
  EXPECT_EQ(s.values(2)[0], 0);
  EXPECT_NEAR(s.values(3)[0], 2 * 9.81 * 0.5, 1e-13);                 // what the stop bears
  EXPECT_NEAR(s.values(4)[2], 2 * 9.81, 2e-13);                       // what the world exerts on the rod
  EXPECT_NEAR(s.values(5)[1], -2 * 9.81 * 0.5, 1e-13);                // about y, and against the weight
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.values(6)[k], 0, 5e-13);  // the box is free: only the floor carries it
}

TEST(SensorReadings, WhatIsNotModelledIsRefused) {
  ModelSpec spec = pendulum("<jointpos joint='j'/>");
  spec.sensors[0].kind = "smell";
  const Model smell = compile(spec).value();
  EXPECT_THROW(SensorReadings{smell}, std::invalid_argument);
  spec.sensors[0].kind = "gyro", spec.sensors[0].object_kind = "site", spec.sensors[0].object = "nowhere";
  const Model nowhere = compile(spec).value();
  EXPECT_THROW(SensorReadings{nowhere}, std::invalid_argument);
  EXPECT_FALSE(parse_mjcf("<mujoco><worldbody/><sensor><gyro site='none'/></sensor></mujoco>").ok());
}

TEST(SensorReadings, WhatIsNotModelledIsLeftOutWhereAsked) {
  ModelSpec spec = pendulum("<clock name='now'/><jointpos name='angle' joint='j'/><gyro name='turn' site='tip'/>");
  spec.sensors[0].kind = "smell";
  const Model m = compile(spec).value();
  std::vector<std::string> left_out;
  const SensorReadings s(m, left_out);
  EXPECT_EQ(s.sensors(), 2);
  EXPECT_FALSE(s.find("now").has_value());
  EXPECT_EQ(s.find("turn"), 1);
  EXPECT_EQ(s.name(0), "angle");
  EXPECT_EQ(s.labels(), (std::vector<std::string>{"angle", "turn[0]", "turn[1]", "turn[2]"}));
  ASSERT_EQ(left_out.size(), 1u);
  EXPECT_NE(left_out[0].find("'now' (smell)"), std::string::npos) << left_out[0];
}

TEST(SensorReadings, AreWrittenAndReadBack) {
  const ModelSpec spec = pendulum(
      "<accelerometer name='acc' site='tip' cutoff='5'/><jointpos joint='j'/><clock/>"
      "<framepos objtype='site' objname='tip' reftype='xbody' refname='b'/>");
  const ModelSpec again = parse_mjcf(to_mjcf(spec).value()).value();
  ASSERT_EQ(again.sensors.size(), spec.sensors.size());
  for (std::size_t i = 0; i < spec.sensors.size(); ++i) {
    EXPECT_EQ(again.sensors[i].kind, spec.sensors[i].kind);
    EXPECT_EQ(again.sensors[i].object, spec.sensors[i].object);
    EXPECT_EQ(again.sensors[i].reference, spec.sensors[i].reference);
    EXPECT_EQ(again.sensors[i].cutoff, spec.sensors[i].cutoff);
  }
}

}  // namespace
}  // namespace sinew
