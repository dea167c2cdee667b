// tests/constraint/solve/constrained_dca_test.cpp - loops by divide and conquer (TREE-9)
#include "sinew/constraint/solve/constrained_dca.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "support/closed_loops.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

struct DcaAnswer {
  std::vector<double> qdd, lambda;
  int rank = 0;
};
DcaAnswer solve_by_dca(const Model& m, const ConstraintSet& set, const TreeState& s, const std::vector<double>& tau,
                       const Surroundings<double>& around = {}) {
  ConstraintRows rows(m, set);
  calc_constraint_rows(m, set, rows, s.q, s.v, around.time);
  ConstrainedDcaWorkspace ws(m, set);
  DcaAnswer out{std::vector<double>(s.v.size()), std::vector<double>(at(set.rows())), 0};
  for (int twice = 0; twice < 2; ++twice) {
    const AllocationCount allocations;
    out.rank = constrained_dca(m, set, rows, ws, s.q, s.v, tau, rows.k, out.qdd, out.lambda, around);
    EXPECT_EQ(allocations.count(), 0);
  }
  return out;
}
// The acceleration is unique; the multipliers are where the rows are independent, and always balance the forces.
bool expect_same_as_kkt(const Model& m, const ConstraintSet& set, const TreeState& s, const std::vector<double>& tau,
                        int rank, double allowed, const Surroundings<double>& around = {},
                        const std::source_location& where = std::source_location::current()) {
  ConstrainedWorkspace ws(m, set, {.method = ConstrainedMethod::kkt});
  std::vector<double> qdd(s.v.size()), lambda(at(set.rows()));
  const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, s.q, s.v, tau, qdd, lambda, around);
  if (c.status != SolveStatus::solved) return false;
  const DcaAnswer a = solve_by_dca(m, set, s, tau, around);
  EXPECT_EQ(a.rank, rank < 0 ? c.rank : rank);
  EXPECT_TRUE(near(a.qdd, qdd, 1, std::max(1.0, largest(qdd)), allowed, where));
  std::vector<double> by_dca(s.v.size()), by_kkt(s.v.size());
  multiply_by_constraint_jacobian_transpose(m, set, ws.rows, a.lambda, by_dca);
  multiply_by_constraint_jacobian_transpose(m, set, ws.rows, lambda, by_kkt);
  EXPECT_TRUE(near(by_dca, by_kkt, 1, std::max(1.0, largest(by_kkt)), allowed, where)) << "K^T lambda";
  return true;
}

}  // namespace

TEST(ConstrainedDca, EqualsTheAugmentedSystemOnMechanisms) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    EXPECT_TRUE(expect_same_as_kkt(l.model, l.set, l.s, l.tau, c.rank, c.name == "near_singular" ? 2e-10 : 1e-11));
  }
}
// Loops of every kind between random bodies of random trees, the world too; closed where the tree stands. Velocities
// that the loops forbid, or a law that contradicts them, have no answer: those are left out.
TEST(ConstrainedDca, EqualsTheAugmentedSystemOnRandomLoops) {
  int seed = 0, used = 0;
  for (const JointKind kind : loop_kinds()) {
    SCOPED_TRACE(std::string(to_string(kind)));
    for (int k = 0; k < 4; ++k, ++seed) {
      SCOPED_TRACE(seed);
      RandomTreeOptions options;
      options.bodies = 5 + seed % 7;
      ModelSpec spec = frozen(random_tree(static_cast<std::uint64_t>(seed), options));
      const Model tree = compile(spec).value();
      Random rng(static_cast<std::uint64_t>(seed) + 77);
      TreeState s = random_state(tree, rng);
      spec.loops.push_back(closed_loop(tree, kind, s.q, rng, "loop"));
      spec.loops.push_back(closed_loop(tree, JointKind::spherical, s.q, rng, "second"));
      const Model m = compile(spec).value();
      const ConstraintSet set(m);
      ManifoldWorkspace manifold(m, set);
      project_velocity(m, set, manifold, s.q, s.v);
      std::vector<Force<double>> external;
      for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec(rng), random_vec(rng)});
      used += expect_same_as_kkt(m, set, s, random_numbers(rng, m.nv()), -1, 1e-8, {external, 0.0});
    }
  }
  EXPECT_GT(used, 35);
}
// A Stewart platform on legs that are thin rods, and a four-bar of them: rods, loops and the world at once.
TEST(ConstrainedDca, LoopsOfRods) {
  for (const ModelSpec& plain : {mechanisms::four_bar(), mechanisms::scissor_lift()}) {
    SCOPED_TRACE(plain.name);
    ModelSpec spec = plain;
    for (BodySpec& b : spec.bodies) {
      if (b.mass == 0) continue;
      b.inertia = Sym3<double>::diagonal(0, .1 * b.mass, .1 * b.mass);  // along x
    }
    const LoopState l(spec);
    EXPECT_GT(DcaPlan(l.model).closings, 0U);
    EXPECT_TRUE(expect_same_as_kkt(l.model, l.set, l.s, l.tau, -1, 3e-13));
  }
}
// A chain of loops: each is closed inside the piece that has it, so the number of handles does not grow with the chain.
// (In a scissor lift every loop spans the two halves of the tree: handles grow with its height.)
ModelSpec chain_of_four_bars(int count) {
  ModelBuilder b("ladder");
  std::string last = "world";
  for (int i = 0; i < count; ++i) {
    const auto name = [&](const char* what) { return what + std::to_string(i); };
    for (const char* what : {"left", "right", "bar"})
      b.body(name(what)).mass(solid_box(1, {.2, .05, .05}), make_placement({.2, 0, 0}));
    b.revolute(name("left_pin"), last, name("left")).at({.1, 0, 0}).axis({0, 1, 0}).neutral({-1.2});
    b.revolute(name("right_pin"), last, name("right")).at({.5, 0, 0}).axis({0, 1, 0}).neutral({-1.2});
    b.revolute(name("bar_pin"), name("left"), name("bar")).at({.4, 0, 0}).axis({0, 1, 0}).neutral({1.2});
    LoopSpec l;
    l.name = name("close"), l.kind = JointKind::revolute, l.body_a = name("bar"), l.body_b = name("right");
    l.pose_a = make_placement({.4, 0, 0}), l.pose_b = make_placement({.4, 0, 0});
    l.axis = {0, 1, 0};
    b.loop(l);
    last = name("bar");
  }
  return b.spec();
}
TEST(ConstrainedDca, LoopsOfAChainKeepFewHandles) {
  for (const int count : {2, 4, 16, 64}) {
    SCOPED_TRACE(count);
    const LoopState l(chain_of_four_bars(count));
    const ConstrainedDcaWorkspace ws(l.model, l.set);
    EXPECT_LE(ws.tree.plan.most_handles, 8U);
    if (count <= 16) {
      EXPECT_TRUE(expect_same_as_kkt(l.model, l.set, l.s, l.tau, -1, 1e-10));
    }
  }
}
TEST(ConstrainedDca, MasksGearsAndRollingToo) {
  const Model m = compile(mechanisms::gu(6)).value();
  Random rng(5);
  const TreeState s = random_state(m, rng);
  CouplingSpec gear;
  gear.name = "gear";
  gear.dependent = m.joints()[4].name;
  gear.terms = {{m.joints()[1].name, {-2}, 0}};
  MaskConstraint point;
  point.name = "hand";
  point.body_b = m.bodies()[6].name;
  point.blocked = {false, false, false, true, true, true};
  const ConstraintSet set(m, {gear, point});
  EXPECT_TRUE(expect_same_as_kkt(m, set, s, random_numbers(rng, 6), 4, 3e-11));
}
TEST(ConstrainedDca, WithoutRowsIsDca) {
  for_random_trees(12, [&](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    DcaWorkspace<double> ws(m);
    std::vector<double> a(s.v.size());
    dca(m, ws, s.q, s.v, s.a, a);
    EXPECT_EQ(solve_by_dca(m, ConstraintSet(m), s, s.a).qdd, a);
  });
}

}  // namespace sinew::test
