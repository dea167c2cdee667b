// tests/sim/middle_velocity_test.cpp - mechanisms that move fast keep their energy
#include "sinew/sim/middle_velocity.hpp"

#include <gtest/gtest.h>

#include "sinew/model/mechanisms.hpp"
#include "sinew/sim/snapshot.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// The largest relative error of the energy in 10 s, of a pendulum of two links.
double energy_error(double speed, double dt, bool middle) {
  ModelSpec spec = mechanisms::pendulum(2);
  spec.shapes.clear();
  const Model m = compile(spec).value();
  Simulation s(m, {.dt = dt, .middle_forces = middle});
  s.state.q = {1, 0.5}, s.state.v = {speed, -speed / 4};
  const double before = s.kinetic_energy() + s.potential_energy();
  double worst = 0;
  while (s.state.time < 10) {
    s.step();
    worst = std::max(worst, std::abs((s.kinetic_energy() + s.potential_energy()) / before - 1));
  }
  return worst;
}

TEST(MiddleVelocity, FastMechanismsKeepTheirEnergy) {
  EXPECT_LT(energy_error(20, 1e-3, true), 0.02);
  EXPECT_GT(energy_error(20, 1e-3, false), 0.2);
  EXPECT_LT(energy_error(20, 5e-4, true), 0.01);
}

// What was learnt is part of a snapshot, after one step as after many.
TEST(MiddleVelocity, SnapshotsGoOnWithTheSameBits) {
  const Model m = compile(mechanisms::pendulum(3)).value();
  for (const int steps : {0, 1, 2, 5}) {
    Simulation s(m, {.dt = 1e-3}), other(m, {.dt = 1e-3});
    s.state.v = {9, -4, 2};
    for (int i = 0; i < steps; ++i) s.step();
    other.restore(s.make_snapshot());
    for (int i = 0; i < 5; ++i) s.step(), other.step();
    EXPECT_EQ(s.state.v, other.state.v) << steps;
  }
}

TEST(MiddleVelocity, ContinuesWhatIsAlikeAndBoundsWhatJumps) {
  const Model m = compile(mechanisms::chain(3)).value();
  MiddleVelocity x(m);
  State s = make_state(m);
  std::vector<double> change(3);
  x.learn(s, std::vector<double>{1, 1, -100});
  x.find_change(s, 0.1, change);
  EXPECT_EQ(change, (std::vector<double>{0, 0, 0}));  // one step only
  x.learn(s, std::vector<double>{1.25, 100, 1});
  x.find_change(s, 0.5, change);
  EXPECT_EQ(change, (std::vector<double>{0.25 * 1.5, 0.25 * 1, 0.25 * 1}));
  const std::vector<double> memory = x.get_memory(s);
  MiddleVelocity other(m);
  other.set_memory(s, memory);
  std::vector<double> again(3);
  other.find_change(s, 0.5, again);
  EXPECT_EQ(again, change);
  s.v[0] = 1;  // somebody set it
  EXPECT_TRUE(x.get_memory(s).empty());
  x.find_change(s, 0.5, change);
  EXPECT_EQ(change, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace sinew::test
