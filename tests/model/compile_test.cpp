// tests/model/compile_test.cpp - compiled models give back what the user wrote (MOD-2, MOD-4, MOD-5)
#include <gtest/gtest.h>

#include <algorithm>

#include "sinew/base/scalars.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/model/graph.hpp"
#include "sinew/tree/kinematics.hpp"
#include "support/naive_kinematics.hpp"
#include "support/near.hpp"
#include "support/random_tree.hpp"

namespace sinew::test {
namespace {

Model compile_or_fail(const ModelSpec& spec) {
  Result<Model> r = compile(spec);
  for (const Diagnostic& d : r.diagnostics()) EXPECT_NE(d.severity, Severity::error) << to_string(d);
  return std::move(r).value();
}
double pose_distance(const Transform<double>& a, const Eigen::Isometry3d& b) {
  return (to_isometry(a).matrix() - b.matrix()).cwiseAbs().maxCoeff();
}

// Every joint kind, reversed ones, composites, merged fixed joints: poses equal those of plain 4x4 matrices.
TEST(Compile, PosesEqualTheNaiveOnes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomTreeOptions options;
    options.bodies = 1 + static_cast<int>(seed % 15);
    const ModelSpec spec = random_tree(seed, options);
    const Model model = compile_or_fail(spec);
    Random rng(seed + 1000);
    const std::vector<double> q = random_configuration(model, rng);
    KinematicsWorkspace<double> ws(model);
    calc_kinematics(model, ws, q, 0.3);
    const auto naive = naive_poses(spec, q, 0.3);
    for (std::size_t b = 0; b < model.bodies().size(); ++b)
      EXPECT_TRUE(is_small(
          pose_distance(get_body_pose(model, ws, static_cast<int>(b)), naive.at(model.bodies()[b].name)), 3e-13))
          << "seed " << seed << ", " << model.bodies()[b].name;
  }
}

// The order of bodies in the spec does not matter, and that of joints only orders the coordinates.
TEST(Compile, OrderOfTheSpecDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ModelSpec spec = random_tree(seed);
    ModelSpec shuffled = spec;
    Random rng(seed);
    for (std::size_t i = spec.joints.size() - 1; i > 0; --i)
      std::swap(shuffled.joints[i], shuffled.joints[rng.below(static_cast<int>(i) + 1)]);
    std::reverse(shuffled.bodies.begin(), shuffled.bodies.end());
    const Model a = compile_or_fail(spec), b = compile_or_fail(shuffled);
    ASSERT_EQ(a.nq(), b.nq());
    const std::vector<double> qa = random_configuration(a, rng);
    std::vector<double> qb(qa.size());
    for (const JointEntry& j : a.joints()) std::copy_n(qa.begin() + j.q, j.nq, qb.begin() + b.find_joint(j.name)->q);
    KinematicsWorkspace<double> wa(a), wb(b);
    calc_kinematics(a, wa, qa);
    calc_kinematics(b, wb, qb);
    for (const BodyEntry& body : a.bodies()) {
      const Transform<double> X = get_body_pose(a, wa, *a.find_body(body.name));
      EXPECT_TRUE(is_small(pose_distance(X, to_isometry(get_body_pose(b, wb, *b.find_body(body.name)))), 1e-14))
          << "seed " << seed;
    }
  }
}

TEST(Compile, NodesAreDepthFirstAndOneAxisJointsActAlongZ) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Model m = compile_or_fail(random_tree(seed, {30, {JointKind::revolute, JointKind::prismatic}, 0.5}));
    EXPECT_TRUE(m.topology().is_depth_first());
    EXPECT_EQ(m.nodes().size(), 31U);
    for (std::size_t i = 1; i < m.nodes().size(); ++i) EXPECT_FALSE(m.nodes()[i].joint.reversed);
  }
}

TEST(Compile, MergesFixedJointsAndKeepsMassAndFrames) {
  ModelBuilder b("arm");
  b.body("arm").mass(solid_box(2, {0.1, 0.2, 0.3}));
  b.body("tool").mass(solid_sphere(1, 0.1), make_placement({0, 0, 0.1})).frame("tip", make_placement({0, 0, 0.2}));
  b.body("base").mass(solid_box(5, {1, 1, 1}));
  b.fixed("mount", "world", "base").at({0, 0, 1});
  b.revolute("shoulder", "base", "arm").axis({0, 1, 0});
  b.fixed("flange", "arm", "tool").at({0.5, 0, 0});
  const Model m = b.build().value();
  EXPECT_EQ(m.nodes().size(), 2U);
  EXPECT_EQ(m.bodies().size(), 4U);
  EXPECT_DOUBLE_EQ(m.mass(), 8);
  EXPECT_DOUBLE_EQ(m.nodes()[1].inertia.m, 3);
  const auto tip = m.find_frame("tip");
  ASSERT_TRUE(tip);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, std::vector{0.0});
  const Vec3<double> p = get_frame_pose(ws, *tip).r;
  EXPECT_NEAR(p.x, 0.5, 1e-15);
  EXPECT_NEAR(p.z, 1.2, 1e-15);
}

// Splitting a body by a weld changes nothing that moves.
TEST(Compile, SplittingABodyByAWeldKeepsTheNodeInertia) {
  Random rng(7);
  const Pose cut = random_pose(rng);
  const MassProperties one = solid_box(2, {0.1, 0.2, 0.3}), other = solid_sphere(3, 0.2);
  ModelBuilder whole("whole"), split("split");
  whole.body("a").mass(one).plus(other, cut);
  whole.revolute("j", "world", "a");
  split.body("a").mass(one);
  split.body("b").mass(other);
  split.revolute("j", "world", "a");
  split.fixed("weld", "a", "b").at({});
  split.spec().joints.back().placement = cut;
  const Model m = whole.build().value(), n = split.build().value();
  const RigidInertia<double>&A = m.nodes()[1].inertia, &B = n.nodes()[1].inertia;
  EXPECT_TRUE(near(A, B, 20));
}

TEST(Compile, NamesPartsOfComposites) {
  ModelBuilder b("hip");
  b.body("thigh").mass(solid_sphere(1, 0.1));
  JointSpec x, y;
  x.name = "hip_x", x.kind = JointKind::revolute, x.axis = {1, 0, 0}, x.dofs = {DofSpec{.lower = -1, .upper = 2}};
  y.name = "hip_y", y.kind = JointKind::prismatic, y.axis = {0, 1, 0}, y.neutral = {0.25};
  b.composite("hip", "world", "thigh", {x, y});
  const Model m = b.build().value();
  EXPECT_EQ(m.nv(), 2);
  EXPECT_EQ(m.nodes().size(), 3U);
  ASSERT_NE(m.find_joint("hip_y"), nullptr);
  EXPECT_EQ(m.find_joint("hip_y")->q, 1);
  EXPECT_EQ(m.find_joint("hip_y")->nodes, std::vector{2});
  EXPECT_EQ(m.dofs()[0].upper, 2);
  EXPECT_EQ(m.neutral()[1], 0.25);
}

// A reversed joint with an inverse placement is the same joint seen from the other side.
TEST(Compile, CutLoopsTurnsJointsRound) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    ModelSpec forward = random_tree(seed, {6, {}, 0.5});
    ModelSpec turned = forward;
    for (JointSpec& j : turned.joints) {
      std::swap(j.parent, j.child);
      std::swap(j.placement, j.child_placement);
      j.reversed = !j.reversed;
    }
    Result<ModelSpec> tree = cut_loops(turned);
    ASSERT_TRUE(tree);
    const Model a = compile_or_fail(forward), b = compile_or_fail(*tree);
    Random rng(seed);
    const std::vector<double> q = random_configuration(a, rng);
    KinematicsWorkspace<double> wa(a), wb(b);
    calc_kinematics(a, wa, q, 0.2);
    calc_kinematics(b, wb, q, 0.2);
    for (int i = 0; i < static_cast<int>(a.bodies().size()); ++i)
      EXPECT_TRUE(is_small(pose_distance(get_body_pose(a, wa, i), to_isometry(get_body_pose(b, wb, i))), 1e-14))
          << "seed " << seed;
  }
}

TEST(Compile, ModelWithoutFreedomIsAModel) {
  ModelBuilder b("stone");
  b.body("stone").mass(solid_sphere(1, 1));
  b.fixed("ground", "world", "stone");
  const Model m = b.build().value();
  EXPECT_EQ(m.nv(), 0);
  EXPECT_EQ(m.nodes().size(), 1U);
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, std::vector<double>{});
}

TEST(Compile, ChainOfTenThousandCompiles) {
  const Model m = compile_or_fail(random_tree(1, {10000, {JointKind::revolute}, 0.0}));
  EXPECT_EQ(m.topology().max_depth(), 10000);
}

TEST(Compile, ExpandedParentsFollowTheCoordinates) {
  const Model m = compile_or_fail(random_tree(3, {20, {}, 0.5}));
  std::vector<int> nv;
  for (const Node& n : m.nodes()) nv.push_back(n.nv);
  EXPECT_EQ(expand_parents(m.topology().parents(), nv).size(), static_cast<std::size_t>(m.nv()) + 1);
}

// Configuration space of whole models ----------------------------------------------------------------------------
TEST(Configuration, IntegrateAndDifferenceAreInverseOnRandomTrees) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Model m = compile_or_fail(random_tree(seed));
    Random rng(seed);
    const std::vector<double> q = random_configuration(m, rng);
    std::vector<double> v(static_cast<std::size_t>(m.nv())), q1(q.size()), dv(v.size());
    for (double& x : v) x = rng.uniform(-1, 1);
    integrate(m, q, v, 0.5, q1);
    difference(m, q, q1, dv);
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(dv[i], 0.5 * v[i], 2e-14) << "seed " << seed;
  }
}

TEST(Configuration, RandomStaysWithinLimits) {
  ModelBuilder b("limited");
  b.body("a").mass(solid_sphere(1, 0.1));
  b.body("c").mass(solid_sphere(1, 0.1));
  b.revolute("j", "world", "a").limits(0.5, 0.75);
  b.prismatic("k", "a", "c");
  b.spec().joints.back().dofs = {DofSpec{.lower = 10}};  // open above
  const Model m = b.build().value();
  Random rng(1);
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> q = random_configuration(m, rng);
    EXPECT_GE(q[0], 0.5);
    EXPECT_LT(q[0], 0.75);
    EXPECT_GE(q[1], 10);
    EXPECT_LE(q[1], 11);
  }
}

TEST(Configuration, WrongSizesAreRefusedByName) {
  const Model m = compile_or_fail(random_tree(3, {3, {JointKind::revolute}, 0.0}));
  std::vector<double> q(3), v(2), out(3);
  try {
    integrate(m, q, v, 0.1, out);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "integrate: v has 2 entries, the model needs 3");
  }
}

}  // namespace
}  // namespace sinew::test
