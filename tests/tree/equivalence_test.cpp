// tests/tree/equivalence_test.cpp - dynamically equivalent inertias (HY-6)
#include "sinew/tree/equivalence.hpp"

#include <gtest/gtest.h>

#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/dense6.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

std::vector<double> torques(const Model& m, std::span<const RigidInertia<double>> inertias, const TreeState& s,
                            const Surroundings<double>& around = {}) {
  InertiasRneaWorkspace<double> ws(m);
  std::vector<double> tau(s.v.size());
  rnea_with_inertias(m, ws, inertias, s.q, s.v, s.a, tau, around);
  return tau;
}

// The three conditions on what may be passed on, for every kind, at random positions and velocities. [F08 9.30]
TEST(Equivalence, WhatIsPassedOnObeysTheConditions) {
  for (const JointKind kind :
       {JointKind::revolute, JointKind::prismatic, JointKind::helical, JointKind::cylindrical, JointKind::planar,
        JointKind::spherical, JointKind::spherical_ypr, JointKind::universal, JointKind::rack_and_pinion}) {
    SCOPED_TRACE(std::string(to_string(kind)));
    for_seeds(20, [&](Random& rng) {
      Joint joint;
      joint.kind = kind;
      joint.parameter = 0.3;
      joint.reversed = rng.below(2) == 0;
      const RigidInertia<double> I = best_match(joint, random_inertia(rng));
      EXPECT_GT(largest(flatten(I)), 0);
      std::vector<double> q(at(joint.nq())), v(at(joint.nv()));
      const double lower[] = {-3, -3, -3, -3, -3, -3}, upper[] = {3, 3, 3, 3, 3, 3};
      random(joint, rng, lower, upper, q.data());
      JointMotion<double> motion;
      calc_joint(joint, q.data(), v.data(), 0, motion);
      EXPECT_TRUE(near(apply_inverse(motion.X, I), I, 20));
      const Motion<double> u = random_motion(rng);
      for (int k = 0; k < joint.nv(); ++k) {
        EXPECT_TRUE(near(I * motion.S[k], Force<double>{}, 3, 10));
        EXPECT_TRUE(near(dot(motion.S[k], cross(u, I * u)), 0.0, 100, 10));
      }
    });
  }
}
// A revolute link keeps 7 numbers, a prismatic 4, a ball 9; nothing is asked of m c_z^2 <= I.
TEST(Equivalence, LeavesTheZerosOfTable9_7) {
  Random rng(3);
  const RigidInertia<double> I = random_inertia(rng);
  const auto rest = [&](JointKind kind) { return I + -1.0 * best_match({.kind = kind}, I); };
  const RigidInertia<double> r = rest(JointKind::revolute), p = rest(JointKind::prismatic),
                             s = rest(JointKind::spherical);
  EXPECT_EQ(r.m, 0);
  EXPECT_EQ(r.h.z, 0);
  EXPECT_EQ(r.I.yy, 0);
  EXPECT_EQ(largest(flatten(p.I)), 0);
  EXPECT_EQ(p.m, I.m);
  EXPECT_EQ(s.m, 0);
  EXPECT_EQ(largest(flatten(rest(JointKind::free))), largest(flatten(I)));
}

// The torque of every state stays, whatever the inertias have become.
TEST(Equivalence, LeavesTheTorquesAlone) {
  for_random_trees(60, [](const Model& m, Random& rng) {
    const Equivalence e = find_equivalent_inertias(m);
    for (int k = 0; k < 5; ++k) {
      const TreeState s = random_state(m, rng);
      std::vector<Force<double>> external;
      for (std::size_t b = 0; b < m.bodies().size(); ++b) external.push_back({random_vec(rng), random_vec(rng)});
      const Surroundings<double> around{external, 0.3};
      EXPECT_TRUE(near(torques(m, e.inertias, s, around), naive_rnea(m, s.q, s.v, s.a, external, 0.3), 300));
    }
  });
}
// Without a change of inertias this is the Newton-Euler algorithm.
TEST(Equivalence, RneaWithTheModelsInertias) {
  for_random_trees(40, [](const Model& m, Random& rng) {
    const TreeState s = random_state(m, rng);
    std::vector<RigidInertia<double>> own;
    for (const Node& n : m.nodes()) own.push_back(n.inertia);
    EXPECT_TRUE(near(torques(m, own, s), naive_rnea(m, s.q, s.v, s.a), 100));
  });
}

// Three zeros a link more save 21.6 operations per link: 12 % of the best RNEA of [F08 Table 10.1], 93m + 81a per link
// (the book says "about 15 %" of its own).
TEST(Equivalence, SavesOperationsOnRevoluteTrees) {
  for (const ModelSpec& spec : {mechanisms::gu(30), mechanisms::chain(30)}) {
    const Equivalence e = find_equivalent_inertias(compile(spec).value());
    EXPECT_EQ(e.zeros_after - e.zeros_before, 3 * 30);
    const OperationCount saved = e.cost_before - e.cost_after;
    EXPECT_GE(double(saved.mul), 10.8 * 30);
    EXPECT_GE(double(saved.add), 10.8 * 30);
    EXPECT_GT(double(saved.mul + saved.add), 0.12 * 30 * (93 + 81));
    EXPECT_EQ(saved.trig, 0);
  }
}

TEST(Equivalence, SaysWhatIsNoBodyAnyMore) {
  const Model m = compile(mechanisms::chain(5)).value();
  const Equivalence e = find_equivalent_inertias(m);
  EXPECT_EQ(e.not_a_body.size(), 5U);  // no mass, but a first moment
  EXPECT_TRUE(is_of_a_body({}));
  EXPECT_TRUE(is_of_a_body(make_inertia(1.0, {1, 2, 3}, Sym3<double>::diagonal(1, 1, 1))));
  EXPECT_FALSE(is_of_a_body(make_inertia(1.0, {1, 2, 3}, Sym3<double>::diagonal(1, 1, 3))));
  EXPECT_FALSE(is_of_a_body({-1, {}, {}}));
  EXPECT_FALSE(is_of_a_body({0, {1, 0, 0}, {}}));
  Random rng(1);
  for (int k = 0; k < 20; ++k) EXPECT_TRUE(is_of_a_body(random_inertia(rng)));
}

TEST(Equivalence, AllScalarsAgree) {
  expect_parity(12, 100, []<class T>(const Model& m, const auto& q, const auto& v, const auto& a) {
    InertiasRneaWorkspace<T> ws(m);
    const Equivalence e = find_equivalent_inertias(m);
    std::vector<T> tau(v.size());
    for (int twice = 0; twice < 2; ++twice) {
      const AllocationCount allocations;
      rnea_with_inertias(m, ws, e.inertias, q, v, a, tau);
      EXPECT_EQ(allocations.count(), 0);
    }
    return tau;
  });
}
TEST(Equivalence, WrongSizesAreRefusedByName) {
  const Model m = compile(mechanisms::chain(3)).value();
  InertiasRneaWorkspace<double> ws(m);
  std::vector<double> x(3);
  const std::vector<RigidInertia<double>> three(3);
  try {
    rnea_with_inertias(m, ws, three, x, x, x, x);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "rnea_with_inertias: inertias has 3 entries, the model needs 4");
  }
}

}  // namespace
}  // namespace sinew::test
