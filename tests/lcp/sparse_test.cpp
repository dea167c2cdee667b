// tests/lcp/sparse_test.cpp - problems without W, beside the same with it
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sinew/base/random.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

double find_largest(const std::vector<double>& x) {
  double most = 0;
  for (const double y : x) most = std::max(most, std::abs(y));
  return most;
}

TEST(Sparse, TheMatrixIsThatOfTheBodies) {
  for (int i = 0; i < kFrictionCases; i += 7) {
    const FrictionCase c = make_friction_case(i);
    if (c.sparse.trees() == 0) continue;
    const std::size_t n = c.q.size();
    std::vector<double> W(n * n);
    c.sparse.calc_matrix({W.data(), n, n});
    double worst = 0;
    for (std::size_t k = 0; k < W.size(); ++k) worst = std::max(worst, std::abs(W[k] - c.W[k]));
    EXPECT_TRUE(is_small(worst, 1e-14 * find_largest(c.W))) << i << ' ' << c.kind;
  }
}

// Every answer that is called solved is one of the dense problem too. Velocities are unique in most; impulses are not.
TEST(Sparse, TheThousandProblems) {
  lcp::Solver sparse, dense;
  int tried = 0, unsolved = 0;
  for (int i = 0; i < kFrictionCases; ++i) {
    const FrictionCase c = make_friction_case(i);
    if (c.sparse.trees() == 0) continue;
    ++tried;
    std::vector<double> z(c.q.size());
    const lcp::Certificate found = sparse.solve(c.sparse, z);
    const lcp::Residual again = calc_residual(c.problem(), z);
    if (found.status != lcp::Status::solved) {
      ++unsolved;
      std::printf("case %d, %.*s, %d contacts: residual %.1e\n", i, int(c.kind.size()), c.kind.data(), c.contacts(),
                  found.residual);
      continue;
    }
    EXPECT_LT(again.relative, 2 * found.tolerance) << i;
  }
  EXPECT_GT(tried, 700);
  EXPECT_EQ(unsolved, 0);
}

}  // namespace
}  // namespace sinew::test
