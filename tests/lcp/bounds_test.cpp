// tests/lcp/bounds_test.cpp - rows with two bounds among contacts
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "sinew/base/random.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using lcp::FrictionProblem;
using lcp::Method;
using lcp::Status;

struct Bounded {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W;
  std::vector<double> q, mu, lower, upper;
  int free = 0, unilateral = 0;

  FrictionProblem view() const { return {{W.data(), q.size(), q.size()}, q, mu, {}, free, unilateral, lower, upper}; }
};

Bounded random_bounded(std::uint64_t seed, int contacts) {
  Random rng(seed);
  Bounded b;
  b.free = rng.below(3), b.unilateral = 1 + rng.below(6);
  const int n = b.free + b.unilateral + 3 * contacts;
  Eigen::MatrixXd A(n, n + 2);
  for (Eigen::Index i = 0; i < A.size(); ++i) A(i) = rng.normal();
  b.W = A * A.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) b.q.push_back(rng.normal());
  for (int i = 0; i < b.unilateral; ++i) {
    const int kind = rng.below(3);
    b.lower.push_back(kind == 0 ? 0 : -rng.uniform(0, 0.2));
    b.upper.push_back(kind == 1 ? rng.uniform(0, 0.2) : INFINITY);
  }
  for (int c = 0; c < contacts; ++c) b.mu.push_back(rng.uniform(0, 0.7));
  return b;
}

// Without contacts the linear solvers know the answer.
TEST(Bounds, AgreeWithTheLinearSolvers) {
  int at_bound[2] = {};
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Bounded b = random_bounded(seed, 0);
    std::vector<double> lower(static_cast<std::size_t>(b.free), -INFINITY), upper(lower.size(), INFINITY);
    lower.insert(lower.end(), b.lower.begin(), b.lower.end()),
        upper.insert(upper.end(), b.upper.begin(), b.upper.end());
    std::vector<double> want(b.q.size());
    lcp::Solver lemke({.method = Method::lemke});
    ASSERT_EQ(lemke.solve(lcp::Problem{b.view().W, b.q, lower, upper}, want).status, Status::solved);
    for (const Method method : {Method::automatic, Method::gauss_seidel, Method::alart_curnier}) {
      SCOPED_TRACE(to_string(method));
      std::vector<double> z(b.q.size());
      lcp::Solver solver({.method = method});
      EXPECT_EQ(solver.solve(b.view(), z).status, Status::solved);
      EXPECT_TRUE(near(z, want, 1, 1.0, 3e-10));
    }
    for (std::size_t i = 0; i < b.lower.size(); ++i) {
      const double z = want[static_cast<std::size_t>(b.free) + i];
      at_bound[0] += z == b.lower[i] && z != 0, at_bound[1] += std::isfinite(b.upper[i]) && z == b.upper[i];
    }
  }
  EXPECT_GT(at_bound[0], 10);
  EXPECT_GT(at_bound[1], 10);
}

TEST(Bounds, StandBesideContacts) {
  for (std::uint64_t seed = 200; seed < 260; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Bounded b = random_bounded(seed, 3);
    std::vector<double> first;
    for (const Method method : {Method::gauss_seidel, Method::alart_curnier, Method::automatic}) {
      std::vector<double> z(b.q.size());
      lcp::Solver solver({.method = method});
      const lcp::Certificate c = solver.solve(b.view(), z);
      EXPECT_EQ(c.status, Status::solved) << to_string(method) << " " << c.residual;
      EXPECT_TRUE(is_small(calc_residual(b.view(), z).relative, 1e-10));
      if (first.empty()) first = z;
      EXPECT_TRUE(near(z, first, 1, 1.0, 2e-10));
    }
    // a pyramid with many sides is nearly the cone
    std::vector<double> z(b.q.size());
    lcp::Solver pyramid({.directions = 32});
    EXPECT_EQ(pyramid.solve(b.view(), z).status, Status::solved);
    EXPECT_TRUE(near(z, first, 1, 1.0, 0.05));
    lcp::Solver again({.warm = true});
    std::vector<double> warm = first;
    again.solve(b.view(), warm);
    AllocationCount allocations;
    again.solve(b.view(), warm);
    EXPECT_EQ(allocations.count(), 0);
  }
}

TEST(Bounds, ThatCrossAreRefused) {
  Bounded b = random_bounded(1, 0);
  b.lower[0] = 1, b.upper[0] = -1;
  std::vector<double> z(b.q.size());
  lcp::Solver solver;
  EXPECT_THROW(solver.solve(b.view(), z), std::invalid_argument);
  b.lower.pop_back();
  EXPECT_THROW(solver.solve(b.view(), z), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
