// tests/sim/momentum_test.cpp - the account of linear momentum
#include <cmath>

#include "sinew/tree/momentum.hpp"
#include "support/scenario.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

const std::string kFloor = R"(<geom name="floor" type="plane" size="5 5 0.1"/>)";

Vec3<double> calc_momentum_again(const Model& m, const State& s) {
  MomentumWorkspace<double> ws(m);
  return calc_momentum<double>(m, ws, s.q, s.v, s.time).lin;
}

}  // namespace

// Bodies that bounce, hit each other, slide and are pulled: all of the change is accounted for.
TEST(Momentum, OfFreeBodiesIsAccountedFor) {
  Scenario s(
      kFloor + R"(<body name="box" pos="0 0 0.3"><freejoint/><geom type="box" size="0.1 0.2 0.1" mass="2"/></body>
    <body name="ball" pos="-0.4 0 0.1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>)",
      {.restitution = 0.5, .overlap = 1e-4});
  s.launch("ball", {4, 0.1, 0}, {0, 3, 0});
  s.launch("box", {0, 0, -1}, {1, 0, 0.5});
  s.pull("box", {0.5, -1, 2});
  const Vec3<double> before = calc_momentum_again(s.model(), s.sim().state);
  for (int i = 0; i < 1000; ++i) s.sim().step();
  const SimulationTotals& t = s.sim().totals();
  ASSERT_GT(t.collisions, 0);
  EXPECT_TRUE(near(t.start_momentum, before, 1e2));
  EXPECT_TRUE(near(t.impulse.weight, Vec3<double>{0, 0, -3 * kGravity}, 1e4));
  EXPECT_TRUE(near(t.impulse.external, Vec3<double>{0.5, -1, 2}, 1e4));
  EXPECT_GT(t.impulse.contacts.z, 20);
  EXPECT_LT(norm(s.sim().unaccounted_momentum()), 1e-11);
}

// What is jointed turns its momentum as it moves: a first-order step is wrong by a share of itself.
TEST(Momentum, OfAFloatingMechanismToFirstOrder) {
  double left[2];
  for (int fine = 0; fine < 2; ++fine) {
    Scenario s(R"(<body name="a"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/>
      <body name="b" pos="0.4 0 0"><joint type="hinge" axis="0 1 0" pos="-0.2 0 0"/>
      <geom type="box" size="0.1 0.1 0.1" mass="1"/></body></body>)",
               {.dt = fine ? 5e-4 : 1e-3, .gravity = {}});
    s.launch("a", {1, 2, 3}, {1, -1, 2});
    s.sim().state.v[6] = 4;
    const long steps = std::lround(0.2 / s.sim().options().dt);
    for (long i = 0; i < steps; ++i) s.sim().step();
    left[fine] = norm(s.sim().unaccounted_momentum());
  }
  EXPECT_LT(left[0], 0.02);
  EXPECT_NEAR(order_of(left[0], left[1]), 1, 0.1);
}

// What hangs at rest is carried by its pin.
TEST(Momentum, ThePinCarriesWhatIsLeft) {
  Scenario s(R"(<body pos="0 0 1"><joint type="hinge" axis="0 1 0"/>
    <geom type="sphere" size="0.1" pos="0 0 -0.5" mass="2"/></body>)");
  for (int i = 0; i < 100; ++i) s.sim().step();
  EXPECT_TRUE(near(s.sim().unaccounted_momentum(), Vec3<double>{0, 0, 0.1 * 2 * kGravity}, 1e3));
}

}  // namespace sinew::test
