// tests/constraint/rank/clusters_test.cpp - which constraints hang together [F08 Fig 8.1]
#include "sinew/constraint/rank/clusters.hpp"

#include <gtest/gtest.h>

#include "sinew/constraint/rank/explicit_form.hpp"
#include "support/closed_loops.hpp"

namespace sinew::test {
namespace {

// 20 revolute joints, numbered as in the figure: clusters of the joints 3-7, 10-12 and 19-20; loops 1 and 2 share some.
ModelSpec figure_8_1() {
  const int parent[] = {0, 1, 2, 3, 4, 2, 6, 1, 8, 9, 10, 11, 12, 13, 8, 15, 16, 7, 18, 19};
  ModelSpec spec = random_tree(8, {.bodies = 20, .kinds = {JointKind::revolute}, .branching = 0});
  const auto body = [&](int i) { return i == 0 ? spec.world : "body" + std::to_string(i - 1); };
  for (int i = 0; i < 20; ++i) spec.joints[i].parent = body(parent[i]);
  const auto close = [&](const char* name, int a, int b) {
    spec.loops.push_back({.name = name, .kind = JointKind::spherical, .body_a = body(a), .body_b = body(b)});
  };
  close("1", 5, 7);
  close("2", 4, 7);
  close("3", 12, 9);
  close("4", 18, 20);
  return spec;
}

TEST(Clusters, OfFigure8_1) {
  const Model m = compile(figure_8_1()).value();
  const ConstraintSet set(m);
  const std::vector<LoopCluster> clusters = find_clusters(m, set);
  ASSERT_EQ(clusters.size(), 3u);
  EXPECT_EQ(clusters[0].constraints, (std::vector<int>{0, 1}));
  EXPECT_EQ(clusters[1].constraints, (std::vector<int>{2}));
  EXPECT_EQ(clusters[2].constraints, (std::vector<int>{3}));
  // The figure counts from 1.
  EXPECT_EQ(clusters[0].joints, (std::vector<int>{2, 3, 4, 5, 6}));
  EXPECT_EQ(clusters[1].joints, (std::vector<int>{9, 10, 11}));
  EXPECT_EQ(clusters[2].joints, (std::vector<int>{18, 19}));
  EXPECT_EQ(clusters[0].rows, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(clusters[2].coordinates, (std::vector<int>{18, 19}));

  // K is zero outside the blocks, and not zero within each.
  Random rng(2);
  const TreeState s = random_state(m, rng);
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, s.q, s.v);
  Grid<double> K(set.rows(), m.nv());
  get_constraint_jacobian(m, set, rows, K);
  for (const LoopCluster& c : clusters)
    for (const int r : c.rows)
      for (int k = 0; k < m.nv(); ++k) {
        const bool inside = std::find(c.coordinates.begin(), c.coordinates.end(), k) != c.coordinates.end();
        EXPECT_TRUE(inside || near(K(r, k), 0.0, 100)) << r << ", " << k;
      }

  // G has an identity for each joint outside the clusters: 20 - 5 - 3 - 2 = 10 of them.
  for (double& x : K.numbers)
    if (std::abs(x) < 1e-12) x = 0;
  const ExplicitForm f = calc_explicit_form({K.numbers.data(), K.rows, K.cols}, rows.k);
  int alone = 0;
  for (std::size_t i = 0; i < f.g.size(); ++i) {
    int nonzero = 0;
    for (std::size_t c = 0; c < f.independent.size(); ++c) nonzero += f.G[i * f.independent.size() + c] != 0;
    bool touched = false;
    for (const LoopCluster& c : clusters)
      touched |= std::find(c.coordinates.begin(), c.coordinates.end(), static_cast<int>(i)) != c.coordinates.end();
    if (!touched) {
      EXPECT_EQ(nonzero, 1);
      ++alone;
    }
  }
  EXPECT_EQ(alone, 10);
}

TEST(Clusters, GearsTieTheirJointsOnly) {
  ModelSpec spec = random_tree(3, {.bodies = 6, .kinds = {JointKind::revolute}, .branching = 0});
  spec.couplings.push_back({.name = "a", .dependent = "joint1", .terms = {{"joint4", {2}, 0}}});
  spec.couplings.push_back({.name = "b", .dependent = "joint2", .terms = {{"joint5", {2}, 0}}});
  spec.couplings.push_back({.name = "c", .dependent = "joint5", .terms = {{"joint0", {2}, 0}}});
  const Model m = compile(spec).value();
  const auto clusters = find_clusters(m, ConstraintSet(m));
  ASSERT_EQ(clusters.size(), 2u);
  EXPECT_EQ(clusters[0].joints, (std::vector<int>{1, 4}));
  EXPECT_EQ(clusters[1].joints, (std::vector<int>{0, 2, 5}));
  EXPECT_EQ(clusters[1].constraints, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace sinew::test
