// tests/tree/textbook_test.cpp - the book's algorithms: against dense 6x6 matrices, and as the oracle of the tuned ones
#include "sinew/tree/textbook.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/crba.hpp"
#include "sinew/tree/rnea.hpp"
#include "support/naive_dynamics.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// A state of a random tree over every kind of joint; half of the trees stand on a floating base.
struct Case {
  Model model;
  TreeState s;
  std::vector<Force<double>> external;
  Surroundings<double> around() const { return {external, 0.3}; }
};
Case make_case(int seed) {
  ModelSpec spec = random_tree(static_cast<std::uint64_t>(seed), {.bodies = 1 + seed % 12});
  Random rng(static_cast<std::uint64_t>(seed) + 4000);
  if (seed % 2 == 1) {
    JointSpec base = random_joint(rng, JointKind::free, "base");
    base.parent = spec.world, base.child = spec.bodies[0].name;
    spec.joints[0] = base;
  }
  spec.gravity = random_vec(rng, 10);
  for (JointSpec& j : spec.joints)
    if (j.kind == JointKind::revolute || j.kind == JointKind::prismatic || j.kind == JointKind::helical)
      j.dofs = {DofSpec{.armature = rng.uniform(0, 1)}};
  Case c{compile(spec).value(), {}, {}};
  c.s = random_state(c.model, rng);
  for (std::size_t i = 0; i < c.model.bodies().size(); ++i) c.external.push_back({random_vec(rng), random_vec(rng)});
  return c;
}
constexpr int kCases = 300;

std::set<JointKind> kinds_of(const std::vector<JointSpec>& joints) {
  std::set<JointKind> out;
  for (const JointSpec& j : joints) out.insert(j.kind);
  return out;
}

TEST(Textbook, EqualsTheDenseMatrices) {
  std::set<JointKind> met;
  for (int seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [m, s, external] = make_case(seed);
    const Surroundings<double> around{external, 0.3};
    const Eigen::MatrixXd H = naive_mass_matrix(m, s.q, 0.3);
    EXPECT_TRUE(near(textbook::rnea(m, s.q, s.v, s.a, around), naive_rnea(m, s.q, s.v, s.a, external, 0.3), 100));
    EXPECT_TRUE(near(textbook::crba(m, s.q, 0.3), numbers_of(H), 100));
    EXPECT_TRUE(near(textbook::aba(m, s.q, s.v, s.a, around), naive_forward_dynamics(m, s.q, s.v, s.a, external, 0.3),
                     10 * dense_condition(H)));
    met.merge(kinds_of(m.spec().joints));
  }
  for (const JointKind kind : all_kinds()) EXPECT_TRUE(met.contains(kind)) << "kind " << static_cast<int>(kind);
}

TEST(Textbook, IsWhatTheTunedAlgorithmsCompute) {
  for (int seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = make_case(seed);
    const Model& m = c.model;
    const TreeState& s = c.s;
    RneaWorkspace<double> rnea_ws(m);
    CrbaWorkspace<double> crba_ws(m);
    AbaWorkspace<double> aba_ws(m);
    std::vector<double> tau(s.v.size()), a(s.v.size());
    Grid<double> H(m.nv(), m.nv());
    rnea(m, rnea_ws, s.q, s.v, s.a, tau, c.around());
    crba<double>(m, crba_ws, s.q, H, 0.3);
    aba(m, aba_ws, s.q, s.v, s.a, a, c.around());
    EXPECT_TRUE(near(tau, textbook::rnea(m, s.q, s.v, s.a, c.around()), 100));
    EXPECT_TRUE(near(H.numbers, textbook::crba(m, s.q, 0.3), 100));
    const double condition = dense_condition(naive_mass_matrix(m, s.q, 0.3));
    EXPECT_TRUE(near(a, textbook::aba(m, s.q, s.v, s.a, c.around()), 10 * condition));
  }
}

TEST(Textbook, ForwardAndInverseDynamicsUndoEachOther) {
  for (const ModelSpec& spec : {mechanisms::humanoid_with_hands(2), mechanisms::binary_tree(6), mechanisms::gu(40)}) {
    const Model m = compile(spec).value();
    Random rng(1);
    const TreeState s = random_state(m, rng);
    const std::vector<double> a = textbook::aba(m, s.q, s.v, s.a);
    EXPECT_TRUE(near(textbook::rnea(m, s.q, s.v, a), s.a, 100, largest(a))) << m.name();
  }
}

// [F08 7.1]: a box and a cylinder, joined so that the cylinder turns about x and slides along y. The articulated
// inertia of the box is diag(I1, I1+I2, I1+I2, m1+m2, m1, m1+m2).
TEST(Textbook, GivesExample7_1) {
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
  const std::vector<double> q{1, 0, 0, 0, 0, 0, 0, 0, 0}, rest(8);
  const double want[6] = {I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2};
  for (int k = 0; k < 6; ++k) {
    std::vector<double> tau(8);
    tau[k] = 1;
    const std::vector<double> a = textbook::aba(m, q, rest, tau);
    for (int i = 0; i < 6; ++i) EXPECT_TRUE(near(a[i], i == k ? 1 / want[k] : 0, 4, 1 / want[k])) << i << k;
  }
}

TEST(Textbook, RefusesWrongSizesAndTakesModelsWithoutFreedom) {
  const Model m = compile(mechanisms::gu(3)).value();
  const std::vector<double> three(3), four(4);
  const std::vector<Force<double>> two(2);
  EXPECT_THROW(textbook::rnea(m, four, three, three), std::invalid_argument);
  EXPECT_THROW(textbook::rnea(m, three, four, three), std::invalid_argument);
  EXPECT_THROW(textbook::rnea(m, three, three, four), std::invalid_argument);
  EXPECT_THROW(textbook::rnea(m, three, three, three, {two, 0}), std::invalid_argument);
  EXPECT_THROW(textbook::crba(m, four), std::invalid_argument);
  EXPECT_THROW(textbook::aba(m, four, three, three), std::invalid_argument);
  EXPECT_THROW(textbook::aba(m, three, four, three), std::invalid_argument);
  EXPECT_THROW(textbook::aba(m, three, three, four), std::invalid_argument);
  EXPECT_THROW(textbook::aba(m, three, three, three, {two, 0}), std::invalid_argument);
  try {
    textbook::aba(m, three, three, four);
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "textbook::aba: tau has 4 entries, the model needs 3");
  }
  const Model empty = ModelBuilder("empty").build().value();
  const std::vector<double> none;
  EXPECT_TRUE(textbook::rnea(empty, none, none, none).empty());
  EXPECT_TRUE(textbook::crba(empty, none).empty());
  EXPECT_TRUE(textbook::aba(empty, none, none, none).empty());
}

}  // namespace
}  // namespace sinew::test
