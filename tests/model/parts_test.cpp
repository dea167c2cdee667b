// tests/model/parts_test.cpp - a forest, tree by tree
#include "sinew/model/parts.hpp"

#include "sinew/tree/aba.hpp"
#include "support/random_tree.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Several random trees in one model; every second one hangs on a body that is welded to the world.
Model make_forest(std::uint64_t seed, int trees) {
  ModelSpec forest;
  forest.name = "forest";
  for (int t = 0; t < trees; ++t) {
    RandomTreeOptions options;
    options.bodies = 1 + static_cast<int>(seed % 3) + t;
    const ModelSpec tree = random_tree(seed + 100 * static_cast<std::uint64_t>(t), options);
    const std::string prefix = "t" + std::to_string(t) + "_";
    std::string root = forest.world;
    if (t % 2 == 1) {
      root = prefix + "post";
      BodySpec post;
      post.name = root;
      forest.bodies.push_back(post);
      JointSpec weld;
      weld.name = root + " weld", weld.parent = forest.world, weld.child = root, weld.kind = JointKind::fixed;
      weld.placement = shift_frame(Vec3<double>{1, 2, 3});
      forest.joints.push_back(weld);
    }
    for (BodySpec b : tree.bodies) b.name = prefix + b.name, forest.bodies.push_back(b);
    for (JointSpec j : tree.joints) {
      j.name = prefix + j.name, j.child = prefix + j.child;
      j.parent = j.parent == tree.world ? root : prefix + j.parent;
      forest.joints.push_back(j);
    }
  }
  return compile(forest).value();
}

}  // namespace

TEST(Parts, MoveAsTheWhole) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model m = make_forest(seed, 3);
    const std::vector<ModelPart> parts = split_trees(m);
    if (parts.empty()) continue;  // the others turned out to be welded
    Random rng(seed);
    const TreeState s = random_state(m, rng);
    const std::vector<double> tau = random_numbers(rng, m.nv());
    AbaWorkspace<double> whole(m);
    std::vector<double> want(s.v.size()), got(s.v.size(), 1e300);
    aba(m, whole, s.q, s.v, tau, want, {{}, 0.5});
    std::size_t nodes = 1;
    for (const ModelPart& p : parts) {
      std::vector<double> q, v, f, a(p.v.size());
      for (const int i : p.q) q.push_back(s.q[i]);
      for (const int i : p.v) v.push_back(s.v[i]), f.push_back(tau[i]);
      AbaWorkspace<double> ws(p.model);
      aba(p.model, ws, q, v, f, a, {{}, 0.5});
      for (std::size_t i = 0; i < a.size(); ++i) got[p.v[i]] = a[i];
      EXPECT_EQ(p.shift, static_cast<int>(nodes) - 1);
      nodes += p.model.nodes().size() - 1;
    }
    EXPECT_EQ(nodes, m.nodes().size());
    EXPECT_EQ(got, want);  // the same sums in the same order: the same bits
  }
}

TEST(Parts, OneTreeIsNotTakenApart) {
  RandomTreeOptions options;
  options.bodies = 5;
  ModelSpec spec = random_tree(7, options);
  for (std::size_t j = 1; j < spec.joints.size(); ++j)
    if (spec.joints[j].parent == spec.world) spec.joints[j].parent = spec.joints[0].child;
  EXPECT_TRUE(split_trees(compile(spec).value()).empty());
  EXPECT_TRUE(split_trees(compile(ModelSpec{}).value()).empty());
}

}  // namespace sinew::test
