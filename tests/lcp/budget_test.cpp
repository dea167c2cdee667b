// tests/lcp/budget_test.cpp - solvers that run out of time or iterations give the best answer so far, and say so
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"

namespace sinew::test {
namespace {

using lcp::Status;

const Interrupt kPassed = Interrupt().until(Interrupt::Clock::now() - std::chrono::seconds(1));

double measure_zeros(const FrictionCase& c) {
  return calc_residual(c.problem(), std::vector<double>(c.q.size())).relative;
}

// A deadline that has passed: a few sweeps, which are better than nothing, and the residual is true.
TEST(Budget, NoTimeAtAll) {
  int better = 0, tried = 0;
  for (int i = 0; i < kFrictionCases; i += 11) {
    const FrictionCase c = make_friction_case(i);
    lcp::Solver solver({.interrupt = kPassed});
    for (const bool sparse : {false, true}) {
      if (sparse && c.sparse.trees() == 0) continue;
      std::vector<double> z(c.q.size());
      const lcp::Certificate found = sparse ? solver.solve(c.sparse, z) : solver.solve(c.problem(), z);
      EXPECT_TRUE(found.status == Status::out_of_time || found.status == Status::solved) << i;
      if (found.status != Status::solved) {
        EXPECT_NEAR(calc_residual(c.problem(), z).relative / found.residual, 1, 1e-5) << i;
      }
      ++tried, better += found.residual < 0.5 * measure_zeros(c);
    }
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(better, 0.8 * tried);
}

// The same solver, with time again, solves the same problem.
TEST(Budget, TheSolverGoesOn) {
  lcp::Solver solver;
  for (int i = 0; i < kFrictionCases; i += 97) {
    const FrictionCase c = make_friction_case(i);
    std::vector<double> z(c.q.size()), again(c.q.size());
    solver.solve(c.problem(), z, {.interrupt = kPassed});
    EXPECT_EQ(solver.solve(c.problem(), again).status, Status::solved) << i;
  }
}

TEST(Budget, LinearProblemsToo) {
  const FrictionCase c = make_friction_case(3);
  lcp::Solver solver({.directions = 4, .interrupt = kPassed});
  std::vector<double> z(c.q.size());
  EXPECT_EQ(solver.solve(c.problem(), z).status, Status::out_of_time);
}

// So many iterations and hardly more; a hundred lead nearer than one.
TEST(Budget, Iterations) {
  for (int i = 0; i < kFrictionCases; i += 53) {
    const FrictionCase c = make_friction_case(i);
    lcp::Solver solver;
    double first = 0;
    for (const int most : {1, 5, 25, 100}) {
      std::vector<double> z(c.q.size());
      const lcp::Certificate found = solver.solve(c.problem(), z, {.iterations = most});
      EXPECT_LE(found.iterations, most + 1) << i;
      if (most == 1) first = found.residual;
      if (most == 100 && found.status != Status::solved) {
        EXPECT_LT(found.residual, 0.1 * first) << i;
      }
    }
  }
}

}  // namespace
}  // namespace sinew::test
