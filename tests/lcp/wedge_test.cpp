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

// A row of 150 points of 1 kg on a floor, each beside the next: 299 contacts. A plate comes down onto one of them.
TEST(Wedge, IsFoundInAProblemTooLargeForItsMatrix) {
  constexpr int kPoints = 150, kPressed = 70, kContacts = 2 * kPoints;
  lcp::SparseProblem p;
  p.begin({0, 0, kContacts});
  for (int i = 0; i < kPoints; ++i) {
    const MatrixView<double> M = p.mass_of(p.add_tree(3));
    for (std::size_t k = 0; k < 3; ++k) M(k, k) = 1;
  }
  const auto add = [&](int contact, int point, std::array<std::array<double, 3>, 3> rows) {
    double* J = p.add_term(contact, point);
    for (const auto& row : rows) J = std::copy(row.begin(), row.end(), J);
  };
  for (int i = 0; i < kPoints; ++i) {
    add(2 * i, i, {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}});
    if (i + 1 < kPoints) {
      add(2 * i + 1, i, {{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}});
      add(2 * i + 1, i + 1, {{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}});
    } else {
      add(2 * i + 1, kPressed, {{{0, 0, -1}, {1, 0, 0}, {0, -1, 0}}});
    }
  }
  ASSERT_TRUE(p.finish());
  for (int c = 0; c < kContacts; ++c) p.mu[at(c)] = 0.4;
  for (int i = 0; i < kPoints; ++i) p.q[at(6 * i)] = -0.02, p.q[at(6 * i + 3)] = i + 1 < kPoints ? -0.01 : -1;
  std::vector<double> z(p.q.size());
  lcp::Solver solver({.tolerance = 1e-8, .acceptable = 1e-6});
  const lcp::Certificate found = solver.solve(p, z);
  EXPECT_EQ(found.status, lcp::Status::ray);
  const VectorView<const double> d = solver.contradiction();
  ASSERT_EQ(d.size(), z.size());
  for (int c = 0; c < kContacts; ++c) EXPECT_EQ(d[at(3 * c)] > 0, c == 2 * kPressed || c == kContacts - 1) << c;
  double asked = 0, change = 0;
  const VectorView<const double> w = p.calc_velocity(d);
  for (std::size_t i = 0; i < d.size(); ++i) {
    asked += p.q[i] * d[i], change = std::max(change, std::abs(w[i] - p.q[i]));
  }
  EXPECT_LT(asked, 0);
  EXPECT_TRUE(is_small(change, 1e-14));
  // The least violation: both halves of the plate's approach. All others obey their laws.
  EXPECT_NEAR(found.absolute, 0.5, 0.02);
  const VectorView<const double> u = p.calc_velocity(z);
  for (int c = 0; c < kContacts; ++c) {
    const bool wedged = c == 2 * kPressed || c == kContacts - 1;
    EXPECT_GT(u[at(3 * c)], wedged ? -0.6 : -1e-7) << c;
  }
}

}  // namespace
}  // namespace sinew::test
