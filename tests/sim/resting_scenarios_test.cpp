// tests/sim/resting_scenarios_test.cpp - stacks, grasps, a ladder, a cube on its edge, a box that spins in flight
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {}  // namespace

// Each box carries what is above it, whatever the masses are.
TEST(RestingScenarios, AStackCarriesItself) {
  const std::vector<std::vector<double>> stacks = {{1, 1, 1, 1, 1}, {1, 1000}, {1000, 1}, {1, 1, 1000}, {1, 30, 1000}};
  for (const auto& masses : stacks)
    for (const double dt : {1e-3, 4e-3}) {
      SCOPED_TRACE(testing::Message() << testing::PrintToString(masses) << ", dt " << dt);
      std::string scene = kFloor;
      for (std::size_t i = 0; i < masses.size(); ++i)
        scene += fmt::format(R"(<body name="box{0}" pos="0 0 {1}"><freejoint/>
<geom type="box" size="0.05 0.05 0.05" mass="{2}"/></body>)",
                             i, 0.05 + 0.1 * static_cast<double>(i), masses[i]);
      Scenario s(scene, {.dt = dt});
      s.run_for(0.4);
      double above = 0;
      for (std::size_t i = masses.size(); i-- > 0;) {
        above += masses[i] * kGravity;
        const std::string below = i == 0 ? "world" : fmt::format("box{}", i - 1);
        EXPECT_NEAR(s.force(fmt::format("box{}", i), below).z, above, 1e-11 * above) << i;
        EXPECT_NEAR(norm(s.position(fmt::format("box{}", i)) - Vec3<double>{0, 0, 0.05 + 0.1 * static_cast<double>(i)}),
                    0, 2e-14);
      }
    }
}

// Two pads press a box from both sides with N each: it stays iff 2 mu N >= m g. Eight contacts, hyperstatic.
TEST(RestingScenarios, TwoPadsHoldABoxOrLetItSlip) {
  const double N = 15, m = 1, T = 0.1;
  const std::string scene = R"(<body name="left" pos="-0.07 0 0"><joint type="slide" axis="1 0 0"/>
<geom type="box" size="0.02 0.1 0.3" mass="0.4"/></body>
<body name="right" pos="0.07 0 0"><joint type="slide" axis="-1 0 0"/><geom type="box" size="0.02 0.1 0.3" mass="0.4"/></body>
<body name="box"><freejoint/><geom type="box" size="0.05 0.05 0.05" mass="1"/></body>)";
  for (const double share : {0.6, 0.98, 1.02, 2.0})
    for (const double dt : {1e-3, 2e-3}) {
      SCOPED_TRACE(testing::Message() << "friction " << share << " of the limit, dt " << dt);
      const double mu = share * m * kGravity / (2 * N);
      Scenario s(scene, {.dt = dt, .friction = mu});
      s.sim().applied[0] = s.sim().applied[1] = N;
      s.run_for(T);
      EXPECT_NEAR(s.velocity("box").z, -T * kGravity * std::max(0.0, 1 - share), 5e-13);
      const Vec3<double> held = s.force("box", "left") + s.force("box", "right");
      EXPECT_NEAR(norm(held - Vec3<double>{0, 0, m * kGravity * std::min(1.0, share)}), 0, 1e-12);
      EXPECT_NEAR(s.force("box", "left").x, N, 1.5e-13);
    }
}

// A ladder on a rough floor against a smooth wall: the wall carries m g d / H, which friction below must hold.
TEST(RestingScenarios, ALadderLeansUntilItSlips) {
  const double L = 2, r = 0.02, mass = 8;
  for (const double degrees : {50.0, 65.0, 80.0}) {
    const double th = degrees / 57.29577951308232, c = std::cos(th), s = std::sin(th);
    const double limit = L * c / 2 / (r + L * s);  // about 1 / (2 tan th)
    for (const double share : {0.9, 1.1})
      for (const double dt : {1e-3, 2e-3}) {
        SCOPED_TRACE(testing::Message() << degrees << " degrees, friction " << share << " of the limit, dt " << dt);
        Scenario run(fmt::format(R"(<body name="floor"><geom type="plane" size="9 9 0.1" friction="{}"/></body>
<body name="wall" pos="{} 0 0"><geom type="plane" size="9 9 0.1" zaxis="-1 0 0"/></body>
<body name="ladder" pos="{} 0 {}"><freejoint/><geom type="capsule" size="{}" fromto="{} 0 {} {} 0 {}" mass="{}"/></body>)",
                                 share * limit, L * c / 2 + r, 0, r + L * s / 2, r, -L * c / 2, -L * s / 2, L * c / 2,
                                 L * s / 2, mass),
                     {.dt = dt, .friction = 0, .overlap = 1e-6});
        run.run_for(0.3);
        if (share > 1) {
          EXPECT_NEAR(norm(run.velocity("ladder")), 0, 2e-14);
          double wall = 0;
          for (std::size_t i = 0; i < run.sim().contacts().size(); ++i)
            wall -= run.sim().contacts()[i].normal.x < -0.5 ? run.sim().contact_force(i).x : 0;
          EXPECT_NEAR(wall, mass * kGravity * limit, 3e-13);
        } else {
          EXPECT_LT(run.velocity("ladder").z, -1e-3);
        }
      }
  }
}

// A cube on its edge, a little out of balance, falls as  turn = start cosh(k t),  k^2 = 3 sqrt(2) g / (4 side).
TEST(RestingScenarios, ACubeFallsFromItsEdge) {
  const double half = 0.1, start = 1e-4, k = std::sqrt(0.75 * std::sqrt(2.0) * kGravity / (2 * half)), T = 0.4;
  double error[2];
  for (int fine = 0; fine < 2; ++fine) {
    const double lean = 0.7853981633974483 + start, c = std::cos(lean), s = std::sin(lean);
    Scenario run(kFloor + fmt::format(R"(<body name="cube" pos="{} 0 {}" euler="0 {} 0"><freejoint/>
<geom type="box" size="0.1 0.1 0.1" mass="1"/></body>)",
                                      half * (s - c), half * (c + s), lean * 57.29577951308232),
                 {.dt = fine ? 4e-4 : 8e-4, .friction = 1, .overlap = 1e-6});
    run.run_for(T);
    error[fine] = std::abs(run.tilt("cube") - 0.7853981633974483 - start * std::cosh(k * T));
    run.run_for(1.5);
    EXPECT_NEAR(run.tilt("cube"), 1.5707963267948966, 2e-14);  // it lies on the next face
    EXPECT_NEAR(norm(run.velocity("cube")), 0, 2e-14);
  }
  EXPECT_TRUE(is_small(error[0], 0.05 * start * std::cosh(k * T)));
  EXPECT_NEAR(order_of(error[0], error[1]), 1, 0.1);
}

// In flight a box of three different sides keeps its momentum.
TEST(RestingScenarios, ASpinningBoxKeepsItsMomentum) {
  for (const double dt : {1e-3, 5e-3}) {
    Scenario s(R"(<body name="box" pos="0 0 9"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/></body>)",
               {.dt = dt});
    s.launch("box", {1, 2, 3}, {4, 0.1, 1});
    const auto momentum = [&s] {
      const Mat3<double> E = get_body_pose(
                                 s.model(),
                                 [&] {
                                   KinematicsWorkspace<double> k(s.model());
                                   calc_kinematics<double>(s.model(), k, s.sim().state.q);
                                   return k;
                                 }(),
                                 1)
                                 .E.m;
      const Vec3<double> w = E * s.spin("box"), L{w.x * 2.0 / 3 * 0.13, w.y * 2.0 / 3 * 0.10, w.z * 2.0 / 3 * 0.05};
      return transpose(E) * L;
    };
    const Vec3<double> before = momentum();
    s.run_for(1);
    EXPECT_NEAR(norm(s.velocity("box") - Vec3<double>{1, 2, 3 - kGravity}), 0, 1e-11);
    EXPECT_TRUE(is_small(norm(momentum() - before) / norm(before), 2e-13));
  }
}

}  // namespace sinew::test
