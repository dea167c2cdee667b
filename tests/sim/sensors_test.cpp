// tests/sim/sensors_test.cpp - instruments against what is known of the motion
#include "sinew/sim/sensors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "support/ball_world.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

Model make_ball_on_floor() {
  ModelBuilder b("ball");
  b.gravity({0, 0, -kGravity});
  b.body("ball").mass(solid_sphere(2, 0.1), {}).sphere(0.1).frame("top", shift_frame(Vec3<double>{0, 0, 0.1}));
  b.free("flies", "world", "ball").neutral({1, 0, 0, 0, 0, 0, 0.1});
  ShapeSpec floor;
  floor.name = "floor", floor.body = "world", floor.kind = ShapeKind::plane;
  b.spec().shapes.push_back(floor);
  return b.build().value();
}

}  // namespace

TEST(Sensors, AtRestAnImuShowsGravityUpwards) {
  const Model m = make_ball_on_floor();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-3});
  Sensors sensors(m);
  for (int i = 0; i < 10; ++i) s.step();
  sensors.update(s);
  const ImuReading r = sensors.imu(*m.find_frame("top"));
  EXPECT_NEAR(r.accelerometer.z, kGravity, 2e-13);
  EXPECT_NEAR(std::hypot(r.accelerometer.x, r.accelerometer.y), 0, 2e-14);
  EXPECT_NEAR(norm(r.gyro), 0, 2e-14);
  // the floor carries the weight, through the centre
  const Force<double> f = sensors.contact_force(1);
  EXPECT_NEAR(f.lin.z, 2 * kGravity, 3e-13);
  EXPECT_NEAR(norm(f.ang), 0, 2e-14);
  EXPECT_NEAR(sensors.pose(*m.find_frame("top")).r.z, 0.2, 2e-14);
}

TEST(Sensors, InFreeFallAnImuShowsNothingButTheSpin) {
  const Model m = make_ball_on_floor();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-4});
  s.state.q[6] = 100;
  s.state.v = {0, 3, 0, 0, 0, 0};
  Sensors sensors(m);
  for (int i = 0; i < 100; ++i) s.step();
  sensors.update(s);
  const ImuReading r = sensors.imu(*m.find_frame("top"));
  EXPECT_NEAR(r.gyro.y, 3, 5e-14);
  EXPECT_NEAR(norm(r.accelerometer - Vec3<double>{0, 0, -9 * 0.1}), 0, 2e-12);  // towards the axis
  EXPECT_NEAR(norm(sensors.imu(m.bodies()[1]).accelerometer), 0, 2e-12);
}

// The same in the plane, and thrown: a free and a planar body.
TEST(Sensors, InFreeFallWhatSpinsReadsNothingAtItsOrigin) {
  for (const bool planar : {false, true}) {
    ModelBuilder b("thrown");
    b.gravity(planar ? Vec3<double>{0, -kGravity, 0} : Vec3<double>{1, 2, -kGravity});
    b.body("stone").mass(2, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1));
    if (planar)
      b.planar("flies", "world", "stone");
    else
      b.free("flies", "world", "stone");
    const Model m = b.build().value();
    const ConstraintSet set(m);
    Simulation s(m, set, {.dt = 1e-2});
    s.state.v = planar ? std::vector<double>{5, 1, 2} : std::vector<double>{2, 3, -4, 1, 2, 3};
    Sensors sensors(m);
    for (int i = 0; i < 50; ++i) {
      s.step();
      sensors.update(s);
      EXPECT_NEAR(norm(sensors.imu(m.bodies()[1]).accelerometer), 0, 2e-12) << planar << " " << i;
    }
  }
}

TEST(Sensors, JointsReadTheirCoordinates) {
  ModelBuilder b("arm");
  b.body("arm").mass(1, {0.5, 0, 0}, Sym3<double>::diagonal(0.01, 0.1, 0.1));
  b.body("ball").mass(1, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1));
  b.revolute("hinge", "world", "arm").axis({0, 1, 0});
  b.spherical("socket", "arm", "ball");
  ActuatorSpec motor;
  motor.name = "motor", motor.target = "hinge", motor.gear[0] = 2;
  b.spec().actuators.push_back(motor);
  const Model m = b.build().value();
  const ConstraintSet set(m);
  Simulation s(m, set, {.dt = 1e-3});
  s.control = {3};
  s.step();
  Sensors sensors(m);
  sensors.update(s);
  EXPECT_EQ(sensors.joint_position(0), s.state.q[0]);
  EXPECT_EQ(sensors.joint_velocity(0), s.state.v[0]);
  EXPECT_EQ(sensors.actuator_force(0), 3);
  EXPECT_THROW(sensors.joint_position(1), std::invalid_argument);
  EXPECT_THROW(sensors.joint_position(9), std::invalid_argument);
}

}  // namespace sinew::test
