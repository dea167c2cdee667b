// tests/model/topology_test.cpp - trees, spanning trees and numberings (MOD-1, MOD-5)
#include "sinew/model/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "sinew/base/random.hpp"
#include "sinew/model/graph.hpp"

namespace sinew::test {
namespace {

std::vector<int> to_vector(std::span<const int> s) { return {s.begin(), s.end()}; }
std::vector<int> sorted(std::span<const int> s) {
  std::vector<int> v = to_vector(s);
  std::sort(v.begin(), v.end());
  return v;
}
Topology random_topology(std::uint64_t seed, int n) {
  Random rng(seed);
  std::vector<int> parent{-1};
  for (int i = 1; i < n; ++i) parent.push_back(rng.below(i));
  return Topology(std::move(parent));
}

// [F08 Fig 4.6]: bodies 1 and 4 on the base, 2 and 3 on 1, 5 on 2; 6, 7, 8 on 4 and so on.
TEST(Topology, MatchesFigureFourSix) {
  const Topology t({-1, 0, 1, 1, 0, 3, 4, 4, 4});
  EXPECT_EQ(to_vector(t.children(0)), (std::vector{1, 4}));
  EXPECT_EQ(to_vector(t.children(1)), (std::vector{2, 3}));
  EXPECT_EQ(sorted(t.subtree(1)), (std::vector{1, 2, 3, 5}));
  EXPECT_EQ(t.support(3), (std::vector{1, 3}));
  EXPECT_EQ(t.support(8), (std::vector{4, 8}));
  EXPECT_EQ(t.support(0), std::vector<int>{});
  EXPECT_EQ(to_vector(t.branch_points()), (std::vector{0, 1, 4}));
}

// The sum over supports of all bodies is the sum over subtrees of all joints [F08 4.2, 4.3].
TEST(Topology, SupportsAndSubtreesAreTransposes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Topology t = random_topology(seed, 40);
    for (int i = 0; i < t.size(); ++i)
      for (int j = 1; j < t.size(); ++j) {
        const auto support = t.support(i);
        const auto subtree = t.subtree(j);
        const bool above = std::find(support.begin(), support.end(), j) != support.end();
        EXPECT_EQ(above, std::find(subtree.begin(), subtree.end(), i) != subtree.end()) << "seed " << seed;
        EXPECT_EQ(above, t.is_ancestor(j, i));
      }
  }
}

TEST(Topology, LevelsHoldEveryBodyOnce) {
  const Topology t = random_topology(5, 200);
  int seen = 0;
  for (int d = 0; d <= t.max_depth(); ++d)
    for (const int i : t.level(d)) {
      EXPECT_EQ(t.depth(i), d);
      ++seen;
    }
  EXPECT_EQ(seen, t.size());
}

TEST(Topology, CommonAncestorIsTheDeepestSharedSupport) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Topology t = random_topology(seed, 30);
    for (int i = 0; i < t.size(); ++i)
      for (int j = 0; j < t.size(); ++j) {
        int deepest = 0;
        for (const int a : t.support(i))
          if (t.is_ancestor(a, j)) deepest = a;
        EXPECT_EQ(t.closest_common_ancestor(i, j), deepest) << "seed " << seed;
      }
  }
}

TEST(Topology, KnowsDepthFirstNumberings) {
  EXPECT_TRUE(Topology({-1, 0, 1, 2, 1, 0}).is_depth_first());
  EXPECT_FALSE(Topology({-1, 0, 0, 1}).is_depth_first());
}

TEST(Topology, ChainOfAHundredThousandIsLinear) {
  std::vector<int> parent(100001);
  std::iota(parent.begin(), parent.end(), -1);
  const Topology t(std::move(parent));
  EXPECT_EQ(t.max_depth(), 100000);
  EXPECT_EQ(t.subtree(1).size(), 100000U);
  EXPECT_EQ(t.closest_common_ancestor(99999, 5), 5);
}

TEST(Topology, RefusesIrregularNumberings) {
  EXPECT_THROW(Topology({-1, 2, 0}), std::invalid_argument);
  EXPECT_THROW(Topology({0}), std::invalid_argument);
  try {
    Topology({-1, 0, 7});
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "Topology: parent of 2 is 7, must be at least 0 and below 2");
  }
}

// MOD-5: joint 2 has three freedoms.
TEST(ExpandParents, MatchesTheExample) {
  const std::vector<int> lambda{-1, 0, 1, 1, 2, 2, 3}, nv{0, 1, 3, 1, 1, 1, 1};
  EXPECT_EQ(expand_parents(lambda, nv), (std::vector{-1, 0, 1, 2, 3, 1, 4, 4, 5}));
}
TEST(ExpandParents, SkipsBodiesWithoutFreedom) {
  const std::vector<int> lambda{-1, 0, 1, 2}, nv{0, 1, 0, 2};
  EXPECT_EQ(expand_parents(lambda, nv), (std::vector{-1, 0, 1, 2}));
}

// Spanning trees ------------------------------------------------------------------------------------------------
// Crank-slider: base, crank, rod, slider in one loop [F08 Fig 4.4].
const std::vector<GraphJoint> kCrankSlider{{0, 1}, {1, 2}, {2, 3}, {0, 3}};

TEST(SpanningTree, CutsOneJointOfACrankSlider) {
  const SpanningTree t = find_spanning_tree(4, kCrankSlider);
  EXPECT_EQ(t.loop_joints, (std::vector{3}));
  EXPECT_EQ(t.parent, (std::vector{-1, 0, 1, 2}));
  EXPECT_TRUE(t.unreachable.empty());
}
TEST(SpanningTree, MinimumDepthCutsInTheMiddle) {
  const SpanningTree t = find_spanning_tree(4, kCrankSlider, SpanningTreeRule::minimum_depth);
  EXPECT_EQ(Topology(t.parent).max_depth(), 2);
  EXPECT_EQ(t.loop_joints.size(), 1U);
}

// Every order of the joints gives a tree; there are four different ones, with eight regular numberings in all.
TEST(SpanningTree, CrankSliderHasFourTreesAndEightNumberings) {
  std::vector<int> order{0, 1, 2, 3};
  std::set<int> cut;
  std::set<std::vector<int>> numberings;  // body order together with the cut joint
  do {
    std::vector<GraphJoint> joints;
    for (const int k : order) joints.push_back(kCrankSlider[k]);
    const SpanningTree t = find_spanning_tree(4, joints);
    ASSERT_EQ(t.loop_joints.size(), 1U);
    const int loop = order[t.loop_joints[0]];
    cut.insert(loop);

    // All orders of the three bodies in which parents come first.
    std::vector<int> perm{1, 2, 3};
    do {
      std::vector<int> number(4, 0);
      for (int i = 0; i < 3; ++i) number[perm[i]] = i + 1;
      bool regular = true;
      for (std::size_t i = 1; i < 4; ++i) {
        const int body = t.body[i], parent = t.body[t.parent[i]];
        regular = regular && number[parent] < number[body];
      }
      if (regular) numberings.insert({loop, perm[0], perm[1], perm[2]});
    } while (std::next_permutation(perm.begin(), perm.end()));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(cut.size(), 4U);
  EXPECT_EQ(numberings.size(), 8U);
}

TEST(SpanningTree, ReversesJointsThatRunAgainstTheTree) {
  const SpanningTree t = find_spanning_tree(3, {{1, 0}, {2, 1}});
  EXPECT_EQ(t.parent, (std::vector{-1, 0, 1}));
  EXPECT_TRUE(t.reversed[1]);
  EXPECT_TRUE(t.reversed[2]);
}

TEST(SpanningTree, CountsLoopsOfRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random rng(seed);
    const int bodies = 2 + rng.below(12), joints = bodies + rng.below(10);
    std::vector<GraphJoint> graph;
    for (int b = 1; b < bodies; ++b) graph.push_back({rng.below(b), b});  // connected
    while (static_cast<int>(graph.size()) < joints) {
      const int a = rng.below(bodies), b = rng.below(bodies);
      if (a != b) graph.push_back({a, b});
    }
    for (const auto rule : {SpanningTreeRule::first_listed, SpanningTreeRule::minimum_depth}) {
      const SpanningTree t = find_spanning_tree(bodies, graph, rule);
      EXPECT_EQ(static_cast<int>(t.loop_joints.size()), joints - (bodies - 1)) << "seed " << seed;  // N_L = N_J - N_B
      EXPECT_NO_THROW(Topology{t.parent});
    }
  }
}

TEST(SpanningTree, NamesBodiesWithoutTieToTheBase) {
  const SpanningTree t = find_spanning_tree(4, {{0, 1}, {2, 3}});
  EXPECT_EQ(t.unreachable, (std::vector{2, 3}));
}

}  // namespace
}  // namespace sinew::test
