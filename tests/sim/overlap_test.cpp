// tests/sim/overlap_test.cpp - starts that overlap: how fast bodies part, and what happens where they cannot; overlap
// that a step would make
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/sim/snapshot.hpp"
#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

const std::string kGround = R"(<geom type="plane" size="9 9 1"/>)";
const std::string kSunkBox = kGround + R"(
  <body name="box" pos="0 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>)";

// A plunger in a barrel that is 2 cm too short at both ends.
const std::string kPlunger = R"(
  <body name="barrel"><geom type="box" size="0.2 0.2 0.1"/><geom type="box" size="0.2 0.2 0.1" pos="0 0 1"/></body>
  <body name="plunger" pos="0 0 0.5"><joint type="slide" axis="0 0 1"/>
    <geom type="box" size="0.1 0.1 0.42" mass="1"/></body>)";

double height(const Scenario& s, const std::string& body) { return s.position(body).z; }

}  // namespace

// 0.1 m deep, and 0.2 of that in 1 ms would be 20 m/s.
TEST(Overlap, AFreeBoxComesOutAtTheRecoverySpeed) {
  Scenario s(kSunkBox, {.dt = 1e-3, .gravity = {0, 0, 0}});
  const double speed = s.sim().options().recovery_speed;
  for (int i = 1; i <= 190; ++i) {
    EXPECT_EQ(s.sim().step().slowed, 4);
    EXPECT_NEAR(s.velocity("box").z, speed, 2e-14);
    EXPECT_NEAR(height(s, "box"), 1e-3 * speed * i, 2e-14);
  }
  while (s.sim().state.time < 0.5) s.sim().step();
  EXPECT_EQ(s.sim().report().slowed, 0);
  EXPECT_NEAR(s.velocity("box").z, speed, 2e-14);  // contacts do not pull
  EXPECT_EQ(s.sim().totals().slowed, 4 * 195);
  EXPECT_EQ(s.sim().totals().stuck, 0);
  EXPECT_EQ(s.sim().totals().unsolved, 0);
}

TEST(Overlap, AShallowOneIsTakenBackByItsShare) {
  Scenario s(kSunkBox, {.dt = 1e-3});
  s.sim().state.q[6] = 0.1 - 1e-3;
  s.sim().step();
  EXPECT_EQ(s.sim().report().slowed, 0);
  EXPECT_NEAR(s.velocity("box").z, 0.2 * 1e-3 / 1e-3, 2e-14);
}

TEST(Overlap, RestitutionIsNotSlowed) {
  Scenario s(
      kGround + R"(<body name="ball" pos="0 0 0.3"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>)",
      {.dt = 1e-3, .restitution = 0.5, .gravity = {0, 0, 0}});
  s.launch("ball", {0, 0, -7});
  for (int i = 0; i < 60; ++i) s.sim().step();
  EXPECT_NEAR(s.velocity("ball").z, 3.5, 7e-14);
  EXPECT_EQ(s.sim().totals().slowed, 0);
}

TEST(Overlap, AJointBeyondItsStopComesBackAtTheRecoverySpeed) {
  Scenario s(R"(<body name="arm"><joint type="hinge" axis="0 1 0" range="-10 10"/>
    <geom type="box" size="0.1 0.1 0.1" pos="0.3 0 0" mass="1"/></body>)",
             {.dt = 1e-3, .gravity = {0, 0, 0}});
  const double stop = s.model().dofs()[0].upper;
  s.sim().state.q[0] = stop + 1;
  EXPECT_EQ(s.sim().step().slowed, 1);
  EXPECT_NEAR(s.sim().state.q[0], stop + 1 - 0.5e-3, 2e-14);
}

// No motion takes both overlaps back: the plunger stays, and all problems are solved.
TEST(Overlap, WhatNothingCanPartStaysWhereItIs) {
  Scenario s(kPlunger, {.dt = 1e-3});
  for (int i = 0; i < 300; ++i) {
    const StepReport& r = s.sim().step();
    EXPECT_GE(r.stuck, 8) << i;
    EXPECT_EQ(r.slowed, 0) << i;
    EXPECT_EQ(r.unsolved, 0) << i;
    ASSERT_NEAR(s.sim().state.v[0], 0, 1e-14) << i;
  }
  EXPECT_NEAR(height(s, "plunger"), 0.5, 1e-14);
  // it carries the weight: below only, or above and below
  EXPECT_NEAR(s.force("plunger", "world").z, kGravity, 1e-13);
  // tried in the first step and in the 257th
  EXPECT_EQ(s.sim().totals().problems, 300 + 2);
}

// The other body does not wait for the plunger.
TEST(Overlap, WhatIsStuckElsewhereDoesNotMatter) {
  Scenario s(kPlunger + R"(<geom type="plane" size="9 9 1" pos="0 0 -2"/>
    <body name="box" pos="3 0 -1.95"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>)",
             {.dt = 1e-3, .gravity = {0, 0, 0}});
  for (int i = 0; i < 50; ++i) s.sim().step();
  EXPECT_NEAR(s.velocity("box").z, 0.5, 1e-12);
  EXPECT_NEAR(s.sim().state.v[0], 0, 2e-14);
  EXPECT_GT(s.sim().totals().stuck, 0);
}

// Both boxes only turn about the vertical, and overlap vertically: no row moves anything.
TEST(Overlap, HingedBoxesThatCannotPartAreLeftAlone) {
  Scenario s(R"(
    <body name="low"><joint type="hinge" axis="0 0 1"/><geom type="box" size="0.3 0.2 0.1" mass="1"/></body>
    <body name="high" pos="0 0 0.15"><joint type="hinge" axis="0 0 1"/><geom type="box" size="0.3 0.2 0.1" mass="1"/></body>)",
             {.dt = 1e-3, .friction = 0});
  s.sim().state.v = {1, -1};
  for (int i = 0; i < 100; ++i) s.sim().step();
  for (std::size_t i = 0; i < 2; ++i) ASSERT_TRUE(std::isfinite(s.sim().state.v[i]));
  EXPECT_GT(s.sim().totals().slowed + s.sim().totals().stuck, 0);
  EXPECT_NEAR(s.sim().totals().deepest, 0.05, 2e-14);
}

TEST(Overlap, AResumedRunRemembersWhatIsStuck) {
  Scenario s(kPlunger, {.dt = 1e-3}), other(kPlunger, {.dt = 1e-3});
  for (int i = 0; i < 7; ++i) s.sim().step();
  other.sim().restore(s.sim().make_snapshot());
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(s.sim().step().stuck, other.sim().step().stuck);
    EXPECT_EQ(s.sim().report().iterations, other.sim().report().iterations);
  }
  EXPECT_EQ(s.sim().state.q, other.sim().state.q);
  EXPECT_EQ(s.sim().state.v, other.sim().state.v);
  EXPECT_EQ(s.sim().totals().problems, other.sim().totals().problems);
}

// Bodies that fall into a bin and turn onto each other: within a step they touch where they were far apart.
TEST(Overlap, BodiesThatTurnOntoEachOtherDoNotSink) {
  for (const char* shape : {R"(type="capsule" size=".015 .02")", R"(type="box" size=".02 .016 .012")",
                            R"(type="cylinder" size=".02 .015")"})
    for (const int seed : {2, 3}) {
      SCOPED_TRACE(fmt::format("{}, seed {}", shape, seed));
      std::string text = kGround;
      for (const char* wall : {R"(pos=".12 0 0" zaxis="-1 0 0")", R"(pos="-.12 0 0" zaxis="1 0 0")",
                               R"(pos="0 .12 0" zaxis="0 -1 0")", R"(pos="0 -.12 0" zaxis="0 1 0")"})
        text += fmt::format(R"(<geom type="plane" size="1 1 1" {}/>)", wall);
      for (int i = 0; i < 27; ++i) {
        const auto angle = [&](int k) { return 180 * std::sin(12.9898 * (i + 1) + 78.233 * k + seed); };
        text +=
            fmt::format(R"(<body pos="{} {} {}" euler="{} {} {}"><freejoint/><geom {}/></body>)", 0.08 * (i % 3 - 1),
                        0.08 * (i / 3 % 3 - 1), 0.05 + 0.08 * (i / 9), angle(4), angle(5), angle(6), shape);
      }
      Scenario s(text, {.dt = 2e-3, .friction = 0.5});
      for (int i = 0; i < 250; ++i) s.sim().step();
      EXPECT_EQ(s.sim().totals().unsolved, 0);
      EXPECT_TRUE(is_small(s.sim().totals().deepest, slack(1e-5, "which contacts are met depends on the compiler")));
    }
}

TEST(Overlap, ANegativeSpeedIsRefused) {
  Scenario s(kSunkBox);
  EXPECT_THROW(Simulation(s.model(), s.sim().constraints(), {.dt = 1e-3, .recovery_speed = -1}), std::invalid_argument);
}

}  // namespace sinew::test
