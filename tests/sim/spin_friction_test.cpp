// tests/sim/spin_friction_test.cpp - torsional and rolling friction against closed forms
#include "sinew/sim/spin_friction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "sinew/io/mjcf.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/sim/event_simulation.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/sim/smooth_simulation.hpp"
#include "sinew/sim/snapshot.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

constexpr double kBallGravity = 9.81, kBallRadius = 0.1, kBallMass = 2, kBallStep = 1e-3;
constexpr double kSpinLength = 0.004, kRollLength = 0.002;                    // [m] torsional and rolling friction
constexpr double kBallInertia = 0.4 * kBallMass * kBallRadius * kBallRadius;  // of a solid ball

// A ball on a floor that is tilted about y.
Model make_ball(double tilt = 0, double roll = kRollLength) {
  ModelBuilder b("ball");
  b.timestep(kBallStep);
  b.world().plane({}).friction(1).torsional_friction(0);  // the larger of the two counts
  b.body("ball")
      .mass(solid_sphere(kBallMass, kBallRadius), {})
      .sphere(kBallRadius, {})
      .friction(1)
      .torsional_friction(kSpinLength)
      .rolling_friction(roll);
  b.free("flies", "world", "ball").at({0, 0, kBallRadius});
  b.gravity({kBallGravity * std::sin(tilt), 0, -kBallGravity * std::cos(tilt)});
  return compile(b.spec()).value();
}
Model make_bodies(const char* mjcf) { return compile(parse_mjcf(mjcf, "").value()).value(); }
// Rolls without slip at `speed` towards `heading`.
void set_rolling(State& x, double speed, double heading = 0) {
  const double c = std::cos(heading), s = std::sin(heading);
  x.v = {-speed / kBallRadius * s, speed / kBallRadius * c, 0, speed * c, speed * s, 0};
}

// I dw/dt = -c m g until it rests. The impulses of every step are exact.
TEST(SpinFriction, StopsASpinningBall) {
  const Model m = make_ball();
  Simulation s(m);
  const double w = 5, rate = kSpinLength * kBallMass * kBallGravity / kBallInertia, stop = w / rate;
  s.state.v[2] = w;
  while (s.state.time < stop - 2 * kBallStep) {
    s.step();
    EXPECT_NEAR(s.state.v[2], w - rate * s.state.time, 2e-12);
  }
  EXPECT_NEAR(s.totals().work.contact_friction, -0.5 * kBallInertia * (w * w - std::pow(s.state.v[2], 2)), 2e-14);
  while (s.state.time < stop + 0.1) s.step();
  EXPECT_TRUE(is_small(norm(Vec3<double>{s.state.v[0], s.state.v[1], s.state.v[2]}), 2e-14));
  EXPECT_TRUE(is_small(norm(s.unaccounted_momentum().ang), 2e-15));
  EXPECT_EQ(s.totals().unsolved, 0);
}

// (I + m R^2) dw/dt = -c m g, whatever the heading.
TEST(SpinFriction, StopsARollingBall) {
  const Model m = make_ball();
  const double v = 0.3, rate = kRollLength * kBallGravity / (1.4 * kBallRadius), stop = v / rate;
  for (const double heading : {0.0, 0.7, 2.0, -2.5}) {
    Simulation s(m);
    set_rolling(s.state, v, heading);
    while (s.state.time < stop - 2 * kBallStep) {
      s.step();
      EXPECT_NEAR(norm(s.momentum().lin) / kBallMass, v - rate * s.state.time, 4e-12) << heading;
    }
    while (s.state.time < stop + 0.1) s.step();
    for (const double x : s.state.v) EXPECT_TRUE(is_small(std::abs(x), 2e-14));
    EXPECT_NEAR(std::atan2(s.state.q[5], s.state.q[4]), heading, 6e-12);
    EXPECT_EQ(s.totals().unsolved, 0);
  }
}

// A ball on a slope stays where tan(slope) < rolling / R; beyond that it rolls with what is left.
TEST(SpinFriction, HoldsOnASlope) {
  const double roll = 0.01, critical = std::atan(roll / kBallRadius);
  for (const double part : {0.5, 0.99, 1.01, 2.0}) {
    const double tilt = part * critical;
    const Model m = make_ball(tilt, roll);
    Simulation s(m);
    for (int i = 0; i < 500; ++i) s.step();
    const double pull = kBallGravity * std::sin(tilt) - kBallGravity * std::cos(tilt) * roll / kBallRadius;
    const double speed = part < 1 ? 0 : pull / 1.4 * s.state.time;
    EXPECT_NEAR(s.momentum().lin.x / kBallMass, speed, 1e-14) << part;
    EXPECT_EQ(s.totals().unsolved, 0);
  }
}

// Pushed to the side while it rolls: the couple is against the motion, in any direction. Against
//   1.4 dv/dt = F / m - rolling g / R  v / |v|   by small steps.
TEST(SpinFriction, IsADisc) {
  const Model m = make_ball(0, 0.02);
  const double push = 4, brake = 0.02 * kBallGravity / kBallRadius;
  double worst[2];
  for (int k = 0; k < 2; ++k) {
    const double dt = k == 0 ? 2e-3 : 1e-3;
    Simulation s(m, {.dt = dt});
    set_rolling(s.state, 1);
    s.external.assign(m.bodies().size(), {});
    double x = 1, y = 0;
    worst[k] = 0;
    VelocityWorkspace<double> motion(m);
    for (int i = 0; i < static_cast<int>(std::lround(0.6 / dt)); ++i) {
      // a force along the world's y on the centre, in the axes of the ball
      calc_velocities<double>(m, motion, s.state.q, s.state.v);
      s.external[1] = {{}, apply(motion.kinematics.X[1].E, Vec3<double>{0, push, 0})};
      s.step();
      constexpr int kFine = 200;
      for (int j = 0; j < kFine; ++j) {
        const double h = dt / kFine, speed = std::hypot(x, y);
        x += h * (-brake * x / speed) / 1.4, y += h * (push / kBallMass - brake * y / speed) / 1.4;
      }
      calc_velocities<double>(m, motion, s.state.q, s.state.v);
      worst[k] = std::max({worst[k], std::abs(motion.v[1].lin.x - x), std::abs(motion.v[1].lin.y - y)});
    }
    EXPECT_EQ(s.totals().unsolved, 0);
  }
  EXPECT_TRUE(is_small(worst[1], 4e-3));
  EXPECT_NEAR(worst[0] / worst[1], 2, 0.05);  // of first order
}

// Slopes about as steep as friction holds, in every direction, from rest and from slow starts: the couples of each step
// obey the law, and no problem is left open.
TEST(SpinFriction, ObeysTheLawWhereBodiesAlmostStick) {
  std::mt19937 rng(7);
  std::uniform_real_distribution<double> part(0.8, 1.2), angle(-3, 3), small(-1e-3, 1e-3);
  const double roll = 0.01;
  double worst = 0;
  for (int k = 0; k < 40; ++k) {
    const Model m = make_ball(part(rng) * std::atan(roll / kBallRadius), roll);
    Simulation s(m);
    set_rolling(s.state, k % 3 == 0 ? 0 : small(rng), angle(rng));
    VelocityWorkspace<double> motion(m);
    for (int i = 0; i < 100; ++i) {
      s.step();
      EXPECT_EQ(s.report().close + s.report().unsolved, 0) << k << ", step " << i;
      ASSERT_EQ(s.joint_rows().size(), 3u);
      const double limit = roll * s.contact_impulses()[0];
      const double z[] = {s.joint_impulses()[1], s.joint_impulses()[2]};
      worst = std::max(worst, std::hypot(z[0], z[1]) / limit - 1);
      calc_velocities<double>(m, motion, s.state.q, s.state.v);
      const Vec3<double> w{motion.v[1].ang.x, motion.v[1].ang.y, 0};
      // power of the couple: all of it against the motion
      if (norm(w) > 1e-7) {
        const double power = z[0] * s.joint_velocities()[1] + z[1] * s.joint_velocities()[2];
        worst = std::max(worst, std::abs(power / (limit * norm(w)) + 1));
      }
    }
  }
  EXPECT_TRUE(is_small(worst, 3e-11));
}

// All formulations state the same law; several contacts; a run that is restored goes on with the same bits. Three feet:
// how a box shares its weight among four corners is not determined, and so are the bounds of its couples not.
TEST(SpinFriction, InEveryFormulationAndAfterARestore) {
  const Model m = make_bodies(R"(<mujoco><option timestep="2e-3"/><worldbody>
      <geom type="plane" size="1 1 1" condim="6" friction=".6 .01 .003"/>
      <body pos="0 0 .05"><freejoint/><geom pos=".1 0 0" size=".05" mass=".4" friction=".4 .02 .001"/>
        <geom pos="-.05 .08 0" size=".05" mass=".3" friction=".4 .02 .001"/>
        <geom pos="-.05 -.09 0" size=".05" mass=".3" friction=".4 .02 .001"/></body>
      <body pos=".4 0 .2"><freejoint/><geom size=".1" mass=".5" condim="4" friction=".5 .03 .001"/></body>
      </worldbody></mujoco>)");
  std::vector<double> first;
  for (const Formulation f : {Formulation::os, Formulation::mc, Formulation::rmc, Formulation::nmc}) {
    Simulation s(m, {.formulation = f, .solver = {.tolerance = 1e-10, .warm = true}});
    s.state.v = {0.1, 0.2, 4, 0.3, 0.1, 0, 0, 1, 7, 0, 0, 0};
    for (int i = 0; i < 150; ++i) s.step();
    EXPECT_EQ(s.totals().unsolved, 0) << to_string(f);
    if (first.empty()) first = s.state.v;
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(s.state.v[i], first[i], 1e-13) << to_string(f);
  }
  Simulation one(m), other(m);
  one.state.v = {0, 0, 4, 0.3, 0.1, 0, 0, 1, 7, 0, 0, 0};
  for (int i = 0; i < 40; ++i) one.step();
  other.restore(one.make_snapshot());
  for (int i = 0; i < 40; ++i) one.step(), other.step();
  EXPECT_EQ(one.state.q, other.state.q);
  EXPECT_EQ(one.state.v, other.state.v);
}

// Two balls in line spin against each other: what one loses the other gains.
TEST(SpinFriction, ActsOnBothBodies) {
  const Model m = make_bodies(R"(<mujoco><option timestep="1e-3" gravity="0 0 0"/><worldbody>
      <body pos="0 0 0"><freejoint/><geom size=".1" mass="1" condim="4" friction="1 .01 .001"/></body>
      <body pos="0 0 .2"><freejoint/><geom size=".1" mass="2" condim="4" friction="1 .01 .001"/></body>
      </worldbody></mujoco>)");
  Simulation s(m);
  s.external.assign(3, {});
  s.external[1] = {{}, {0, 0, 5}}, s.external[2] = {{}, {0, 0, -5}};
  s.state.v[2] = 3;
  const double start = s.momentum().ang.z;
  for (int i = 0; i < 100; ++i) s.step();
  EXPECT_NEAR(s.momentum().ang.z, start, 1e-15);
  EXPECT_NEAR(s.state.v[2], 3 - 0.01 * 5 * 0.1 / (0.4 * 1 * 0.01), 1e-12);
  EXPECT_NEAR(s.state.v[8], 0.01 * 5 * 0.1 / (0.4 * 2 * 0.01), 1e-13);
}

TEST(SpinFriction, IsRefusedByOtherSteppers) {
  const Model m = make_ball();
  const auto refuses = [](auto make) {
    try {
      make();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what()).find("resists spinning or rolling") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(refuses([&] { EventSimulation s(m, {}); }));
  EXPECT_TRUE(refuses([&] { SmoothSimulation s(m, {.soft = make_soft_surface(m, 1e-3, 1)}); }));
}

}  // namespace
}  // namespace sinew::test
