// tests/sim/random_pushes_test.cpp
#include "sinew/sim/random_pushes.hpp"

#include <gtest/gtest.h>

#include "support/scenario.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

const char* kTwoTrees = R"(
  <body name="heavy"><freejoint/><geom type="sphere" size="0.1" mass="3"/>
    <body name="arm" pos="1 0 0"><joint type="hinge"/><geom type="sphere" size="0.1" mass="1"/></body></body>
  <body name="light" pos="0 5 0"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>)";

}  // namespace

// One body at a time, half the weight of its tree, a quarter of the time; other numbers and seeds, other pushes.
TEST(RandomPushes, PushOneBodyWithHalfTheWeightOfItsTree) {
  const Scenario scene{kTwoTrees};
  const State state = make_state(scene.model());
  std::vector<Force<double>> forces;
  std::vector<int> hits(4);
  RandomPushes pushes(scene.model(), 7, 0.01), others(scene.model(), 8, 0.01);
  bool differ = false;
  for (long step = 0; step < 4000; ++step) {
    pushes.calc(step, state, forces);
    ASSERT_EQ(forces.size(), 4u);
    const auto before = forces;
    int pushed = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      if (norm(forces[b].lin) == 0) continue;
      ++pushed, ++hits[b];
      EXPECT_NEAR(norm(forces[b].lin), (b == 3 ? 0.5 : 2) * kGravity, 3e-13);
    }
    EXPECT_EQ(pushed, step % 20 < 5 ? 1 : 0) << step;
    pushes.calc(step, state, forces);
    for (std::size_t b = 0; b < 4; ++b) EXPECT_EQ(norm(forces[b].lin - before[b].lin), 0);
    others.calc(step, state, forces);
    for (std::size_t b = 0; b < 4; ++b) differ = differ || norm(forces[b].lin - before[b].lin) > 0;
  }
  EXPECT_EQ(hits[0], 0);
  for (std::size_t b = 1; b < 4; ++b) EXPECT_GT(hits[b], 150) << b;
  EXPECT_TRUE(differ);
}

TEST(RandomPushes, NothingToPushIsRefused) {
  const Model still = compile(ModelSpec{}).value();
  EXPECT_THROW(RandomPushes(still, 1, 0.01), std::invalid_argument);
}

}  // namespace sinew::test
