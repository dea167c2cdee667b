// tests/constraint/solve/inverse_dynamics_test.cpp - actuator forces of closed loops [F08 8.12]
#include "sinew/constraint/solve/inverse_dynamics.hpp"

#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// What the mechanism does under u.
std::vector<double> accelerate(const LoopState& l, const std::vector<int>& actuated, const std::vector<double>& u) {
  std::vector<double> tau(l.s.v.size()), qdd(tau), lambda(static_cast<std::size_t>(l.set.rows()));
  for (std::size_t a = 0; a < u.size(); ++a) tau[actuated[a]] = u[a];
  ConstrainedWorkspace ws(l.model, l.set);
  constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, tau, qdd, lambda);
  return qdd;
}

}  // namespace

TEST(ConstrainedInverseDynamics, Example8_2) {
  const mechanisms::CrankPistonOptions o;
  const LoopState l(mechanisms::crank_piston(o));
  const double c = std::cos(o.angle), s = std::sin(o.angle), d2 = o.l1 * o.l1 + o.l2 * o.l2 - 2 * o.l1 * o.l2 * c;
  const double u1 = (o.l2 * o.l2 - o.l1 * o.l2 * c) / d2, u2 = o.l1 * o.l2 * s / std::sqrt(d2);
  ActuationWorkspace ws(l.model, l.set);
  const std::vector<int> actuated{2, 3};
  const ActuationReport r = analyse_actuation(l.model, l.set, ws, l.s.q, actuated);
  EXPECT_TRUE(r.properly_actuated());
  EXPECT_EQ(r.mobility, 2);
  Grid<double> U(2, 4);
  calc_actuation_map(l.model, ws, actuated, U);
  EXPECT_TRUE(near(U.numbers, Numbers{1 / u2, u1 / u2, 1, 0, 0, 0, 0, 1}, 200));
  // Joint 4 must have an actuator, and one of the others.
  EXPECT_TRUE(analyse_actuation(l.model, l.set, ws, l.s.q, std::vector<int>{0, 3}).properly_actuated());
  EXPECT_TRUE(analyse_actuation(l.model, l.set, ws, l.s.q, std::vector<int>{1, 3}).properly_actuated());
  const ActuationReport two = analyse_actuation(l.model, l.set, ws, l.s.q, std::vector<int>{0, 2});
  EXPECT_TRUE(two.underactuated() && two.redundantly_actuated() && !two.properly_actuated());
  EXPECT_EQ(two.rank, 1);
  EXPECT_THROW(analyse_actuation(l.model, l.set, ws, l.s.q, std::vector<int>{0, 4}), std::invalid_argument);
  EXPECT_THROW(analyse_actuation(l.model, l.set, ws, l.s.q, std::vector<int>{0, 0}), std::invalid_argument);
}

TEST(ConstrainedInverseDynamics, GivesTheAccelerationBack) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    std::vector<int> all;
    std::vector<double> tau = l.tau;
    for (int i = 0; i < l.model.nv(); ++i) all.push_back(i);
    const std::vector<double> qdd = accelerate(l, all, tau);
    ActuationWorkspace ws(l.model, l.set);
    std::vector<double> u(tau.size());
    const ActuationReport r = constrained_inverse_dynamics(l.model, l.set, ws, l.s.q, l.s.v, qdd, all, u);
    EXPECT_EQ(r.rank, r.mobility);
    AllocationCount allocations;
    constrained_inverse_dynamics(l.model, l.set, ws, l.s.q, l.s.v, qdd, all, u);
    EXPECT_EQ(allocations.count(), 0);
    EXPECT_EQ(r.mobility, l.model.nv() - c.rank);
    EXPECT_TRUE(r.redundantly_actuated());
    EXPECT_TRUE(is_small(r.unreached, 2e-14 * std::max(1.0, largest(u))));
    EXPECT_TRUE(near(accelerate(l, all, u), qdd, 1, std::max(1.0, largest(qdd)), 1e-13));
    // No other u that does it is shorter; tau is one that does.
    EXPECT_LE(product(u, u), product(tau, tau) * (1 + 1e-9));
  }
}

TEST(ConstrainedInverseDynamics, SaysWhatActuatorsCannotDo) {
  const LoopState l(mechanisms::crank_piston());
  const std::vector<double> qdd = accelerate(l, {0, 1, 2, 3}, l.tau);
  ActuationWorkspace ws(l.model, l.set);
  std::vector<double> u(1);
  const ActuationReport r = constrained_inverse_dynamics(l.model, l.set, ws, l.s.q, l.s.v, qdd, std::vector<int>{0}, u);
  EXPECT_TRUE(r.underactuated() && !r.redundantly_actuated());
  EXPECT_GT(r.unreached, 0.01);
  std::vector<double> wrong = qdd;
  wrong[0] += 1;
  u.resize(2);
  EXPECT_GT(constrained_inverse_dynamics(l.model, l.set, ws, l.s.q, l.s.v, wrong, std::vector<int>{2, 3}, u)
                .constraint_residual,
            0.1);
}

}  // namespace sinew::test
