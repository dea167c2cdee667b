// tests/delassus/operator_test.cpp - W x and damped solves without W
#include "sinew/delassus/operator.hpp"

#include <gtest/gtest.h>

#include "support/delassus_case.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using namespace sinew::delassus;

TEST(DelassusOperator, MultipliesByTheMatrix) {
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    Random rng(static_cast<std::uint64_t>(seed));
    const std::vector<double> x = random_numbers(rng, c.problem.rows());
    std::vector<double> y(x.size(), 7);
    OperatorWorkspace<double> ws(c.model, c.problem);
    factor(c.model, ws, c.q, c.K);
    multiply(c.model, ws, x, y);
    const Eigen::VectorXd want = naive_delassus(c) * Eigen::Map<const Eigen::VectorXd>(x.data(), c.problem.rows());
    EXPECT_TRUE(near(y, numbers_of(want), c.model.nv() ? 50 * conditioning(c) : 1));
  }
}

// (W + mu) x = b, directly where rows act on one node, by iteration everywhere.
TEST(DelassusOperator, DampedSolves) {
  int direct = 0, refused = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DelassusCase c = random_delassus_case(seed);
    if (c.model.nv() == 0 || conditioning(c) > 1e5) continue;
    Random rng(static_cast<std::uint64_t>(seed));
    const std::vector<double> b = random_numbers(rng, c.problem.rows());
    const double mu = rng.uniform(0.1, 2);
    const Eigen::MatrixXd W = naive_delassus(c);
    const Eigen::MatrixXd damped = W + mu * Eigen::MatrixXd::Identity(W.rows(), W.cols());
    const std::vector<double> want =
        numbers_of(dense_inverse(damped) * Eigen::Map<const Eigen::VectorXd>(b.data(), c.problem.rows()));
    const double condition = damped.norm() / mu;
    OperatorWorkspace<double> ws(c.model, c.problem);
    std::vector<double> x(b.size(), 7);
    if (ws.one_node_a_row) {
      factor(c.model, ws, c.q, c.K, mu);
      solve_damped(c.model, ws, b, x);
      EXPECT_TRUE(near(x, want, 50 * condition * conditioning(c)));
      ++direct;
    } else {
      EXPECT_THROW(factor(c.model, ws, c.q, c.K, mu), std::invalid_argument);
      ++refused;
    }
    factor(c.model, ws, c.q, c.K);
    std::fill(x.begin(), x.end(), 0.0);
    const IterationReport report = solve_damped_by_iteration(c.model, ws, mu, b, x, 1e-10, 5000);
    EXPECT_TRUE(report.converged) << report.residual;
    EXPECT_TRUE(near(x, want, 1000 * condition));
  }
  EXPECT_GT(direct, 20);
  EXPECT_GT(refused, 20);
}

TEST(DelassusOperator, AllocatesNothingAndSaysWhatIsWrong) {
  const DelassusCase c = random_delassus_case(3);
  OperatorWorkspace<double> ws(c.model, c.problem);
  std::vector<double> x(static_cast<std::size_t>(c.problem.rows())), y = x;
  EXPECT_THROW(multiply(c.model, ws, x, y), std::invalid_argument);
  EXPECT_THROW(factor(c.model, ws, c.q, c.K, -1), std::invalid_argument);
  for (int twice = 0; twice < 2; ++twice) {
    const AllocationCount allocations;
    factor(c.model, ws, c.q, c.K);
    multiply(c.model, ws, x, y);
    solve_damped_by_iteration(c.model, ws, 0.5, x, y);
    EXPECT_EQ(allocations.count(), 0);
  }
  EXPECT_THROW(solve_damped(c.model, ws, x, y), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
