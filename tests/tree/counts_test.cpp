// tests/tree/counts_test.cpp - what the algorithms cost on the general unbranched robot [F08 Table 10.1]
#include <gtest/gtest.h>

#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/ltl.hpp"
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

// At or below the best rows of the table, for every n; what is reached is stated exactly, so that a change shows.
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
    const OperationCount c = tally.count();
    expect_at_most(c, 10 * n * n + 22 * n - 32, 6 * n * n + 37 * n - 43);
    EXPECT_EQ(c.mul, 10 * n * n + 20 * n - 35);
    EXPECT_EQ(c.add, 6 * n * n + 35 * n - 49);
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
    if (n > 2) {
      EXPECT_EQ(c.mul, 217 * n - 261);
      EXPECT_EQ(c.add, 203 * n - 257);
    }
  }
}

// Where the O(n^3) way stops being cheaper than the O(n) way. By the book's figures between 8 and 9 joints [F08 10.3];
// here both ways cost less.
TEST(Counts, TheLinearWayOvertakesTheCubicOne) {
  const auto total = [](const OperationCount& c) { return c.mul + c.add + c.div; };
  const auto cubic = [&](long n) {
    const Model m = compile(mechanisms::gu(static_cast<int>(n))).value();
    const DofTree& tree = m.dof_tree();
    CountedState s(m);
    RneaWorkspace<Counted> rnea_ws(m);
    CrbaWorkspace<Counted> crba_ws(m);
    LtdlFactor<Counted> H(tree);
    const Tally tally;
    calc_bias(m, rnea_ws, s.q, s.v, s.out);
    crba_packed<Counted>(m, crba_ws, s.q, H.packed);
    factor(tree, H);
    for (std::size_t i = 0; i < s.out.size(); ++i) s.out[i] = s.a[i] - s.out[i];
    solve(tree, H, VectorView<Counted>(s.out));
    return total(tally.count());
  };
  const auto linear = [&](long n) {
    const Model m = compile(mechanisms::gu(static_cast<int>(n))).value();
    CountedState s(m);
    AbaWorkspace<Counted> ws(m);
    const Tally tally;
    aba(m, ws, s.q, s.v, s.a, s.out);
    return total(tally.count());
  };
  long first = 2;
  while (cubic(first) <= linear(first)) ++first;
  EXPECT_EQ(first, 9);
  EXPECT_LE(cubic(8), 2921);
  EXPECT_LE(linear(8), 2925);
  EXPECT_LE(cubic(30), 32302);
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
