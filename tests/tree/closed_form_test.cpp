// tests/tree/closed_form_test.cpp - the oracles of the dynamics tests, each held against the others (TREE-1, 2, 11)
#include "support/closed_form.hpp"

#include <gtest/gtest.h>

#include "sinew/base/counted.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/naive_dynamics.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

Model chain_of(std::uint64_t seed, int n, const std::vector<JointKind>& kinds) {
  ModelSpec spec = random_tree(seed, {n, kinds, 0.0});
  for (JointSpec& j : spec.joints) j.reversed = false;
  return compile(spec).value();
}

// A pendulum of length l: tau = (m l^2 + I + armature) a + m g l sin(q).
TEST(NaiveDynamics, GivesThePendulum) {
  const double m = 1.5, l = 0.7, I = 0.02, rotor = 0.3, q = 0.4, a = 2;
  ModelBuilder b("pendulum");
  b.body("bob").mass(m, {0, 0, -l}, Sym3<double>::diagonal(I, I, I));
  b.revolute("hinge", "world", "bob").axis({0, 1, 0}).armature(rotor);
  const Model model = b.build().value();
  const double inertia = m * l * l + I + rotor, weight = m * 9.81 * l * std::sin(q);
  EXPECT_TRUE(
      near(naive_rnea(model, std::vector{q}, std::vector{3.0}, std::vector{a}), std::vector{inertia * a + weight}, 10));
  EXPECT_TRUE(near(naive_mass_matrix(model, std::vector{q})(0, 0), inertia, 10));
  EXPECT_TRUE(near(naive_forward_dynamics(model, std::vector{q}, std::vector{3.0}, std::vector{weight}),
                   std::vector{0.0}, 10, weight / inertia));
}

// Forces on welded bodies, in frames of their own, and on the world.
TEST(NaiveDynamics, ExternalForcesAreWrittenInTheBodysFrame) {
  ModelBuilder b("arm");
  b.body("arm").mass(solid_sphere(1, 0.1));
  b.body("tool").mass(solid_sphere(1, 0.1));
  b.revolute("hinge", "world", "arm").axis({0, 0, 1});
  b.fixed("weld", "arm", "tool").at({2, 0, 0}, {0, 0, std::numbers::pi / 2});
  b.gravity({0, 0, 0});
  const Model model = b.build().value();
  std::vector<Force<double>> f(model.bodies().size());
  const std::vector<double> q{0.3}, rest{0};
  f[0] = {{7, 8, 9}, {4, 5, 6}};
  f[*model.find_body("tool")] = {{0, 0, 0.5}, {3, 0, 0}};  // along y of the arm
  EXPECT_TRUE(near(naive_rnea(model, q, rest, rest, f), std::vector{-(2 * 3 + 0.5)}, 10));
}

TEST(NaiveDynamics, ForwardAndInverseAgreeOnRandomTrees) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model model = compile(random_tree(seed)).value();
    Random rng(seed);
    const std::vector<double> q = random_configuration(model, rng), v = random_numbers(rng, model.nv()),
                              a = random_numbers(rng, model.nv());
    std::vector<Force<double>> f;
    for (std::size_t i = 0; i < model.bodies().size(); ++i) f.push_back({random_vec(rng), random_vec(rng)});
    const std::vector<double> tau = naive_rnea(model, q, v, a, f, 0.3);
    EXPECT_TRUE(near(naive_forward_dynamics(model, q, v, tau, f, 0.3), a, 1e4, 1e2));
  }
}

// Table 5.2 against Table 5.1: torques, and the correspondence that the table states.
TEST(Original3d, AgreesWithTheSpatialForm) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int n = 1 + static_cast<int>(seed % 10);
    const Model model = seed % 2 ? compile(mechanisms::gu(n, seed)).value() : chain_of(seed, n, {JointKind::revolute});
    Random rng(seed);
    const std::vector<double> q = random_configuration(model, rng), qd = random_numbers(rng, n),
                              qdd = random_numbers(rng, n);
    const Original3d o = original_rnea(model, q, qd, qdd);
    EXPECT_TRUE(near(o.tau, naive_rnea(model, q, qd, qdd), 200));
    const NaiveMotions m = naive_motions(model, q, qd, qdd);
    for (std::size_t i = 0; i < o.w.size(); ++i) {
      const Motion<double> v = to_motion(m.v[i + 1]);
      const Motion<double> a = to_motion(m.a[i + 1] - m.X0[i + 1] * to_eigen(Motion<double>{{}, model.gravity()}));
      EXPECT_TRUE(near(v, Motion<double>{o.w[i], o.v[i]}, 50));
      EXPECT_TRUE(near(a, Motion<double>{o.dw[i], o.dv[i] - cross(o.w[i], o.v[i])}, 100));
      const RigidInertia<double>& I = model.nodes()[i + 1].inertia;
      EXPECT_TRUE(near(I * a + cross(v, I * v), Force<double>{o.N[i] + cross(centre_of_mass(I), o.F[i]), o.F[i]}, 100));
    }
  }
}

TEST(ClosedForm, VelocitiesAccelerationsAndTorquesAgreeWithTheRecursions) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int n = 1 + static_cast<int>(seed % 8);
    const Model model = chain_of(seed, n, {JointKind::revolute, JointKind::prismatic, JointKind::helical});
    Random rng(seed);
    const std::vector<double> q = random_configuration(model, rng), qd = random_numbers(rng, n),
                              qdd = random_numbers(rng, n);
    const ChainInWorld<double> chain = chain_in_world(model, q);
    const auto v = closed_form_velocities(chain.s, qd), a = closed_form_accelerations(chain.s, qd, qdd);
    const auto vr = recursive_velocities(chain.s, qd), ar = recursive_accelerations(chain.s, qd, qdd);
    const NaiveMotions m = naive_motions(model, q, qd, qdd);
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_TRUE(near(v[i], vr[i], 1e2));
      EXPECT_TRUE(near(a[i], ar[i], 1e2));
      EXPECT_TRUE(near(to_motion(m.X0[i + 1] * to_eigen(v[i])), to_motion(m.v[i + 1]), 1e3));
      EXPECT_TRUE(near(to_motion(m.X0[i + 1] * to_eigen(a[i])), to_motion(m.a[i + 1]), 1e3));
    }
    EXPECT_TRUE(near(closed_form_torques(chain, qd, qdd, model.gravity()), naive_rnea(model, q, qd, qdd), 1e3));
  }
}

// The book's counts of 5.2 and 5.3 to the operation, m and a being six of each; exponents 1, 2, 1, 3, 4 by doubling n.
TEST(ClosedForm, CostsWhatTheBookSays) {
  const auto counts = [](int n) {
    const ChainInWorld<Counted> c = cast_chain<Counted>(
        chain_in_world(chain_of(1, n, {JointKind::revolute}), std::vector<double>(static_cast<std::size_t>(n), 0.3)));
    const std::vector<Counted> x(static_cast<std::size_t>(n), Counted(0.7));
    const Counted one(0.5);
    std::vector<OperationCount> out;
    const auto count = [&out](auto f) {
      const Tally tally;
      f();
      out.push_back(tally.count());
    };
    count([&] { recursive_velocities(c.s, x, {{one, one, one}, {one, one, one}}); });
    count([&] { closed_form_velocities(c.s, x); });
    count([&] { recursive_accelerations(c.s, x, x); });
    count([&] { closed_form_accelerations(c.s, x, x); });
    count([&] { closed_form_torques(c, x, x, {one, one, one}); });
    return out;
  };
  for (const long n : {1, 2, 7}) {
    const auto c = counts(static_cast<int>(n));
    EXPECT_EQ(c[0], (OperationCount{6 * n, 6 * n, 0, 0, 0}));
    EXPECT_EQ(c[1], (OperationCount{3 * n * (n + 1), 3 * n * (n - 1), 0, 0, 0}));
  }
  const auto small = counts(20), large = counts(40);
  const double exponents[] = {1, 2, 1, 3, 4};
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(std::log2(double(large[k].mul + large[k].add) / double(small[k].mul + small[k].add)), exponents[k],
                0.15)
        << "algorithm " << k;
}

TEST(ClosedForm, RefusesTrees) {
  const Model tree = compile(mechanisms::binary_tree(2)).value();
  EXPECT_THROW(chain_in_world(tree, std::vector<double>(3)), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
