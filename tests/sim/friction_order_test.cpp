// tests/sim/friction_order_test.cpp - spinning, rolling and gripping contacts: how errors shrink with the step
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

constexpr double kDegree = 0.017453292519943295;

// A scene of one free body from one of its keyframes: tilt [degrees] and velocity after some time, with a step of 1 ms
// divided by `parts`.
struct Spun {
  double tilt = 0;
  Vec3<double> spin;  // about the axes of the body
};
Spun spin_scene(const std::string& name, int keyframe, double seconds, int parts) {
  const Scenario scene = Scenario::load(name);
  const Model& m = scene.model();
  Simulation s(m, {.dt = 1e-3 / parts});
  const KeyframeSpec& key = m.spec().keyframes[at(keyframe)];
  s.state.q = key.q, s.state.v = key.v;
  for (long i = 0; i < std::lround(1000 * seconds) * parts; ++i) s.step();
  EXPECT_EQ(s.totals().unsolved, 0);
  std::vector<BodyMotion> motions;
  s.calc_body_motions(motions);
  return {std::acos(motions.back().pose.E.m.zz) / kDegree, {s.state.v[0], s.state.v[1], s.state.v[2]}};
}
// What steps that are halved again and again lead to, by the last two.
double go_on(double coarse, double fine) { return 2 * fine - coarse; }

}  // namespace

// A heavy top on a tip that sticks precesses steadily where (I1 + m l^2) cos(a) W^2 - I3 w3 W + m g l = 0. Its tilt
// stays.
TEST(FrictionOrder, ATopPrecessesSteadily) {
  const double m = 0.1, l = 0.05, I1 = 8e-5, I3 = 1e-4, w3 = 150, a = 30 * kDegree, r = 1e-7;
  const double A = (I1 + m * l * l) * std::cos(a), B = I3 * w3, C = m * kGravity * l;
  const double W = 2 * C / (B + std::sqrt(B * B - 4 * A * C));  // the slow one
  double error[3];
  for (int k = 0; k < 3; ++k) {
    Scenario s(kFloor + fmt::format(R"(<body name="top" pos="{} 0 {}" euler="0 30 0"><freejoint/>
<inertial pos="0 0 0" mass="{}" diaginertia="{} {} {}"/><geom type="sphere" size="{}" pos="0 0 {}"/></body>)",
                                    l * std::sin(a), l * std::cos(a) + r, m, I1, I1, I3, r, -l),
               {.dt = 1e-3 / (1 << k), .friction = 2, .overlap = 1e-4});
    const double own = w3 - W * std::cos(a);  // about its axis, beside the precession
    s.launch("top", {0, W * l * std::sin(a), 0}, {own * std::sin(a), 0, W + own * std::cos(a)});
    error[k] = 0;
    while (s.sim().state.time < 0.5) {
      s.sim().step();
      error[k] = std::max(error[k], std::abs(s.tilt("top") - a));
    }
  }
  EXPECT_TRUE(is_small(error[0], 0.05)) << error[0];
  EXPECT_LT(error[2], 0.6 * error[1]) << error[0] << " " << error[1] << " " << error[2];
}

// A ball whose centre of mass is off its middle rocks without slipping. It keeps its energy.
TEST(FrictionOrder, ARockingBallKeepsItsEnergy) {
  const double R = 0.1, c = 0.04;
  double error[3];
  for (int k = 0; k < 3; ++k) {
    Scenario s(kFloor + fmt::format(R"(<body name="ball" pos="{} 0 {}" euler="0 60 0"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="0.003 0.003 0.003"/><geom type="sphere" size="{}" pos="0 0 {}"/></body>)",
                                    -c * std::sin(60 * kDegree), R - c * std::cos(60 * kDegree), R, c),
               {.dt = 2e-3 / (1 << k), .friction = 2, .overlap = 1e-4});
    const double before = s.energy();
    double swing = 0;
    while (s.sim().state.time < 5) {
      s.sim().step();
      if (s.sim().state.time > 4) swing = std::max(swing, s.tilt("ball"));
    }
    error[k] = std::abs(swing - 60 * kDegree);
    EXPECT_LE(s.energy(), 1.02 * before);
  }
  EXPECT_TRUE(is_small(error[0], 0.1)) << error[0];
  EXPECT_LT(error[2], 0.6 * error[1]) << error[0] << " " << error[1] << " " << error[2];
}

// Two pads squeeze a box with 0.9 of the force that would hold it: it falls with a tenth of g, and does not turn.
TEST(FrictionOrder, ASlippingGripLetsItsBoxFallStraight) {
  const double force = 0.9 * kGravity, T = 0.3, want = -0.1 * kGravity * T * T / 2;
  double drop[3], turn[3];
  for (int k = 0; k < 3; ++k) {
    Scenario s(R"(<body name="l" pos="-0.11 0 1"><joint name="l" type="slide" axis="1 0 0"/>
<geom type="box" size="0.01 0.05 0.2" mass="0.1"/></body>
<body name="r" pos="0.11 0 1"><joint name="r" type="slide" axis="-1 0 0"/>
<geom type="box" size="0.01 0.05 0.2" mass="0.1"/></body>
<body name="box" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.05 0.05" mass="1"/></body>)",
               {.dt = 2e-3 / (1 << k), .friction = 0.5});
    s.sim().applied[0] = s.sim().applied[1] = force;
    while (s.sim().state.time < T - 1e-9) s.sim().step();
    drop[k] = std::abs(s.position("box").z - 1 - want);
    turn[k] = s.tilt("box");
  }
  EXPECT_TRUE(is_small(drop[0], 2e-3)) << drop[0];
  EXPECT_LT(drop[2], 0.6 * drop[1]);
  EXPECT_TRUE(is_small(turn[0], 0.05)) << turn[0] << " " << turn[1] << " " << turn[2];
  EXPECT_LT(turn[2], 0.8 * turn[0]);
}

// With Coulomb's law it comes to roll, and does not turn over. First order in the step.
TEST(FrictionOrder, ATippeTopThatRollsDoesNotTurnOver) {
  const double limit = go_on(spin_scene("tippe_top", 0, 0.3, 16).tilt, spin_scene("tippe_top", 0, 0.3, 32).tilt);
  const double coarse = std::abs(spin_scene("tippe_top", 0, 0.3, 1).tilt - limit),
               fine = std::abs(spin_scene("tippe_top", 0, 0.3, 4).tilt - limit);
  EXPECT_LT(coarse, 0.2);
  EXPECT_LT(fine, 0.3 * coarse) << coarse << ' ' << fine;
  const Spun after = spin_scene("tippe_top", 0, 5, 1);
  EXPECT_LT(after.tilt, 3.5);
  EXPECT_GT(after.spin.z, 199);
}

// Against its sense a rattleback turns back; with it, it spins on.
TEST(FrictionOrder, ARattlebackTurnsBackOneWayOnly) {
  const double limit = go_on(spin_scene("rattleback", 0, 0.3, 16).spin.z, spin_scene("rattleback", 0, 0.3, 32).spin.z);
  EXPECT_NEAR(spin_scene("rattleback", 0, 0.3, 1).spin.z, limit, 0.02);
  EXPECT_LT(limit, -2);
  EXPECT_NEAR(spin_scene("rattleback", 0, 0.3, 4).spin.z, limit, 0.01);
  EXPECT_GT(spin_scene("rattleback", 0, 0.5, 1).spin.z, 2);
  const double on = go_on(spin_scene("rattleback", 1, 2, 4).spin.z, spin_scene("rattleback", 1, 2, 8).spin.z);
  EXPECT_GT(on, 4.5);
  EXPECT_NEAR(spin_scene("rattleback", 1, 2, 1).spin.z, on, 0.02);
}

}  // namespace sinew::test
