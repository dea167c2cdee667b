// tests/tree/counts_test.cpp - what the algorithms cost on the general unbranched robot [F08 Table 10.1]
#include <gtest/gtest.h>

#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

struct CountedState {
  explicit CountedState(const Model& m) {
    Random rng(1);
    const TreeState s = random_state(m, rng);
    for (const double x : s.q) q.emplace_back(x);
    for (const double x : s.v) v.emplace_back(x);
    for (const double x : s.a) a.emplace_back(x);
    out.resize(v.size());
  }
  std::vector<Counted> q, v, a, out;
};

void expect_at_most(const OperationCount& got, long mul, long add) {
  EXPECT_LE(got.mul, mul);
  EXPECT_LE(got.add, add);
}

// At or below the best rows of the table, for every n; what is reached is stated, so that a change shows.
TEST(Counts, OfRneaOnTheGeneralRobot) {
  for (long n = 2; n <= 30; ++n) {
    SCOPED_TRACE(n);
    const Model m = compile(mechanisms::gu(static_cast<int>(n))).value();
    CountedState s(m);
    RneaWorkspace<Counted> ws(m);
    const Tally tally;
    rnea(m, ws, s.q, s.v, s.a, s.out);
    const OperationCount c = tally.count();
    expect_at_most(c, 93 * n - 108, 81 * n - 100);
    EXPECT_EQ(c.trig, 2 * n);
    if (n > 2) {
      EXPECT_EQ(c.mul, 91 * n - 107);
      EXPECT_EQ(c.add, 80 * n - 102);
    }
  }
}

TEST(Counts, OfCrbaOnTheGeneralRobot) {
  for (long n = 2; n <= 30; ++n) {
    SCOPED_TRACE(n);
    const Model m = compile(mechanisms::gu(static_cast<int>(n))).value();
    CountedState s(m);
    CrbaWorkspace<Counted> ws(m);
    Grid<Counted> M(m.nv(), m.nv());
    const Tally tally;
    crba<Counted>(m, ws, s.q, M);
    expect_at_most(tally.count(), 10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43);
  }
}

TEST(Counts, OfAbaOnTheGeneralRobot) {
  for (long n = 2; n <= 30; ++n) {
    SCOPED_TRACE(n);
    const Model m = compile(mechanisms::gu(static_cast<int>(n))).value();
    CountedState s(m);
    AbaWorkspace<Counted> ws(m);
    const Tally tally;
    aba(m, ws, s.q, s.v, s.a, s.out);
    const OperationCount c = tally.count();
    expect_at_most(c, 224 * n - 259, 205 * n - 248);
    EXPECT_EQ(c.div, n);
  }
}

// Where the O(n^3) way stops being cheaper than the O(n) way: between 8 and 9 joints by the book's figures [F08 10.3].
TEST(Counts, TheBooksFiguresCrossBetweenEightAndNine) {
  const auto total = [](long n) {
    const long rnea = 93 * n - 108 + 81 * n - 100, crba = 10 * n * n + 22 * n - 32 + 6 * n * n + 37 * n - 43;
    const long factor = (n * n * n + 9 * n * n - 4 * n) / 6 + (n * n * n + 6 * n * n - 7 * n) / 6;
    return rnea + crba + factor;
  };
  const auto aba_cost = [](long n) { return 224 * n - 259 + 205 * n - 248; };
  EXPECT_EQ(total(8), 2921);
  EXPECT_EQ(aba_cost(8), 2925);
  EXPECT_EQ(total(9), 3539);
  EXPECT_EQ(aba_cost(9), 3354);
  EXPECT_EQ(total(30), 32302);
}

// Robots have parallel and perpendicular axes: their zeros must pay.
TEST(Counts, AreLowerWhereAxesAreParallelOrPerpendicular) {
  const Model general = compile(mechanisms::gu(12)).value(), planar = compile(mechanisms::pendulum(12)).value();
  const auto cost = [](const Model& m) {
    CountedState s(m);
    AbaWorkspace<Counted> ws(m);
    const Tally tally;
    aba(m, ws, s.q, s.v, s.a, s.out);
    return tally.count().mul;
  };
  EXPECT_LT(cost(planar), cost(general) / 2);
}

}  // namespace
}  // namespace sinew::test
