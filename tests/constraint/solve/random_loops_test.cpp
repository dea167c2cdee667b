// tests/constraint/solve/random_loops_test.cpp - every method on random trees with random loops of every kind
#include "support/closed_loops.hpp"
#include "support/loop_mechanisms.hpp"

namespace sinew::test {

TEST(RandomLoops, AllMethodsAgree) {
  int solved = 0;
  for_random_trees(
      48,
      [&](const Model& m, Random& rng) {
        if (m.nv() == 0) return;
        TreeState s = random_state(m, rng);
        std::vector<ConstraintSpec> loops;
        for (int i = 0; i < 2; ++i) {
          const std::vector<JointKind> kinds = loop_kinds();
          const JointKind kind = kinds[rng.below(static_cast<int>(kinds.size()))];
          loops.emplace_back(closed_loop(m, kind, s.q, rng, "loop" + std::to_string(i)));
        }
        const ConstraintSet set(m, loops);
        ManifoldWorkspace manifold(m, set);
        project_velocity(m, set, manifold, s.q, s.v);
        std::vector<double> first, qdd(s.v.size()), lambda(static_cast<std::size_t>(set.rows()));
        SolveCertificate c0;
        for (const ConstrainedMethod method : kMethods) {
          SCOPED_TRACE(to_string(method));
          ConstrainedWorkspace ws(m, set, {.method = method});
          const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, s.q, s.v, s.a, qdd, lambda);
          if (first.empty()) first = qdd, c0 = c;
          EXPECT_EQ(c.status, c0.status) << to_string(c.status) << " against " << to_string(c0.status);
          EXPECT_TRUE(c.rank == c0.rank || c.rank == -1) << c.rank << " against " << c0.rank;
          if (c0.status != SolveStatus::solved) continue;
          ++solved;
          EXPECT_TRUE(near(qdd, first, 1, std::max(1.0, largest(first)), 2e-10));
        }
      },
      true);
  EXPECT_GT(solved, 150);
}

}  // namespace sinew::test
