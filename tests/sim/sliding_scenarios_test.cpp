// tests/sim/sliding_scenarios_test.cpp - blocks that slide, stick and tip, with the numbers of the textbook
// Where friction is constant, velocities are exact and ways are of first order:  a T (T + dt) / 2.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "sinew/contact/cone.hpp"
#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
const std::string kBlock =
    R"(<body name="block" pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.08 0.05" mass="2"/></body>)";

// A floor that falls towards +x by `slope` degrees, with a block of half sides `size` on it.
std::string on_slope(double slope, const Vec3<double>& size) {
  const double s = std::sin(slope * kDegree), c = std::cos(slope * kDegree);
  return fmt::format(
      R"(<geom name="floor" type="plane" size="9 9 0.1" euler="0 {0} 0"/>
<body name="block" pos="{1} 0 {2}" euler="0 {0} 0"><freejoint/><geom type="box" size="{3} {4} {5}" mass="2"/></body>)",
      slope, size.z * s, size.z * c, size.x, size.y, size.z);
}

}  // namespace

TEST(SlidingScenarios, ABlockSlidesDownASlope) {
  const double slope = 20 * kDegree, mu = 0.3, a = kGravity * (std::sin(slope) - mu * std::cos(slope)), T = 0.5;
  EXPECT_NEAR(a, 0.589702, 1e-6);
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    Scenario s(on_slope(20, {0.1, 0.08, 0.05}), {.dt = fine ? 1e-3 : 2e-3, .friction = mu});
    const Vec3<double> from = s.position("block");
    s.run_for(T);
    EXPECT_NEAR(norm(s.velocity("block")), a * T, 2e-14);
    EXPECT_NEAR(norm(s.spin("block")), 0, 3e-12);
    error[fine] = norm(s.position("block") - from) - a * T * T / 2;
  }
  EXPECT_NEAR(error[0], a * T * 2e-3 / 2, 2e-14);
  EXPECT_NEAR(order_of(error[0], error[1]), 1, 3e-11);
}

TEST(SlidingScenarios, ABlockOnAGentleSlopeDoesNotCreep) {
  for (const double dt : {1e-3, 1e-2}) {
    Scenario s(on_slope(15, {0.1, 0.08, 0.05}), {.dt = dt, .friction = 0.3});
    s.run_for(0.1);
    const Vec3<double> from = s.position("block");
    s.run_for(2);
    EXPECT_NEAR(norm(s.position("block") - from), 0, 2e-14);
    const Vec3<double> along{std::cos(15 * kDegree), 0, -std::sin(15 * kDegree)}, f = s.force("block", "world");
    EXPECT_NEAR(dot(f, along), -2 * kGravity * std::sin(15 * kDegree), 1.5e-13);
    EXPECT_NEAR(norm(f - Vec3<double>{0, 0, 2 * kGravity}), 0, 3e-13);
  }
}

TEST(SlidingScenarios, ABlockThrownAtAnAngleStopsWhereItShould) {
  const double mu = 0.3, v = 1.2, way = v * v / (2 * mu * kGravity), angle = 0.4;
  const Vec3<double> along{std::cos(angle), std::sin(angle), 0};
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    Scenario s(kFloor + kBlock, {.dt = fine ? 5e-4 : 1e-3, .friction = mu});
    s.launch("block", v * along);
    s.run_for(0.2);
    EXPECT_NEAR(norm(s.velocity("block") - (v - mu * kGravity * 0.2) * along), 0, 5e-13);
    s.run_for(0.3);
    const Vec3<double> gone = s.position("block") - Vec3<double>{0, 0, 0.05};
    error[fine] = std::abs(norm(gone) - way);
    EXPECT_NEAR(norm(gone - norm(gone) * along), 0, 5e-14);
    EXPECT_NEAR(norm(s.velocity("block")), 0, 1e-14);
    EXPECT_NEAR(s.sim().totals().work.contact_friction, -v * v, 1e-12 * v * v);  // all of m v^2 / 2
  }
  EXPECT_TRUE(is_small(error[0], 1e-3));
  EXPECT_NEAR(order_of(error[0], error[1]), 1, 0.02);
}

// Half base w, centre at h: it tips over its lower edge iff tan(slope) > w / h and mu > w / h.
TEST(SlidingScenarios, ABoxOnASlopeTipsSlidesOrStands) {
  const double w = 0.05, h = 0.15;
  struct Case {
    double tangent, mu;
    bool tips, slides;
  };
  const Case cases[] = {{0.30, 0.5, false, false},
                        {0.36, 0.4, true, false},
                        {0.36, 0.30, false, true},
                        {0.32, 0.2, false, true},
                        {0.36, 0.36, true, false}};
  for (const Case& c : cases)
    for (const double dt : {1e-3, 2e-3}) {
      SCOPED_TRACE(testing::Message() << "tangent " << c.tangent << ", mu " << c.mu << ", dt " << dt);
      const double slope = std::atan(c.tangent);
      Scenario s(on_slope(slope / kDegree, {w, w, h}), {.dt = dt, .friction = c.mu, .overlap = 1e-7});
      s.run_for(0.2);
      const double turned = s.tilt("block") - slope, speed = norm(s.velocity("block"));
      if (!c.tips && !c.slides) {
        EXPECT_NEAR(speed, 0, 2e-14);
      } else if (c.slides) {
        EXPECT_NEAR(turned, 0, 2e-14);
        EXPECT_NEAR(speed, 0.2 * kGravity * (std::sin(slope) - c.mu * std::cos(slope)), 2e-14);
      } else {
        // about the edge:  4/3 m d^2 a = m g d sin(slope - atan(w / h))  at first
        const double d = std::hypot(w, h), start = 0.75 * kGravity / d * std::sin(slope - std::atan(w / h));
        EXPECT_GT(turned, start * 0.2 * 0.2 / 2);
        EXPECT_LT(turned, start * 0.2 * 0.2 / 2 * 1.5);
      }
    }
}

// The lower of two blocks is pulled: the upper one slips iff F > (mu12 + mu2)(m1 + m2) g.
TEST(SlidingScenarios, AnUpperBlockFollowsUntilItSlips) {
  const double m1 = 1, m2 = 3, mu12 = 0.25, mu2 = 0.15, limit = (mu12 + mu2) * (m1 + m2) * kGravity, T = 0.2;
  const std::string scene = fmt::format(
      R"(<geom name="floor" type="plane" size="9 9 0.1" friction="{}"/>
<body name="lower" pos="0 0 0.05"><freejoint/><geom type="box" size="0.5 0.2 0.05" mass="{}" friction="0"/></body>
<body name="upper" pos="0 0 0.15"><freejoint/><geom type="box" size="0.2 0.2 0.05" mass="{}" friction="{}"/></body>)",
      mu2, m2, m1, mu12);
  for (const double F : {0.3 * limit, 0.99 * limit, 1.01 * limit, 1.6 * limit})
    for (const double dt : {1e-3, 2e-3}) {
      SCOPED_TRACE(testing::Message() << F / limit << " of the limit, dt " << dt);
      Scenario s(scene, {.dt = dt});
      s.pull("lower", {F, 0, 0});
      s.run_for(T);
      const double drag = mu2 * (m1 + m2) * kGravity;
      const double together = std::max(0.0, (F - drag) / (m1 + m2));
      const double upper = F > limit ? mu12 * kGravity : together;
      const double lower = F > limit ? (F - drag - mu12 * m1 * kGravity) / m2 : together;
      EXPECT_NEAR(s.velocity("upper").x, upper * T, 2e-13);
      EXPECT_NEAR(s.velocity("lower").x, lower * T, 2e-13);
    }
}

// A wedge of 30 degrees, free to slide, without friction. m = 1, M = 2.
TEST(SlidingScenarios, ABlockPushesItsWedgeAway) {
  const double th = 30 * kDegree, m = 1, M = 2, s30 = std::sin(th), c30 = std::cos(th), T = 0.2;
  const double A = m * kGravity * s30 * c30 / (M + m * s30 * s30),
               along = (M + m) * kGravity * s30 / (M + m * s30 * s30);
  EXPECT_NEAR(A, 1.887935, 1e-6);
  EXPECT_NEAR(along, 6.54, 1e-13);
  // A slab on a sled; its upper side falls towards +x and passes through (0.3, 0.2).
  const double thin = 0.02, half = 0.04, x = 0.2, z = 0.2 + (0.3 - x) * std::tan(th);
  const std::string scene = fmt::format(
      R"(<geom name="floor" type="plane" size="9 9 0.1"/>
<body name="wedge"><freejoint/><inertial pos="0.25 0 0.1" mass="{}" diaginertia="0.02 0.04 0.04"/>
<geom type="box" size="0.3 0.2 {}" pos="{} 0 {}" euler="0 30 0"/><geom type="box" size="0.3 0.2 0.02" pos="0.3 0 0.02"/></body>
<body name="block" pos="{} 0 {}" euler="0 30 0"><freejoint/><geom type="box" size="{} {} {}" mass="{}"/></body>)",
      M, thin, 0.3 - thin * s30, 0.2 - thin * c30, x + half * s30, z + half * c30, half, half, half, m);
  for (const double dt : {1e-3, 2e-3}) {
    Scenario s(scene, {.dt = dt, .friction = 0});
    s.run_for(T);
    const Vec3<double> wedge = s.velocity("wedge"), relative = s.velocity("block") - wedge;
    EXPECT_NEAR(wedge.x, -A * T, 3e-14);
    EXPECT_NEAR(relative.x, along * c30 * T, 2e-13);
    EXPECT_NEAR(relative.z, -along * s30 * T, 1.5e-13);
    EXPECT_NEAR(norm(s.spin("wedge")) + norm(s.spin("block")), 0, 6e-14);
  }
}

// Friction of a pyramid with four sides acts along the larger part of the velocity alone, until both are equal.
TEST(SlidingScenarios, APyramidBrakesAlongItsOwnDirections) {
  const double mu = 0.4, v = 1, T = 0.05;
  const auto [t1, t2] = contact_tangents({0, 0, 1});
  const Vec3<double> start = v * std::cos(30 * kDegree) * t1 + v * std::sin(30 * kDegree) * t2;
  for (const double dt : {1e-3, 5e-4}) {
    Scenario pyramid(kFloor + kBlock, {.dt = dt, .friction = mu, .directions = 4});
    pyramid.launch("block", start);
    pyramid.run_for(T);
    EXPECT_NEAR(norm(pyramid.velocity("block") - (start - mu * kGravity * T * t1)), 0, 1e-12);
    Scenario cone(kFloor + kBlock, {.dt = dt, .friction = mu});
    cone.launch("block", start);
    cone.run_for(T);
    EXPECT_NEAR(norm(cone.velocity("block") - (1 - mu * kGravity * T / v) * start), 0, 1e-13);
  }
}

}  // namespace sinew::test
