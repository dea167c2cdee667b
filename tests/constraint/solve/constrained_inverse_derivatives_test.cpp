// tests/constraint/solve/constrained_inverse_derivatives_test.cpp - derivatives of the efforts of closed loops
#include "sinew/constraint/solve/constrained_inverse_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "constraint/solve/differences.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

struct EffortSlopes {
  EffortSlopes(int actuators, int n) : u(at(actuators)), q(actuators, n), v(actuators, n), qdd(actuators, n) {}
  ConstrainedInverseDerivatives views() { return {q, v, qdd}; }
  Column u;
  Matrix q, v, qdd;
};

// Along x: at q + x s, v + y s, qdd + w s.
void expect_effort_slopes(const LoopState& l, const std::vector<int>& actuated, EffortSlopes& got, const Column& x,
                          const Column& y, const Column& w, double h, double eps, const Allowed& n,
                          const std::source_location& where = std::source_location::current()) {
  ActuationWorkspace plain(l.model, l.set);
  const auto solve = [&](double step) {
    Column q = l.s.q, v = l.s.v, qdd = l.tau, u(actuated.size());
    integrate(l.model, l.s.q, x, step, q);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += step * y[i], qdd[i] += step * w[i];
    constrained_inverse_dynamics(l.model, l.set, plain, q, v, qdd, actuated, u);
    return u;
  };
  const Column want = romberg(solve, h), have = plus(plus(got.q * x, got.v * y), got.qdd * w);
  EXPECT_TRUE(near(have, want, n, std::max({1.0, largest(want), largest(got.u)}), eps, where)) << l.model.name();
}
DerivativeStatus run_effort_slopes(const LoopState& l, const std::vector<int>& actuated, EffortSlopes& got) {
  ActuationDerivativesWorkspace ws(l.model, l.set);
  // Any accelerations will do: those that the loops do not allow have efforts too.
  return calc_constrained_inverse_derivatives(l.model, l.set, ws, l.s.q, l.s.v, l.tau, actuated, got.u, got.views())
      .status;
}

// One actuator per freedom, and more than that: the shortest efforts.
TEST(ConstrainedInverseDerivatives, AreThoseOfDifferences) {
  struct Case {
    ModelSpec spec;
    std::vector<int> actuated;
  };
  std::vector<int> all(24);
  std::iota(all.begin(), all.end(), 0);
  const Case cases[] = {{mechanisms::four_bar(), {0}},           {mechanisms::four_bar(), {2}},
                        {mechanisms::four_bar(), {0, 1, 2}},     {mechanisms::crank_slider(), {0}},
                        {mechanisms::crank_slider(), {0, 2}},    {mechanisms::crank_piston(), {2, 3}},
                        {mechanisms::crank_piston(), {0, 2, 3}}, {mechanisms::scissor_lift(), {0}},
                        {mechanisms::stewart_platform(), all},   {mechanisms::geared_arm(), {1, 3}},
                        {mechanisms::geared_arm(), {0, 1, 3}}};
  for (const Case& c : cases) {
    const LoopState l(c.spec);
    SCOPED_TRACE(l.model.name() + ", " + std::to_string(c.actuated.size()) + " actuators");
    EffortSlopes got(static_cast<int>(c.actuated.size()), l.model.nv());
    ASSERT_EQ(run_effort_slopes(l, c.actuated, got), DerivativeStatus::exact);
    Random rng(3);
    const Column zero(l.s.v.size());
    for (const int which : {0, 1, 2}) {
      SCOPED_TRACE(which);
      const Column x = random_numbers(rng, l.model.nv());
      expect_effort_slopes(l, c.actuated, got, which == 0 ? x : zero, which == 1 ? x : zero, which == 2 ? x : zero,
                           kFar, kFarError, 100);
    }
  }
}

TEST(ConstrainedInverseDerivatives, WithTheAccelerationsAreTheMapTimesM) {
  const LoopState l(mechanisms::crank_piston());
  EffortSlopes got(2, 4), again(2, 4);
  ASSERT_EQ(run_effort_slopes(l, {2, 3}, got), DerivativeStatus::exact);
  // du/dqdd = U M, U of example 8.2 of the book
  ActuationWorkspace ws(l.model, l.set);
  Matrix U(2, 4), M(4, 4);
  analyse_actuation(l.model, l.set, ws, l.s.q, std::vector<int>{2, 3});
  calc_actuation_map(l.model, ws, std::vector<int>{2, 3}, U);
  CrbaWorkspace<double> crba_ws(l.model);
  crba(l.model, crba_ws, l.s.q, M);
  for (int a = 0; a < 2; ++a)
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 4; ++i) again.qdd(a, k) += U(a, i) * M(i, k);
  EXPECT_TRUE(near(got.qdd.numbers, again.qdd.numbers, 20));
}

TEST(ConstrainedInverseDerivatives, OfABricardLoopHoldAlongItsMotion) {
  const LoopState l(mechanisms::bricard());
  EffortSlopes got(1, 5);
  ASSERT_EQ(run_effort_slopes(l, {0}, got), DerivativeStatus::along_constraints);
  ManifoldWorkspace ws(l.model, l.set);
  Random rng(5);
  Column x = random_numbers(rng, 5);
  project_velocity(l.model, l.set, ws, l.s.q, x);
  expect_effort_slopes(l, {0}, got, x, random_numbers(rng, 5), random_numbers(rng, 5), kNearby, kNearbyError, 100);
}

TEST(ConstrainedInverseDerivatives, AreNotGivenWhereActuatorsDoNotReach) {
  const LoopState l(mechanisms::crank_piston());
  EffortSlopes got(1, 4);
  EXPECT_EQ(run_effort_slopes(l, {0}, got), DerivativeStatus::not_solved);
  for (const Matrix* x : {&got.q, &got.v, &got.qdd}) EXPECT_TRUE(std::isnan(x->numbers[0]));
}

TEST(ConstrainedInverseDerivatives, AllocateNothing) {
  const LoopState l(mechanisms::four_bar());
  const std::vector<int> actuated{0, 1};
  ActuationDerivativesWorkspace ws(l.model, l.set);
  EffortSlopes got(2, 3);
  calc_constrained_inverse_derivatives(l.model, l.set, ws, l.s.q, l.s.v, l.tau, actuated, got.u, got.views());
  AllocationCount allocations;
  calc_constrained_inverse_derivatives(l.model, l.set, ws, l.s.q, l.s.v, l.tau, actuated, got.u, got.views());
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace sinew::test
