// tests/lcp/tolerance_test.cpp - a looser tolerance never costs more
#include <gtest/gtest.h>

#include <vector>

#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"

namespace sinew::test {
namespace {

struct Cost {
  long iterations = 0;
  int cheaper = 0, dearer = 0;  // problems that the looser tolerance made cheaper, and dearer
};

// All problems, from nothing, at both tolerances.
Cost compare(bool sparse, double loose, double tight, long& looser_iterations) {
  lcp::Solver solver;
  Cost out;
  for (int i = 0; i < kFrictionCases; i += 3) {
    const FrictionCase c = make_friction_case(i);
    if (sparse && c.sparse.trees() == 0) continue;
    const auto solve = [&](double tolerance) {
      std::vector<double> z(c.q.size());
      lcp::SolverOptions options;
      options.tolerance = tolerance;
      const lcp::Certificate found =
          sparse ? solver.solve(c.sparse, z, options) : solver.solve(c.problem(), z, options);
      EXPECT_EQ(found.status, lcp::Status::solved) << i;
      EXPECT_LE(calc_residual(c.problem(), z).relative, 2 * tolerance) << i;
      return found.iterations;
    };
    const int less = solve(loose), more = solve(tight);
    out.iterations += more, looser_iterations += less;
    out.cheaper += less<more, out.dearer += less> more;
  }
  return out;
}

TEST(Tolerance, LooserCostsNoMoreWithW) {
  long loose = 0;
  const Cost c = compare(false, 1e-6, 1e-10, loose);
  std::printf("with W: %ld iterations at 1e-6, %ld at 1e-10; %d problems cheaper, %d dearer\n", loose, c.iterations,
              c.cheaper, c.dearer);
  EXPECT_EQ(c.dearer, 0);
  EXPECT_LE(loose, c.iterations);
}

TEST(Tolerance, LooserCostsLessWithoutW) {
  long loose = 0;
  const Cost c = compare(true, 1e-6, 1e-10, loose);
  std::printf("without W: %ld iterations at 1e-6, %ld at 1e-10; %d problems cheaper, %d dearer\n", loose, c.iterations,
              c.cheaper, c.dearer);
  EXPECT_EQ(c.dearer, 0);
  EXPECT_LT(loose, c.iterations);
}

}  // namespace
}  // namespace sinew::test
