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

}  // namespace sinew::test
