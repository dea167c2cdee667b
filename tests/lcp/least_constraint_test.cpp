// tests/lcp/least_constraint_test.cpp - contact accelerations by three principles
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "sinew/base/random.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/dense_algebra.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

using lcp::Method;
using lcp::Status;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The same acceleration three ways: complementarity, quadratic programme, least constraint [F08 11.42-11.44].
TEST(LeastConstraint, LcpQpAndGaussAgree) {
  Random random(4);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 6, contacts = 2 + trial % 7;
    Eigen::MatrixXd A(n, n), T(n, contacts);
    Eigen::VectorXd force(n);
    for (int i = 0; i < n; ++i) {
      force[i] = random.normal();
      for (int j = 0; j < n; ++j) A(i, j) = random.normal();
      for (int j = 0; j < contacts; ++j) T(i, j) = random.normal();
    }
    const Eigen::MatrixXd H = dense_product(A, A.transpose()) + Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd N = dense_product(dense_inverse(H), T);  // H^-1 T
    const Eigen::VectorXd free = dense_solve(H, force), q = T.transpose() * free;
    const RowMajor M = dense_product(T.transpose(), N);
    const auto solve = [&](Method method, std::vector<double>& z) {
      lcp::Problem p;
      p.M = {M.data(), static_cast<std::size_t>(contacts), static_cast<std::size_t>(contacts)}, p.q = q;
      z.assign(static_cast<std::size_t>(contacts), 0.0);
      return lcp::Solver({.method = method}).solve(p, z);
    };
    std::vector<double> by_lcp, by_qp;
    ASSERT_EQ(solve(Method::lemke, by_lcp).status, Status::solved);
    ASSERT_EQ(solve(Method::qp, by_qp).status, Status::solved);
    const auto acceleration = [&](const std::vector<double>& z) -> Eigen::VectorXd {
      return free + N * Eigen::Map<const Eigen::VectorXd>(z.data(), contacts);
    };
    // Gauss: the acceleration nearest to the free one in the metric H that opens no contact; by Dykstra's projections
    Eigen::VectorXd by_gauss = free;
    Eigen::MatrixXd correction = Eigen::MatrixXd::Zero(n, contacts);
    for (int sweep = 0; sweep < 20000; ++sweep)
      for (int k = 0; k < contacts; ++k) {
        const Eigen::VectorXd x = by_gauss + correction.col(k);
        const double open = T.col(k).dot(x) / M(k, k);
        by_gauss = open < 0 ? Eigen::VectorXd(x - open * N.col(k)) : x;
        correction.col(k) = x - by_gauss;
      }
    const double scale = free.cwiseAbs().maxCoeff();
    EXPECT_TRUE(is_small((acceleration(by_lcp) - acceleration(by_qp)).cwiseAbs().maxCoeff(), 3e-14 * scale)) << trial;
    EXPECT_TRUE(is_small((acceleration(by_lcp) - by_gauss).cwiseAbs().maxCoeff(), 5e-14 * scale)) << trial;
  }
}

}  // namespace
}  // namespace sinew::test
