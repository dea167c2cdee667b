// tests/lcp/wedge_test.cpp - a body between two walls that close in: where no velocity satisfies both, the answer says
// so
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sinew/lcp/solve.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// The proof that rows contradict, on the problem itself.
void check_contradiction(const lcp::FrictionProblem& p, VectorView<const double> d) {
  ASSERT_EQ(d.size(), p.q.size());
  double asked = 0, change = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < d.size(); ++j) sum += p.W(i, j) * d[j];
    asked += p.q[i] * d[i], change = std::max(change, std::abs(sum));
  }
  EXPECT_LT(asked, 0);
  EXPECT_TRUE(is_small(change, 1e-14));
  for (std::size_t c = 0; c < p.mu.size(); ++c) {
    EXPECT_GE(d[3 * c], 0);
    EXPECT_LE(std::hypot(d[3 * c + 1], d[3 * c + 2]), p.mu[c] * d[3 * c] * (1 + 1e-12));
  }
}

// A point of 1 kg between a wall at x = 0 and one turned by `tilt`, both of which come nearer at 1 m/s.
lcp::Certificate squeeze(double friction, double tilt, std::vector<double>& z, double tolerance = 1e-10) {
  const double c = std::cos(tilt), s = std::sin(tilt);
  const std::array<std::array<double, 3>, 6> rows{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-c, s, 0}, {s, c, 0}, {0, 0, 1}}};
  std::vector<double> W;
  for (const auto& a : rows)
    for (const auto& b : rows) W.push_back(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  const std::vector<double> q{-1, 0, 0, -1, 0, 0}, mu{friction, friction};
  z.assign(6, 0.0);
  lcp::Solver solver({.tolerance = tolerance, .acceptable = 1e-8});
  const lcp::FrictionProblem p{{W.data(), 6, 6}, q, mu, {}, 0, 0, {}, {}};
  const lcp::Certificate out = solver.solve(p, z);
  if (out.status == lcp::Status::ray)
    check_contradiction(p, solver.contradiction());
  else
    EXPECT_EQ(solver.contradiction().size(), 0U);
  return out;
}

TEST(Wedge, ParallelWallsAreARay) {
  for (const double friction : {0.0, 0.3, 1.0}) {
    std::vector<double> z;
    const lcp::Certificate c = squeeze(friction, 0, z);
    EXPECT_EQ(c.status, lcp::Status::ray) << friction;
    EXPECT_NEAR(z[0] / z[3], 1, 1e-14);  // they push against each other
    EXPECT_NEAR(c.absolute, 1, 2e-14);   // the least violation: both come nearer as they did
  }
}

// The point is pressed out of the wedge: u . n1 = u . n2 = 1 for u = (1, (1 + cos tilt) / sin tilt).
TEST(Wedge, SmoothWallsPressItOut) {
  const double tilt = 0.2;
  std::vector<double> z;
  EXPECT_EQ(squeeze(0, tilt, z).status, lcp::Status::solved);
  EXPECT_NEAR(z[3] * std::sin(tilt), (1 + std::cos(tilt)) / std::sin(tilt), 1e-12);
}

// Half the angle of the wedge within the friction angle: it holds, and no impulses part the walls.
TEST(Wedge, WithinTheFrictionAngleNothingIsCalledSolved) {
  for (const double friction : {0.15, 0.3, 1.0})
    for (const double tilt : {0.02, 0.1, 0.2}) {
      std::vector<double> z;
      for (const double tolerance : {1e-10, 1e-6})
        EXPECT_EQ(squeeze(friction, tilt, z, tolerance).status, lcp::Status::ray) << friction << ' ' << tilt;
    }
}

}  // namespace
}  // namespace sinew::test
