// tests/tree/joint_loads_test.cpp - what joints carry, with drives of any kind (MOD-8)
#include "sinew/tree/joint_loads.hpp"

#include <gtest/gtest.h>

#include "sinew/constraint/rows/loop_forces.hpp"
#include "sinew/constraint/rows/maximal.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/joint/motion.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/tree/aba.hpp"
#include "support/closed_loops.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

// T_a = [0 0 1 0 -1/r 0]^T for a tooth at (-r, 0, 0), as the book has it. [F08 Example 3.2]
TEST(ActiveForces, OfTheGearOfExample3_2) {
  const double r = 0.2;
  const MotionSubspace S{{{0, 0, 1}, {}}};
  const Force<double> tooth{{0, 0, -r * 7}, {0, 7, 0}};  // any length
  const ForceSubspace Ta = make_active_forces(S, {tooth});
  EXPECT_TRUE(near(Ta[0], Force<double>{{0, 0, 1}, {0, -1 / r, 0}}, 3));
  const JointForceParts parts = split_joint_force({{1, 2, 3}, {4, 5, 6}}, S, Ta);
  EXPECT_EQ(parts.tau[0], 3);
  EXPECT_TRUE(near(parts.constraint, Force<double>{{1, 2, 0}, {4, 5 + 3 / r, 6}}, 3));
}
TEST(ActiveForces, AnyComplementOfTheConstraintForcesWillDo) {
  for_seeds(60, [](Random& rng) {
    MotionSubspace S;  // columns that are far from dependent, and directions that are far from useless
    ForceSubspace D;
    for (int k = rng.below(7); k > 0; --k) {
      const Force<double> unit = detail::unit_force<double>(k - 1);
      S.push_back(Motion<double>{unit.ang, unit.lin} + 0.1 * random_motion(rng));
      D.push_back(unit + 0.1 * random_force(rng));
    }
    const ForceSubspace Ta = make_active_forces(S, D);
    for (int i = 0; i < S.size(); ++i)
      for (int j = 0; j < S.size(); ++j) EXPECT_NEAR(dot(S[i], Ta[j]), i == j ? 1 : 0, 3e-14);
    // the whole force stays; the bearings' part changes by (T_a - T_a') tau, which does no work
    const Force<double> f = random_force(rng);
    const JointForceParts own = split_joint_force(f, S, dual_forces(S).active), other = split_joint_force(f, S, Ta);
    const double size = 1 + largest(flatten(other.active)) + largest(flatten(own.active));
    EXPECT_TRUE(near(other.active + other.constraint, f, 5, size));
    EXPECT_EQ(own.tau, other.tau);
    for (int i = 0; i < S.size(); ++i) EXPECT_NEAR(dot(S[i], other.constraint - own.constraint), 0, 1e-14 * size);
  });
}
TEST(ActiveForces, WhatCannotDriveIsRefused) {
  const MotionSubspace S{{{0, 0, 1}, {}}};
  EXPECT_THROW(make_active_forces(S, {}), std::invalid_argument);
  try {
    make_active_forces(S, {{{0, 0, 0}, {1, 0, 0}}});  // a force through the axis
    FAIL();
  } catch (const std::domain_error& e) {
    EXPECT_STREQ(e.what(),
                 "make_active_forces: the directions cannot drive the joint: 1 of its freedoms get no power from them");
  }
}

// A chain of one joint of each kind that a loop may have too.
ModelSpec mixed_chain() {
  RandomTreeOptions options;
  options.bodies = 6;
  options.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::spherical, JointKind::cylindrical,
                   JointKind::universal};
  return random_tree(12, options);
}
// The independent path: every body floats, every joint is a loop, the drives push bodies apart as external forces. Then
// the multipliers of the loops are the bearings' loads.
TEST(JointLoads, AreTheMultipliersOfMaximalCoordinates) {
  ModelSpec spec = mixed_chain();
  for (JointSpec& j : spec.joints) j.dofs.clear();
  const Model m = compile(spec).value();
  const Model twin = compile(make_maximal(m)).value();
  const ConstraintSet set(twin);
  int along_given[2] = {};
  for_seeds(6, [&](Random& rng) {
    const TreeState s = random_state(m, rng);
    AbaWorkspace<double> aba_ws(m);
    std::vector<double> a(s.v.size());
    aba(m, aba_ws, s.q, s.v, s.a, a);  // s.a: efforts
    JointLoadsWorkspace loads(m);
    calc_joint_forces(m, loads, s.q, s.v, a);
    EXPECT_TRUE(near(loads.tau, s.a, 3e3));

    const State state = to_maximal_state(m, twin, {s.q, s.v});
    std::vector<Force<double>> external(twin.bodies().size());
    std::vector<JointForceParts> parts;
    for (std::size_t j = 0; j < m.joints().size(); ++j) {
      const JointEntry& joint = m.joints()[j];
      Drive drive;
      drive.on_parent = rng.below(2) == 0;
      if (j % 3 != 0)
        for (int k = 0; k < joint.nv; ++k) drive.directions.push_back(random_force(rng));
      parts.push_back(get_joint_load(m, loads, int(j), drive));
      EXPECT_TRUE(near(parts[j].active + parts[j].constraint, get_joint_force(m, loads, int(j)), 20,
                       largest(flatten(parts[j].active))));
      for (int k = 0; k < joint.nv; ++k)
        EXPECT_NEAR(parts[j].tau[at(k)], s.a[joint.v + k], 4e-13 * (1 + largest(flatten(parts[j].active))));
      // the drive acts on the child and its reaction on the parent
      KinematicsWorkspace<double> at_q(m);
      calc_kinematics(m, at_q, s.q);
      const Transform<double> to_parent =
          get_body_pose(m, at_q, joint.child) * inverse(get_body_pose(m, at_q, joint.parent));
      if (joint.nv == 1 && drive.directions.size() == 1) {  // along what was given, in the frame where it was given
        const Force<double> f = drive.on_parent ? apply_inverse(to_parent, parts[j].active) : parts[j].active;
        const Force<double>& d = drive.directions[0];
        const double along = (dot(f.ang, d.ang) + dot(f.lin, d.lin)) / (dot(d.ang, d.ang) + dot(d.lin, d.lin));
        EXPECT_TRUE(near(f, along * d, 20));
        ++along_given[drive.on_parent];
      }
      external[*twin.find_body(m.bodies()[joint.child].name)] += parts[j].active;
      if (joint.parent > 0)
        external[*twin.find_body(m.bodies()[joint.parent].name)] -= apply_inverse(to_parent, parts[j].active);
    }
    ConstrainedWorkspace ws(twin, set, {.method = ConstrainedMethod::multipliers});
    std::vector<double> qdd(at(twin.nv())), lambda(at(set.rows())), rest(at(twin.nv()));
    const SolveCertificate& c =
        constrained_forward_dynamics(twin, set, ws, state.q, state.v, rest, qdd, lambda, {external, 0});
    ASSERT_EQ(c.status, SolveStatus::solved);
    std::vector<Force<double>> bearing(m.joints().size());
    const auto entries = set.problem().entries();
    for (std::size_t e = 0; e < entries.size(); ++e)
      for (std::size_t j = 0; j < m.joints().size(); ++j) {
        const BodyEntry& child = twin.bodies()[*twin.find_body(m.bodies()[m.joints()[j].child].name)];
        const bool of_joint =
            set.constraint_name(set.constraint_of(entries[e].row)).find("'" + m.joints()[j].name + "'") !=
            std::string::npos;
        if (of_joint && entries[e].node == child.node)
          bearing[j] += apply(child.in_node, lambda[entries[e].row] * ws.rows.K[e]);
      }
    for (std::size_t j = 0; j < bearing.size(); ++j) {
      SCOPED_TRACE(m.joints()[j].name);
      double size = 1;
      for (const JointForceParts& p : parts) size = std::max(size, largest(flatten(p.active)));
      EXPECT_TRUE(near(bearing[j], parts[j].constraint, 1, size, 5e-13));
    }
  });
  EXPECT_GT(along_given[0], 0);
  EXPECT_GT(along_given[1], 0);
}
// A gear on a loop joint: accelerations as with a motor on the axis, other forces in the pin. [F08 Example 3.2]
TEST(JointLoads, DrivesOfLoopsChangeForcesAndNotMotion) {
  const LoopState l(mechanisms::four_bar());
  const LoopEntry& loop = l.model.loops()[0];
  VelocityWorkspace<double> motion(l.model);
  calc_velocities(l.model, motion, l.s.q, l.s.v);
  const std::vector<double> tau{2.5};
  const ForceSubspace tooth{{{0, 0, -.05}, {0, 1, 0}}};
  std::vector<std::vector<double>> qdd, lambda;
  for (int way = 0; way < 3; ++way) {
    std::vector<Force<double>> external(l.model.bodies().size());
    if (way == 0) add_loop_force(l.model, loop, motion, tau, external);
    if (way == 1) add_loop_force(l.model, loop, motion, tau, tooth, DriveSide::on_a, external);
    if (way == 2) add_loop_force(l.model, loop, motion, tau, {{{0, 0, 4}, {}}}, DriveSide::on_b, external);
    ConstrainedWorkspace ws(l.model, l.set);
    qdd.emplace_back(l.s.v.size()), lambda.emplace_back(at(l.set.rows()));
    constrained_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, qdd.back(), lambda.back(), {external, 0});
  }
  const double size = largest(qdd[0]);
  EXPECT_TRUE(near(qdd[1], qdd[0], 1, size, 5e-13));
  EXPECT_TRUE(near(qdd[2], qdd[0], 1, size, 1e-14));
  EXPECT_TRUE(near(lambda[2], lambda[0], 1, largest(lambda[0]), 1e-14));
  double change = 0;  // the tooth pushes with tau / r
  for (std::size_t r = 0; r < lambda[0].size(); ++r) change = std::max(change, std::abs(lambda[1][r] - lambda[0][r]));
  EXPECT_GT(change, 0.5 * tau[0] / .05);
}
TEST(JointLoads, AllocateNothingAndRefuseByName) {
  ModelBuilder b("pair");
  b.body("one").mass(solid_box(2, {.3, .2, .1}));
  b.body("lid").mass(solid_box(1, {.1, .2, .3}));
  b.revolute("hinge", "world", "one");
  b.fixed("glue", "one", "lid");
  const Model m = b.build().value();
  JointLoadsWorkspace ws(m);
  const std::vector<double> x{.1};
  const AllocationCount allocations;
  calc_joint_forces(m, ws, x, x, x);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_THROW(get_joint_force(m, ws, 1), std::invalid_argument);
  EXPECT_THROW(get_joint_load(m, ws, 2), std::invalid_argument);
  EXPECT_THROW(get_joint_load(m, ws, 0, {{random_force(*std::make_unique<Random>(1)), Force<double>{}}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
