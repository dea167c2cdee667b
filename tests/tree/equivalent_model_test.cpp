// tests/tree/equivalent_model_test.cpp - the fast algorithms with inertias moved to the base (HY-6)
#include "sinew/tree/equivalent_model.hpp"

#include <gtest/gtest.h>

#include "sinew/model/mechanisms.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Against the dense equations of the model itself, which know nothing of links.
TEST(EquivalentModel, InverseDynamicsStays) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const EquivalentModel e(m);
    RneaWorkspace<double> ws(m);
    for (int k = 0; k < 3; ++k) {
      const TreeState s = random_state(m, rng);
      std::vector<Force<double>> external;
      for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec(rng), random_vec(rng)});
      const Surroundings<double> around{external, 0.3};
      std::vector<double> tau(s.v.size()), h(s.v.size());
      rnea(e, ws, s.q, s.v, s.a, tau, around);
      calc_bias(e, ws, s.q, s.v, h, around);
      EXPECT_TRUE(near(tau, naive_rnea(m, s.q, s.v, s.a, external, 0.3), 300));
      EXPECT_TRUE(near(h, naive_rnea(m, s.q, s.v, std::vector<double>(s.v.size()), external, 0.3), 300));
    }
  });
}
TEST(EquivalentModel, MassMatrixStays) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    const EquivalentModel e(m);
    CrbaWorkspace<double> ws(m);
    const TreeState s = random_state(m, rng);
    Grid<double> M(m.nv(), m.nv()), own(m.nv(), m.nv());
    crba<double>(e, ws, s.q, M);
    crba<double>(m, ws, s.q, own);
    EXPECT_TRUE(near(M.numbers, own.numbers, 50));
  });
}
TEST(EquivalentModel, ForwardDynamicsStays) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    const EquivalentModel e(m);
    AbaWorkspace<double> ws(m);
    const TreeState s = random_state(m, rng);
    std::vector<double> a(s.v.size());
    aba(e, ws, s.q, s.v, s.a, a);
    EXPECT_TRUE(near(a, naive_forward_dynamics(m, s.q, s.v, s.a), 2e5));
  });
}
// What the links keep: nothing that the joint cannot feel.
TEST(EquivalentModel, KeepsTheNumbersThatMotionCanReveal) {
  const Model m = compile(mechanisms::gu(6)).value();
  const EquivalentModel e(m);
  for (const Link<double>& l : e.links<double>().subspan(1)) {
    EXPECT_EQ(l.m, 0);
    EXPECT_EQ(l.h.z, 0);
    EXPECT_EQ(l.J.zz, 0);
    EXPECT_EQ(l.mc, 0);
    EXPECT_NE(l.h.x, 0);
  }
  EXPECT_EQ(&e.model(), &m);
}

OperationCount count(const Model& m, const auto& call) {
  Random rng(1);
  const TreeState s = random_state(m, rng);
  std::vector<Counted> q, v, a, out(s.v.size());
  for (const double x : s.q) q.emplace_back(x);
  for (const double x : s.v) v.emplace_back(x);
  for (const double x : s.a) a.emplace_back(x);
  const Tally tally;
  call(q, v, a, out);
  return tally.count();
}
// 91n - 107 and 80n - 102 for the model itself (counts_test.cpp): 10m + 10a less for every link but the first, which
// never had the products. At n = 30 4341 operations where there were 4921.
TEST(EquivalentModel, CostsLessOnTheGeneralRobot) {
  for (int n = 3; n <= 30; ++n) {
    SCOPED_TRACE(n);
    const Model m = compile(mechanisms::gu(n)).value();
    const EquivalentModel e(m);
    RneaWorkspace<Counted> ws(m);
    const OperationCount c = count(m, [&](auto& q, auto& v, auto& a, auto& out) { rnea(e, ws, q, v, a, out); });
    EXPECT_EQ(c.mul, 81 * n - 97);
    EXPECT_EQ(c.add, 70 * n - 92);
  }
  const Model m = compile(mechanisms::gu(30)).value();
  const EquivalentModel e(m);
  CrbaWorkspace<Counted> crba_ws(m);
  AbaWorkspace<Counted> aba_ws(m);
  Grid<Counted> M(30, 30);
  const OperationCount by_crba = count(m, [&](auto& q, auto&, auto&, auto&) { crba<Counted>(e, crba_ws, q, M); });
  const OperationCount by_aba = count(m, [&](auto& q, auto& v, auto& a, auto& out) { aba(e, aba_ws, q, v, a, out); });
  EXPECT_LT(by_crba.mul + by_crba.add, 10 * 900 + 20 * 30 - 35 + 6 * 900 + 35 * 30 - 49);
  EXPECT_LT(by_aba.mul + by_aba.add, 217 * 30 - 261 + 203 * 30 - 257);
}
// Not only what counts as nothing: the sweep has no products with the zeros. Where they are something else they are not
// read.
TEST(EquivalentModel, TheSweepDoesNotReadWhatIsZero) {
  Link<double> l;
  l.step = Step::revolute;
  l.turns = 1;
  l.m = l.h.z = l.J.zz = std::numeric_limits<double>::quiet_NaN();
  const Mat3<double> U{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Force<double> f = EquivalentInertias::force(l, Vec3<double>{1, 2, 3}, U);
  EXPECT_EQ(largest(flatten(f)), 0);
}

TEST(EquivalentModel, AllScalarsAgree) {
  expect_parity(12, 200, []<class T>(const Model& m, const auto& q, const auto& v, const auto& a) {
    const EquivalentModel e(m);
    RneaWorkspace<T> ws(m);
    std::vector<T> tau(v.size());
    for (int twice = 0; twice < 2; ++twice) {
      const AllocationCount allocations;
      rnea(e, ws, q, v, a, tau);
      EXPECT_EQ(allocations.count(), 0);
    }
    return tau;
  });
}
// The inertia of 200 links at the base costs no digits that the torque there does not cost as well.
TEST(EquivalentModel, LongChainsCostRneaNoDigits) {
  const Model m = compile(mechanisms::gu(200)).value();
  const EquivalentModel e(m);
  Random rng(7);
  const TreeState s = random_state(m, rng);
  RneaWorkspace<double> ws(m);
  std::vector<double> tau(s.v.size()), want(s.v.size());
  rnea(e, ws, s.q, s.v, s.a, tau);
  rnea(m, ws, s.q, s.v, s.a, want);
  EXPECT_TRUE(near(tau, want, 100));
}

}  // namespace
}  // namespace sinew::test
