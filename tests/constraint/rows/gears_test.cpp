// tests/constraint/rows/gears_test.cpp - couplings as rows: gears, differentials, cams [F08 9.6]
#include <gtest/gtest.h>

#include <cmath>

#include "constraint/solve/reduced_inertia.hpp"
#include "sinew/constraint/rank/explicit_form.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/closed_loops.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

Grid<double> inertia(const Model& m, const std::vector<double>& q) {
  CrbaWorkspace<double> ws(m);
  Grid<double> H(m.nv(), m.nv());
  crba(m, ws, q, H);
  return H;
}
Grid<double> reduced(Grid<double>& H, const ExplicitForm& f) {
  const int n = static_cast<int>(f.g.size()), free = static_cast<int>(f.independent.size());
  Grid<double> out(free, free);
  const auto G = f.basis();
  for (int a = 0; a < free; ++a)
    for (int b = 0; b < free; ++b)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          out(a, b) += G(static_cast<std::size_t>(i), static_cast<std::size_t>(a)) * H(i, j) *
                       G(static_cast<std::size_t>(j), static_cast<std::size_t>(b));
  return out;
}

// G, and G^T H G as the book writes it out. [F08 9.26, 9.27]
TEST(Gears, OfTheArmOfFigure9_2) {
  const mechanisms::GearedArmOptions options;
  const Model m = compile(mechanisms::geared_arm(options)).value();
  const ConstraintSet set(m);
  ASSERT_EQ(set.rows(), 2);
  const std::vector<double> q{0.3, 0.3 * options.ratio1, -0.8, -0.8 * options.ratio2}, v{1, 100, 2, 160};
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, q, v);
  Grid<double> K = jacobian(m, set, rows);
  EXPECT_TRUE(near(K.numbers, std::vector<double>{-options.ratio1, 1, 0, 0, 0, 0, -options.ratio2, 1}, 100));
  EXPECT_TRUE(near(rows.position, std::vector<double>(2), 100));
  EXPECT_TRUE(near(rows.velocity, std::vector<double>(2), 40));
  EXPECT_EQ(rows.k, std::vector<double>(2));

  const ExplicitForm f = calc_explicit_form({K.numbers.data(), K.rows, K.cols}, rows.k, {.independent = {0, 2}});
  EXPECT_TRUE(near(f.G, std::vector<double>{1, 0, options.ratio1, 0, 0, 1, 0, options.ratio2}, 100));
  Grid<double> H = inertia(m, q), GHG = reduced(H, f);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {1, 3}, {2, 3}}) EXPECT_TRUE(near(H(i, j), 0.0, 100)) << i << j;
  const double r1 = options.ratio1, r2 = options.ratio2;
  const std::vector<double> book{H(0, 0) + r1 * r1 * H(1, 1), H(0, 2) + r2 * H(0, 3), H(0, 2) + r2 * H(0, 3),
                                 H(2, 2) + r2 * r2 * H(3, 3)};
  EXPECT_TRUE(near(GHG.numbers, book, 30));
}

// What G^T H G costs, G and H being taken as full, and as they are.
TEST(Gears, SparseReductionCostsFivePlusThree) {
  const auto cost = [](const Numbers& H, const Numbers& G) {
    const std::vector<Counted> h(H.begin(), H.end()), g(G.begin(), G.end());
    std::vector<Counted> HG(8);
    Tally tally;
    calc_reduced_inertia(h.data(), g.data(), 4, 2, HG.data(), [](int, int, const Counted&) {});
    return tally.count();
  };
  Random rng(2);
  Numbers H = random_numbers(rng, 16), G = random_numbers(rng, 8);
  EXPECT_EQ(cost(H, G), (OperationCount{44, 33}));  // [F08 9.6]
  H = {2, 0, .3, .4, 0, .5, 0, 0, .3, 0, 3, 0, .4, 0, 0, .6};
  G = {1, 100, 0, 0, 0, 0, 1, 80};
  EXPECT_EQ(cost(H, G), (OperationCount{5, 3}));  // [F08 9.27]
}

// Rotors as added inertia: D += ratio^2 I_rotor. What that leaves out goes to zero with the rotors' mass. [F08 9.28]
TEST(Gears, RotorsAreAddedInertiaWhereTheyAreLight) {
  double last = 1;
  for (const double mass : {0.1, 0.01, 0.001}) {
    mechanisms::GearedArmOptions options;
    options.rotor_mass = mass;
    const Model m = compile(mechanisms::geared_arm(options)).value();
    const ConstraintSet set(m);
    const std::vector<double> q{0.3, 30, -0.8, -64};
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, q, std::vector<double>(4));
    Grid<double> K = jacobian(m, set, rows), H = inertia(m, q);
    const ExplicitForm f = calc_explicit_form({K.numbers.data(), K.rows, K.cols}, rows.k, {.independent = {0, 2}});
    Grid<double> exact = reduced(H, f);

    // The arm with its rotors locked to their stators and an armature in their place.
    ModelSpec spec = mechanisms::geared_arm(options);
    for (const std::size_t rotor : {1u, 3u}) spec.joints[rotor].kind = JointKind::fixed, spec.joints[rotor].dofs = {};
    for (const std::size_t rotor : {1u, 3u}) spec.joints[rotor].neutral = {};
    spec.couplings.clear();
    spec.actuators.clear();
    spec.keyframes.clear();
    const double r[] = {options.ratio1, options.ratio2};
    for (const std::size_t i : {0u, 1u}) {
      if (spec.joints[2 * i].dofs.empty()) spec.joints[2 * i].dofs.resize(1);
      spec.joints[2 * i].dofs[0].armature = r[i] * r[i] * H(static_cast<int>(2 * i) + 1, static_cast<int>(2 * i) + 1);
    }
    const Model approximate = compile(spec).value();
    Grid<double> simple = inertia(approximate, {q[0], q[2]});
    double error = 0;
    for (std::size_t k = 0; k < 4; ++k)
      error = std::max(error, std::abs(simple.numbers[k] - exact.numbers[k]) / std::abs(exact.numbers[0]));
    EXPECT_LT(error, 0.2 * last) << mass;
    last = error;

    // aba of that arm is the inverse of the same matrix.
    std::vector<double> a(2), tau(2), h(2);
    const std::vector<double> at{q[0], q[2]}, rest(2);
    RneaWorkspace<double> rnea_ws(approximate);
    AbaWorkspace<double> aba_ws(approximate);
    calc_bias(approximate, rnea_ws, at, rest, h);
    aba(approximate, aba_ws, at, rest, std::vector<double>{h[0] + 1, h[1]}, a);
    EXPECT_TRUE(near(simple * a, std::vector<double>{1, 0}, 1000));
  }
  EXPECT_TRUE(is_small(last, 1e-3));
}

// One output, two or three inputs, one of them through a curve; on joints of every kind that may be coupled.
TEST(Gears, CoupleSeveralJointsAndCurves) {
  const std::vector<JointKind> kinds{JointKind::revolute, JointKind::prismatic, JointKind::helical,
                                     JointKind::rack_and_pinion};
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    ModelSpec spec = random_tree(seed, {.bodies = 7, .kinds = kinds, .branching = 0.5});
    spec.couplings.push_back({.name = "differential",
                              .dependent = "joint4",
                              .terms = {{"joint1", {0.5}, 0}, {"joint6", {0.5}, 0.2}, {"joint0", {-2}, 0}},
                              .offset = 0.1});
    spec.couplings.push_back({.name = "cam",
                              .dependent = "joint2",
                              .terms = {{"joint3", {0.4, -0.7, 0.2, 0.1}, 0.3}, {"joint5", {1.5}, 0}}});
    spec.couplings.push_back({.name = "locked", .dependent = "joint5", .offset = 0.25});
    spec.couplings.push_back({.name = "off", .dependent = "joint1", .active = false});
    const Model m = compile(spec).value();
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    const ConstraintSet set(m);
    ASSERT_EQ(set.rows(), 3);
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, s.q, s.v);
    expect_rates_match(m, set, s, 100);

    // By hand.
    calc_constraint_rows(m, set, rows, s.q, s.v);
    Grid<double> K = jacobian(m, set, rows);
    const double x = s.q[3] - 0.3, slope = 0.4 + x * (-1.4 + x * (0.6 + x * 0.4)), bend = -1.4 + x * (1.2 + x * 1.2);
    std::vector<double> expected(21);
    expected[4] = 1, expected[1] = -0.5, expected[6] = -0.5, expected[0] = 2;
    expected[7 + 2] = 1, expected[7 + 3] = -slope, expected[7 + 5] = -1.5;
    expected[14 + 5] = 1;
    EXPECT_TRUE(near(K.numbers, expected, 1e3)) << "seed " << seed;
    EXPECT_TRUE(near(rows.k, std::vector<double>{0, bend * s.v[3] * s.v[3], 0}, 100));
    EXPECT_TRUE(near(rows.position[0], s.q[4] - 0.1 - 0.5 * s.q[1] - 0.5 * (s.q[6] - 0.2) + 2 * s.q[0], 100));
  }
}

}  // namespace
}  // namespace sinew::test
