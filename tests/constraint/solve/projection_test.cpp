// tests/constraint/solve/projection_test.cpp - implicit and explicit constraints say the same [F08 3.2, 8.8]
#include "sinew/constraint/solve/projection.hpp"

#include "sinew/constraint/rows/motion_constraint.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
TEST(Projection, ExplicitAndImplicitConstraintsAreTheSame) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    LoopSystem y(c.spec);
    const DofTree& tree = y.l.model.dof_tree();
    const auto n = static_cast<std::size_t>(y.s.freedoms());
    IndependentWorkspace ws(y.s);
    std::vector<double> x(n), lambda(y.s.k.size());
    SolveCertificate certificate(y.s.rows());
    solve_by_projection(tree, ws, y.s, {}, x, lambda, certificate);
    EXPECT_EQ(ws.independent(), y.s.freedoms() - c.rank);

    // K G = 0 and K g = k.
    const auto K_times = [&](const double* column) {
      std::vector<double> out(y.s.k.size());
      for (std::size_t r = 0; r < out.size(); ++r)
        for (std::size_t i = 0; i < n; ++i) out[r] += y.s.K[r * n + i] * column[i];
      return out;
    };
    for (int j = 0; j < ws.independent(); ++j) {
      const double scale = 50 * std::max(1.0, largest({ws.column(j), ws.column(j) + n}));
      EXPECT_TRUE(near(K_times(ws.column(j)), std::vector<double>(y.s.k.size()), 1, scale));
      // y is a subset of x, so the columns are independent.
      for (int i = 0; i < ws.independent(); ++i)
        EXPECT_EQ(ws.column(j)[ws.independent_coordinate(i)], i == j ? 1.0 : 0.0);
      // G^T tau_c = 0 with tau_c = K^T lambda.
      double work = 0;
      for (std::size_t r = 0; r < lambda.size(); ++r) work += K_times(ws.column(j))[r] * lambda[r];
      EXPECT_TRUE(near(work, 0.0, 1, scale * std::max(1.0, largest(lambda))));
    }
    EXPECT_TRUE(near(K_times(ws.g.data()), y.s.k, 50, std::max({1.0, largest(ws.g), largest(y.s.k)})));

    // The teaching versions say the same where they can speak: rows without the redundant ones.
    std::vector<double> K, k;
    for (int i = 0; i < c.rank; ++i) {
      const auto r = static_cast<std::size_t>(ws.dependence.order[i]);
      K.insert(K.end(), y.s.K.begin() + static_cast<long>(r * n), y.s.K.begin() + static_cast<long>((r + 1) * n));
      k.push_back(y.s.k[r]);
    }
    const EquationOfMotion e{{ws.H.data(), n, n}, y.C, y.l.tau};
    const double scale = std::max(1.0, largest(x));
    EXPECT_TRUE(near(solve_implicit(e, {K.data(), k.size(), n}, k).qdd, x, 1, scale, 3e-14));
    std::vector<double> G(n * static_cast<std::size_t>(ws.independent()));
    for (std::size_t i = 0; i < n; ++i)
      for (int j = 0; j < ws.independent(); ++j)
        G[i * static_cast<std::size_t>(ws.independent()) + static_cast<std::size_t>(j)] = ws.column(j)[i];
    const ExplicitSolution by_g = solve_explicit(e, {G.data(), n, static_cast<std::size_t>(ws.independent())}, ws.g);
    EXPECT_TRUE(near(by_g.qdd, x, 1, scale, 3e-14));
  }
}

// y is what the user asks for, where that can be; the motion does not depend on it. [F08 8.8]
TEST(Projection, KeepsTheIndependentsThatAreWanted) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    Numbers want(l.s.v.size()), got(want), lambda(static_cast<std::size_t>(l.set.rows()));
    ConstrainedWorkspace kkt(l.model, l.set, {.method = ConstrainedMethod::kkt});
    constrained_forward_dynamics(l.model, l.set, kkt, l.s.q, l.s.v, l.tau, want, lambda);
    for (int y = 0; y < l.model.nv(); ++y) {
      ConstrainedOptions o{.method = ConstrainedMethod::projection};
      o.independent = {y};
      ConstrainedWorkspace ws(l.model, l.set, o);
      const SolveCertificate& s = constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, got, lambda);
      EXPECT_EQ(s.status, SolveStatus::solved) << y;
      EXPECT_EQ(s.rank, c.rank);
      EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 2e-13)) << y;
      const auto& p = std::get<IndependentWorkspace>(ws.solver);
      bool kept = false;
      for (int j = 0; j < p.independent(); ++j) kept = kept || p.independent_coordinate(j) == y;
      EXPECT_TRUE(kept) << y;
      AllocationCount allocations;
      constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, got, lambda);
      EXPECT_EQ(allocations.count(), 0);
    }
  }
}

// Two that imply each other cannot both be y: one is let go, and the answer stands.
TEST(Projection, LetsGoOfWantedOnesThatImplyEachOther) {
  const LoopState l(mechanisms::four_bar());
  ConstrainedOptions o{.method = ConstrainedMethod::projection};
  o.independent = {0, 2};
  ConstrainedWorkspace ws(l.model, l.set, o);
  Numbers qdd(3), lambda(5);
  EXPECT_EQ(constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, qdd, lambda).status,
            SolveStatus::solved);
  EXPECT_EQ(std::get<IndependentWorkspace>(ws.solver).independent(), 1);
  o.independent = {3};
  EXPECT_THROW(ConstrainedWorkspace(l.model, l.set, o), std::invalid_argument);
}

TEST(Projection, AddingToLambdaFromTheNullSpaceChangesNothing) {
  LoopSystem y(mechanisms::scissor_lift());
  const DofTree& tree = y.l.model.dof_tree();
  MultipliersWorkspace ws(y.s);
  std::vector<double> x(y.s.f.size()), again(x), lambda(y.s.k.size());
  SolveCertificate certificate(y.s.rows());
  solve_by_multipliers(tree, ws, y.s, {}, x, lambda, certificate);
  Random rng(3);
  std::vector<double> z = random_numbers(rng, y.s.rows()), inside = z;
  project(ws.equation.dependence, inside);
  std::vector<double> longer = lambda;
  for (std::size_t i = 0; i < z.size(); ++i) longer[i] += z[i] - inside[i];
  calc_motion(tree, y.s, longer, again);
  EXPECT_TRUE(near(again, x, 50, largest(x)));  // [F08 8.41]
  EXPECT_GT(product(longer, longer), product(lambda, lambda));
}

}  // namespace sinew::test
