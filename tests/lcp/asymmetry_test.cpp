// tests/lcp/asymmetry_test.cpp - matrices that are symmetric to the digits of a file only
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "sinew/lcp/cone_form.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// As a program that prints six digits of every entry would write it, with the last digit of the mirror image off.
void keep_six_digits(FrictionCase& c) {
  const std::size_t n = c.q.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      char text[40];
      std::snprintf(text, sizeof text, "%.5e", c.W[i * n + j] * (j < i ? 1 + 2e-6 : 1));
      c.W[i * n + j] = std::strtod(text, nullptr);
    }
}

// Where contacts are as many as freedoms, to the tolerance; where they are more, no impulses may fit the rounded matrix
// better than its digits do.
TEST(Asymmetry, FilesWithSixDigitsAreSolvedAsTheyStand) {
  lcp::Solver solver;
  int cases = 0, solved = 0;
  double largest = 0, worst = 0;
  for (int i = 0; i < 200; ++i) {
    FrictionCase c = make_friction_case(i);
    if (c.contacts() > 20) continue;
    keep_six_digits(c);
    std::vector<double> r(c.q.size());
    const lcp::Certificate found = solver.solve(c.problem(), r);
    const double asymmetry = lcp::find_asymmetry(c.problem()).largest;
    ++cases, solved += found.status == lcp::Status::solved;
    largest = std::max(largest, asymmetry);
    if (found.status != lcp::Status::solved) worst = std::max(worst, found.residual / asymmetry);
    EXPECT_EQ(calc_residual(c.problem(), r).relative, found.residual) << i;
  }
  EXPECT_GT(largest, 1e-6);
  EXPECT_LT(worst, 2);
  EXPECT_GT(solved, cases * 7 / 10);  // without a second look at the matrix: none
}

// With `acceptable` set, an answer counts as close when its residual is within ten times the asymmetry of W.
TEST(Asymmetry, AnswersAsGoodAsTheMatrixAreAcceptable) {
  lcp::Solver solver({.acceptable = 1e-8});
  int by_matrix = 0;
  for (int i = 0; i < 200; ++i) {
    FrictionCase c = make_friction_case(i);
    if (c.contacts() > 20) continue;
    keep_six_digits(c);
    std::vector<double> r(c.q.size());
    const lcp::Certificate found = solver.solve(c.problem(), r);
    const double asymmetry = lcp::find_asymmetry(c.problem()).largest;
    EXPECT_TRUE(found.status == lcp::Status::solved || found.status == lcp::Status::close) << i;
    EXPECT_LE(found.residual, std::max(1e-8, 10 * asymmetry)) << i;
    EXPECT_EQ(calc_residual(c.problem(), r).relative, found.residual) << i;
    by_matrix += found.residual > 1e-8;
  }
  EXPECT_GT(by_matrix, 10);
}

TEST(Asymmetry, IsFoundWithItsRows) {
  const std::vector<double> W{2, 0, 0, 0, 2, 0.1, 0, 0, 2}, q{-1, 0, 0}, mu{0.5};
  lcp::FrictionProblem p;
  p.W = {W.data(), 3, 3}, p.q = q, p.mu = mu;
  const auto found = lcp::find_asymmetry(p);
  EXPECT_NEAR(found.largest, 0.05, 1e-16);
  EXPECT_EQ(found.row + found.column, 3);
}

}  // namespace
}  // namespace sinew::test
