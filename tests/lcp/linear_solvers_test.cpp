// tests/lcp/linear_solvers_test.cpp - every solver against all complementary bases; bounds, free rows, rank
#include <gtest/gtest.h>

#include <limits>

#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/enumerate_lcp.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using lcp::Certificate;
using lcp::Method;
using lcp::Status;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kLinear{Method::automatic, Method::lemke,    Method::pivoting, Method::pgs,
                             Method::newton,    Method::proximal, Method::qp};

Certificate solve(const LcpCase& c, Method method, std::vector<double>& z) {
  z.assign(static_cast<std::size_t>(c.q.size()), 0.0);
  lcp::Solver solver({.method = method});
  return solver.solve(c.problem(), z);
}

TEST(LinearSolvers, AgreeWithAllBases) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const bool symmetric = trial % 2 == 0;
    const LcpCase c = random_lcp(random, 1 + trial % 8, symmetric);
    const auto all = find_all_solutions(c);
    ASSERT_FALSE(all.empty());
    for (const Method method : kLinear) {
      if (!symmetric && (method == Method::qp || method == Method::pgs)) continue;
      std::vector<double> z;
      const Certificate found = solve(c, method, z);
      EXPECT_EQ(found.status, Status::solved) << to_string(method) << " trial " << trial << " " << found.residual;
      EXPECT_TRUE(is_small(distance_to_nearest(all, z), 2e-9)) << to_string(method) << " trial " << trial;
    }
  }
}

TEST(LinearSolvers, KeepBounds) {
  Random random(2);
  for (int trial = 0; trial < 80; ++trial) {
    const bool symmetric = trial % 2 == 0;
    LcpCase c = random_lcp(random, 2 + trial % 5, symmetric);
    const int n = static_cast<int>(c.q.size());
    c.lower = c.upper = Eigen::VectorXd::Zero(n);
    for (int i = 0; i < n; ++i) {
      const int kind = random.below(5);  // box, lower only, upper only, free, fixed
      const double a = random.normal(), b = a + random.uniform(0.1, 2);
      c.lower[i] = kind == 2 || kind == 3 ? -kInfinity : a;
      c.upper[i] = kind == 1 || kind == 3 ? kInfinity : kind == 4 ? a : b;
    }
    const auto all = find_all_solutions(c);
    ASSERT_FALSE(all.empty());
    for (const Method method : kLinear) {
      if (!symmetric && (method == Method::qp || method == Method::pgs)) continue;
      std::vector<double> z;
      const Certificate found = solve(c, method, z);
      EXPECT_EQ(found.status, Status::solved) << to_string(method) << " trial " << trial << " " << found.residual;
      EXPECT_TRUE(is_small(distance_to_nearest(all, z), 5e-10)) << to_string(method) << " trial " << trial;
    }
  }
}

// Positive semidefinite of low rank with q in its range: w is unique, z is not.
TEST(LinearSolvers, TakeSemidefiniteMatrices) {
  Random random(3);
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 4 + trial % 12, rank = n / 2;
    Eigen::MatrixXd A(n, rank);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < rank; ++j) A(i, j) = random.normal();
    LcpCase c;
    c.M = A * A.transpose();
    Eigen::VectorXd v(rank);
    for (int j = 0; j < rank; ++j) v[j] = random.normal();
    c.q = A * v;
    std::vector<double> first;
    ASSERT_EQ(solve(c, Method::automatic, first).status, Status::solved) << trial;
    const Eigen::VectorXd w = c.M * Eigen::Map<Eigen::VectorXd>(first.data(), n) + c.q;
    for (const Method method : {Method::lemke, Method::newton, Method::proximal, Method::qp}) {
      std::vector<double> z;
      EXPECT_EQ(solve(c, method, z).status, Status::solved) << to_string(method) << " trial " << trial;
      const Eigen::VectorXd other = c.M * Eigen::Map<Eigen::VectorXd>(z.data(), n) + c.q;
      EXPECT_TRUE(is_small((other - w).cwiseAbs().maxCoeff(), 1e-8)) << to_string(method) << " trial " << trial;
    }
  }
}

// Two equal equations: the free block is singular, and consistent or not.
TEST(LinearSolvers, EliminateSingularFreeBlocks) {
  LcpCase c;
  c.M.resize(3, 3);
  c.M << 1, 1, 0.5, 1, 1, 0.5, 0.5, 0.5, 2;
  c.q = Eigen::Vector3d{-1, -1, -1};
  c.lower = Eigen::Vector3d{-kInfinity, -kInfinity, 0}, c.upper = Eigen::Vector3d::Constant(kInfinity);
  std::vector<double> z;
  EXPECT_EQ(solve(c, Method::automatic, z).status, Status::solved);
  EXPECT_NEAR(z[0] + z[1], 1 - 0.5 * z[2], 2e-14);
  c.q[1] = -2;
  EXPECT_EQ(solve(c, Method::automatic, z).status, Status::infeasible);
  // a multiplier without a diagonal: its equation is about the other unknown
  c.M = Eigen::Matrix2d{{0, 1}, {-1, 1}}, c.q = Eigen::Vector2d{-3, 0};
  c.lower = Eigen::Vector2d{-kInfinity, 0}, c.upper = Eigen::Vector2d::Constant(kInfinity);
  EXPECT_EQ(solve(c, Method::automatic, z).status, Status::solved);
  EXPECT_NEAR(z[1], 3, 2e-10);
  EXPECT_NEAR(z[0], 3, 2e-10);
}

TEST(LinearSolvers, WarmBasisIsOneStep) {
  Random random(5);
  LcpCase c = random_lcp(random, 30, true);
  std::vector<double> z(30);
  lcp::Solver solver({.warm = true});
  ASSERT_EQ(solver.solve(c.problem(), z).status, Status::solved);
  c.q *= 1.001;
  const Certificate again = solver.solve(c.problem(), z);
  EXPECT_EQ(again.status, Status::solved);
  EXPECT_LE(again.iterations, 3);
}

TEST(LinearSolvers, AllocateNothingTheSecondTime) {
  Random random(6);
  LcpCase c = random_lcp(random, 20, true);
  c.lower = Eigen::VectorXd::Constant(20, 0), c.upper = Eigen::VectorXd::Constant(20, kInfinity);
  c.lower[3] = -kInfinity, c.upper[5] = 0.1;
  std::vector<double> z(20);
  for (const Method method : kLinear) {
    lcp::Solver solver({.method = method});
    solver.solve(c.problem(), z);
    c.q *= -1;
    const AllocationCount allocations;
    solver.solve(c.problem(), z);
    EXPECT_EQ(allocations.count(), 0) << to_string(method);
  }
}

}  // namespace
}  // namespace sinew::test
