// tests/tree/dca_test.cpp - divide and conquer (TREE-9)
#include "sinew/tree/dca.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/assembly.hpp"
#include "support/dense_algebra.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Forward dynamics by articulated bodies.
std::vector<double> by_aba(const Model& m, const TreeState& s, const Surroundings<double>& around = {}) {
  AbaWorkspace<double> ws(m);
  std::vector<double> a(s.v.size());
  aba(m, ws, s.q, s.v, s.a, a, around);
  return a;
}
std::vector<double> by_dca(const Model& m, const TreeState& s, const Surroundings<double>& around = {}) {
  DcaWorkspace<double> ws(m);
  std::vector<double> a(s.v.size());
  for (int twice = 0; twice < 2; ++twice) {
    const AllocationCount allocations;
    dca(m, ws, s.q, s.v, s.a, a, around);
    EXPECT_EQ(allocations.count(), 0);
  }
  return a;
}
// The largest entry on the diagonal: of the first link, all of the chain moving with it.
double naive_mass_matrix_norm(const Model& m, const TreeState& s) {
  std::vector<double> unit(s.v.size()), rest(s.v.size());
  unit[0] = 1;
  return naive_rnea(m, s.q, rest, unit)[0] - naive_rnea(m, s.q, rest, rest)[0];
}
int ceil_log2(int n) {
  int out = 0;
  while ((1 << out) < n) ++out;
  return out;
}

// Chains are cut in halves: ceil(log2 n) levels, never more than two handles.
TEST(Dca, ChainsTakeTheLogarithmOfTheirLength) {
  for (const int n : {1, 2, 3, 5, 8, 13, 64, 100, 1000}) {
    const DcaPlan plan(compile(mechanisms::chain(n)).value());
    EXPECT_EQ(plan.depth(), ceil_log2(n)) << n;
    EXPECT_EQ(plan.assemblies.size(), at(2 * n));  // n bodies, n - 1 joints, and the one on the world
    EXPECT_LE(plan.most_handles, 2U);
  }
}
TEST(Dca, TreesAreCutAsEvenlyAsTheyCanBe) {
  const Model m = compile(mechanisms::binary_tree(7)).value();  // 127 bodies, at most three joints each
  const DcaPlan plan(m);
  EXPECT_LE(plan.depth(), 12);  // each cut leaves at most about two thirds: log(127) / log(3/2)
  EXPECT_GE(plan.depth(), 7);
  for (const DcaPlan::Assembly& a : plan.assemblies) {
    EXPECT_EQ(a.handles.empty(), a.kind == DcaPlan::Kind::ground);
    if (a.upper < 0) continue;
    EXPECT_EQ(plan.bodies[a.body].parent, plan.assemblies[a.upper].handles[a.upper_place].body);
    EXPECT_EQ(a.body, plan.assemblies[a.lower].handles[a.lower_place].body);
  }
}

// W from S is W from T: R - R S (S^T R S)^-1 S^T R = T (T^T R^-1 T)^-1 T^T.
TEST(Dca, TwoBodiesAreOneAssembly) {
  ModelBuilder b("pair");
  b.body("one").mass(solid_box(2, {.3, .2, .1}), make_placement({.1, 0, 0}));
  b.body("two").mass(solid_box(1, {.1, .2, .3}), make_placement({0, .2, 0}));
  b.free("free", "world", "one");
  b.universal("joint", "one", "two").at({.3, .1, .2});
  const Model m = b.build().value();
  Random rng(5);
  const TreeState s = random_state(m, rng);
  DcaWorkspace<double> ws(m);
  std::vector<double> a(s.v.size());
  dca(m, ws, s.q, s.v, s.a, a);
  const Node& n = m.nodes()[2];
  JointMotion<double> motion;
  calc_joint(n.joint, s.q.data() + n.q, s.v.data() + n.v, 0, motion);
  AssemblyJoint<double> joint{.nv = 2};
  for (int k = 0; k < 2; ++k) joint.S[k] = motion.S[k];
  calc_complements(n.joint, s.q.data() + n.q, 0, joint.forces);
  // in the coordinates of body two; handle: body one
  const Transform<double> X = motion.X * n.placement;
  const InverseBody<double> one{apply(X, inverse(m.nodes()[1].inertia)), {}}, two{inverse(n.inertia), {}};
  const InverseBody<double> both = assemble_inverse(one, two, joint);
  const DcaPlan::Assembly& whole = ws.plan.assemblies[ws.plan.roots[0]];
  EXPECT_TRUE(near(ws.Phi[whole.phi], to_dense(apply_inverse(X, both.Phi)), 20));
}

TEST(Dca, EqualsNaiveDynamicsOnRandomTrees) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    std::vector<Force<double>> external;
    for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec(rng), random_vec(rng)});
    const Surroundings<double> around{external, 0.4};
    const std::vector<double> want = naive_forward_dynamics(m, s.q, s.v, s.a, external, 0.4);
    EXPECT_TRUE(near(by_dca(m, s, around), want, 1e6));
    EXPECT_TRUE(near(by_aba(m, s, around), want, 1e6));
  });
}
TEST(Dca, EqualsArticulatedBodiesOnChainsAndTrees) {
  for (const ModelSpec& spec : {mechanisms::chain(50), mechanisms::gu(20), mechanisms::binary_tree(6),
                                mechanisms::humanoid(), mechanisms::stem_with_branches(20, 4)}) {
    SCOPED_TRACE(spec.name);
    const Model m = compile(spec).value();
    Random rng(9);
    for (int k = 0; k < 5; ++k) {
      const TreeState s = random_state(m, rng);
      EXPECT_TRUE(near(by_dca(m, s), by_aba(m, s), 5e4));  // 1e-10
    }
  }
}
// A star: all joints of the centre share one handle.
TEST(Dca, ManyJointsOnOneBody) {
  ModelBuilder b("star");
  b.body("centre").mass(solid_sphere(3, .4));
  b.free("free", "world", "centre");
  for (int i = 0; i < 9; ++i) {
    const std::string name = "arm" + std::to_string(i);
    b.body(name).mass(solid_box(1, {.1, .2, .3}), make_placement({.2, 0, 0}));
    b.revolute("joint" + std::to_string(i), "centre", name).at({.4, .1 * i, 0}).axis({0, 0, 1});
  }
  const Model m = b.build().value();
  Random rng(2);
  const TreeState s = random_state(m, rng);
  EXPECT_LE(DcaPlan(m).most_handles, 2U);
  EXPECT_TRUE(near(by_dca(m, s), by_aba(m, s), 100));
}
// Massless links between joints belong to the joint, with the forces on them.
TEST(Dca, MasslessLinksInsideAJoint) {
  ModelBuilder b("wrist");
  b.body("arm").mass(solid_box(2, {.3, .2, .1}));
  b.body("ring").mass(0, {}, {});
  b.body("hand").mass(solid_box(1, {.1, .2, .3}), make_placement({.2, 0, 0}));
  b.revolute("shoulder", "world", "arm").axis({1, 0, 0});
  b.revolute("first", "arm", "ring").at({.3, 0, 0}).axis({0, 1, 0});
  b.revolute("second", "ring", "hand").at({0, .1, 0}).axis({0, 0, 1});
  const Model m = b.build().value();
  EXPECT_EQ(DcaPlan(m).bodies.size(), 2U);
  Random rng(3);
  const TreeState s = random_state(m, rng);
  const std::vector<Force<double>> external(4, {{1, 2, 3}, {4, 5, 6}});
  const Surroundings<double> around{external};
  EXPECT_TRUE(near(by_dca(m, s, around), naive_forward_dynamics(m, s.q, s.v, s.a, external), 100));
}

// Long chains are ill conditioned, so accelerations say little; but they must need the forces that were given.
TEST(Dca, ThousandLinks) {
  const Model m = compile(mechanisms::chain(1000)).value();
  Random rng(4);
  const TreeState s = random_state(m, rng);
  const std::vector<double> a = by_dca(m, s), tau = naive_rnea(m, s.q, s.v, a);
  EXPECT_TRUE(near(tau, s.a, 1e3, largest(a) * naive_mass_matrix_norm(m, s)));
}

// It inverts the inertia of every body, so thin and light ones cost it digits that the whole mechanism does not ask
// for.
double worst_body_condition(const Model& m) {
  double out = 1;
  for (std::size_t i = 1; i < m.nodes().size(); ++i)
    if (m.nodes()[i].inertia.m > 0) out = std::max(out, dense_condition(to_eigen(to_dense(m.nodes()[i].inertia))));
  return out;
}
TEST(Dca, AllScalarsAgree) {
  for_random_trees(12, [](const Model& m, Random& rng) {
    auto run = []<class T>(const Model& model, const auto& q, const auto& v, const auto& tau) {
      DcaWorkspace<T> ws(model);
      std::vector<T> a(v.size());
      dca(model, ws, q, v, tau, a);
      return a;
    };
    expect_parity_of_all(m, rng, 100 * worst_body_condition(m), run);
  });
}
// Bodies without an inverse inertia ------------------------------------------------------------------------------
// Links of a rope: `kind` says what each is made of; turned against each other so that none spins about itself.
ModelSpec light_rope(int links, const std::function<MassProperties(int)>& kind) {
  ModelBuilder b("rope");
  std::string last = "world";
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i);
    b.body(name).mass(kind(i), make_placement({.03 * i, .1, -.2}));
    b.revolute("joint" + std::to_string(i), last, name)
        .at({0, 0, -.4})
        .axis(i % 2 == 0 ? Vec3<double>{1, .2, 0} : Vec3<double>{.1, 1, 0});
    last = name;
  }
  return b.spec();
}
void expect_naive(const Model& m, std::uint64_t seed, double allowed,
                  const std::source_location& where = std::source_location::current()) {
  Random rng(seed);
  for (int k = 0; k < 3; ++k) {
    const TreeState s = random_state(m, rng);
    std::vector<Force<double>> external;
    for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec(rng), random_vec(rng)});
    const std::vector<double> want = naive_forward_dynamics(m, s.q, s.v, s.a, external);
    EXPECT_TRUE(near(by_dca(m, s, {external}), want, allowed, 0, 0x1p-52, where));
  }
}
TEST(Dca, RopesOfRodsAndOfPoints) {
  const auto rod = [](int) { return thin_rod(.7, .2); };
  const auto point = [](int) { return point_mass(.7); };
  const auto mixed = [](int i) {
    return i % 3 == 0 ? point_mass(.4) : i % 3 == 1 ? thin_rod(1, .1) : solid_sphere(1, .1);
  };
  for (const int n : {1, 2, 3, 7, 16}) {
    SCOPED_TRACE(n);
    expect_naive(compile(light_rope(n, rod)).value(), 1, 3e3);
    expect_naive(compile(light_rope(n, point)).value(), 2, 3e3);
    expect_naive(compile(light_rope(n, mixed)).value(), 3, 3e3);
  }
}
// What was borrowed is given back as soon as the last joint of a body is made: long ropes need no more handles.
TEST(Dca, RodsKeepTheDepthAndTheHandles) {
  for (const int n : {8, 64, 256}) {
    const DcaPlan plan(compile(light_rope(n, [](int) { return thin_rod(.7, .2); })).value());
    EXPECT_LE(plan.depth(), 3 * ceil_log2(n));
    EXPECT_LE(plan.most_handles, 4U);
    EXPECT_EQ(plan.closings, at(n));
  }
}
// A rod between two universal joints cannot spin by itself, though each joint alone lets a force along no axis of it
// pass at some position: it gives back when both have been made.
TEST(Dca, RodsBetweenUniversalJoints) {
  ModelBuilder b("crane");
  b.body("post").mass(solid_box(2, {.3, .2, .1}));
  b.body("leg").mass(thin_rod(.5, .3));
  b.body("load").mass(solid_box(1, {.1, .2, .3}), make_placement({.1, 0, 0}));
  b.revolute("turn", "world", "post").axis({0, 0, 1});
  b.universal("upper", "post", "leg").at({.3, 0, 0});
  b.universal("lower", "leg", "load").at({0, 0, -.6});
  expect_naive(b.build().value(), 4, 100);
}
// Massless hubs with several arms, and massless tips that only armature holds.
TEST(Dca, MasslessHubs) {
  ModelBuilder b("fork");
  b.body("hub").mass(0, {}, {});
  b.revolute("hub", "world", "hub").axis({0, 1, 0});
  for (const char* name : {"left", "right"}) {
    b.body(name).mass(solid_sphere(1, .1), make_placement({.2, 0, 0}));
    b.revolute(name, "hub", name).at({.1, .05, 0});
  }
  b.body("tip").mass(0, {}, {});
  b.revolute("tip", "right", "tip").at({.3, 0, 0});
  b.spec().joints.back().dofs = {DofSpec{.armature = .2}};
  expect_naive(b.build().value(), 5, 300);
}
// More than six freedoms without mass between them.
TEST(Dca, LongMasslessChains) {
  ModelBuilder b("snake");
  std::string last = "world";
  for (int i = 0; i < 9; ++i) {
    const std::string name = "link" + std::to_string(i);
    if (i == 8)
      b.body(name).mass(solid_box(1, {.1, .2, .3}), make_placement({.2, 0, 0}));
    else
      b.body(name).mass(0, {}, {});
    b.revolute("joint" + std::to_string(i), last, name)
        .at({.1, .05, .02 * i})
        .axis({i % 3 == 0 ? 1. : 0., i % 3 == 1 ? 1. : 0., i % 3 == 2 ? 1. : 0.});
    b.spec().joints.back().dofs = {DofSpec{.armature = .3}};
    last = name;
  }
  expect_naive(b.build().value(), 6, 1500);
}
TEST(Dca, RandomTreesWithBodiesThatAreRodsAndPoints) {
  int used = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomTreeOptions options;
    options.bodies = 3 + int(seed % 8);
    ModelSpec spec = random_tree(seed, options);
    Random rng(seed);
    for (BodySpec& b : spec.bodies) {
      if (b.mass == 0) continue;
      const int what = rng.below(4);
      if (what == 0) b.inertia = {};
      if (what == 1) b.inertia = Sym3<double>::diagonal(.1, .1, 0);
    }
    const Result<Model> m = compile(spec);
    if (!m) continue;
    Random states(seed);
    const TreeState s = random_state(m.value(), states);
    try {
      DcaPlan plan(m.value());
    } catch (const std::invalid_argument&) {
      EXPECT_GT(dense_condition(naive_mass_matrix(m.value(), s.q)), 1e9);  // something moves without inertia
      continue;
    }
    ++used;
    const std::vector<double> a = by_dca(m.value(), s), tau = naive_rnea(m.value(), s.q, s.v, a);
    EXPECT_TRUE(near(tau, s.a, 1e7, std::max(1.0, largest(a))));
  }
  EXPECT_GT(used, 15);
}
TEST(Dca, RodsInAllScalars) {
  const Model m = compile(light_rope(6, [](int i) { return i % 2 == 0 ? thin_rod(.7, .2) : point_mass(.5); })).value();
  Random rng(3);
  auto run = []<class T>(const Model& model, const auto& q, const auto& v, const auto& tau) {
    DcaWorkspace<T> ws(model);
    std::vector<T> a(v.size());
    dca(model, ws, q, v, tau, a);
    return a;
  };
  expect_parity_of_all(m, rng, 1e4, run);
}
TEST(Dca, WhatMovesWithoutInertiaIsRefusedByName) {
  ModelBuilder b("stick");
  b.body("rod").mass(thin_rod(1, .5));
  b.spherical("ball", "world", "rod").on_child({0, 0, .5});
  try {
    DcaPlan plan(b.build().value());
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "dca: body 'rod' of model 'stick' can move without inertia: give it moments of inertia, or its joint "
                 "armature");
  }
  const Model m = compile(mechanisms::chain(3)).value();
  DcaWorkspace<double> ws(m);
  std::vector<double> two(2), three(3);
  EXPECT_THROW(dca(m, ws, three, three, two, three), std::invalid_argument);
}
// Ties by hand: two bodies of a chain that must accelerate alike along one axis; the rows of K are unit forces.
TEST(Dca, TiesAreRowsOfK) {
  const Model m = compile(mechanisms::gu(7)).value();
  const std::vector<DcaTie> ties{{1, {{0, 6}, {0, 2}}, false}, {2, {{0, 7}, {1, 7}}, false}};
  DcaWorkspace<double> ws(m, DcaPlan(m, ties));
  Random rng(8);
  const TreeState s = random_state(m, rng);
  const std::vector<Force<double>> F{random_force(rng), random_force(rng), random_force(rng), random_force(rng)};
  const std::vector<double> k{.3, -.2, .5};
  std::vector<double> a(7), y(3);
  for (int twice = 0; twice < 2; ++twice) {
    const AllocationCount allocations;
    EXPECT_EQ(dca_with_ties(m, ws, s.q, s.v, s.a, F, k, a, y), 3);
    EXPECT_EQ(allocations.count(), 0);
  }
  // K^T y are external forces on the nodes, which dca and the naive dynamics take as forces on bodies
  std::vector<Force<double>> external(m.bodies().size());
  const int nodes[] = {6, 2, 7, 7}, rows[] = {0, 0, 1, 2};
  const auto body_on = [&](int node) {
    for (std::size_t b = 1; b < m.bodies().size(); ++b)
      if (m.bodies()[b].node == node) return b;
    return std::size_t{0};
  };
  for (int e = 0; e < 4; ++e) {
    const std::size_t b = body_on(nodes[e]);
    external[b] += apply(m.bodies()[b].in_node, y[at(rows[e])] * F[at(e)]);
  }
  EXPECT_TRUE(near(a, naive_forward_dynamics(m, s.q, s.v, s.a, external), 1e4));
  // K a by the change of power of unit accelerations: K_rv = F . S_v in the node's frame, through external forces
  for (std::size_t r = 0; r < 3; ++r) {
    std::vector<Force<double>> unit(m.bodies().size());
    for (int e = 0; e < 4; ++e)
      if (rows[e] == int(r)) {
        const std::size_t b = body_on(nodes[e]);
        unit[b] += apply(m.bodies()[b].in_node, F[at(e)]);
      }
    const std::vector<double> rest(7);
    const std::vector<double> with = naive_rnea(m, s.q, rest, rest, unit), without = naive_rnea(m, s.q, rest, rest);
    double Ka = 0, terms = 0;
    for (std::size_t v = 0; v < 7; ++v) Ka += (without[v] - with[v]) * a[v], terms += std::abs(without[v] * a[v]);
    EXPECT_NEAR(Ka, k[r], 3e-13 * (1 + terms));
  }
  EXPECT_THROW(dca(m, ws, s.q, s.v, s.a, a), std::invalid_argument);
  EXPECT_THROW((DcaPlan{m, {{1, {{0, 0}}, false}}}), std::invalid_argument);
  EXPECT_THROW((DcaPlan{m, {{7, {}, false}}}), std::invalid_argument);
  EXPECT_THROW((DcaPlan{m, {{1, {{1, 3}}, false}}}), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
