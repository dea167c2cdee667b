// tests/sim/momentum_test.cpp - the account of momentum
#include <cmath>

#include "sinew/tree/momentum.hpp"
#include "support/scenario.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

Force<double> calc_momentum_again(const Model& m, const State& s) {
  MomentumWorkspace<double> ws(m);
  return calc_momentum<double>(m, ws, s.q, s.v, s.time);
}

}  // namespace

// Bodies that bounce, hit each other, slide and are pulled: all of the change of linear momentum is accounted for.
TEST(Momentum, OfFreeBodiesIsAccountedFor) {
  Scenario s(
      kFloor + R"(<body name="box" pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.2 0.1" mass="2"/></body>
    <body name="ball" pos="-0.4 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>)",
      {.restitution = 0.5, .overlap = 1e-4});
  s.launch("ball", {4, 0.1, 0}, {0, 3, 0});
  s.launch("box", {0, 0, -1}, {1, 0, 0.5});
  s.pull("box", {0.5, -1, 2});
  const Force<double> before = calc_momentum_again(s.model(), s.sim().state);
  for (int i = 0; i < 1000; ++i) s.sim().step();
  const SimulationTotals& t = s.sim().totals();
  ASSERT_GT(t.collisions, 0);
  EXPECT_TRUE(near(t.start_momentum.lin, before.lin, 1e2));
  EXPECT_TRUE(near(t.impulse.weight.lin, Vec3<double>{0, 0, -3 * kGravity}, 5000));
  EXPECT_TRUE(near(t.impulse.external.lin, Vec3<double>{0.5, -1, 2}, 200));
  EXPECT_GT(t.impulse.contacts.lin.z, 20);
  // What comes to rest is stopped, within what the solver left: 1e-8 of the momentum at most.
  EXPECT_TRUE(is_small(norm(s.sim().unaccounted_momentum().lin), 1e-9));
}

// Balls have few ways to be wrong in: about the origin too, where weight, pull and contacts all have a moment.
TEST(Momentum, AboutTheOriginOfBallsIsAccountedFor) {
  Scenario s(kFloor + R"(<body name="a" pos="3 -1 0.4"><freejoint/><geom type="sphere" size="0.1" mass="2"/></body>
    <body name="b" pos="2 -1 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>)",
             {.restitution = 0.5, .overlap = 1e-4});
  s.launch("a", {-3, 0.1, 0}, {0, 3, 1});
  s.launch("b", {1, 0, 0}, {1, 0, 0.5});
  s.pull("a", {0.5, -1, 2});
  const Force<double> before = calc_momentum_again(s.model(), s.sim().state);
  EXPECT_GT(norm(before.ang), 1);
  for (int i = 0; i < 1000; ++i) s.sim().step();
  const SimulationTotals& t = s.sim().totals();
  ASSERT_GT(t.collisions, 0);
  EXPECT_TRUE(near(t.start_momentum.ang, before.ang, 1e2));
  EXPECT_GT(norm(t.impulse.weight.ang), 10);
  EXPECT_GT(norm(t.impulse.external.ang), 1);
  EXPECT_GT(norm(t.impulse.contacts.ang), 10);
  const Force<double> left = s.sim().unaccounted_momentum();
  EXPECT_TRUE(is_small(norm(left.lin), 1e-11));
  // In a step with an impact, the moment of what pushes a body that also rests on something is known to second order.
  EXPECT_TRUE(is_small(norm(left.ang), 2e-6));
}

// What is jointed turns its momentum as it moves: a first-order step is wrong by a share of itself.
TEST(Momentum, OfAFloatingMechanismToFirstOrder) {
  Force<double> left[2];
  for (int fine = 0; fine < 2; ++fine) {
    Scenario s(R"(<body name="a"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/>
      <body name="b" pos="0.4 0 0"><joint type="hinge" axis="0 1 0" pos="-0.2 0 0"/>
      <geom type="box" size="0.1 0.1 0.1" mass="1"/></body></body>)",
               {.dt = fine ? 5e-4 : 1e-3, .gravity = {}});
    s.launch("a", {1, 2, 3}, {1, -1, 2});
    s.sim().state.v[6] = 4;
    const long steps = std::lround(0.2 / s.sim().options().dt);
    for (long i = 0; i < steps; ++i) s.sim().step();
    left[fine] = s.sim().unaccounted_momentum();
  }
  EXPECT_TRUE(is_small(norm(left[0].lin), 0.02));
  EXPECT_TRUE(is_small(norm(left[0].ang), 0.02));
  EXPECT_NEAR(order_of(norm(left[0].lin), norm(left[1].lin)), 1, 5e-3);
  EXPECT_NEAR(order_of(norm(left[0].ang), norm(left[1].ang)), 1, 3e-5);
}

// What hangs at rest is carried by its pin.
TEST(Momentum, ThePinCarriesWhatIsLeft) {
  Scenario s(R"(<body pos="1 0 1"><joint type="hinge" axis="0 1 0"/>
    <geom type="sphere" size="0.1" pos="0 0 -0.5" mass="2"/></body>)");
  for (int i = 0; i < 100; ++i) s.sim().step();
  const Force<double> left = s.sim().unaccounted_momentum();
  EXPECT_TRUE(near(left.lin, Vec3<double>{0, 0, 0.1 * 2 * kGravity}, 300));
  EXPECT_TRUE(near(left.ang, Vec3<double>{0, -0.1 * 2 * kGravity, 0}, 300));
}

}  // namespace sinew::test
