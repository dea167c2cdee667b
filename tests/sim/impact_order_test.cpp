// tests/sim/impact_order_test.cpp - impacts within a step: closed forms, and how errors shrink with the step
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

std::string free_ball(const std::string& name, double x, double y, double z) {
  return fmt::format(R"(<body name="{}" pos="{} {} {}"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>)",
                     name, x, y, z);
}

// A simple pendulum of frequency w for small swings, let go at rest from the angle a0 off the top: its angle and speed
// after t, by Runge-Kutta's rule with steps far below any error that is looked for.
struct Fall {
  double angle = 0, speed = 0;
};
Fall fall_from(double a0, double speed0, double w2, double t) {
  const int n = 20000;
  const double h = t / n;
  double a = a0, s = speed0;
  for (int i = 0; i < n; ++i) {
    const double k1 = w2 * std::sin(a), k2 = w2 * std::sin(a + h / 2 * s),
                 k3 = w2 * std::sin(a + h / 2 * s + h * h / 4 * k1), k4 = w2 * std::sin(a + h * s + h * h / 2 * k2);
    a += h * s + h * h / 6 * (k1 + k2 + k3), s += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return {a, s};
}

// Discs of radius 0.1 m and equal mass that go from impact to impact until `end`: nothing else happens between them.
struct Disc {
  double x = 0, y = 0, u = 0, v = 0;
};
int play(std::vector<Disc>& discs, double end) {
  int impacts = 0;
  for (double now = 0;; ++impacts) {
    double next = end;
    std::size_t first = 0, second = 0;
    for (std::size_t a = 0; a < discs.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const double x = discs[a].x - discs[b].x, y = discs[a].y - discs[b].y, u = discs[a].u - discs[b].u,
                     v = discs[a].v - discs[b].v, along = x * u + y * v, speed = u * u + v * v;
        const double root = along * along - speed * (x * x + y * y - 0.04);
        if (along >= 0 || root < 0) continue;
        if (const double when = now + (x * x + y * y - 0.04) / (std::sqrt(root) - along); when < next)
          next = when, first = a, second = b;
      }
    for (Disc& d : discs) d.x += (next - now) * d.u, d.y += (next - now) * d.v;
    now = next;
    if (now >= end) return impacts;
    Disc &a = discs[first], &b = discs[second];
    const double x = (a.x - b.x) / 0.2, y = (a.y - b.y) / 0.2, given = (b.u - a.u) * x + (b.v - a.v) * y;
    a.u += given * x, a.v += given * y, b.u -= given * x, b.v -= given * y;
  }
}

}  // namespace

// It comes back to the same height for ever: energy and place are exact, whatever the step.
TEST(ImpactOrder, AnElasticBallBouncesForEver) {
  const double h = 0.9, g = kGravity, fall = std::sqrt(2 * h / g);
  for (const double dt : {1e-2, 3e-3, 1e-3}) {
    SCOPED_TRACE(dt);
    Scenario s(kFloor + free_ball("ball", 0, 0, 0.1 + h), {.dt = dt, .restitution = 1});
    const double before = s.energy();
    s.run_for(30);
    EXPECT_GT(s.sim().totals().collisions, 30);
    const double t = std::fmod(s.sim().state.time + fall, 2 * fall) - fall;  // from the last apex
    EXPECT_NEAR(s.position("ball").z, 0.1 + h - g * t * t / 2, 1e-10);
    EXPECT_NEAR(s.energy(), before, 5e-13 * before);
    EXPECT_TRUE(is_small(s.sim().unaccounted_energy(), 2e-13 * before));
    EXPECT_EQ(s.sim().totals().cut_short, 0);
  }
}

// Each bounce keeps e of the speed, at its own time: place after several bounces.
TEST(ImpactOrder, BouncesComeAtTheirOwnTimes) {
  const double h = 1, e = 0.8, g = kGravity, u = std::sqrt(2 * g * h);
  for (const double dt : {8e-3, 4e-3, 1e-3}) {
    SCOPED_TRACE(dt);
    Scenario s(kFloor + free_ball("ball", 0, 0, 0.1 + h), {.dt = dt, .restitution = e});
    s.run_for(2.5);
    double start = u / g, speed = e * u;
    while (start + 2 * speed / g < s.sim().state.time) start += 2 * speed / g, speed *= e;
    const double t = s.sim().state.time - start;
    EXPECT_NEAR(s.position("ball").z, 0.1 + speed * t - g * t * t / 2, 1e-11);
    EXPECT_NEAR(s.velocity("ball").z, speed - g * t, 1e-11);
  }
}

// Five balls with gaps of 0.1 mm: one after the other within a step. The last takes all, at every step.
TEST(ImpactOrder, AChainOfImpactsWithinAStep) {
  for (const double dt : {1e-4, 1e-3, 1e-2})
    for (const double e : {1.0, 0.7}) {
      SCOPED_TRACE(testing::Message() << "dt " << dt << ", e " << e);
      std::string row = free_ball("b0", -0.1, 0, 0);
      for (int i = 1; i < 5; ++i) row += free_ball(fmt::format("b{}", i), 0.2001 * i, 0, 0);
      Scenario s(row, {.dt = dt, .friction = 0, .restitution = e, .gravity = {}});
      s.launch("b0", {1, 0, 0});
      s.run_for(0.11);
      // Pairs in their order: each passes on (1 + e) / 2 of its speed. Those that are left behind are caught later.
      if (e == 1) {
        for (int i = 0; i < 4; ++i) EXPECT_NEAR(s.velocity(fmt::format("b{}", i)).x, 0, 1e-14);
        EXPECT_NEAR(s.velocity("b4").x, 1, 1e-14);
      }
      double momentum = 0;
      for (int i = 0; i < 5; ++i) momentum += s.velocity(fmt::format("b{}", i)).x;
      EXPECT_NEAR(momentum, 1, 1e-14);
      EXPECT_NEAR(s.velocity("b4").x, std::pow((1 + e) / 2, 4), 4e-14);
    }
}

// Billiards. A ball that meets another off its middle, without friction: the struck one leaves along the line of
// centres at the moment of impact, the other at a right angle to it.
TEST(ImpactOrder, ABallIsStruckOffItsMiddle) {
  const double v = 3, b = 0.12, sine = b / 0.2, cosine = std::sqrt(1 - sine * sine);
  double error[3];
  for (int k = 0; k < 3; ++k) {
    Scenario s(free_ball("cue", 0, b, 0) + free_ball("other", 0.35123, 0, 0),
               {.dt = 8e-3 / (1 << k), .friction = 0, .restitution = 1, .gravity = {}});
    s.launch("cue", {v, 0, 0});
    const double before = s.energy();
    s.run_for(0.16);
    const Vec3<double> got = s.velocity("other"), want{v * cosine * cosine, -v * cosine * sine, 0};
    error[k] = norm(got - want);
    EXPECT_NEAR(s.energy(), before, 1e-13);
    EXPECT_NEAR(dot(s.velocity("cue"), got), 0, 5e-14);
  }
  EXPECT_TRUE(is_small(error[0], 5e-11));
}

// A ball hits two that touch, both at once: it goes back with v / 5, they leave at 30 degrees with 2 sqrt(3) / 5 v.
TEST(ImpactOrder, ABreak) {
  const double v = 2, a = std::sqrt(3.0) * 0.1;
  for (const double dt : {1e-2, 1e-3}) {
    SCOPED_TRACE(dt);
    Scenario s(free_ball("cue", -0.1234, 0, 0) + free_ball("left", a, 0.1, 0) + free_ball("right", a, -0.1, 0),
               {.dt = dt, .friction = 0, .restitution = 1, .gravity = {}});
    s.launch("cue", {v, 0, 0});
    s.run_for(0.1);
    EXPECT_NEAR(s.velocity("cue").x, -v / 5, 1e-8);
    EXPECT_NEAR(s.velocity("left").x, 3 * v / 5, 6e-9);
    EXPECT_NEAR(s.velocity("left").y, std::sqrt(3.0) * v / 5, 1e-8);
    EXPECT_NEAR(s.velocity("right").y, -std::sqrt(3.0) * v / 5, 1e-8);
  }
}

// A ball breaks a rack of fifteen, each about half a millimetre from the next: impact by impact.
TEST(ImpactOrder, ABreakOfFifteen) {
  const double pitch = 0.2005, T = 0.24;
  std::vector<Disc> start{{-0.5, 0.013, 3, 0}};
  for (int row = 0, k = 1; row < 5; ++row)
    for (int i = 0; i <= row; ++i, ++k)
      start.push_back({row * pitch * std::sqrt(0.75) + 1e-4 * std::sin(12.9898 * k),
                       (i - 0.5 * row) * pitch + 1e-4 * std::sin(78.233 * k), 0, 0});
  std::vector<Disc> want = start;
  const int impacts = play(want, T);
  EXPECT_GT(impacts, 15);
  for (const double dt : {1e-2, 4e-3, 2e-3, 1e-3, 5e-4}) {
    std::string balls;
    for (std::size_t k = 0; k < start.size(); ++k) balls += free_ball(fmt::format("b{}", k), start[k].x, start[k].y, 0);
    Scenario s(balls, {.dt = dt, .friction = 0, .restitution = 1, .gravity = {}});
    s.launch("b0", {3, 0, 0});
    const double before = s.energy();
    s.run_for(T);
    double speed = 0, place = 0;
    Vec3<double> momentum{};
    for (std::size_t k = 0; k < start.size(); ++k) {
      const Vec3<double> v = s.velocity(fmt::format("b{}", k)), r = s.position(fmt::format("b{}", k));
      momentum = momentum + v;
      speed = std::max(speed, std::hypot(v.x - want[k].u, v.y - want[k].v));
      place = std::max(place, std::hypot(r.x - want[k].x, r.y - want[k].y));
    }
    SCOPED_TRACE(fmt::format("dt {}: {} impacts, speed {:.1e}, place {:.1e}, energy {:.1e}, momentum {:.1e}", dt,
                             impacts, speed, place, s.energy() / before - 1, momentum.x / 3 - 1));
    EXPECT_TRUE(is_small(speed, 1e-9));
    EXPECT_TRUE(is_small(place, 2e-9));
    EXPECT_NEAR(s.energy(), before, 2e-13);
    EXPECT_NEAR(momentum.x, 3, 5e-14);
    EXPECT_EQ(s.sim().totals().cut_short, 0);
  }
}

// Two thin dominoes on hinges. The first falls, and its edge hits the second at height y: both have the arm y there, so
// they share the speed as two equal balls do, (1 - e) / 2 and (1 + e) / 2.
TEST(ImpactOrder, OneDominoHitsTheNext) {
  const double h = 0.2, d = 0.08, a0 = 0.1, w2 = 1.5 * kGravity / h, hit = std::asin(d / h), T = 0.29;
  const std::string scene = R"(<body name="a" pos="0 0 0"><joint name="a" type="hinge" axis="0 1 0"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="0.0033333333333333335 0.0033333333333333335 1e-4"/>
<geom type="sphere" size="1e-6" pos="0 0 0.2" contype="1" conaffinity="2"/></body>
<body name="b" pos="0.08 0 0"><joint name="b" type="hinge" axis="0 1 0"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="0.0033333333333333335 0.0033333333333333335 1e-4"/>
<geom type="box" size="0.01 0.05 0.2" pos="0.01 0 0.2" contype="2" conaffinity="1"/></body>)";
  for (const double e : {1.0, 0.5}) {
    SCOPED_TRACE(e);
    // The time and speed of the impact: energy, and the fall by a fine rule.
    const double speed = std::sqrt(2 * w2 * (std::cos(a0) - std::cos(hit)));
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
      const double t = (low + high) / 2;
      (fall_from(a0, 0, w2, t).angle < hit ? low : high) = t;
    }
    const Fall want = fall_from(0, (1 + e) / 2 * speed, w2, T - low);
    double error[3], energy[3];
    for (int k = 0; k < 3; ++k) {
      Scenario s(scene, {.dt = 2e-3 / (1 << k), .friction = 0, .restitution = e, .overlap = 1e-5});
      s.sim().state.q[0] = a0;
      s.run_for(T);
      ASSERT_GT(s.sim().totals().collisions, 0);
      error[k] = std::abs(s.sim().state.q[1] - want.angle);
      const double lost = (1 - e * e) / 2 * (1.0 / 75) * speed * speed / 2;
      energy[k] = std::abs(s.sim().totals().work.collisions + lost) / lost;
      if (e == 1) energy[k] = std::abs(s.sim().totals().work.collisions);
    }
    EXPECT_TRUE(is_small(error[0], 1e-2));
    EXPECT_NEAR(order_of(error[1], error[2]), 1, 0.2);
    EXPECT_TRUE(is_small(energy[0], 1e-2)) << energy[0] << " " << energy[1] << " " << energy[2];
  }
}

// Spin and friction: the impact happens where bodies touch, so the arm of friction is the radius.
TEST(ImpactOrder, ASpinningBallStrikesTheFloor) {
  const double R = 0.1, vx = 2, vz = 3, e = 0.7, mu = 0.1, h = 0.0123;
  for (const double dt : {4e-3, 1e-3}) {
    SCOPED_TRACE(dt);
    Scenario s(kFloor + free_ball("ball", 0, 0, R + h), {.dt = dt, .friction = mu, .restitution = e, .gravity = {}});
    s.launch("ball", {vx, 0, -vz}, {0, -5, 0});
    s.run_for(0.02);
    const double given = mu * (1 + e) * vz, t = h / vz;
    EXPECT_NEAR(s.velocity("ball").x, vx - given, 5e-14);
    EXPECT_NEAR(s.spin("ball").y, -5 + 2.5 * given / R, 2e-13);
    EXPECT_NEAR(s.position("ball").z, R + e * vz * (0.02 - t), 2e-14);
    EXPECT_NEAR(s.position("ball").x, vx * t + (vx - given) * (0.02 - t), 2e-14);
  }
}

// A ball between two walls that come together hits them ever more often. After the most impacts of a step the rest is
// stopped, and the report says so.
TEST(ImpactOrder, TooManyImpactsAreReported) {
  const std::string scene = R"(<geom type="box" size="0.01 1 1" pos="-0.1101 0 0"/>
<geom type="box" size="0.01 1 1" pos="0.1101 0 0"/>)" +
                            free_ball("ball", 0, 0, 0);
  Scenario s(scene, {.dt = 0.05, .friction = 0, .restitution = 1, .gravity = {}});
  s.launch("ball", {1, 0, 0});
  s.step();
  EXPECT_EQ(s.sim().report().cut_short, 1);
  EXPECT_EQ(s.sim().totals().cut_short, 1);
}

}  // namespace sinew::test
