// tests/sim/rest_test.cpp - what rests stands still, bit for bit, and its steps are not calculated again
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sinew/io/mjcf.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/sim/snapshot.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// Boxes that fall on each other, turned a little, beside a ball.
Model make_pile(int boxes, double friction = 0.5) {
  std::string bodies;
  for (int i = 0; i < boxes; ++i)
    bodies += "<body pos=\"" + std::to_string(0.01 * i) + " 0 " + std::to_string(0.11 + 0.22 * i) + "\" euler=\"" +
              std::to_string(3 * i) + " 2 " + std::to_string(40 * i) +
              "\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" mass=\"1\"/></body>";
  return compile(parse_mjcf("<mujoco><option timestep=\"0.002\"/><default><geom friction=\"" +
                            std::to_string(friction) +
                            " 0 0\"/></default><worldbody><geom type=\"plane\" size=\"5 5 1\"/>" + bodies +
                            R"(<body name="ball" pos="2 0 0.1"><freejoint/><geom type="sphere" size="0.1"/></body>
</worldbody></mujoco>)")
                     .value())
      .value();
}

// All that decides the steps to come, and the totals that are counts: the others hold times of the wall clock.
std::vector<std::byte> get_bits(const Simulation& s) {
  Snapshot out = s.make_snapshot();
  out.set("totals/reals", std::vector<double>{});
  return to_bytes(out);
}

// Steps both, and expects the same bits at the end.
struct Twins {
  explicit Twins(const Model& m, double tolerance)
      : wakes(m, {.solver = {.tolerance = tolerance, .acceptable = 1e-8, .warm = true}, .sleep = false}),
        sleeps(m, {.solver = {.tolerance = tolerance, .acceptable = 1e-8, .warm = true}}) {}
  int run(int steps) {
    int asleep = 0;
    for (int i = 0; i < steps; ++i) wakes.step(), asleep += sleeps.step().asleep;
    EXPECT_EQ(get_bits(wakes), get_bits(sleeps));
    EXPECT_EQ(wakes.report().work.total(), sleeps.report().work.total());
    return asleep;
  }
  Simulation wakes, sleeps;
};

class RestAt : public ::testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Tolerances, RestAt, ::testing::Values(1e-10, 1e-6));

TEST_P(RestAt, SleepsWithTheSameBitsAndWakesWhenSomethingActs) {
  const Model m = make_pile(4);
  Twins twins(m, GetParam());
  EXPECT_EQ(twins.run(100), 0);  // they fall
  EXPECT_GT(twins.run(1500), 500);
  for (const double v : twins.sleeps.state.v) EXPECT_EQ(v, 0);
  EXPECT_EQ(twins.sleeps.totals().unsolved, 0);
  // A push of the lowest box wakes all.
  for (Simulation* s : {&twins.wakes, &twins.sleeps})
    s->external.assign(m.bodies().size(), Force<double>{}), s->external[1].lin.x = 40;
  EXPECT_EQ(twins.run(20), 0);
  EXPECT_GT(std::abs(twins.sleeps.state.v[3]), 1e-3);
  for (Simulation* s : {&twins.wakes, &twins.sleeps}) s->external.clear();
  EXPECT_GT(twins.run(2500), 500);
  // A box that is lifted wakes all.
  for (Simulation* s : {&twins.wakes, &twins.sleeps}) s->state.q[6] += 0.001;
  EXPECT_EQ(twins.run(5), 0);
}

// A wall that stands from the start, solved without W: its answer is found in a few steps and then kept.
TEST_P(RestAt, AWallSleepsSoon) {
  std::string bricks;
  for (int row = 0; row < 6; ++row)  // even: the ends of every other row are held by the one above
    for (int k = 0; k < 5 - row % 2; ++k)
      bricks += "<body pos=\"" + std::to_string(0.2002 * k + 0.1001 * (row % 2)) + " 0 " +
                std::to_string(0.05 + 0.1 * row) +
                "\"><freejoint/><geom type=\"box\" size=\".1 .05 .05\" mass=\"1\"/></body>";
  const Model m = compile(parse_mjcf(R"(<mujoco><option timestep="0.002"/><default><geom friction="0.5 0 0"/></default>
<worldbody><geom type="plane" size="9 9 1"/>)" +
                                     bricks + "</worldbody></mujoco>")
                              .value())
                      .value();
  Simulation s(m, {.solver = {.tolerance = GetParam(), .acceptable = 1e-6, .warm = true}});
  int awake = 0;
  for (int i = 0; i < 200; ++i) awake += !s.step().asleep;
  EXPECT_GE(3 * s.totals().most_contacts, s.options().solver.sparse_rows);
  EXPECT_LE(awake, 10);
  for (const double v : s.state.v) EXPECT_EQ(v, 0);
}

// Stacks that rest keep their contacts and their W while a pendulum swings beside them, until a ball rolls into one. A
// simulation that has just been made, and keeps nothing, steps to the same bits.
TEST(Rest, IslandsThatRestBesideWhatMovesKeepTheirBits) {
  std::string bodies = R"(<body pos="0 3 2"><joint type="hinge" axis="1 0 0"/>
<geom type="capsule" fromto="0 0 0 0 0.5 0" size="0.05"/></body>
<body name="ball" pos="2 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body>)";
  for (int stack = 0; stack < 4; ++stack)
    for (int i = 0; i < 3; ++i)
      bodies += "<body pos=\"" + std::to_string(-stack) + " 0 " + std::to_string(0.1 + 0.2 * i) +
                "\"><freejoint/><geom type=\"" + (i == 1 ? "cylinder\" size=\".1 .1" : "box\" size=\".1 .1 .1") +
                "\" mass=\"1\"/></body>";
  const Model m = compile(parse_mjcf(R"(<mujoco><option timestep="0.002"/><default><geom friction="0.5 0 0"/></default>
<worldbody><geom type="plane" size="9 9 1"/>)" +
                                     bodies + "</worldbody></mujoco>")
                              .value())
                      .value();
  Simulation s(m);
  int all_rest = 0, some_rest = 0, compared = 0;
  for (int i = 0; i < 1500; ++i) {
    if (i == 500) s.state.v[4] = -2;  // the ball
    const bool compare = i % 20 == 0 || (i > 500 && i < 1400 && i % 3 == 0);
    std::vector<std::byte> bits;
    if (compare) {
      Simulation fresh(m);
      fresh.restore(s.make_snapshot());
      fresh.step();
      bits = get_bits(fresh);
    }
    EXPECT_FALSE(s.step().asleep);
    if (compare) {
      ASSERT_EQ(get_bits(s), bits) << "step " << i;
    }
    compared += compare;
    int still = 0;
    for (const double v : s.state.v) still += v == 0;
    all_rest += still >= 72;  // all four stacks
    some_rest += still >= 54 && still < 72;
  }
  EXPECT_GT(compared, 300);
  EXPECT_GT(all_rest, 400);
  EXPECT_GT(some_rest, 100);
}

TEST(Rest, GoesOnFromASnapshotWithTheSameBits) {
  const Model m = make_pile(3);
  Simulation s(m), other(m);
  while (!s.step().asleep) ASSERT_LT(s.state.time, 10);
  other.restore(s.make_snapshot());
  for (int i = 0; i < 50; ++i) s.step(), other.step();
  EXPECT_EQ(get_bits(s), get_bits(other));
}

// A force far below the weight, but above the tolerance of it, still moves what slides without friction.
TEST(Rest, SmallForcesStillAct) {
  const Model m = make_pile(1, 0);
  Simulation s(m);
  for (int i = 0; i < 1000; ++i) s.step();
  const double force = 1e-6;
  s.external.assign(m.bodies().size(), Force<double>{}), s.external[1].lin = {0, force, 0};
  for (int i = 0; i < 500; ++i) EXPECT_FALSE(s.step().asleep);
  EXPECT_NEAR(s.state.v[4] / force, 1, 7e-13);  // 1 kg, 1 s
}

// The same in an island that is solved without W: a slab that carries thirteen boxes.
TEST(Rest, SmallForcesStillActOnManyBodies) {
  std::string boxes;
  for (int i = 0; i < 13; ++i)
    boxes += "<body pos=\"" + std::to_string(0.3 * i - 1.8) +
             " 0 0.3\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" mass=\"1\"/></body>";
  const Model m = compile(parse_mjcf(R"(<mujoco><option timestep="0.002"/><default><geom friction="0 0 0"/></default>
<worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 0.1"><freejoint/>
<geom type="box" size="2.2 .5 .1" mass="20"/></body>)" +
                                     boxes + "</worldbody></mujoco>")
                              .value())
                      .value();
  const double force = 5e-7;  // on the last box: 5e-8 of its weight
  for (const auto& [tolerance, error] : {std::pair{SimulationOptions{}.solver.tolerance, 1e-7}, {1e-10, 1e-10}}) {
    Simulation s(m, {.solver = {.tolerance = tolerance, .warm = true}});
    for (int i = 0; i < 100; ++i) s.step();
    ASSERT_GE(s.report().size, s.options().solver.sparse_rows);
    ASSERT_TRUE(s.report().asleep);
    s.external.assign(m.bodies().size(), Force<double>{}), s.external.back().lin = {0, force, 0};
    for (int i = 0; i < 500; ++i) EXPECT_FALSE(s.step().asleep);
    EXPECT_NEAR(s.state.v[m.nv() - 2] / force, 1, error);  // 1 kg, 1 s
  }
}

}  // namespace
}  // namespace sinew::test
