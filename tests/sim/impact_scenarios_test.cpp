// tests/sim/impact_scenarios_test.cpp - bounces, chains of balls, oblique impacts, rocking, a rod that digs in
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

std::string ball(const std::string& name, double x, double z, double mass = 1) {
  return fmt::format(R"(<body name="{}" pos="{} 0 {}"><freejoint/><geom type="sphere" size="0.1" mass="{}"/></body>)",
                     name, x, z, mass);
}
std::string cube(const std::string& name, double x, double z, double mass = 1) {
  return fmt::format(
      R"(<body name="{}" pos="{} 0 {}"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="{}"/></body>)", name, x, z,
      mass);
}

}  // namespace

// From h with restitution e: apex h e^2k, impacts at e^k sqrt(2 g h), at rest after sqrt(2h/g)(1+e)/(1-e), on a way of
// h (1+e^2)/(1-e^2). A ball, and a cube that falls flat on its four corners.
TEST(ImpactScenarios, ABounceFollowsTheLawUntilItEnds) {
  const double h = 1, e = 0.8, g = kGravity, zeno = std::sqrt(2 * h / g) * (1 + e) / (1 - e);
  const double way = h * (1 + e * e) / (1 - e * e);
  EXPECT_NEAR(zeno, 4.063713, 1e-6);
  EXPECT_NEAR(way, 4.555556, 1e-6);
  for (const std::string& thing : {ball("thing", 0, 0.1 + h), cube("thing", 0, 0.1 + h)}) {
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
      Scenario s(kFloor + thing, {.dt = fine ? 2.5e-4 : 1e-3, .restitution = e});
      const double dt = s.sim().options().dt;
      double gone = 0, speed = 0, last = 0.1 + h;
      int bounces = 0;
      while (s.sim().state.time < 1.02 * zeno && !testing::Test::HasFailure()) {
        s.step();
        if (s.sim().report().collisions > 0 && ++bounces <= 6) {
          const double after = s.velocity("thing").z + g * dt;  // gravity has acted on it since
          if (bounces > 1) {
            EXPECT_NEAR(after, e * speed, 4 * g * dt) << "bounce " << bounces;
          }
          speed = after;
        }
        gone += std::abs(s.position("thing").z - last), last = s.position("thing").z;
      }
      error[fine] = std::abs(gone - way);
      EXPECT_GT(bounces, 10);
      EXPECT_NEAR(last, 0.1, 1e-14);
      EXPECT_NEAR(norm(s.velocity("thing")), 0, 2e-14);
      EXPECT_EQ(s.sim().report().collisions, 0);
    }
    EXPECT_TRUE(is_small(error[0], 0.03 * way));
    EXPECT_NEAR(order_of(error[0], error[1]) / 2, 1, 0.4);  // the step was quartered
  }
}

TEST(ImpactScenarios, TwoBodiesShareTheirMomentum) {
  const double m1 = 2, m2 = 5, v = 3;
  for (const double e : {0.0, 0.3, 1.0})
    for (const double dt : {1e-3, 4e-3}) {
      for (const auto make : {ball, cube}) {
        SCOPED_TRACE(testing::Message() << "e " << e << ", dt " << dt);
        Scenario s(make("a", 0, 0, m1) + make("b", 0.25, 0, m2),
                   {.dt = dt, .friction = 0, .restitution = e, .gravity = {}});
        s.launch("a", {v, 0, 0});
        const double before = s.energy();
        s.run_for(0.1);
        EXPECT_NEAR(s.velocity("a").x, (m1 - e * m2) * v / (m1 + m2), 2e-14);
        EXPECT_NEAR(s.velocity("b").x, (1 + e) * m1 * v / (m1 + m2), 2e-14);
        EXPECT_NEAR(before - s.energy(), m1 * m2 / (m1 + m2) * (1 - e * e) * v * v / 2, 1.5e-13);
      }
    }
}

// All contacts at once: the first ball keeps ((1+e)/N - e) v, the others get (1+e) v / N. One after the other, with
// gaps between them, the last one takes all.
TEST(ImpactScenarios, ARowOfBallsTakesTheSimultaneousLaw) {
  const double v = 2;
  for (const int n : {2, 3, 5})
    for (const double e : {1.0, 0.5})
      for (const double dt : {1e-3, 1e-4}) {
        SCOPED_TRACE(testing::Message() << n << " balls, e " << e << ", dt " << dt);
        std::string row = ball("b0", -0.01, 0);
        for (int i = 1; i < n; ++i) row += ball(fmt::format("b{}", i), 0.2 * i, 0);
        Scenario s(row, {.dt = dt, .friction = 0, .restitution = e, .gravity = {}});
        s.launch("b0", {v, 0, 0});
        s.run_for(0.02);
        EXPECT_NEAR(s.velocity("b0").x, ((1 + e) / n - e) * v, 1e-14);
        for (int i = 1; i < n; ++i) EXPECT_NEAR(s.velocity(fmt::format("b{}", i)).x, (1 + e) / n * v, 2e-10);
      }
  Scenario apart(ball("b0", 0, 0) + ball("b1", 0.21, 0) + ball("b2", 0.42, 0),
                 {.dt = 1e-3, .friction = 0, .restitution = 1, .gravity = {}});
  apart.launch("b0", {v, 0, 0});
  apart.run_for(0.1);
  EXPECT_NEAR(apart.velocity("b0").x, 0, 1e-14);
  EXPECT_NEAR(apart.velocity("b1").x, 0, 1e-14);
  EXPECT_NEAR(apart.velocity("b2").x, v, 2e-14);
}

// It slides through the impact iff mu < 2 vx / (7 (1+e) vy); else it leaves rolling. A step sees the impact while there
// is a gap, and takes the point half-way as the place of contact: an arm that is too long by half of it, first order.
TEST(ImpactScenarios, ABallStrikesTheFloorAtAnAngle) {
  const double vx = 2, vz = 1.5, R = 0.1;
  for (const double e : {0.0, 0.6, 1.0})
    for (const double share : {0.4, 0.99, 1.01, 3.0})
      for (const double dt : {1e-3, 1e-4})
        for (const double height : {0.0, 0.01}) {
          SCOPED_TRACE(testing::Message() << "e " << e << ", friction " << share << " of the limit, dt " << dt);
          const double mu = share * 2 * vx / (7 * (1 + e) * vz), given = mu * (1 + e) * vz;
          Scenario s(kFloor + ball("ball", 0, R + height), {.dt = dt, .friction = mu, .restitution = e, .gravity = {}});
          s.launch("ball", {vx, 0, -vz});
          s.run_for(0.05);
          const double allowed = height == 0 ? 1e-10 : vz * dt / (2 * R);
          EXPECT_NEAR(s.velocity("ball").z, e * vz, 4e-13);
          EXPECT_NEAR(s.velocity("ball").x, share < 1 ? vx - given : 5 * vx / 7, allowed * vx);
          EXPECT_NEAR(s.spin("ball").y, share < 1 ? 5 * given / (2 * R) : 5 * vx / (7 * R), allowed * vx / R);
        }
}

// A rod on a hinge, let go level, meets a stop: it loses all its energy there and stays.
TEST(ImpactScenarios, APendulumEndsAtItsStop) {
  const double L = 0.6, m = 1.5, stop = 60 * 0.017453292519943295;
  const std::string scene =
      R"(<body name="rod" pos="0 0 1"><joint name="hinge" type="hinge" axis="0 1 0" range="-10 60"/>
<inertial pos="0.3 0 0" mass="1.5" diaginertia="1e-6 0.045 0.045"/></body>)";
  const double lost = m * kGravity * L / 2 * std::sin(stop);
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    Scenario s(scene, {.dt = fine ? 5e-4 : 1e-3});
    s.run_for(1);
    EXPECT_NEAR(s.sim().state.q[0], stop, 1e-14);
    EXPECT_NEAR(s.sim().state.v[0], 0, 1e-14);
    error[fine] = std::abs(s.sim().totals().work.stops + lost);
    EXPECT_NEAR(s.sim().joint_impulses()[0] / s.sim().options().dt, m * kGravity * L / 2 * std::cos(stop), 2e-14);
  }
  EXPECT_TRUE(is_small(error[0], 1e-4 * lost));
  EXPECT_LT(error[1], 0.75 * error[0]);
}

// Housner: a slender block that rocks from one edge to the other without bouncing keeps (1 - 3/2 sin^2 a)^2 of its
// energy. With e = 0 the simultaneous law says the same: the edge that it leaves takes no impulse.
TEST(ImpactScenarios, ARockingBlockLosesWhatHousnerSays) {
  for (const double w : {0.03, 0.05, 0.08}) {
    const double h = 0.15, a = std::atan(w / h), keeps = std::pow(1 - 1.5 * std::sin(a) * std::sin(a), 2),
                 lean = 0.3 * a;
    double error[2];
    for (int fine = 0; fine < 2; ++fine) {
      SCOPED_TRACE(testing::Message() << "half width " << w << ", fine " << fine);
      const double x = w * std::cos(lean) + h * std::sin(lean), z = h * std::cos(lean) + w * std::sin(lean);
      // it leans over the edge at +x
      Scenario s(kFloor + fmt::format(R"(<body name="block" pos="{} 0 {}" euler="0 {} 0"><freejoint/>
<geom type="box" size="{} 0.05 {}" mass="3"/></body>)",
                                      x - w, z, lean * 57.29577951308232, w, h),
                 {.dt = fine ? 1.25e-4 : 5e-4, .friction = 2, .overlap = 1e-6});
      const double rest = 3 * kGravity * h, before = s.energy() - rest;
      double turn = s.spin("block").y;
      s.step();
      turn = s.spin("block").y;
      while (s.spin("block").y * turn > 0 && s.sim().state.time < 2 && !testing::Test::HasFailure()) {
        s.step();
        if (s.tilt("block") < 0.02 * lean) break;
      }
      while (s.tilt("block") < 0.1 * lean && s.sim().state.time < 2 && !testing::Test::HasFailure()) s.step();
      error[fine] = std::abs((s.energy() - rest) / before - keeps);
      EXPECT_LT(s.sim().state.time, 1.9);
    }
    EXPECT_TRUE(is_small(error[1], 0.02)) << keeps;
    EXPECT_LT(error[1], 0.75 * error[0]) << error[0];  // a quarter of the step: where in it the impact falls counts too
  }
}

// A rod slides on its tip so that friction digs in. Beyond the critical friction the acceleration has no answer
// (Painleve); with velocities the tip stops within a step however short: an impulse that does not vanish with dt.
TEST(ImpactScenarios, ARodThatDigsInStopsWithAnImpulse) {
  const double l = 0.5, tip = 1e-3, angle = std::atan(2.0), x = l * std::cos(angle), y = l * std::sin(angle) + tip;
  const double critical = (1 + 3 * x * x / (l * l)) / (3 * x * y / (l * l));  // 4/3 but for the radius of the tip
  EXPECT_NEAR(critical, 4.0 / 3, 5e-3);
  for (const double share : {0.8, 1.5}) {
    const double mu = share * critical;
    double impulse[2];
    for (int fine = 0; fine < 2; ++fine) {
      const double dt = fine ? 1e-6 : 1e-4;
      Scenario s(kFloor + fmt::format(R"(<body name="rod" pos="0 0 {}"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="{} {} 1e-3"/><geom type="sphere" size="{}" pos="{} 0 {}"/></body>)",
                                      y, l * l / 3, l * l / 3, tip, x, -l * std::sin(angle)),
                 {.dt = dt, .friction = mu, .overlap = 1e-6});
      s.launch("rod", {1, 0, 0});
      s.step();
      ASSERT_EQ(s.sim().contacts().size(), 1u);
      impulse[fine] = s.sim().contact_impulses()[0];
      const double slip = s.velocity("rod").x + cross(s.spin("rod"), Vec3<double>{x, 0, -y}).x;
      if (share > 1) {
        EXPECT_NEAR(slip, 0, 1e-14);
      } else {
        EXPECT_GT(slip, 0.99);
      }
    }
    if (share > 1) {
      EXPECT_NEAR(impulse[1] / impulse[0], 1, 0.01);  // the same in no time
      EXPECT_GT(impulse[1], 0.1);
    } else {
      EXPECT_NEAR(impulse[1] / impulse[0], 1e-2, 1e-15);  // a force
    }
  }
}

}  // namespace sinew::test
