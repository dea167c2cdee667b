// tests/tree/floating_base_test.cpp - trees on a floating base: the equation of motion (HY-3, HY-4)
#include <gtest/gtest.h>

#include "floating_trees.hpp"

namespace sinew::test {
namespace {

// A free disc with a rotor: spinning the rotor up turns the disc the other way, and gravity plays no part in it.
TEST(FloatingBase, ReactionWheel) {
  ModelBuilder b("satellite");
  b.body("bus").mass(4, {}, Sym3<double>::diagonal(1, 1, 3));
  b.body("wheel").mass(1, {}, Sym3<double>::diagonal(.1, .1, .2));
  b.free("free", "world", "bus");
  b.revolute("axle", "bus", "wheel").axis({0, 0, 1});
  const Model m = b.build().value();
  FloatingBaseWorkspace<double> ws(m);
  std::vector<double> q{1, 0, 0, 0, 0, 0, 0, 0.3}, v(7), tau(7), a(7);
  tau[6] = 0.6;
  floating_aba(m, ws, q, v, tau, a);
  // 3 dw = -tau, .2 (dw + qdd) = tau
  EXPECT_TRUE(near(a, std::vector<double>{0, 0, -0.2, 0, 0, -9.81, 3.2}, 20));
  std::vector<double> back = a, force(7);
  back[2] = back[5] = 1e9;
  floating_rnea(m, ws, q, v, back, force);
  EXPECT_TRUE(near(back, a, 20));
  EXPECT_TRUE(near(force, tau, 20));
}

// 2 Independent paths ------------------------------------------------------------------------------------------------

// The same as the model with its joint of six freedoms: three algorithms against the naive one.
TEST(FloatingBase, IsAJointOfSixFreedoms) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<Force<double>> external = random_external(m, rng);
    const Surroundings<double> around{external, 0.4};
    const std::vector<double> tau = naive_rnea(m, s.q, s.v, s.a, external, 0.4);
    const double n = 100 + condition(m, s);
    FloatingBaseWorkspace<double> ws(m);
    FloatingCoefficients<double> c(ws.base);
    std::vector<double> a(s.a.size()), b(s.a.size());
    for (int twice = 0; twice < 2; ++twice) {
      const AllocationCount allocations;
      floating_aba(m, ws, s.q, s.v, tau, a, around);
      calc_floating_coefficients(m, ws, s.q, s.v, c, around);
      floating_crba(m, ws, c, tau, b);
      EXPECT_EQ(allocations.count(), 0);
    }
    EXPECT_TRUE(near(a, s.a, n));
    EXPECT_TRUE(near(b, s.a, n));
  });
}
// The coefficients are the blocks of M and h.
TEST(FloatingBase, CoefficientsAreBlocksOfTheMassMatrix) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    FloatingBaseWorkspace<double> ws(m);
    const FloatingCoefficients<double> c = coefficients_of(m, ws, s);
    const MatrixXd M = naive_mass_matrix(m, s.q);
    const std::vector<double> h = naive_rnea(m, s.q, s.v, std::vector<double>(s.v.size()));
    const int n = int(ws.base.joints.size()), base = ws.base.v;
    EXPECT_TRUE(near(to_dense(c.Ic0), numbers_of(M.block(base, base, 6, 6)), 500));
    const std::array<double, 6> p = to_array(c.pc0);
    EXPECT_TRUE(near(p, std::vector(h.begin() + base, h.begin() + base + 6), 500));
    EXPECT_TRUE(near(c.C, without_base(ws.base, h), 500));
    for (int i = 0; i < n; ++i) {
      const int vi = ws.base.joints[i];
      EXPECT_TRUE(near(c.F[i], to_force(Vector6d(M.block(base, vi, 6, 1))), 500));
      for (int j = 0; j < n; ++j) EXPECT_TRUE(near(c.H[i * n + j], M(vi, ws.base.joints[j]), 500));
    }
  });
}
// Inverse dynamics undoes forward dynamics; the base's acceleration comes out with the forces.
TEST(FloatingBase, InverseDynamicsFindsTheBase) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<Force<double>> external = random_external(m, rng);
    const Surroundings<double> around{external, 0.4};
    FloatingBaseWorkspace<double> ws(m);
    std::vector<double> tau = random_numbers(rng, m.nv()), a(tau.size()), found(tau.size());
    for (int k = 0; k < 6; ++k) tau[ws.base.v + k] = 0;
    floating_aba(m, ws, s.q, s.v, tau, a, around);
    std::vector<double> given = a;
    for (int k = 0; k < 6; ++k) given[ws.base.v + k] = 1e9;
    const AllocationCount allocations;
    floating_rnea(m, ws, s.q, s.v, given, found, around);
    EXPECT_EQ(allocations.count(), 0);
    const double n = 100 + 0.1 * condition(m, s);
    EXPECT_TRUE(near(given, a, n));
    EXPECT_TRUE(
        near(found, tau, n, std::max(1.0, largest(naive_rnea(m, s.q, s.v, given, external, 0.4)) + largest(a))));
  });
}
// H^fl and C^fl give the same accelerations, and H^fl is dense.
TEST(FloatingBase, EquationWithoutTheBase) {
  for_floating_trees(50, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    FloatingBaseWorkspace<double> ws(m);
    const FloatingCoefficients<double> c = coefficients_of(m, ws, s);
    const int n = int(ws.base.joints.size());
    Grid<double> H(n, n);
    std::vector<double> C(at(n)), tau = random_numbers(rng, m.nv()), a(tau.size());
    calc_floating_equation(c, MatrixView<double>(H), C);
    for (int k = 0; k < 6; ++k) tau[ws.base.v + k] = 0;
    floating_aba(m, ws, s.q, s.v, tau, a);
    const std::vector<double> left = plus(H * without_base(ws.base, a), C);
    EXPECT_TRUE(
        near(left, without_base(ws.base, tau), 10 + 0.1 * condition(m, s), std::max({1.0, largest(C), largest(a)})));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) EXPECT_NE(H(i, j), 0);
  });
}

// 4 Scalars, discipline ----------------------------------------------------------------------------------------------
struct RunEverything {
  template <class T>
  std::vector<T> operator()(const Model& m, const std::vector<T>& q, const std::vector<T>& v,
                            const std::vector<T>& x) const {
    FloatingBaseWorkspace<T> ws(m);
    FloatingCoefficients<T> c(ws.base);
    std::vector<T> out, a = x, tau = x;
    const auto keep = [&](const std::vector<T>& y) { out.insert(out.end(), y.begin(), y.end()); };
    floating_aba(m, ws, q, v, tau, a), keep(a);
    floating_rnea(m, ws, q, v, a, tau), keep(a), keep(tau);
    calc_floating_coefficients(m, ws, q, v, c);
    floating_crba(m, ws, c, x, a), keep(a);
    const std::size_t n = ws.base.joints.size();
    std::vector<T> H(n * n), C(n), J(6 * n);
    calc_floating_equation(c, MatrixView<T>(H.data(), n, n), C), keep(H), keep(C);
    calc_floating_jacobian(m, ws, q, m.bodies().back(), MatrixView<T>(J.data(), 6, n)), keep(J);
    return out;
  }
};

// 3 Identities -------------------------------------------------------------------------------------------------------
TEST(FloatingBase, AllScalarsAgree) {
  for_floating_trees(8, [](const Model& m, Random& rng) {
    RunEverything run;
    expect_parity_of_all(m, rng, 300, run);
  });
}
TEST(FloatingBase, WhatDoesNotFloatIsRefused) {
  const auto find = [](auto change) {
    ModelSpec spec = floating_tree(3, 4);
    change(spec);
    return find_floating_base(compile(spec).value()).has_value();
  };
  const auto base_of = [](ModelSpec& s) -> JointSpec& {
    for (JointSpec& j : s.joints)
      if (j.name == "base") return j;
    throw std::logic_error("no base");
  };
  EXPECT_TRUE(find([](ModelSpec&) {}));
  EXPECT_FALSE(find([&](ModelSpec& s) { base_of(s).kind = JointKind::planar; }));
  EXPECT_FALSE(find([&](ModelSpec& s) { base_of(s).reversed = true; }));
  EXPECT_FALSE(find([&](ModelSpec& s) { base_of(s).dofs.assign(6, DofSpec{.armature = 1}); }));
  EXPECT_FALSE(find([&](ModelSpec& s) {
    Random rng(1);
    s.bodies.push_back(random_body(rng, "other"));
    s.joints.push_back(random_joint(rng, JointKind::revolute, "own"));
    s.joints.back().parent = s.world, s.joints.back().child = "other";
  }));
  const Model arm = compile(mechanisms::chain(3)).value();
  EXPECT_THROW(FloatingBaseWorkspace<double>{arm}, std::invalid_argument);
  const Model m = compile(floating_tree(3, 4)).value();
  FloatingBaseWorkspace<double> ws(m);
  std::vector<double> q(at(m.nq())), v(at(m.nv())), two(2);
  try {
    floating_aba(m, ws, q, v, two, v);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()), "floating_aba: tau has 2 entries, the model needs " + std::to_string(m.nv()));
  }
}

}  // namespace
}  // namespace sinew::test
