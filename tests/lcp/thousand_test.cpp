// tests/lcp/thousand_test.cpp - the default path on a thousand problems
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// The natural map of De Saxce with unit weights, written anew: |r - P_K(r - u - mu |u_t| n)|.
double calc_de_saxce(const FrictionCase& c, const std::vector<double>& r) {
  double worst = 0;
  const std::size_t n = r.size();
  for (std::size_t k = 0; k < c.mu.size(); ++k) {
    double u[3], x[3];
    for (std::size_t i = 0; i < 3; ++i) {
      u[i] = c.q[3 * k + i];
      for (std::size_t j = 0; j < n; ++j) u[i] += c.W[(3 * k + i) * n + j] * r[j];
    }
    const double mu = c.mu[k];
    u[0] += mu * std::hypot(u[1], u[2]);
    for (std::size_t i = 0; i < 3; ++i) x[i] = r[3 * k + i] - u[i];
    const double length = std::hypot(x[1], x[2]);
    if (mu * length <= -x[0]) {
      x[0] = x[1] = x[2] = 0;
    } else if (length > mu * x[0]) {
      const double along = (x[0] + mu * length) / (1 + mu * mu);
      x[1] *= mu * along / length, x[2] *= mu * along / length, x[0] = along;
    }
    for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(r[3 * k + i] - x[i]));
  }
  return worst;
}

TEST(Thousand, TheConeIsSolvedExactly) {
  lcp::Solver solver;
  int unsolved = 0, contacts = 0;
  for (int i = 0; i < kFrictionCases; ++i) {
    const FrictionCase c = make_friction_case(i);
    std::vector<double> r(c.q.size());
    const lcp::Certificate found = solver.solve(c.problem(), r);
    contacts = std::max(contacts, c.contacts());
    const lcp::Residual again = calc_residual(c.problem(), r);
    ASSERT_TRUE(again.finite) << i;
    ASSERT_EQ(again.relative, found.residual) << i;
    if (found.status != lcp::Status::solved) {
      ++unsolved;
      std::printf("case %d, %.*s, %d contacts: %s, residual %.1e\n", i, int(c.kind.size()), c.kind.data(), c.contacts(),
                  std::string(to_string(found.status)).c_str(), found.residual);
      continue;
    }
    double largest = 1;
    for (const double q : c.q) largest = std::max(largest, std::abs(q));
    EXPECT_TRUE(is_small(calc_de_saxce(c, r), 1e-9 * largest)) << i;
  }
  EXPECT_EQ(contacts, 100);
  EXPECT_LE(unsolved, 2);
}

TEST(Thousand, PyramidsToo) {
  lcp::Solver solver({.directions = 4});
  for (int i = 0; i < kFrictionCases; ++i) {
    const FrictionCase c = make_friction_case(i);
    if (c.contacts() > 12) continue;
    std::vector<double> r(c.q.size());
    const lcp::Certificate found = solver.solve(c.problem(), r);
    EXPECT_EQ(found.status, lcp::Status::solved) << i << " " << found.residual;
    EXPECT_EQ(found.size, lcp::polyhedral_size(c.problem(), 4));
  }
}

// The exact solvers by name, where the problem is not too hard for them: random positive definite matrices.
TEST(Thousand, NamedSolversDoTheEasyOnes) {
  for (int i = 0; i < kFrictionCases; i += 12) {
    const FrictionCase c = make_friction_case(i);
    if (c.contacts() > 30) continue;
    for (const lcp::Method method : {lcp::Method::gauss_seidel, lcp::Method::alart_curnier}) {
      std::vector<double> r(c.q.size());
      const lcp::Certificate found = lcp::Solver({.method = method}).solve(c.problem(), r);
      EXPECT_EQ(found.status, lcp::Status::solved) << i << " " << to_string(method) << " " << found.residual;
      EXPECT_EQ(found.solver, to_string(method));
    }
  }
}

}  // namespace
}  // namespace sinew::test
