// tests/lcp/sparse_test.cpp - problems without W, beside the same with it
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "lcp/sparse_cone.hpp"
#include "sinew/base/random.hpp"
#include "sinew/lcp/cone_sequence.hpp"
#include "sinew/lcp/residual.hpp"
#include "sinew/lcp/solve.hpp"
#include "support/friction_problems.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

double find_largest(const std::vector<double>& x) {
  double most = 0;
  for (const double y : x) most = std::max(most, std::abs(y));
  return most;
}

TEST(Sparse, TheMatrixIsThatOfTheBodies) {
  for (int i = 0; i < kFrictionCases; i += 7) {
    const FrictionCase c = make_friction_case(i);
    if (c.sparse.trees() == 0) continue;
    const std::size_t n = c.q.size();
    std::vector<double> W(n * n);
    c.sparse.calc_matrix({W.data(), n, n});
    double worst = 0;
    for (std::size_t k = 0; k < W.size(); ++k) worst = std::max(worst, std::abs(W[k] - c.W[k]));
    EXPECT_TRUE(is_small(worst, 1e-14 * find_largest(c.W))) << i << ' ' << c.kind;
  }
}

// Trees of one to seven velocities, bodies among them; rows on one or two of them in either order, contacts of one pair
// one after the other or apart, some with D = 0.
lcp::SparseProblem make_mixed_problem(Random& rng) {
  constexpr int kSizes[] = {6, 1, 6, 3, 6, 7, 6};
  lcp::SparseProblem p;
  p.begin({1, 2, 24});
  for (const int n : kSizes) {
    const int tree = p.add_tree(n);
    const MatrixView<double> M = p.mass_of(tree);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M(at(i), at(j)) = (i == j ? 2 : 0) + 0.1 / (1 + i + j);
  }
  std::vector<int> pair = {0, 2};
  for (int k = 0; k < p.blocks(); ++k) {
    if (rng.uniform(0, 1) < 0.5) {
      pair = {rng.below(7)};
      if (const int other = rng.below(9); other < 7 && other != pair[0]) pair.push_back(other);
    }
    for (const int tree : pair) {
      double* J = p.add_term(k, tree);
      for (int i = 0; i < p.width(k) * p.sizes[at(tree)]; ++i) J[i] = rng.uniform(-1, 1);
    }
  }
  for (double& q : p.q) q = rng.uniform(-1, 1);
  EXPECT_TRUE(p.finish());
  return p;
}

TEST(Sparse, StepsOverAnyTreesAreThoseOfTheMatrix) {
  Random rng(5);
  for (int round = 0; round < 50; ++round) {
    const lcp::SparseProblem p = make_mixed_problem(rng);
    const std::size_t n = p.q.size();
    lcp::ConeForm f;
    lcp::SparseCone cone;
    cone.scale(p, f);
    std::vector<double> W(n * n), r(n), u(n), e(n), dr(n), D(9 * at(p.blocks()));
    p.calc_matrix({W.data(), n, n});
    const auto G = [&](std::size_t i, std::size_t j) {
      return f.scale[i] / f.unit * W[i * n + j] * f.scale[j] / f.unit;
    };
    for (double& x : r) x = rng.uniform(-1, 1);
    for (double& x : e) x = rng.uniform(-1, 1);
    cone.multiply(r.data(), u.data());
    for (std::size_t i = 0; i < n; ++i) {
      double want = 0;
      for (std::size_t j = 0; j < n; ++j) want += G(i, j) * r[j];
      EXPECT_NEAR(u[i], want, 1e-12) << round << ' ' << i;
    }
    // What sweeps see is the same, to the last bit.
    cone.begin_sweeps(r.data());
    for (int k = 0; k < p.blocks(); ++k) {
      double seen[3];
      cone.get_velocity(k, seen);
      for (int i = 0; i < p.width(k); ++i) EXPECT_EQ(seen[i], u[at(p.start(k) + i)]);
    }
    const double change[3] = {0.3, -0.2, 0.1};
    const int pushed = round % p.blocks();
    cone.push(pushed, change);
    for (int k = 0; k < p.blocks(); ++k) {
      double seen[3];
      cone.get_velocity(k, seen);
      for (int i = 0; i < p.width(k); ++i) {
        double want = u[at(p.start(k) + i)];
        for (int j = 0; j < p.width(pushed); ++j) want += G(at(p.start(k) + i), at(p.start(pushed) + j)) * change[j];
        EXPECT_NEAR(seen[i], want, 1e-13) << round << ' ' << k;
      }
    }
    // (1 + D G) dr = e
    for (int k = 0; k < p.blocks(); ++k)
      for (int i = 0; i < 9; ++i) D[at(9 * k + i)] = k % 3 == 0 ? 0 : (i % 4 == 0 ? 3 : 0) + rng.uniform(-0.5, 0.5);
    ASSERT_TRUE(cone.factor(D.data(), {}));
    cone.solve(e.data(), dr.data(), true);
    std::vector<double> moved(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) moved[i] += G(i, j) * dr[j];
    for (int k = 0; k < p.blocks(); ++k)
      for (int i = 0; i < p.width(k); ++i) {
        double sum = dr[at(p.start(k) + i)];
        for (int j = 0; j < p.width(k); ++j) sum += D[at(9 * k + p.width(k) * i + j)] * moved[at(p.start(k) + j)];
        EXPECT_NEAR(sum, e[at(p.start(k) + i)], 1e-11) << round << ' ' << k;
      }
  }
}

// Every answer that is called solved is one of the dense problem too. Velocities are unique in most; impulses are not.
TEST(Sparse, TheThousandProblems) {
  lcp::Solver sparse, dense;
  int tried = 0, unsolved = 0;
  for (int i = 0; i < kFrictionCases; ++i) {
    const FrictionCase c = make_friction_case(i);
    if (c.sparse.trees() == 0) continue;
    ++tried;
    std::vector<double> z(c.q.size());
    const lcp::Certificate found = sparse.solve(c.sparse, z);
    const lcp::Residual again = calc_residual(c.problem(), z);
    if (found.status != lcp::Status::solved) {
      ++unsolved;
      std::printf("case %d, %.*s, %d contacts: residual %.1e\n", i, int(c.kind.size()), c.kind.data(), c.contacts(),
                  found.residual);
      continue;
    }
    EXPECT_LT(again.relative, 2 * found.tolerance) << i;
  }
  EXPECT_GT(tried, 700);
  EXPECT_EQ(unsolved, 0);
}

// A round of the convex sequence is the same problem with W and without it: its answer has the same impulses. The
// order of the contacts is the form's own where W is built.
TEST(Sparse, AConvexRoundIsThatOfTheMatrix) {
  int compared = 0;
  for (int i = 0; i < kFrictionCases; i += 5) {
    const FrictionCase c = make_friction_case(i);
    if (c.sparse.trees() == 0 || c.sparse.free > 0) continue;
    lcp::ConeForm dense, sparse;
    lcp::ConeReduction reduction;
    lcp::SparseCone cone;
    bool contradiction = false;
    if (!reduction.reduce(c.problem(), dense, contradiction)) continue;
    cone.scale(c.sparse, sparse);
    const std::size_t n = c.q.size();
    // Impulses and slips of the problem, and what a round makes of them.
    Random rng(static_cast<std::uint64_t>(i));
    std::vector<double> centre(n, 0.0), r(n), u(n), z(n);
    for (int k = 0; k < sparse.blocks(); ++k) centre[static_cast<std::size_t>(sparse.start(k))] = rng.uniform(0, 0.1);
    const std::vector<double> slip(static_cast<std::size_t>(sparse.contacts), 0.01);
    const auto solve = [&](const lcp::ConeForm& f, const std::vector<double>& start) {
      lcp::ConeSequence sequence;
      sequence.prepare(f);
      EXPECT_LT(sequence.round(f, start.data(), slip.data(), r.data(), u.data(), 1e-3, 1e-12, 100), 100);
      return r;
    };
    const std::vector<double> of_sparse = solve(sparse, centre);
    for (std::size_t k = 0; k < n; ++k) z[k] = sparse.scale[k] * of_sparse[k];
    std::vector<double> start(n), want(n), of_problem(n);
    for (std::size_t k = 0; k < n; ++k) of_problem[k] = sparse.scale[k] * centre[k];
    reduction.scale_start(dense, of_problem, start.data());
    reduction.recover(c.problem(), dense, solve(dense, start).data(), want);
    double worst = 0;
    for (std::size_t k = 0; k < n; ++k) worst = std::max(worst, std::abs(z[k] - want[k]));
    EXPECT_TRUE(is_small(worst, 1e-9 * find_largest(want))) << i << ' ' << c.kind;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

// A warm answer is kept if it is far better than asked, whatever the tolerance; or, with repeat 1, if it solves.
TEST(Sparse, WhatIsKept) {
  int kept = 0, tried = 0;
  for (int i = 0; i < kFrictionCases; i += 5) {
    const FrictionCase c = make_friction_case(i);
    if (c.sparse.trees() == 0) continue;
    lcp::Solver solver;
    std::vector<double> answer(c.q.size()), z;
    if (solver.solve(c.sparse, answer).status != lcp::Status::solved) continue;
    ++tried;
    const auto solve_again = [&](double change, double repeat) {
      z = answer;
      for (double& x : z) x *= 1 + change;
      return solver.solve(c.sparse, z, {.tolerance = 1e-6, .warm = true, .repeat = repeat});
    };
    const lcp::Certificate loose = solve_again(1e-9, 1);
    if (loose.solver == lcp::kLastAnswer) {
      EXPECT_LE(loose.residual, 1e-6);
      ++kept;
    }
    const lcp::Certificate strict = solve_again(1e-9, 1e-2);
    if (strict.solver == lcp::kLastAnswer) {
      EXPECT_LE(strict.residual, 1e-12) << i;
    }
  }
  EXPECT_GT(kept, 0.9 * tried);
  EXPECT_GT(tried, 100);
}

// From a loose answer, `settle` goes on far beyond the tolerance.
TEST(Sparse, SettlesFarBeyondTheTolerance) {
  int settled = 0, tried = 0;
  for (int i = 0; i < kFrictionCases; i += 5) {
    const FrictionCase c = make_friction_case(i);
    if (c.sparse.trees() == 0) continue;
    lcp::Solver solver;
    std::vector<double> z(c.q.size());
    if (solver.solve(c.sparse, z).status != lcp::Status::solved) continue;
    for (double& x : z) x *= 1 + 1e-6;
    const lcp::Certificate found = solver.solve(c.sparse, z, {.tolerance = 1e-5, .warm = true, .settle = true});
    EXPECT_EQ(found.status, lcp::Status::solved) << i;
    ++tried, settled += found.residual <= 1e-12;
  }
  EXPECT_GT(settled, 0.9 * tried) << tried;
}

// Loads that are off by a tenth, and the motion that the answer causes to a few digits: solvers begin with the motion
// where contacts stick, need fewer steps, and end with the same velocities. A motion that says nothing does no harm.
TEST(Sparse, StartsFromTheExpectedMotion) {
  int begun = 0, without = 0, with = 0;
  for (int i = 0; i < kFrictionCases; i += 3) {
    FrictionCase c = make_friction_case(i);
    const std::size_t n = c.q.size();
    if (c.sparse.trees() == 0) continue;
    lcp::Solver solver;
    std::vector<double> answer(n), z;
    if (solver.solve(c.sparse, answer).status != lcp::Status::solved) continue;
    const VectorView<const double> w = c.sparse.calc_velocity(answer);
    const std::vector<double> velocity(w.begin(), w.end());
    const std::vector<double> motion(c.sparse.motion().begin(), c.sparse.motion().end());
    Random rng(static_cast<std::uint64_t>(i));
    std::vector<double> start = answer;
    for (double& x : start) x *= 1 + rng.uniform(-0.1, 0.1);
    const auto solve = [&](double error) {
      c.sparse.expected.clear();
      for (const double v : motion)
        if (std::isfinite(error)) c.sparse.expected.push_back(v + error * find_largest(motion) * rng.uniform(-1, 1));
      z = start;
      const lcp::Certificate found = solver.solve(c.sparse, z, {.tolerance = 1e-6, .warm = true});
      EXPECT_EQ(found.status, lcp::Status::solved) << i << ' ' << c.kind << ' ' << error;
      return found;
    };
    solve(1);
    const int plain = solve(INFINITY).iterations;
    const lcp::Certificate quick = solve(1e-5);
    if (quick.solver != "convex rounds") continue;
    ++begun, without += plain, with += quick.iterations;
    const VectorView<const double> u = c.sparse.calc_velocity(z);
    for (std::size_t k = 0; k < n; ++k) EXPECT_TRUE(is_small(u[k] - velocity[k], 1e-5 * find_largest(c.q))) << i;
  }
  std::printf("%d of them: %d steps, %d without\n", begun, with, without);
  EXPECT_GT(begun, 10);
  EXPECT_LT(with, without);
}

}  // namespace
}  // namespace sinew::test
