// tests/lcp/tolerance_test.cpp - a looser tolerance costs less
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"

namespace sinew::test {
namespace {

struct Cost {
  long loose = 0, tight = 0;    // iterations
  int cheaper = 0, dearer = 0;  // problems that the looser tolerance made cheaper, and dearer
};

// All problems, from nothing, at both tolerances.
Cost compare(const char* name, bool sparse, double loose, double tight) {
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
    const int at_loose = solve(loose), at_tight = solve(tight);
    out.loose += at_loose, out.tight += at_tight;
    if (at_loose < at_tight) ++out.cheaper;
    if (at_loose > at_tight) ++out.dearer;
    EXPECT_LE(at_loose, 1.5 * at_tight) << i;
  }
  std::printf("%s: %ld iterations at %g, %ld at %g; %d problems cheaper, %d dearer\n", name, out.loose, loose,
              out.tight, tight, out.cheaper, out.dearer);
  return out;
}

TEST(Tolerance, LooserCostsNoMoreWithW) {
  const Cost c = compare("with W", false, 1e-6, 1e-10);
  EXPECT_EQ(c.dearer, 0);
  EXPECT_LE(c.loose, c.tight);
}

// What Newton's inner steps aim at depends on the tolerance, so a few problems take another path.
TEST(Tolerance, LooserCostsLessWithoutW) {
  const Cost c = compare("without W", true, 1e-6, 1e-10);
  EXPECT_LE(20 * c.dearer, c.cheaper);
  EXPECT_LT(c.loose, c.tight);
}

}  // namespace
}  // namespace sinew::test
