// tests/tree/rnea_test.cpp - inverse dynamics
#include "sinew/tree/rnea.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/textbook.hpp"
#include "support/closed_form.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

std::vector<Force<double>> random_forces(const Model& m, Random& rng) {
  std::vector<Force<double>> out;
  for (std::size_t i = 0; i < m.bodies().size(); ++i) out.push_back({random_vec(rng), random_vec(rng)});
  return out;
}

TEST(Rnea, GivesThePendulum) {
  const double mass = 1.5, l = 0.7, I = 0.02, rotor = 0.3, q = 0.4, v = 2, a = -1;
  ModelBuilder b("pendulum");
  b.body("bob").mass(mass, {0, 0, -l}, Sym3<double>::diagonal(I, I, I));
  b.revolute("hinge", "world", "bob").axis({0, 1, 0}).armature(rotor);
  const Model m = b.build().value();
  RneaWorkspace<double> ws(m);
  std::vector<double> tau(1);
  rnea(m, ws, std::vector{q}, std::vector{v}, std::vector{a}, tau);
  EXPECT_TRUE(near(tau[0], (mass * l * l + I + rotor) * a + mass * 9.81 * l * std::sin(q), 8));
}

TEST(Rnea, AgreesWithTheTextbookOnRandomTrees) {
  for_random_trees(200, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const auto forces = random_forces(m, rng);
    RneaWorkspace<double> ws(m);
    std::vector<double> tau(s.v.size());
    rnea(m, ws, s.q, s.v, s.a, tau, {forces, 0.3});
    EXPECT_TRUE(near(tau, textbook::rnea(m, s.q, s.v, s.a, {forces, 0.3}), 400));
    rnea(m, ws, s.q, s.v, s.a, tau);
    EXPECT_TRUE(near(tau, textbook::rnea(m, s.q, s.v, s.a), 400));
  });
}

// The tables of links have one form for each twist, for branches, for links at the world: all must have been met.
TEST(Rnea, MeetsEveryFormOfALink) {
  int twists[3] = {}, branches = 0, firsts = 0, flat = 0;
  const auto look = [&](const Model& m) {
    for (std::size_t i = 1; i < m.nodes().size(); ++i) {
      const Link<double>& l = m.links<double>()[i];
      if (l.step != Step::revolute) continue;
      ++twists[static_cast<int>(l.twist)];
      branches += l.branch && l.parent > 0;
      firsts += l.parent == 0;
      flat += !l.has_a || !l.has_d;
    }
    Random rng(1);
    const TreeState s = random_state(m, rng);
    RneaWorkspace<double> ws(m);
    std::vector<double> tau(s.v.size());
    rnea(m, ws, s.q, s.v, s.a, tau);
    EXPECT_TRUE(near(tau, textbook::rnea(m, s.q, s.v, s.a), 100)) << m.name();
  };
  for (const ModelSpec& spec : {mechanisms::humanoid(), mechanisms::hand(), mechanisms::dual_arm(),
                                mechanisms::pendulum(6), mechanisms::gu(9), mechanisms::binary_tree(4)})
    look(compile(spec).value());
  for (const int n : {twists[0], twists[1], twists[2], branches, firsts, flat}) EXPECT_GT(n, 0);
}

// Axes that are almost parallel have their common normal far away: such links must not lose digits.
TEST(Rnea, KeepsItsDigitsWithAlmostParallelAxes) {
  for (const double tilt : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3}) {
    ModelBuilder b("chain");
    std::string parent = "world";
    for (int i = 0; i < 6; ++i) {
      const std::string name = "link" + std::to_string(i);
      b.body(name).mass(1, {0.1, 0.02, 0.3}, Sym3<double>::diagonal(0.1, 0.2, 0.15));
      b.revolute("joint" + std::to_string(i), parent, name).axis({i % 2 * tilt, 0, 1}).at({0.5, 0.1, 0.2});
      parent = name;
    }
    const Model m = b.build().value();
    Random rng(2);
    const TreeState s = random_state(m, rng);
    RneaWorkspace<double> ws(m);
    std::vector<double> tau(s.v.size());
    rnea(m, ws, s.q, s.v, s.a, tau);
    EXPECT_TRUE(near(tau, textbook::rnea(m, s.q, s.v, s.a), 100)) << tilt;
  }
}

TEST(Rnea, BiasGravityAndMassProductsAreItsParts) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const auto forces = random_forces(m, rng);
    const std::vector<double> rest(s.v.size());
    RneaWorkspace<double> ws(m);
    std::vector<double> tau(s.v.size()), h = tau, g = tau, Ma = tau;
    rnea(m, ws, s.q, s.v, s.a, tau, {forces, 0.2});
    calc_bias(m, ws, s.q, s.v, h, {forces, 0.2});
    multiply_by_mass(m, ws, s.q, s.a, Ma, 0.2);
    EXPECT_TRUE(near(tau, plus(h, Ma), 200));
    calc_gravity(m, ws, s.q, g);
    EXPECT_TRUE(near(h, textbook::rnea(m, s.q, s.v, rest, {forces, 0.2}), 400));
    const Eigen::VectorXd want = naive_mass_matrix(m, s.q, 0.2) * Eigen::Map<const Eigen::VectorXd>(s.a.data(), m.nv());
    EXPECT_TRUE(near(Ma, std::vector<double>(want.begin(), want.end()), 400));
  });
  for_random_trees(
      40,
      [](const Model& m, Random& rng) {
        const TreeState s = random_state(m, rng);
        const std::vector<double> rest(s.v.size());
        RneaWorkspace<double> ws(m);
        std::vector<double> g(s.v.size());
        calc_gravity(m, ws, s.q, g);
        EXPECT_TRUE(near(g, textbook::rnea(m, s.q, rest, rest), 200));
      },
      true);
}

// d tau / d a = M, by dual numbers.
TEST(Rnea, HasTheMassMatrixAsDerivative) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<double> rest(s.v.size()), still(s.q.size());
    RneaWorkspace<Dual> ws(m);
    std::vector<Dual> tau(s.v.size());
    const Eigen::MatrixXd M = naive_mass_matrix(m, s.q);
    for (int k = 0; k < m.nv(); ++k) {
      std::vector<double> unit(s.v.size());
      unit[k] = 1;
      rnea(m, ws, moving(s.q, still), moving(s.v, rest), moving(s.a, unit), tau);
      const Eigen::VectorXd want = M.col(k);
      EXPECT_TRUE(near(slopes(tau), std::vector<double>(want.begin(), want.end()), 50, M.norm()));
    }
  });
}

TEST(Rnea, IsTheSameInEveryScalar) {
  expect_parity(20, 100,
                []<class T>(const Model& m, const std::vector<T>& q, const std::vector<T>& v, const std::vector<T>& a) {
                  RneaWorkspace<T> ws(m);
                  std::vector<T> tau(v.size());
                  rnea(m, ws, q, v, a, tau);
                  return tau;
                });
}

TEST(Rnea, DoesNotCareHowBodiesAreCutOrWhereFramesStand) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    ModelSpec spec = random_tree(seed, {8, {JointKind::revolute, JointKind::spherical, JointKind::prismatic}, 0.4});
    const Model whole = compile(spec).value();
    // Cut every body in two by a weld: the second half takes the mass.
    Random rng(seed);
    const std::size_t n = spec.bodies.size();
    for (std::size_t i = 0; i < n; ++i) {
      BodySpec half = spec.bodies[i];
      half.name += ".half";
      JointSpec weld;
      weld.name = half.name + ".weld", weld.kind = JointKind::fixed;
      weld.parent = spec.bodies[i].name, weld.child = half.name;
      spec.bodies[i].mass = 0, spec.bodies[i].inertia = {}, spec.bodies[i].com = {};
      spec.bodies.push_back(half);
      spec.joints.push_back(weld);
    }
    const Model cut = compile(spec).value();
    const TreeState s = random_state(whole, rng);
    RneaWorkspace<double> a(whole), b(cut);
    std::vector<double> x(s.v.size()), y(s.v.size());
    rnea(whole, a, s.q, s.v, s.a, x);
    rnea(cut, b, s.q, s.v, s.a, y);
    EXPECT_TRUE(near(x, y, 100)) << "seed " << seed;
  }
}

TEST(Rnea, AllocatesNothingAndRepeatsItsBits) {
  const Model m = compile(random_tree(3, {30, {}, 0.4})).value();
  Random rng(1);
  const TreeState s = random_state(m, rng);
  const auto forces = random_forces(m, rng);
  RneaWorkspace<double> ws(m);
  std::vector<double> once(s.v.size()), again(s.v.size());
  rnea(m, ws, s.q, s.v, s.a, once, {forces, 0.1});
  AllocationCount allocations;
  rnea(m, ws, s.q, s.v, s.a, again, {forces, 0.1});
  calc_bias(m, ws, s.q, s.v, once);
  calc_gravity(m, ws, s.q, once);
  multiply_by_mass(m, ws, s.q, s.a, once);
  EXPECT_EQ(allocations.count(), 0);
  rnea(m, ws, s.q, s.v, s.a, once, {forces, 0.1});
  EXPECT_EQ(once, again);
}

TEST(Rnea, RefusesWrongSizes) {
  const Model m = compile(mechanisms::gu(3)).value(), other = compile(mechanisms::gu(4)).value();
  RneaWorkspace<double> ws(m);
  std::vector<double> three(3), four(4);
  const std::vector<Force<double>> forces(2);
  EXPECT_THROW(rnea(m, ws, four, three, three, three), std::invalid_argument);
  EXPECT_THROW(rnea(m, ws, three, four, three, three), std::invalid_argument);
  EXPECT_THROW(rnea(m, ws, three, three, four, three), std::invalid_argument);
  EXPECT_THROW(rnea(m, ws, three, three, three, four), std::invalid_argument);
  EXPECT_THROW(rnea(m, ws, three, three, three, three, {forces, 0}), std::invalid_argument);
  EXPECT_THROW(rnea(other, ws, four, four, four, four), std::invalid_argument);
  try {
    rnea(m, ws, three, three, three, four);
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "rnea: tau has 4 entries, the model needs 3");
  }
}

TEST(Rnea, TakesModelsWithoutFreedom) {
  const Model m = ModelBuilder("empty").build().value();
  RneaWorkspace<double> ws(m);
  std::vector<double> none;
  rnea(m, ws, none, none, none, none);
}

}  // namespace
}  // namespace sinew::test
