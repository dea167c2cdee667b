// tests/lcp/wedge_test.cpp - a body between two walls that close in: where no velocity satisfies both, the answer says
// so
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "sinew/lcp/solve.hpp"

namespace sinew::test {
namespace {

// A point of 1 kg between a wall at x = 0 and one turned by `tilt`, both of which come nearer at 1 m/s.
lcp::Certificate squeeze(double friction, double tilt, std::vector<double>& z) {
  const double c = std::cos(tilt), s = std::sin(tilt);
  const std::array<std::array<double, 3>, 6> rows{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-c, s, 0}, {s, c, 0}, {0, 0, 1}}};
  std::vector<double> W;
  for (const auto& a : rows)
    for (const auto& b : rows) W.push_back(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
  const std::vector<double> q{-1, 0, 0, -1, 0, 0}, mu{friction, friction};
  z.assign(6, 0.0);
  lcp::Solver solver({.acceptable = 1e-8});
  return solver.solve(lcp::FrictionProblem{{W.data(), 6, 6}, q, mu, {}, 0, 0, {}, {}}, z);
}

TEST(Wedge, ParallelWallsAreARay) {
  for (const double friction : {0.0, 0.3, 1.0}) {
    std::vector<double> z;
    EXPECT_EQ(squeeze(friction, 0, z).status, lcp::Status::ray) << friction;
    EXPECT_NEAR(z[0] / z[3], 1, 1e-14);  // they push against each other
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
      const lcp::Status found = squeeze(friction, tilt, z).status;
      EXPECT_TRUE(found == lcp::Status::ray || found == lcp::Status::limit) << friction << ' ' << tilt;
    }
}

}  // namespace
}  // namespace sinew::test
