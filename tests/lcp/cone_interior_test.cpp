// tests/lcp/cone_interior_test.cpp - the path through the insides of the cones, by itself
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sinew/base/random.hpp"
#include "sinew/lcp/alart_curnier.hpp"
#include "sinew/lcp/cone_interior.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

struct Walk {
  int steps = 0;
  double natural = INFINITY;  // of the scaled problem, the best point of the path, after Newton on its states
  bool inside = true;         // of its cones and intervals all the way
  std::vector<double> z;
};

Walk walk(const lcp::FrictionProblem& p, int limit) {
  lcp::ConeForm form;
  lcp::ConeReduction reduction;
  bool contradiction = false;
  Walk out;
  if (!reduction.reduce(p, form, contradiction)) return out;
  const auto size = static_cast<std::size_t>(form.size);
  std::vector<double> r(size), u(size), best(size);
  lcp::ConeInterior interior;
  lcp::AlartCurnier newton;
  if (!interior.start(form)) return out;
  for (; out.steps < limit && interior.step(form, r.data()); ++out.steps) {
    for (int k = 0; k < form.blocks(); ++k) {
      const double* x = r.data() + form.start(k);
      if (k < form.unilateral) {
        out.inside &= x[0] == form.clamp(k, x[0]);
        continue;
      }
      const auto c = static_cast<std::size_t>(k - form.unilateral);
      out.inside &= x[0] >= 0 && std::hypot(x[1], x[2]) <= form.mu[c] * (x[0] + form.preload[c]) * (1 + 1e-12);
    }
    form.calc_velocity(r.data(), u.data());
    const double now = calc_natural(form, r.data(), u.data());
    if (now < out.natural) out.natural = now, best = r;
    if (now > 1e-2) continue;
    std::vector<double> polished = r;
    double natural = 0;
    newton.polish(form, polished.data(), 6, natural);
    if (natural < out.natural) out.natural = natural, best = polished;
    if (out.natural < 1e-11) break;
  }
  out.z.resize(p.q.size());
  reduction.recover(p, form, best.data(), out.z);
  return out;
}

TEST(ConeInterior, SolvesByItselfAndNeverLeavesTheCones) {
  int all = 0, solved = 0, steps = 0;
  for (int i = 0; i < kFrictionCases; ++i) {
    const FrictionCase c = make_friction_case(i);
    if (c.contacts() > 30) continue;
    const Walk w = walk(c.problem(), 100);
    EXPECT_TRUE(w.inside) << i << ' ' << c.kind;
    const bool good = w.natural < 1e-8 && calc_residual(c.problem(), w.z).relative < 1e-8;
    ++all, solved += good, steps += w.steps;
    if (!good) std::printf("case %d, %.*s, not solved: %.1e\n", i, int(c.kind.size()), c.kind.data(), w.natural);
  }
  std::printf("%d of %d solved, %.1f steps each\n", solved, all, double(steps) / all);
  EXPECT_GE(solved, 0.99 * all);
}

// Intervals with one end, two or none, points, contacts without friction. With little friction there is one answer, and
// Gauss-Seidel finds the same; with much there may be several.
TEST(ConeInterior, IntervalsAndNoFriction) {
  Random random(5);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::size_t kRows = 6, kContacts = 3, n = kRows + 3 * kContacts;
  for (int round = 0; round < 50; ++round) {
    std::vector<double> L(n * n), W(n * n), q(n), z(n);
    for (double& x : L) x = random.normal();
    for (double& x : q) x = random.normal();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        W[i * n + j] = i == j ? 1 : 0;
        for (std::size_t k = 0; k < n; ++k) W[i * n + j] += L[i * n + k] * L[j * n + k];
      }
    const std::vector<double> lower{0, -kInfinity, -0.1, -0.02, 0.05, -kInfinity},
        upper{kInfinity, 0.1, 0.1, 0.3, 0.05, kInfinity};
    const bool much = round % 2 == 1;
    const std::vector<double> mu{much ? 0.7 : 0.2, 0, much ? 2.5 : 0.1};
    lcp::FrictionProblem p;
    p.W = {W.data(), n, n}, p.q = q, p.mu = mu, p.unilateral = kRows, p.lower = lower, p.upper = upper;
    const Walk w = walk(p, 100);
    EXPECT_TRUE(w.inside);
    ASSERT_TRUE(is_small(calc_residual(p, w.z).relative, 3e-14)) << round;
    if (much) continue;
    lcp::Solver other({.method = lcp::Method::gauss_seidel, .tolerance = 1e-12});
    ASSERT_EQ(other.solve(p, z).status, lcp::Status::solved) << round;
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(w.z[i], z[i], 5e-13) << round << ' ' << i;
  }
}

// Impulses of friction that a normal impulse from elsewhere allows.
TEST(ConeInterior, Preloads) {
  const std::vector<double> W{1, 0.1, 0, 0.1, 1, 0, 0, 0, 1}, mu{0.5}, preload{0.1};
  for (const std::vector<double>& q :
       {std::vector<double>{-1, 2, 0.3}, {0.2, 2, 0.3}, {-1, 0.1, 0.3}, {0.2, 0.01, 0.02}}) {
    lcp::FrictionProblem p;
    p.W = {W.data(), 3, 3}, p.q = q, p.mu = mu, p.preload = preload;
    const Walk w = walk(p, 100);
    EXPECT_TRUE(w.inside);
    std::vector<double> z(3);
    lcp::Solver other({.method = lcp::Method::gauss_seidel, .tolerance = 1e-13});
    ASSERT_EQ(other.solve(p, z).status, lcp::Status::solved);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(w.z[i], z[i], 2e-14) << i;
  }
}

TEST(ConeInterior, NothingToSolve) {
  const std::vector<double> W, q, mu;
  lcp::FrictionProblem p;
  p.W = {W.data(), 0, 0}, p.q = q, p.mu = mu;
  EXPECT_EQ(walk(p, 100).steps, 0);
}

}  // namespace
}  // namespace sinew::test
