// tests/lcp/solve_test.cpp - the front: names, refusals, numbers that are none, one measure for all
#include "sinew/lcp/solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/lcp/residual.hpp"
#include "support/near.hpp"

namespace sinew::test {
namespace {

using lcp::Method;
using lcp::Status;

struct Small {
  std::vector<double> M{2, 1, 1, 2}, q{-1, 1};
  lcp::Problem problem() const {
    lcp::Problem p;
    p.M = {M.data(), 2, 2}, p.q = q;
    return p;
  }
};
std::string message(const auto& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Solve, NamesGoBothWays) {
  for (int i = 0; i < 9; ++i) {
    const Method m = static_cast<Method>(i);
    EXPECT_EQ(lcp::find_method(to_string(m)), m);
  }
  EXPECT_FALSE(lcp::find_method("simplex"));
  EXPECT_EQ(to_string(Status::ray), "ray");
  EXPECT_EQ(to_string(Status::non_finite), "non_finite");
}

TEST(Solve, RefusesWhatDoesNotFit) {
  Small s;
  std::vector<double> z(2), three(3);
  lcp::Solver solver;
  EXPECT_NE(message([&] { solver.solve(s.problem(), three); }).find("z has 3"), std::string::npos);
  lcp::Problem p = s.problem();
  p.lower = three;
  EXPECT_NE(message([&] { solver.solve(p, z); }).find("lower has 3"), std::string::npos);
  s.q.push_back(0);
  EXPECT_NE(message([&] { solver.solve(s.problem(), three); }).find("M is 2 x 2"), std::string::npos);

  std::vector<double> W(9, 0.0), q(3, 0.0), mu{-0.1};
  lcp::FrictionProblem f;
  f.W = {W.data(), 3, 3}, f.q = q, f.mu = mu;
  EXPECT_NE(message([&] { solver.solve(f, three); }).find("mu[0]"), std::string::npos);
  mu[0] = 0.1;
  solver.options.directions = 5;
  EXPECT_NE(message([&] { solver.solve(f, three); }).find("directions"), std::string::npos);
  f.free = 1;
  EXPECT_NE(message([&] { solver.solve(f, three); }).find("free + unilateral + 3 contacts"), std::string::npos);
}

TEST(Solve, SaysWhichSolverCan) {
  Small s;
  s.M[1] = -1;
  std::vector<double> z(2);
  const auto with = [&](Method m) { return message([&] { lcp::Solver({.method = m}).solve(s.problem(), z); }); };
  EXPECT_NE(with(Method::qp).find("lemke"), std::string::npos);
  EXPECT_NE(with(Method::gauss_seidel).find("lemke"), std::string::npos);
  std::vector<double> W{1, 0, 0, 0, 1, 0, 0, 0, 1}, q{-1, 0, 0}, mu{0.5}, r(3);
  lcp::FrictionProblem f;
  f.W = {W.data(), 3, 3}, f.q = q, f.mu = mu;
  const std::string text = message([&] { lcp::Solver({.method = Method::lemke}).solve(f, r); });
  EXPECT_NE(text.find("directions"), std::string::npos);
}

TEST(Solve, NumbersThatAreNoneAreAStatus) {
  Small s;
  std::vector<double> z{5, 5};
  s.q[1] = std::nan("");
  EXPECT_EQ(lcp::Solver().solve(s.problem(), z).status, Status::non_finite);
  EXPECT_TRUE(near(z, std::vector<double>{0, 0}, 0));
  s.q[1] = 1, s.M[2] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(lcp::Solver().solve(s.problem(), z).status, Status::non_finite);
  std::vector<double> W{1, 0, 0, 0, 1, 0, 0, 0, 1}, q{-1, 0, 0}, mu{std::nan("")}, r(3);
  lcp::FrictionProblem f;
  f.W = {W.data(), 3, 3}, f.q = q, f.mu = mu;
  for (const int directions : {0, 4})
    EXPECT_EQ(lcp::Solver({.directions = directions}).solve(f, r).status, Status::non_finite);
}

TEST(Solve, CrossedBoundsAreInfeasible) {
  const Small s;
  const std::vector<double> lower{0, 2}, upper{1, 1};
  std::vector<double> z(2);
  lcp::Problem p = s.problem();
  p.lower = lower, p.upper = upper;
  EXPECT_EQ(lcp::Solver().solve(p, z).status, Status::infeasible);
}

TEST(Solve, EmptyProblemsAreSolved) {
  std::vector<double> z;
  EXPECT_EQ(lcp::Solver().solve(lcp::Problem{}, z).status, Status::solved);
  EXPECT_EQ(lcp::Solver().solve(lcp::FrictionProblem{}, z).status, Status::solved);
}

// The relative residual has no units: scaling q, M or the unknowns leaves it as it is.
TEST(Residual, HasNoUnits) {
  Small s;
  const std::vector<double> z{0.4, 0.1};
  const double plain = calc_residual(s.problem(), z).relative;
  EXPECT_GT(plain, 0.05);
  for (const double c : {1e-6, 1e5}) {
    Small t = s;
    for (double& q : t.q) q *= c;
    EXPECT_NEAR(calc_residual(t.problem(), std::vector<double>{0.4 * c, 0.1 * c}).relative, plain, 1e-14);
    t = s;
    for (double& m : t.M) m *= c;
    EXPECT_NEAR(calc_residual(t.problem(), std::vector<double>{0.4 / c, 0.1 / c}).relative, plain, 1e-14);
  }
  EXPECT_NEAR(calc_residual(s.problem(), std::vector<double>{0.5, 0}).relative, 0, 1e-15);
  EXPECT_NEAR(calc_residual(s.problem(), std::vector<double>{0.5, 0}).absolute, 0, 1e-15);
  EXPECT_FALSE(calc_residual(s.problem(), std::vector<double>{std::nan(""), 0}).finite);
}

// It vanishes at Coulomb's law and nowhere near it.
TEST(Residual, KnowsCoulombsLaw) {
  const std::vector<double> W{1, 0, 0, 0, 1, 0, 0, 0, 1}, mu{0.5};
  const auto residual = [&](std::vector<double> q, std::vector<double> r) {
    lcp::FrictionProblem f;
    f.W = {W.data(), 3, 3}, f.q = q, f.mu = mu;
    return calc_residual(f, r).absolute;
  };
  EXPECT_NEAR(residual({-2, 3, 0}, {2, -1, 0}), 0, 1e-15);      // sliding
  EXPECT_NEAR(residual({-2, 0.5, 0}, {2, -0.5, 0}), 0, 1e-15);  // sticking
  EXPECT_NEAR(residual({1, 3, 0}, {0, 0, 0}), 0, 1e-15);        // open
  EXPECT_GT(residual({-2, 3, 0}, {2, 1, 0}), 0.5);              // pushed along
  EXPECT_GT(residual({-2, 3, 0}, {2, -0.8, 0}), 0.1);           // too little
  EXPECT_GT(residual({-2, 3, 0}, {2.1, -1.05, 0}), 0.01);       // separates under load
}

}  // namespace
}  // namespace sinew::test
