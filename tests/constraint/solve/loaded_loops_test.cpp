// tests/constraint/solve/loaded_loops_test.cpp - loops under external forces, and stabilized ones, by every method
#include "sinew/tree/rnea.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {

// External forces do what their joint forces J^T f do.
TEST(ConstrainedForwardDynamics, ExternalForcesActOnLoops) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    Random rng(11);
    std::vector<Force<double>> external;
    for (std::size_t b = 0; b < l.model.bodies().size(); ++b) external.push_back({random_vec3(rng), random_vec3(rng)});
    RneaWorkspace<double> rnea(l.model);
    Numbers with(l.s.v.size()), without(with), tau = l.tau, want(with), got(with);
    Numbers lambda(static_cast<std::size_t>(l.set.rows())), shortest(lambda);
    calc_bias(l.model, rnea, l.s.q, l.s.v, with, {external, 0});
    calc_bias(l.model, rnea, l.s.q, l.s.v, without);
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += without[i] - with[i];
    ConstrainedWorkspace kkt(l.model, l.set, {.method = ConstrainedMethod::kkt});
    constrained_forward_dynamics(l.model, l.set, kkt, l.s.q, l.s.v, tau, want, shortest);
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      ConstrainedWorkspace ws(l.model, l.set, {.method = method});
      const SolveCertificate& r =
          constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, got, lambda, {external, 0});
      EXPECT_EQ(r.status, SolveStatus::solved) << to_string(r.status);
      EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 1e-12));
      if (r.rank >= 0) {
        EXPECT_TRUE(near(lambda, shortest, 1, std::max(1.0, largest(shortest)), 1e-12));
      }
    }
  }
}

// Off the loop by a little: K qdd = k - 2 e1 / T - e0 / T^2 where the rows do not imply each other. [F08 8.22]
TEST(ConstrainedForwardDynamics, StabilizesByEveryMethod) {
  for (const LoopCase& c : loop_cases()) {
    LoopState l(c.spec);
    if (l.set.rows() != c.rank) continue;
    SCOPED_TRACE(c.name);
    Random rng(5);
    Numbers q = l.s.q, dv = random_numbers(rng, l.model.nv());
    integrate(l.model, l.s.q, dv, 1e-3, q);
    for (std::size_t i = 0; i < dv.size(); ++i) l.s.v[i] += 1e-2 * dv[i];
    ConstraintRows rows(l.model, l.set);
    calc_constraint_rows(l.model, l.set, rows, q, l.s.v);
    Numbers want = rows.k, Kx(want), qdd(dv), lambda(want);
    for (std::size_t r = 0; r < want.size(); ++r) want[r] -= 2 / 0.1 * rows.velocity[r] + rows.position[r] / 0.01;
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      ConstrainedWorkspace ws(l.model, l.set, {.method = method, .stabilization = {0.1}});
      const SolveCertificate& s = constrained_forward_dynamics(l.model, l.set, ws, q, l.s.v, l.tau, qdd, lambda);
      EXPECT_EQ(s.status, SolveStatus::solved) << to_string(s.status);
      multiply_by_constraint_jacobian(l.model, l.set, rows, qdd, Kx);
      EXPECT_TRUE(near(Kx, want, 1, std::max(1.0, largest(want)), 5e-13));
      ws.options.stabilization.period = 0;
      constrained_forward_dynamics(l.model, l.set, ws, q, l.s.v, l.tau, qdd, lambda);
      multiply_by_constraint_jacobian(l.model, l.set, rows, qdd, Kx);
      EXPECT_TRUE(near(Kx, rows.k, 1, std::max(1.0, largest(rows.k)), 5e-13));
    }
  }
}

TEST(ConstrainedForwardDynamics, RejectsWrongSizes) {
  const LoopState l(mechanisms::four_bar());
  ConstrainedWorkspace ws(l.model, l.set);
  std::vector<double> qdd(3), lambda(4);
  EXPECT_THROW(constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, qdd, lambda),
               std::invalid_argument);
}

}  // namespace sinew::test
