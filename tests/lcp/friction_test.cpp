// tests/lcp/friction_test.cpp - Coulomb's law, as a cone and as a pyramid
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "sinew/base/random.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"
#include "support/near.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

using lcp::Certificate;
using lcp::FrictionProblem;
using lcp::Method;
using lcp::Status;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// A view: whatever is given must outlive it.
FrictionProblem one_contact(const Dense& W, const auto& q, const std::vector<double>& mu) {
  FrictionProblem p;
  p.W = {W.data(), static_cast<std::size_t>(W.rows()), static_cast<std::size_t>(W.cols())}, p.q = q, p.mu = mu;
  return p;
}
Eigen::Matrix3d random_block(Random& random, double least) {
  Eigen::Matrix3d A;
  for (int i = 0; i < 9; ++i) A(i) = random.normal();
  return A * A.transpose() + least * Eigen::Matrix3d::Identity();
}

// A unit mass on a plane, normal impulse 2, sliding: the pyramid's friction acts along a direction of its own [J14
// 8-16].
TEST(Friction, PyramidSlidesAlongItsDirections) {
  const Dense W = Dense::Identity(3, 3);
  const std::vector<double> mu{0.5};
  const auto slide = [&](double angle, int directions) {
    const Eigen::Vector3d q{-2, 10 * std::cos(angle), 10 * std::sin(angle)};
    std::vector<double> r(3);
    lcp::Solver solver({.directions = directions});
    EXPECT_EQ(solver.solve(one_contact(W, q, mu), r).status, Status::solved);
    return r;
  };
  EXPECT_TRUE(near(slide(0.3, 4), std::vector<double>{2, -1, 0}, 8));
  const double c = std::cos(std::numbers::pi / 8), s = std::sin(std::numbers::pi / 8);
  EXPECT_TRUE(near(slide(0.3, 16), std::vector<double>{2, -c, -s}, 8));
  EXPECT_TRUE(near(slide(0.3, 0), std::vector<double>{2, -std::cos(0.3), -std::sin(0.3)}, 30));
  // at 45 degrees any point of the face obeys, once slip has been turned onto it: the least friction is 0.7071
  const Eigen::Vector3d q{-2, 1 / std::sqrt(2.0), 1 / std::sqrt(2.0)};
  std::vector<double> r(3);
  lcp::Solver solver({.directions = 4});
  ASSERT_EQ(solver.solve(one_contact(W, q, mu), r).status, Status::solved);
  EXPECT_NEAR(std::hypot(r[1], r[2]), 1 / std::sqrt(2.0), 2e-14);
  EXPECT_EQ(solver.polyhedral_unknowns().size(), 6u);
}

TEST(Friction, RollingHasNoSlipAndStaysInside) {
  const Dense W = Dense::Identity(3, 3);
  const std::vector<double> mu{0.5};
  const Eigen::Vector3d q{-2, 0.3, -0.2};
  for (const int directions : {0, 4, 8}) {
    std::vector<double> r(3);
    lcp::Solver solver({.directions = directions});
    ASSERT_EQ(solver.solve(one_contact(W, q, mu), r).status, Status::solved);
    EXPECT_TRUE(near(r, std::vector<double>{2, -0.3, 0.2}, 16)) << directions;
    if (directions > 0) {
      EXPECT_NEAR(solver.polyhedral_unknowns()[static_cast<std::size_t>(directions) + 1], 0, 1e-15);
    }
  }
}

TEST(Friction, PyramidsTendToTheCone) {
  Random random(3);
  const Dense W = random_block(random, 0.5);
  const Eigen::Vector3d q{-1, 2, 1};
  const std::vector<double> mu{0.4};
  std::vector<double> exact(3);
  ASSERT_EQ(lcp::Solver().solve(one_contact(W, q, mu), exact).status, Status::solved);
  double last = INFINITY;
  for (const int directions : {4, 16, 64, 256}) {
    std::vector<double> r(3);
    ASSERT_EQ(lcp::Solver({.directions = directions}).solve(one_contact(W, q, mu), r).status, Status::solved);
    double off = 0;
    for (std::size_t i = 0; i < 3; ++i) off = std::max(off, std::abs(r[i] - exact[i]));
    EXPECT_LT(off, last) << directions;
    EXPECT_TRUE(is_small(off, 8.0 / directions));
    last = off;
  }
}

// Friction acts on a preload even where the contact opens [J14 57].
TEST(Friction, PreloadHoldsWithoutNormalImpulse) {
  const Dense W = Dense::Identity(3, 3);
  const Eigen::Vector3d q{1, 0.3, 0};
  const std::vector<double> mu{0.5}, preload{1};
  FrictionProblem p = one_contact(W, q, mu);
  p.preload = preload;
  for (const int directions : {0, 4}) {
    std::vector<double> r(3);
    lcp::Solver solver({.directions = directions});
    ASSERT_EQ(solver.solve(p, r).status, Status::solved);
    EXPECT_TRUE(near(r, std::vector<double>{0, -0.3, 0}, 16)) << directions;
    solver.options.method = directions ? Method::lemke : Method::alart_curnier;
    ASSERT_EQ(solver.solve(p, r).status, Status::solved);
    EXPECT_TRUE(near(r, std::vector<double>{0, -0.3, 0}, 1e4)) << directions;
  }
}

// Kinetic energy never rises:  r^T (u + u_before) / 2 <= 0.
TEST(Friction, ImpulsesDissipate) {
  for (int index = 0; index < 60; ++index) {
    const FrictionCase c = make_friction_case(index);
    if (c.contacts() > 20) continue;
    for (const int directions : {0, 4}) {
      std::vector<double> r(c.q.size());
      ASSERT_EQ(lcp::Solver({.directions = directions}).solve(c.problem(), r).status, Status::solved) << index;
      double change = 0, size = 0;
      for (std::size_t i = 0; i < r.size(); ++i) {
        double u = c.q[i];
        for (std::size_t j = 0; j < r.size(); ++j) u += c.W[i * r.size() + j] * r[j];
        change += 0.5 * r[i] * (u + c.q[i]), size += std::abs(r[i] * c.q[i]);
      }
      EXPECT_TRUE(is_small(change, 1e-9 * size)) << index;
    }
  }
}

TEST(Friction, AllocatesNothingTheSecondTime) {
  for (const int index : {4, 42, 55}) {
    FrictionCase c = make_friction_case(index);
    for (const Method method : {Method::automatic, Method::gauss_seidel, Method::alart_curnier}) {
      std::vector<double> r(c.q.size());
      lcp::Solver solver({.method = method, .iterations = method == Method::automatic ? 0 : 20});
      std::vector<double> zero(c.q.size(), 0.0), other = c.q;
      FrictionProblem easy = c.problem();
      easy.q = zero;  // the first problem needs no more than a sweep
      solver.solve(easy, r);
      const AllocationCount allocations;
      solver.solve(c.problem(), r);
      EXPECT_EQ(allocations.count(), 0) << index << " " << to_string(method);
    }
  }
}

TEST(Friction, WarmStatesTakeFewerSteps) {
  int cold_steps = 0, warm_steps = 0;
  for (int index = 0; index < 150; ++index) {
    FrictionCase c = make_friction_case(index);
    std::vector<double> r(c.q.size());
    lcp::Solver solver({.warm = true});
    const Certificate cold = solver.solve(c.problem(), r);
    ASSERT_EQ(cold.status, Status::solved);
    EXPECT_LE(solver.solve(c.problem(), r).iterations, 1) << index;  // a polish at most
    for (double& q : c.q) q *= 1.0001;
    const Certificate again = solver.solve(c.problem(), r);
    EXPECT_EQ(again.status, Status::solved);
    cold_steps += cold.iterations, warm_steps += again.iterations;
    if (index == 40 || index == 42 || index == 148) {  // stacks that take a hundred steps and more from nothing
      EXPECT_LT(2 * again.iterations, cold.iterations) << index;
    }
  }
  std::printf("150 problems: %d steps from nothing, %d from the answer of one like it\n", cold_steps, warm_steps);
  EXPECT_LT(6 * warm_steps, cold_steps);
}

}  // namespace
}  // namespace sinew::test
