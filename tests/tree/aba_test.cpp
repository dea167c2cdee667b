// tests/tree/aba_test.cpp - forward dynamics
#include "sinew/tree/aba.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/ltl.hpp"
#include "sinew/tree/rnea.hpp"
#include "sinew/tree/textbook.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// The worked example of [F08 7.1]: a box and a cylinder, joined so that the cylinder turns about x and slides along y.
// The articulated inertia of the box is diag(I1, I1+I2, I1+I2, m1+m2, m1, m1+m2).
TEST(Aba, GivesExample7_1) {
  const double m1 = 2, I1 = 0.3, m2 = 1.5, I2 = 0.2;
  ModelBuilder b("box and cylinder");
  b.gravity({0, 0, 0});
  b.body("box").mass(m1, {}, Sym3<double>::diagonal(I1, I1, I1));
  b.body("cylinder").mass(m2, {}, Sym3<double>::diagonal(I2, I2, I2));
  b.body("between").mass(0, {}, {});
  b.free("float", "world", "box");
  b.prismatic("slide", "box", "between").axis({0, 1, 0});
  b.revolute("turn", "between", "cylinder").axis({1, 0, 0});
  const Model m = b.build().value();
  AbaWorkspace<double> ws(m);
  const std::vector<double> q{1, 0, 0, 0, 0, 0, 0, 0, 0}, v(8);
  const double want[6] = {I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2};
  for (std::size_t k = 0; k < 6; ++k) {
    std::vector<double> tau(8), a(8);
    tau[k] = 1;
    aba(m, ws, q, v, tau, a);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(near(a[i], i == k ? 1 / want[k] : 0, 4, 1 / want[k])) << i << k;
  }
}

TEST(Aba, AgreesWithTheTextbookOnRandomTrees) {
  for_random_trees(200, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    std::vector<Force<double>> forces;
    for (std::size_t i = 0; i < m.bodies().size(); ++i) forces.push_back({random_vec(rng), random_vec(rng)});
    AbaWorkspace<double> ws(m);
    std::vector<double> a(s.v.size());
    aba(m, ws, s.q, s.v, s.a, a, {forces, 0.3});
    const auto want = textbook::aba(m, s.q, s.v, s.a, {forces, 0.3});
    const Eigen::MatrixXd M = naive_mass_matrix(m, s.q, 0.3);
    const double condition = dense_condition(M);
    EXPECT_TRUE(near(a, want, 50 * condition));
  });
}

TEST(Aba, UndoesRneaUpToAThousandBodies) {
  for (const int bodies : {1, 10, 100, 1000})
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Model m = compile(random_tree(seed, {bodies, {}, 0.6})).value();
      Random rng(seed);
      const TreeState s = random_state(m, rng);
      RneaWorkspace<double> rnea_ws(m);
      AbaWorkspace<double> ws(m);
      std::vector<double> tau(s.v.size()), a(s.v.size()), back(s.v.size());
      rnea(m, rnea_ws, s.q, s.v, s.a, tau);
      aba(m, ws, s.q, s.v, tau, a);
      rnea(m, rnea_ws, s.q, s.v, a, back);  // the accelerations may be ill conditioned, the forces are not
      EXPECT_TRUE(near(back, tau, 20 * bodies)) << bodies << " bodies, seed " << seed;
    }
}

TEST(Aba, MultipliesByTheInverseOfTheMassMatrix) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    RneaWorkspace<double> rnea_ws(m);
    AbaWorkspace<double> ws(m);
    std::vector<double> y(s.v.size()), x(s.v.size());
    multiply_by_mass_inverse(m, ws, s.q, s.a, y, 0.2);
    multiply_by_mass(m, rnea_ws, s.q, y, x, 0.2);
    EXPECT_TRUE(near(x, s.a, 2000, 1 + largest(y)));
  });
}

TEST(Aba, IsTheSameInEveryScalar) {
  expect_parity(
      20, slack(4000, "1981 with Clang"),
      []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& tau) {
        AbaWorkspace<T> ws(m);
        std::vector<T> a(v.size());
        aba(m, ws, q, v, tau, a);
        return a;
      });
}

// [F08 10.1]: on long chains it loses fewer digits than a factorization of M.
TEST(Aba, KeepsItsDigitsOnALongChain) {
  const Model m = compile(mechanisms::chain(1000)).value();
  Random rng(5);
  const TreeState s = random_state(m, rng);
  RneaWorkspace<double> rnea_ws(m);
  const auto residual = [&](const std::vector<double>& a) {
    std::vector<double> back(a.size());
    rnea(m, rnea_ws, s.q, s.v, a, back);
    for (std::size_t i = 0; i < back.size(); ++i) back[i] -= s.a[i];
    return largest(back) / largest(a);
  };
  AbaWorkspace<double> ws(m);
  std::vector<double> a(s.v.size()), x(s.v.size());
  aba(m, ws, s.q, s.v, s.a, a);
  EXPECT_TRUE(is_small(residual(a), 1e-10));

  CrbaWorkspace<double> crba_ws(m);
  LtlFactor<double> H(m.dof_tree());
  crba_packed<double>(m, crba_ws, s.q, H.packed);
  factor(m.dof_tree(), H);
  calc_bias(m, rnea_ws, s.q, s.v, x);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = s.a[i] - x[i];
  solve(m.dof_tree(), H, VectorView<double>(x));
  EXPECT_LT(10 * residual(a), residual(x));
}

TEST(Aba, AllocatesNothingAndRepeatsItsBits) {
  const Model m = compile(random_tree(3, {30, {}, 0.4})).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  AbaWorkspace<double> ws(m);
  std::vector<double> once(s.v.size()), again(s.v.size());
  aba(m, ws, s.q, s.v, s.a, once);
  AllocationCount allocations;
  aba(m, ws, s.q, s.v, s.a, again);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(once, again);
  multiply_by_mass_inverse(m, ws, s.q, s.a, again);
  EXPECT_EQ(allocations.count(), 0);
}

TEST(Aba, RefusesWrongSizes) {
  const Model m = compile(mechanisms::gu(3)).value();
  AbaWorkspace<double> ws(m);
  std::vector<double> three(3), four(4);
  EXPECT_THROW(aba(m, ws, four, three, three, three), std::invalid_argument);
  EXPECT_THROW(aba(m, ws, three, four, three, three), std::invalid_argument);
  EXPECT_THROW(aba(m, ws, three, three, four, three), std::invalid_argument);
  EXPECT_THROW(aba(m, ws, three, three, three, four), std::invalid_argument);
  EXPECT_THROW(multiply_by_mass_inverse(m, ws, three, four, three), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
