// tests/lcp/lemke_test.cpp - complementary pivots: rays, degeneracy, Murty's long path
#include <gtest/gtest.h>

#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/enumerate_lcp.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using lcp::Certificate;
using lcp::Method;
using lcp::Status;

Certificate solve(const LcpCase& c, std::vector<double>& z, Method method = Method::lemke) {
  z.assign(static_cast<std::size_t>(c.q.size()), 0.0);
  lcp::Solver solver({.method = method});
  return solver.solve(c.problem(), z);
}

// Two bodies pressed against each other and pulled apart: no acceleration obeys both [F08 11.1].
TEST(Lemke, EndsOnARayWhereThereIsNoSolution) {
  LcpCase c;
  c.M = Eigen::Matrix2d{{1, -1}, {-1, 1}}, c.q = Eigen::Vector2d{-1, 0.5};
  std::vector<double> z;
  ASSERT_TRUE(find_all_solutions(c).empty());
  EXPECT_EQ(solve(c, z).status, Status::ray);
  EXPECT_EQ(solve(c, z, Method::pivoting).status, Status::ray);
  const Certificate automatic = solve(c, z, Method::automatic);
  EXPECT_EQ(automatic.status, Status::ray);
  EXPECT_GT(automatic.residual, 0.1);

  c.q = Eigen::Vector2d{-1, 1.5};
  EXPECT_EQ(solve(c, z).status, Status::solved);
  EXPECT_TRUE(near(z, std::vector<double>{1, 0}, 4));
}

// Murty's matrix: twos below a diagonal of ones. The path visits about 2^n bases: past the usual limit of pivots, and
// then Lemke says so, while the default path goes on by other means.
TEST(Lemke, FollowsMurtysPathToTheEnd) {
  for (int n = 1; n <= 9; ++n) {
    LcpCase c;
    c.M = Eigen::MatrixXd::Identity(n, n), c.q = Eigen::VectorXd(n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) c.M(i, j) = 2;
    for (int i = 0; i < n; ++i) c.q[i] = -std::pow(2.0, n) + std::pow(2.0, n - 1 - i);
    std::vector<double> z(static_cast<std::size_t>(n));
    lcp::Solver patient({.method = Method::lemke, .iterations = 4 << n});
    const Certificate found = patient.solve(c.problem(), z);
    EXPECT_EQ(found.status, Status::solved) << n;
    EXPECT_GE(found.iterations, (1 << n) - 1) << n;
    if (n <= 8) {
      EXPECT_TRUE(is_small(distance_to_nearest(find_all_solutions(c), z), 5e-15 * std::pow(2.0, n))) << n;
    }
    EXPECT_EQ(solve(c, z).status, found.iterations > 100 ? Status::limit : Status::solved) << n;
    EXPECT_EQ(solve(c, z, Method::automatic).status, Status::solved) << n;
  }
}

// Equal rows tie in every ratio test.
TEST(Lemke, BreaksTies) {
  for (int n = 2; n <= 6; ++n) {
    LcpCase c;
    c.M = Eigen::MatrixXd::Ones(n, n), c.q = Eigen::VectorXd::Constant(n, -1);
    std::vector<double> z;
    EXPECT_EQ(solve(c, z).status, Status::solved) << n;
    double sum = 0;
    for (const double x : z) sum += x;
    EXPECT_NEAR(sum, 1, 2e-14);
  }
  // cycles under the plain rule of the smallest ratio: the example of Kostreva, degenerate at the start
  LcpCase c;
  c.M = Eigen::Matrix3d{{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, c.q = Eigen::Vector3d{-1, -1, -1};
  std::vector<double> z;
  EXPECT_EQ(solve(c, z).status, Status::solved);
  EXPECT_TRUE(near(z, std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3}, 8));
}

TEST(Lemke, NeedsNoPivotForPositiveQ) {
  LcpCase c;
  c.M = -Eigen::Matrix2d::Identity(), c.q = Eigen::Vector2d{1, 0};
  std::vector<double> z;
  const Certificate found = solve(c, z);
  EXPECT_EQ(found.status, Status::solved);
  EXPECT_EQ(found.iterations, 0);
  EXPECT_TRUE(near(z, std::vector<double>{0, 0}, 1));
}

// Copositive, neither P nor semidefinite: a sliding puck's matrix, entries far apart.
TEST(Lemke, ScalesItsRows) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    LcpCase c;
    c.M.resize(3, 3);
    c.M << unit, 0, 0, 0, unit, 1, 0.5, -1, 0;
    c.q = Eigen::Vector3d{-1, -1, 0};
    std::vector<double> z;
    EXPECT_EQ(solve(c, z).status, Status::solved) << unit;
    EXPECT_TRUE(near(std::vector<double>{z[0] * unit, z[1] * unit, z[2]}, std::vector<double>{1, 0.5, 0.5}, 16))
        << unit;
  }
}

}  // namespace
}  // namespace sinew::test
