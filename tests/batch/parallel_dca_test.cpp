// tests/batch/parallel_dca_test.cpp - divide and conquer on threads (TREE-9)
#include "sinew/batch/parallel_dca.hpp"

#include <gtest/gtest.h>

#include "sinew/model/mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {

// The same bits as without threads, for any number of them, on chains, trees and rods.
TEST(ParallelDca, SameBitsForAnyNumberOfThreads) {
  ModelSpec rods = mechanisms::gu(40);
  for (BodySpec& b : rods.bodies) b.inertia = Sym3<double>::diagonal(.1 * b.mass, .1 * b.mass, 0);
  for (const ModelSpec& spec : {mechanisms::chain(300), mechanisms::binary_tree(8), mechanisms::humanoid(), rods}) {
    SCOPED_TRACE(spec.name);
    const Model m = compile(spec).value();
    Random rng(11);
    DcaWorkspace<double> ws(m);
    EXPECT_GT(ws.plan.tasks.size(), 1U);
    for (int k = 0; k < 3; ++k) {
      const TreeState s = random_state(m, rng);
      std::vector<double> want(s.v.size()), a(s.v.size());
      dca(m, ws, s.q, s.v, s.a, want);
      for (const int threads : {1, 2, 3, 5}) {
        ThreadPool pool(threads);
        std::fill(a.begin(), a.end(), 0.0);
        const AllocationCount allocations;
        dca(pool, m, ws, s.q, s.v, s.a, a);
        EXPECT_EQ(allocations.count(), 0);
        EXPECT_EQ(a, want) << threads;
      }
    }
  }
}
// Every assembly is in one task or in the rest, its parts before it and in the same task.
TEST(ParallelDca, TasksDoNotDependOnEachOther) {
  const DcaPlan plan(compile(mechanisms::chain(200)).value());
  std::vector<int> task(plan.assemblies.size(), -2);
  for (std::size_t t = 0; t < plan.tasks.size(); ++t)
    for (const int i : plan.tasks[t]) task[i] = int(t);
  for (const int i : plan.rest) task[i] = -1;
  for (std::size_t i = 0; i < task.size(); ++i) {
    EXPECT_NE(task[i], -2);
    for (const int p : {plan.assemblies[i].upper, plan.assemblies[i].lower}) {
      if (p < 0) continue;
      EXPECT_LT(p, int(i));
      if (task[i] >= 0) {
        EXPECT_EQ(task[p], task[i]);
      }
    }
  }
}

}  // namespace sinew::test
