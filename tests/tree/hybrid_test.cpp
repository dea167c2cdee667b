// tests/tree/hybrid_test.cpp - hybrid dynamics by H11 and by articulated bodies (HY-1, HY-2)
#include "sinew/tree/hybrid.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

std::vector<int> all_coordinates(const Model& m) {
  std::vector<int> out(at(m.nv()));
  std::iota(out.begin(), out.end(), 0);
  return out;
}
std::vector<int> random_split(const Model& m, Random& rng) {
  std::vector<int> out;
  for (int v = 0; v < m.nv(); ++v)
    if (rng.below(2) == 0) out.push_back(v);
  return out;
}
std::vector<Force<double>> random_external(const Model& m, Random& rng) {
  std::vector<Force<double>> out;
  for (std::size_t b = 0; b < m.bodies().size(); ++b) out.push_back({random_vec(rng), random_vec(rng)});
  return out;
}
// What M does to rounding errors.
double condition(const Model& m, const TreeState& s) {
  return 10 * dense_condition(naive_mass_matrix(m, s.q, 0.4));  // forces are ten times the accelerations
}

// What both algorithms must find: everything they are not given is spoilt first.
struct Answer {
  std::vector<double> a, tau;
};
Answer hidden(const HybridSplit& split, Answer full) {
  for (std::size_t v = 0; v < full.a.size(); ++v) (split.is_given(int(v)) ? full.tau : full.a)[v] = 1e9;
  return full;
}
void expect_found(const Model& m, const HybridSplit& split, const TreeState& s, const Answer& want, double n,
                  const Surroundings<double>& around) {
  Answer crba = hidden(split, want), aba = crba;
  HybridCrbaWorkspace<double> by_inertia(m, split);
  HybridAbaWorkspace<double> by_bodies(m, split);
  for (int twice = 0; twice < 2; ++twice) {
    const AllocationCount allocations;
    hybrid_crba(m, by_inertia, s.q, s.v, crba.a, crba.tau, around);
    hybrid_aba(m, by_bodies, s.q, s.v, aba.a, aba.tau, around);
    EXPECT_EQ(allocations.count(), 0);
  }
  EXPECT_TRUE(near(crba.a, want.a, n));
  EXPECT_TRUE(near(crba.tau, want.tau, n));
  EXPECT_TRUE(near(aba.a, want.a, n));
  EXPECT_TRUE(near(aba.tau, want.tau, n));
}

// 1 Book case --------------------------------------------------------------------------------------------------------

// Figure 9.1: joints 1 and 2 have given accelerations; nodes 3..7 become 1..5 and none of 3, 4, 5 hangs on another.
TEST(Hybrid, MergesTheTreeOfFigure9_1) {
  const Model m = compile(mechanisms::binary_tree(3)).value();  // lambda = (0, 1, 1, 2, 2, 3, 3)
  const HybridSplit split(m, {0, 1});
  const DofTree& tree = split.forward_tree();
  ASSERT_EQ(tree.size(), 5);
  std::vector<int> on(7, -1);  // what each coordinate hangs on
  for (int k = 0; k < tree.size(); ++k) on[tree.velocity(k)] = tree.parent(k) < 0 ? -1 : tree.velocity(tree.parent(k));
  EXPECT_EQ(on, (std::vector{-1, -1, -1, -1, -1, 2, 2}));
  for (std::size_t i = 1; i < m.nodes().size(); ++i) EXPECT_EQ(split.is_moved(int(i)), m.nodes()[i].v > 1);
  EXPECT_FALSE(split.is_moved(0));
}

// 2 Closed form ------------------------------------------------------------------------------------------------------

// A bob of mass m on a cart that is driven: (I + m l^2) qdd = -m l (g sin q + a cos q), and the drive has to push
// (M + m) a + m l (qdd cos q - qd^2 sin q).
TEST(Hybrid, PendulumOnADrivenCart) {
  constexpr double kBob = 2, kCart = 3, kLength = 0.7, kInertia = 0.1, kGravity = 9.81;
  ModelBuilder b("cart");
  b.body("cart").mass(kCart, {}, Sym3<double>::diagonal(1, 1, 1));
  b.body("bob").mass(kBob, {0, 0, -kLength}, Sym3<double>::diagonal(kInertia, kInertia, kInertia));
  b.prismatic("rail", "world", "cart").axis({1, 0, 0});
  b.revolute("pin", "cart", "bob").axis({0, -1, 0});
  const Model m = b.build().value();
  const double q = 0.6, qd = 1.3, drive = 2.5, s = std::sin(q), c = std::cos(q), ml = kBob * kLength;
  const double qdd = -ml * (kGravity * s + drive * c) / (kInertia + ml * kLength);
  const double push = (kCart + kBob) * drive + ml * (qdd * c - qd * qd * s);
  expect_found(m, HybridSplit::of_joints(m, {"rail"}), {{0.4, q}, {0.2, qd}, {}}, {{drive, qdd}, {push, 0}}, 10, {});
}

// 3 Independent path -------------------------------------------------------------------------------------------------

// Accelerations chosen, forces by the naive inverse dynamics; then any half of the numbers leads to the other half.
TEST(Hybrid, IsConsistentOnRandomTrees) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const std::vector<Force<double>> external = random_external(m, rng);
    const Surroundings<double> around{external, 0.4};
    const Answer want{s.a, naive_rnea(m, s.q, s.v, s.a, external, 0.4)};
    const double n = 500 + condition(m, s);
    for (int mix = 0; mix < 4; ++mix) expect_found(m, {m, random_split(m, rng)}, s, want, n, around);
    expect_found(m, {m, all_coordinates(m)}, s, want, 500, around);  // inverse dynamics
    expect_found(m, {m, {}}, s, want, n, around);                    // forward dynamics
  });
}
TEST(Hybrid, EqualsForwardDynamicsWhereAllForcesAreGiven) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    const Answer want{naive_forward_dynamics(m, s.q, s.v, s.a), s.a};
    expect_found(m, {m, {}}, s, want, 50 + condition(m, s), {});
  });
}

// 4 Prescribed motion ------------------------------------------------------------------------------------------------

// A joint driven along a given motion is a prescribed (rheonomic) joint.
TEST(Hybrid, DrivenJointsArePrescribedJoints) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelSpec spec = random_tree(seed, {.bodies = 8, .kinds = {JointKind::revolute, JointKind::prismatic}});
    Random rng(seed);
    const Model driven = compile(spec).value();
    TreeState s = random_state(driven, rng);
    const std::size_t j = at(rng.below(8));
    JointSpec& joint = spec.joints[j];
    joint.prescribed_kind = joint.kind;
    joint.kind = JointKind::prescribed;
    joint.law = [x = s.q[j], xd = s.v[j], xdd = s.a[j]](double) { return MotionSample{x, xd, xdd}; };
    const Model prescribed = compile(spec).value();
    Answer found{s.a, random_numbers(rng, 8)};
    HybridAbaWorkspace<double> ws(driven, {driven, {int(j)}});
    hybrid_aba(driven, ws, s.q, s.v, found.a, found.tau);
    for (auto* x : {&s.q, &s.v, &found.a, &found.tau}) x->erase(x->begin() + std::ptrdiff_t(j));
    EXPECT_TRUE(near(found.a, naive_forward_dynamics(prescribed, s.q, s.v, found.tau), 1000));
  }
}

// 5 Scalars, degenerate cases, discipline ----------------------------------------------------------------------------

TEST(Hybrid, AllScalarsAgree) {
  expect_parity(12, 100, []<class T>(const Model& m, const auto& q, const auto& v, const auto& x) {
    Random rng(7);
    const HybridSplit split(m, random_split(m, rng));
    HybridCrbaWorkspace<T> by_inertia(m, split);
    HybridAbaWorkspace<T> by_bodies(m, split);
    std::vector<T> out, a = x, tau = x;
    hybrid_crba(m, by_inertia, q, v, a, tau);
    out.insert(out.end(), a.begin(), a.end());
    out.insert(out.end(), tau.begin(), tau.end());
    a = tau = x;
    hybrid_aba(m, by_bodies, q, v, a, tau);
    out.insert(out.end(), a.begin(), a.end());
    out.insert(out.end(), tau.begin(), tau.end());
    return out;
  });
}
TEST(Hybrid, CostsGrowWithTheNumberOfBodies) {
  const auto cost = [](int n) {
    const Model m = compile(mechanisms::chain(n)).value();
    std::vector<int> odd;
    for (int v = 1; v < n; v += 2) odd.push_back(v);
    HybridAbaWorkspace<Counted> ws(m, {m, odd});
    std::vector<Counted> q(at(n), Counted(0.3)), a = q, tau = q;
    const Tally tally;
    hybrid_aba(m, ws, q, q, a, tau);
    return double(tally.count().mul);
  };
  EXPECT_NEAR((cost(300) - cost(200)) / (cost(200) - cost(100)), 1, 0.02);
}
// A thousand links, every third driven: what was found must need the forces that were given.
TEST(Hybrid, ThousandLinks) {
  const Model m = compile(mechanisms::chain(1000)).value();
  Random rng(4);
  const TreeState s = random_state(m, rng);
  std::vector<int> given;
  for (int v = 0; v < 1000; v += 3) given.push_back(v);
  const HybridSplit split(m, given);
  HybridAbaWorkspace<double> ws(m, split);
  std::vector<double> a = s.a, tau = s.a, unit(1000), rest(1000);
  hybrid_aba(m, ws, s.q, s.v, a, tau);
  unit[0] = 1;
  const double inertia = naive_rnea(m, s.q, rest, unit)[0] - naive_rnea(m, s.q, rest, rest)[0];
  EXPECT_TRUE(near(naive_rnea(m, s.q, s.v, a), tau, 30, largest(a) * inertia));
  for (const int v : given) EXPECT_EQ(a[v], s.a[v]);
}
TEST(Hybrid, ModelWithoutFreedoms) {
  ModelBuilder b("rock");
  b.body("rock").mass(solid_sphere(1, 1));
  b.fixed("weld", "world", "rock");
  const Model m = b.build().value();
  expect_found(m, {m, {}}, {}, {}, 1, {});
}
TEST(Hybrid, WrongInputsAreRefusedByName) {
  const Model m = compile(mechanisms::chain(3)).value();
  try {
    HybridSplit(m, {1, 3});
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_EQ(std::string(e.what()),
              "HybridSplit: model '" + m.name() + "' has no velocity coordinate 3 (it has 3, counted from 0)");
  }
  EXPECT_THROW(HybridSplit::of_joints(m, {"elbow"}), std::invalid_argument);
  HybridAbaWorkspace<double> ws(m, {m, {}});
  std::vector<double> two(2), three(3);
  try {
    hybrid_aba(m, ws, three, three, two, three);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "hybrid_aba: a has 2 entries, the model needs 3");
  }
  EXPECT_THROW(hybrid_aba(m, ws, two, three, three, three), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
