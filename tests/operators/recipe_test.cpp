// tests/operators/recipe_test.cpp - other SKO models of one system [J11 section 8.1]: the dynamics do not change
#include <gtest/gtest.h>

#include <numeric>

#include "sinew/model/mechanisms.hpp"
#include "sinew/operators/aggregation.hpp"
#include "sinew/operators/algebra.hpp"
#include "sinew/operators/identities.hpp"
#include "sinew/operators/refinement.hpp"
#include "sinew/operators/rigid_sko.hpp"
#include "sinew/operators/transformation.hpp"
#include "sinew/spatial/dense.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/kinematics.hpp"
#include "support/dense_algebra.hpp"
#include "support/no_alloc.hpp"
#include "support/random_sko.hpp"
#include "support/same_sko.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

int pick(Random& rng, int n) { return std::min(n - 1, static_cast<int>(rng.uniform(0, n))); }
HingeMap to_new(const sko::Reorder& r) {
  return [&r](const std::vector<double>& x) { return r.to_new(x); };
}
HingeMap to_old(const sko::Reorder& r) {
  return [&r](const std::vector<double>& x) { return r.to_old(x); };
}
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}
void expect_same(const sko::SkoModel<double>& a, const sko::SkoModel<double>& b, const sko::Reorder& order,
                 Random& rng) {
  const SkoDifference d = compare_sko(a, b, to_new(order), to_old(order), rng);
  EXPECT_TRUE(is_small(d.worst(), 2e-13));
  EXPECT_TRUE(is_small(d.log_determinant, 2e-13));
}

// Groups whose nodes form a tree: whole subtrees, and runs of a parent with some of its children.
std::vector<sko::NodeGroup> random_groups(const sko::Shape& s, Random& rng) {
  std::vector<int> group(at(s.nodes()));
  int next = 0;
  for (const int k : s.outward()) {
    const int p = s.parent(k);
    group[at(k)] = p != sko::kInertial && rng.uniform(0, 1) < 0.5 ? group[at(p)] : next++;
  }
  std::vector<sko::NodeGroup> out(at(next));
  for (int k = 0; k < s.nodes(); ++k) out[at(group[at(k)])].nodes.push_back(k);
  for (int g = 0; g < next; ++g) out[at(g)].name = "g" + std::to_string(g);
  std::erase_if(out, [](const sko::NodeGroup& g) { return g.nodes.size() < 2; });
  return out;
}

TEST(Aggregation, MovesLikeTheOriginal) {
  Random rng(51);
  for (int trial = 0; trial < 100; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 1 + trial % 14, trial % 3 * 0.5);
    sko::Aggregation<double> a(m, random_groups(m.shape(), rng));
    EXPECT_LE(a.sko.shape().nodes(), m.shape().nodes());
    expect_same(m, a.sko, a.freedoms, rng);
    // Node velocities are the same numbers in another order, A* H* theta.
    const sko::OperatorAlgebra<double> o(m), p(a.sko);
    sko::Application<double> V(o, o.partial_velocities()), V_of(p, p.partial_velocities());
    const std::vector<double> theta = random_numbers(rng, V.cols());
    std::vector<double> v(at(V.rows())), w(v);
    V.apply(theta, v);
    V_of.apply(a.freedoms.to_new(theta), w);
    EXPECT_TRUE(near(a.nodes.to_old(w), v, 200));
    for (const sko::CheckedIdentity& x : sko::check_identities(p, rng))
      EXPECT_TRUE(is_small(x.residual, 1e-12)) << x.equation;
  }
}

TEST(Aggregation, OfBodiesOfARobot) {
  Random rng(52);
  const Model m = compile(mechanisms::humanoid()).value();
  sko::RigidSko r(m);
  std::vector<std::vector<std::string>> limbs(1);
  std::vector<std::string> all;
  for (std::size_t b = 1; b < m.bodies().size(); ++b)
    if (m.bodies()[b].node > 0) all.push_back(m.bodies()[b].name);
  limbs[0] = {all[0], all[1]};  // the base and what hangs on it
  sko::Aggregation<double> a(r.sko, sko::find_groups(r, limbs));
  const TreeState s = random_state(m, rng);
  r.update(s.q, s.v);
  {
    const AllocationCount allocations;
    a.update();
    EXPECT_EQ(allocations.count(), 0);
  }
  expect_same(r.sko, a.sko, a.freedoms, rng);
  EXPECT_EQ(a.holder(m.bodies()[at(*m.find_body(all[1]))].node - 1), 0);
  // The whole robot as one node: A is empty, and D is the mass matrix.
  sko::Aggregation<double> whole(r.sko, sko::find_groups(r, {all}));
  ASSERT_EQ(whole.sko.shape().nodes(), 1);
  expect_same(r.sko, whole.sko, whole.freedoms, rng);
  AbaWorkspace<double> ws(m);
  std::vector<double> want(at(m.nv())), got(want);
  aba(m, ws, s.q, s.v, s.a, want);
  sko::SkoDynamics<double> dynamics(whole.sko);
  sko::forward_dynamics<double>(whole.sko, dynamics, whole.freedoms.to_new(r.stack(s.a)), got);
  EXPECT_TRUE(near(r.unstack(whole.freedoms.to_old(got)), want, 200));
  EXPECT_NE(message_of([&] { sko::find_groups(r, {{"nobody"}}); }).find("there is no body 'nobody'"),
            std::string::npos);
}

// Siblings, one of them on the inertial frame: what J11 calls hinges that are not physical.
TEST(Aggregation, MembersNeedNotHangTogether) {
  Random rng(53);
  const sko::SkoModel<double> m = random_sko(rng, 12, 1.0);
  const sko::Shape& s = m.shape();
  int base = 0;
  while (s.parent(base) != sko::kInertial) ++base;
  std::vector<int> children;
  for (int k = 0; k < s.nodes(); ++k)
    if (s.parent(k) == base) children.push_back(k);
  if (children.size() < 2) GTEST_SKIP() << "the seed gives no siblings";
  const sko::Aggregation<double> a(m, {{"siblings", children}});
  expect_same(m, a.sko, a.freedoms, rng);
}

TEST(Aggregation, RefusesWhatIsNoTree) {
  Random rng(54);
  const sko::SkoModel<double> chain(
      sko::Shape({{"a", 2, 1}, {"b", 2, 1}, {"c", 2, 1}}, {{sko::kInertial, 0}, {0, 1}, {1, 2}}));
  EXPECT_NE(message_of([&] { sko::Aggregation<double>(chain, {{"ends", {0, 2}}}); }).find("cycle"), std::string::npos);
  const sko::SkoModel<double> two(sko::Shape({{"a", 2, 1}, {"b", 2, 1}, {"c", 2, 1}, {"d", 2, 1}},
                                             {{sko::kInertial, 0}, {sko::kInertial, 1}, {0, 2}, {1, 3}}));
  EXPECT_NE(message_of([&] {
              sko::Aggregation<double>(two, {{"tips", {2, 3}}});
            }).find("has two parents"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              sko::Aggregation<double>(two, {{"x", {0, 2}}, {"y", {2}}});
            }).find("node 2 'c' is in group 'x' and in group 'y'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { sko::Aggregation<double>(two, {{"x", {}}}); }).find("'x' has no node"), std::string::npos);
  EXPECT_NE(message_of([&] {
              sko::Aggregation<double>(two, {{"x", {7}}});
            }).find("there is no node 7"),
            std::string::npos);
}

TEST(Refinement, HingesOfSingleFreedoms) {
  Random rng(55);
  for (int trial = 0; trial < 60; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 1 + trial % 10);
    sko::RefinementPlan plan;
    for (int k = 0; k < m.shape().nodes(); ++k)
      if (m.shape().freedoms(k) > 1) plan.hinges.push_back({k, std::vector<int>(at(m.shape().freedoms(k)), 1)});
    const sko::Refinement<double> r(m, plan);
    expect_same(m, r.sko, r.freedoms, rng);
    for (int k = 0; k < r.sko.shape().nodes(); ++k) EXPECT_LE(r.sko.shape().freedoms(k), 1);
  }
}

TEST(Refinement, OfRigidTrees) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    sko::RigidSko r(m);
    // Half of the inertia of every body on a node of its own, a metre away; what hung on the body hangs there.
    sko::RefinementPlan plan;
    const sko::Shape& shape = r.sko.shape();
    for (int k = 0; k < shape.nodes(); ++k) {
      if (shape.freedoms(k) > 1) plan.hinges.push_back({k, {1, shape.freedoms(k) - 1}});
      if (shape.size(k) != 6) continue;
      const Transform<double> X{random_pose(rng).E, {0.3, -1, 0.2}};
      const Mat6<double> dense = to_dense(X), half = to_dense(m.nodes()[at(k + 1)].inertia);
      sko::BodyPart part{k, "part" + std::to_string(k), {}, {}, {}};
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) part.W.push_back(dense(j, i)), part.M.push_back(half(i, j) / 8);
      for (int c = 0; c < shape.nodes(); ++c)
        if (shape.parent(c) == k && c % 2 == 0) part.children.push_back(c);
      plan.parts.push_back(part);
    }
    sko::Refinement<double> fine(r.sko, plan);
    r.update(s.q, s.v);
    {
      const AllocationCount allocations;
      fine.update();
      EXPECT_EQ(allocations.count(), 0);
    }
    EXPECT_TRUE(
        is_small(compare_sko(r.sko, fine.sko, to_new(fine.freedoms), to_old(fine.freedoms), rng).worst(), 1e-12));
  });
}

// A rotor is one number: V = ratio * theta'. It takes the armature ratio^2 I from its joint [F08 9.6].
TEST(Refinement, ARotorIsANodeOfOneNumber) {
  Random rng(56);
  ModelSpec spec = mechanisms::chain(3);
  const double ratio = 50, inertia = 2e-5;
  spec.joints[1].dofs = {DofSpec{.armature = ratio * ratio * inertia}};
  const Model m = compile(spec).value();
  sko::RigidSko r(m);
  const TreeState s = random_state(m, rng);
  r.update(s.q, s.v);
  ASSERT_EQ(r.sko.shape().size(1), 7);
  const sko::Refinement<double> geared(
      r.sko, {.hinges = {}, .parts = {{1, "rotor", {0, 0, 0, 0, 0, 0, ratio}, {inertia}, {}}}});
  EXPECT_EQ(geared.sko.shape().size(geared.part_node(0)), 1);
  EXPECT_NEAR(geared.sko.M()[1][48], 0, 1e-16);  // nothing of it is left in the joint's node
  expect_same(r.sko, geared.sko, geared.freedoms, rng);
}

TEST(Refinement, BadPlansAreNamed) {
  Random rng(57);
  const sko::SkoModel<double> m(sko::Shape({{"base", 2, 2}, {"tip", 2, 1}}, {{sko::kInertial, 0}, {0, 1}}));
  const auto says = [&](const sko::RefinementPlan& plan) {
    return message_of([&] { sko::Refinement<double>(m, plan); });
  };
  const std::vector<double> one = {1, 0, 0, 1};
  EXPECT_NE(says({{{0, {1, 2}}}, {}}).find("node 0 'base': its hinge has 2 freedoms, the nodes of the chain together"),
            std::string::npos);
  EXPECT_NE(says({{{0, {1, 1}}, {0, {2}}}, {}}).find("split twice"), std::string::npos);
  EXPECT_NE(says({{}, {{0, "p", {1, 2, 3}, one, {}}}}).find("W with 3 numbers"), std::string::npos);
  EXPECT_NE(says({{}, {{0, "p", {1, 2, 2, 4}, one, {1}}}}).find("2 x 2 and singular"), std::string::npos);
  EXPECT_NE(says({{}, {{0, "p", {1, 2}, {1}, {1}}}}).find("it must be square"), std::string::npos);
  EXPECT_NE(says({{}, {{1, "p", one, one, {0}}}}).find("cannot hang on part 'p' of another node"), std::string::npos);
  EXPECT_NE(says({{{5, {1}}}, {}}).find("there is no node 5"), std::string::npos);
}

TEST(Transformation, OfVelocitiesAndHinges) {
  Random rng(58);
  for (int trial = 0; trial < 80; ++trial) {
    const sko::SkoModel<double> m = random_sko(rng, 1 + trial % 10);
    const sko::Shape& s = m.shape();
    std::vector<int> sizes;
    for (int k = 0; k < s.nodes(); ++k) sizes.push_back(s.size(k) + pick(rng, 3));  // some taller than needed
    sko::Transformation t(m, sizes);
    Eigen::MatrixXd N = Eigen::MatrixXd::Zero(s.freedoms(), s.freedoms());
    for (int k = 0; k < s.nodes(); ++k) {
      const auto near_identity = [&](int rows, int cols) {
        std::vector<double> out = random_numbers(rng, rows * cols);
        for (int i = 0; i < std::min(rows, cols); ++i) out[at(i * (cols + 1))] += 3;
        return out;
      };
      const std::vector<double> T = near_identity(sizes[at(k)], s.size(k)),
                                of_hinge = near_identity(s.freedoms(k), s.freedoms(k));
      t.set_velocity_map(k, {T.data(), at(sizes[at(k)]), at(s.size(k))});
      t.set_hinge_map(k, {of_hinge.data(), at(s.freedoms(k)), at(s.freedoms(k))});
      for (int i = 0; i < s.freedoms(k); ++i)
        for (int j = 0; j < s.freedoms(k); ++j)
          N(s.freedom_begin(k) + i, s.freedom_begin(k) + j) = of_hinge[at(i * s.freedoms(k) + j)];
    }
    t.update();
    // Mass matrix N^* M N, determinant and accelerations with it.
    const std::size_t n = at(s.freedoms());
    sko::SkoDynamics<double> ws(m), ws_of(t.sko);
    Grid<double> M(s.freedoms(), s.freedoms()), M_of(s.freedoms(), s.freedoms());
    calc_mass_matrix<double>(m, ws, M);
    calc_mass_matrix<double>(t.sko, ws_of, M_of);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::MatrixXd dense = Eigen::Map<RowMajor>(M.numbers.data(), s.freedoms(), s.freedoms());
    const Eigen::MatrixXd want = dense_product(N.transpose(), dense_product(dense, N));
    double worst = 0;
    for (int i = 0; i < s.freedoms(); ++i)
      for (int j = 0; j < s.freedoms(); ++j) worst = std::max(worst, std::abs(M_of(i, j) - want(i, j)));
    EXPECT_TRUE(is_small(worst, 1e-13 * want.cwiseAbs().maxCoeff()));
    std::vector<double> tau = random_numbers(rng, s.freedoms()), tau_of(n), qdd(n), nu(n), back(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) tau_of[i] += N(Eigen::Index(j), Eigen::Index(i)) * tau[j];
    forward_dynamics<double>(m, ws, tau, qdd);
    forward_dynamics<double>(t.sko, ws_of, tau_of, nu);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) back[i] += N(Eigen::Index(i), Eigen::Index(j)) * nu[j];
    EXPECT_TRUE(near(back, qdd, 400));
    EXPECT_NEAR(calc_log_determinant(t.sko, ws_of.riccati),
                calc_log_determinant(m, ws.riccati) + 2 * std::log(std::abs(dense_determinant(N))), 1e-12);
    // f = T^* f': the same power through every hinge, so the same identities.
    const sko::OperatorAlgebra<double> o(t.sko);
    for (const sko::CheckedIdentity& x : sko::check_identities(o, rng))
      EXPECT_TRUE(is_small(x.residual, 1e-13)) << x.equation << x.formula;
  }
}

// R92's own model: axes of the inertial frame, accelerations of points, a and b of [R92 0.2].
TEST(Transformation, InertialAxesGiveTheModelOfR92) {
  for_random_trees(30, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    sko::RigidSko r(m);
    r.update(s.q, s.v);
    sko::Transformation t(r.sko);
    if (std::any_of(m.nodes().begin(), m.nodes().end(),
                    [](const Node& n) { return n.joint.kind == JointKind::prescribed; })) {
      EXPECT_THROW(sko::set_inertial_axes(t, r, s.q, s.v), std::invalid_argument);
      return;
    }
    sko::set_inertial_axes(t, r, s.q, s.v);
    {
      const std::vector<double> theta = r.stack(s.v);
      const AllocationCount allocations;
      t.update(theta);
      EXPECT_EQ(allocations.count(), 0);
    }
    const HingeMap same = [](const std::vector<double>& x) { return x; };
    EXPECT_TRUE(is_small(compare_sko(r.sko, t.sko, same, same, rng).worst(), 5e-13));

    // phi(p, k) = [1 l~; 0 1] with no rotation; b = [w x J w; m w x (w x p)].
    KinematicsWorkspace<double> kinematics(m);
    calc_kinematics(m, kinematics, s.q);
    const sko::OperatorAlgebra<double> o(t.sko);
    sko::Application<double> velocities(o, o.partial_velocities());
    std::vector<double> V(at(velocities.rows()));
    velocities.apply(r.stack(s.v), V);
    const sko::Shape& shape = t.sko.shape();
    for (int k = 0; k < shape.nodes(); ++k) {
      const int size = shape.size(k), p = shape.parent(k);
      const Vec3<double> here = kinematics.X[at(k + 1)].r;
      if (p != sko::kInertial) {
        const Vec3<double> l = here - kinematics.X[at(p + 1)].r;
        const double phi[6][6] = {{1, 0, 0, 0, -l.z, l.y}, {0, 1, 0, l.z, 0, -l.x}, {0, 0, 1, -l.y, l.x, 0},
                                  {0, 0, 0, 1, 0, 0},      {0, 0, 0, 0, 1, 0},      {0, 0, 0, 0, 0, 1}};
        double worst = 0;
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 6; ++j) worst = std::max(worst, std::abs(t.sko.A()[k][i * size + j] - phi[i][j]));
        EXPECT_TRUE(is_small(worst, 1e-13));
      }
      const double* v = V.data() + shape.begin(k);
      const Vec3<double> w{v[0], v[1], v[2]};
      const double* M = t.sko.M()[k];  // [J, m p~; -m p~, m]
      const auto entry = [&](int i, int j) { return M[i * size + j]; };
      const Vec3<double> Jw{entry(0, 0) * w.x + entry(0, 1) * w.y + entry(0, 2) * w.z,
                            entry(1, 0) * w.x + entry(1, 1) * w.y + entry(1, 2) * w.z,
                            entry(2, 0) * w.x + entry(2, 1) * w.y + entry(2, 2) * w.z};
      const Vec3<double> mp{entry(2, 4), entry(0, 5), entry(1, 3)};
      const Vec3<double> N = cross(w, Jw), F = cross(w, cross(w, mp));
      const double* b = t.sko.b().data() + shape.begin(k);
      EXPECT_TRUE(near(std::vector<double>(b, b + 6), std::vector<double>{N.x, N.y, N.z, F.x, F.y, F.z}, 200));
    }
  });
}

// A planar mechanism needs three numbers of the six.
TEST(Transformation, PlanarMechanismsNeedThreeNumbers) {
  Random rng(59);
  const Model m = compile(mechanisms::pendulum(5)).value();
  sko::RigidSko r(m);
  const TreeState s = random_state(m, rng);
  r.update(s.q, s.v);
  const int n = r.sko.shape().nodes();
  sko::Transformation planar(r.sko, std::vector<int>(at(n), 3));
  // The hinges turn about z of their node: of the six numbers w_z, v_x and v_y are left.
  const std::vector<double> keep = {0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0};
  for (int k = 0; k < n; ++k) planar.set_velocity_map(k, {keep.data(), 3, 6});
  planar.update();
  const HingeMap same = [](const std::vector<double>& x) { return x; };
  EXPECT_TRUE(is_small(compare_sko(r.sko, planar.sko, same, same, rng).worst(), 2e-14));
  // Other numbers would lose the motion.
  sko::Transformation wrong(r.sko, std::vector<int>(at(n), 3));
  const std::vector<double> lose = {1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0};
  for (int k = 0; k < n; ++k) wrong.set_velocity_map(k, {lose.data(), 3, 6});
  EXPECT_NE(message_of([&] { wrong.update(); }).find("loses part of its hinge velocity"), std::string::npos);
}

TEST(Transformation, BadMapsAreNamed) {
  Random rng(60);
  const sko::SkoModel<double> m(sko::Shape({{"base", 2, 2}, {"tip", 2, 1}}, {{sko::kInertial, 0}, {0, 1}}));
  sko::Transformation t(m);
  const std::vector<double> one = {1, 0, 0, 1}, flat = {1, 2, 2, 4};
  EXPECT_NE(message_of([&] {
              t.set_velocity_map(1, {one.data(), 1, 2});
            }).find("T of node 1 'tip' is 1 x 2, it must"),
            std::string::npos);
  EXPECT_NE(message_of([&] { t.set_velocity_map(1, {flat.data(), 2, 2}); }).find("is singular"), std::string::npos);
  EXPECT_NE(message_of([&] {
              t.set_hinge_map(0, {flat.data(), 2, 2});
            }).find("N of node 0 'base' is singular"),
            std::string::npos);
  t.set_velocity_map(1, {one.data(), 2, 2}, {one.data(), 2, 2});
  EXPECT_NE(message_of([&] { t.update(); }).find("the hinge velocities has 0 entries"), std::string::npos);
}

}  // namespace
}  // namespace sinew::test
