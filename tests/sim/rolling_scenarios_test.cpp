// tests/sim/rolling_scenarios_test.cpp - balls, cylinders and hoops that slide, roll and leave their ground
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// What rolls along x: its inertia about y is k m R^2.
struct Wheel {
  const char* name;
  double k;
  std::string body;
};
std::string wheel_body(const std::string& inside) {
  return R"(<body name="wheel" pos="0 0 0.1"><freejoint/>)" + inside + "</body>";
}
const std::string kLying = R"(<geom type="cylinder" size="0.1 0.2" euler="90 0 0" mass="1"/>)";
const Wheel kWheels[] = {
    {"ball", 0.4, wheel_body(R"(<geom type="sphere" size="0.1" mass="1"/>)")},
    {"cylinder", 0.5, wheel_body(kLying)},
    {"hoop", 1, wheel_body(R"(<inertial pos="0 0 0" mass="1" diaginertia="0.018 0.01 0.018"/>)" + kLying)}};

}  // namespace

// Set down at v without spin it slides for t = k/(1+k) v/(mu g), then rolls at v/(1+k).
TEST(RollingScenarios, WhatSlidesComesToRoll) {
  const double mu = 0.2, v = 1;
  for (const Wheel& w : kWheels) {
    SCOPED_TRACE(w.name);
    const double share = w.k / (1 + w.k), t = share * v / (mu * kGravity);
    const double way = v * v / (mu * kGravity) * (share - share * share / 2);
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
      Scenario s(kFloor + w.body, {.dt = t / (fine ? 1000 : 500), .friction = mu});
      s.launch("wheel", {v, 0, 0});
      s.run_for(t / 2);
      EXPECT_NEAR(s.velocity("wheel").x, v - mu * kGravity * t / 2, 5e-13);
      s.run_for(t / 2);
      error[fine] = std::abs(s.position("wheel").x - way);
      s.run_for(2 * t);
      EXPECT_NEAR(s.velocity("wheel").x, v / (1 + w.k), 8e-13);
      EXPECT_NEAR(s.spin("wheel").y, v / (1 + w.k) / kRadius, 1e-11);
      EXPECT_NEAR(s.position("wheel").z, kRadius, 5e-14);
    }
    EXPECT_TRUE(is_small(error[0], 2e-3 * way));
    EXPECT_NEAR(order_of(error[0], error[1]), 1, 3e-9);
  }
}

TEST(RollingScenarios, TheNumbersOfTheBall) {
  EXPECT_NEAR(2 / (7 * 0.2 * kGravity), 0.145624, 1e-7);
  EXPECT_NEAR(12 / (49 * 0.2 * kGravity), 0.124821, 1e-6);
  EXPECT_NEAR(1 / (3 * 0.2 * kGravity), 0.169895, 1e-6);  // of the cylinder
}

TEST(RollingScenarios, ASpinningWheelSetDownRunsOff) {
  const double mu = 0.2, w0 = 10;
  for (const Wheel& w : kWheels) {
    SCOPED_TRACE(w.name);
    const double v = kRadius * w0 * w.k / (1 + w.k), t = v / (mu * kGravity);
    for (const int n : {250, 500}) {
      Scenario s(kFloor + w.body, {.dt = t / n, .friction = mu});
      s.launch("wheel", {}, {0, w0, 0});
      s.run_for(t / 2);
      EXPECT_NEAR(s.velocity("wheel").x, v / 2, 2e-14);
      s.run_for(t);
      EXPECT_NEAR(s.velocity("wheel").x, v, 5e-13);
      EXPECT_NEAR(s.spin("wheel").y, v / kRadius, 1e-11);
    }
  }
}

// With the back spin v / (k R) both motions end at once.
TEST(RollingScenarios, BackSpinStopsItDead) {
  const double mu = 0.2, v = 1, t = v / (mu * kGravity);
  for (const Wheel& w : kWheels) {
    SCOPED_TRACE(w.name);
    for (const int n : {500, 1000}) {
      Scenario s(kFloor + w.body, {.dt = t / n, .friction = mu});
      s.launch("wheel", {v, 0, 0}, {0, -v / (w.k * kRadius), 0});
      s.run_for(t);
      EXPECT_NEAR(norm(s.velocity("wheel")), 0, 2e-14);
      EXPECT_NEAR(norm(s.spin("wheel")), 0, 2e-14);
      EXPECT_NEAR(s.position("wheel").x, v * t / 2, v * t / n);
    }
  }
}

// Rolls at g sin / (1 + k) iff mu >= tan k / (1 + k); else it slips and is turned by friction alone.
TEST(RollingScenarios, DownASlopeItRollsOrSlips) {
  const double slope = 0.5, T = 0.3, s = std::sin(slope), c = std::cos(slope);
  for (const Wheel& w : kWheels)
    for (const double share : {1.02, 0.98, 0.5})
      for (const double dt : {1e-3, 2e-3}) {
        SCOPED_TRACE(testing::Message() << w.name << ", friction " << share << " of the limit, dt " << dt);
        const double mu = share * std::tan(slope) * w.k / (1 + w.k);
        Scenario run(kFloor + w.body, {.dt = dt, .friction = mu, .gravity = {kGravity * s, 0, -kGravity * c}});
        run.run_for(T);
        const double a = share > 1 ? kGravity * s / (1 + w.k) : kGravity * (s - mu * c);
        const double turning = share > 1 ? a / kRadius : mu * kGravity * c / (w.k * kRadius);
        EXPECT_NEAR(run.velocity("wheel").x, a * T, 2e-13);
        EXPECT_NEAR(run.spin("wheel").y, turning * T, 5e-12);
      }
}

// A ball rolls off a table faster than sqrt(g R): it leaves the edge at once and lands at v sqrt(2 H / g).
TEST(RollingScenarios, ABallRollsOffTheTable) {
  const double v = 2, H = 0.8, edge = 0.2, fall = std::sqrt(2 * H / kGravity), away = edge / v + 0.9 * fall;
  const std::string scene = kFloor + R"(<geom name="table" type="box" size="0.5 0.5 0.4" pos="-0.3 0 0.4"/>
<body name="ball" pos="0 0 0.9"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>)";
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    Scenario s(scene, {.dt = fine ? 0.5e-3 : 1e-3});
    s.launch("ball", {v, 0, 0}, {0, v / kRadius, 0});
    s.run_for(0.1);
    EXPECT_NEAR(s.position("ball").z, 0.9, 2e-14);
    s.run_for(away - 0.1);
    EXPECT_NEAR(s.velocity("ball").x, v, 8e-13);
    EXPECT_NEAR(s.spin("ball").y, v / kRadius, 2e-11);
    const double time = s.sim().state.time - edge / v;
    error[fine] = std::abs(s.position("ball").z - (0.9 - kGravity * time * time / 2));
    EXPECT_NEAR(s.position("ball").x, v * s.sim().state.time, 6e-14);
    s.run_for(0.2);
    EXPECT_NEAR(s.position("ball").z, kRadius, 1e-13);
  }
  EXPECT_TRUE(is_small(error[0], 5e-3));
  EXPECT_NEAR(order_of(error[0], error[1]), 1, 0.1);
}

// A groove whose sides stand `a` from the vertical: each carries m g / (2 sin a), without friction.
TEST(RollingScenarios, WhatLiesInAGroovePressesBothSides) {
  for (const double a : {20.0, 45.0, 70.0})
    for (const char* shape : {R"(type="sphere" size="0.1")", R"(type="cylinder" size="0.1 0.2" euler="90 0 0")"})
      for (const double dt : {1e-3, 1e-2}) {
        SCOPED_TRACE(testing::Message() << a << " degrees, " << shape << ", dt " << dt);
        const double sine = std::sin(a / 57.29577951308232);
        Scenario s(fmt::format(R"(<body name="left"><geom type="plane" size="2 2 0.1" euler="0 {0} 0"/></body>
<body name="right"><geom type="plane" size="2 2 0.1" euler="0 -{0} 0"/></body>
<body name="thing" pos="0 0 {1}"><freejoint/><geom {2} mass="3"/></body>)",
                               90 - a, kRadius / sine, shape),
                   {.dt = dt, .friction = 0});
        s.run_for(0.2);
        EXPECT_NEAR(norm(s.velocity("thing")), 0, 2e-14);
        double left = 0, right = 0;
        for (std::size_t i = 0; i < s.sim().contacts().size(); ++i) {
          const ContactPoint& c = s.sim().contacts()[i];
          (c.normal.x > 0 ? left : right) += norm(s.sim().contact_force(i));
        }
        EXPECT_NEAR(left, 3 * kGravity / (2 * sine), 3e-12);
        EXPECT_NEAR(right, 3 * kGravity / (2 * sine), 3e-12);
      }
}

}  // namespace sinew::test
