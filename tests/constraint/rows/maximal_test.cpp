// tests/constraint/rows/maximal_test.cpp - the twin in maximal coordinates stands, moves and accelerates like the tree
#include "sinew/constraint/rows/maximal.hpp"

#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/aba.hpp"
#include "sinew/tree/energy.hpp"
#include "support/tolerance.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

// Accelerations of all bodies, in their own frames.
Numbers body_accelerations(const Model& m, const State& s, const std::vector<double>& a,
                           const std::vector<std::string>& bodies) {
  VelocityWorkspace<double> ws(m);
  calc_accelerations(m, ws, s.q, s.v, a, s.time);
  Numbers out;
  for (const std::string& name : bodies)
    flatten(get_acceleration(ws, m.bodies()[*m.find_body(name)], ReferenceFrame::body), 0, out);
  return out;
}

ModelSpec without_armature(ModelSpec spec) {
  for (JointSpec& j : spec.joints)
    for (DofSpec& d : j.dofs) d.armature = 0;
  return spec;
}

}  // namespace

TEST(Maximal, TheTwinMovesLikeTheTree) {
  const std::vector<JointKind> kinds{JointKind::revolute,    JointKind::prismatic, JointKind::helical,
                                     JointKind::cylindrical, JointKind::spherical, JointKind::universal,
                                     JointKind::planar,      JointKind::free};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random rng(seed);
    const Model tree = compile(without_armature(random_tree(seed, {.bodies = 6, .kinds = kinds}))).value();
    const Model twin = compile(make_maximal(tree)).value();
    EXPECT_EQ(twin.nv(), 36);
    const ConstraintSet set(twin);
    EXPECT_EQ(set.rows(), 36 - tree.nv());

    const TreeState random = random_state(tree, rng);
    const State s{random.q, random.v, 0}, t = to_maximal_state(tree, twin, s);
    EnergyWorkspace<double> energy(tree), twin_energy(twin);
    EXPECT_TRUE(
        near(calc_kinetic_energy(tree, energy, s.q, s.v), calc_kinetic_energy(twin, twin_energy, t.q, t.v), 50));
    EXPECT_TRUE(near(calc_potential_energy(tree, energy, s.q), calc_potential_energy(twin, twin_energy, t.q), 50, 100));

    ConstrainedWorkspace ws(twin, set);
    std::vector<double> a(static_cast<std::size_t>(tree.nv())), b(36), tau(36), none(a.size()),
        lambda(static_cast<std::size_t>(set.rows()));
    const SolveCertificate& c = constrained_forward_dynamics(twin, set, ws, t.q, t.v, tau, b, lambda);
    EXPECT_EQ(c.status, SolveStatus::solved);
    for (const double e : ws.rows.position) EXPECT_NEAR(e, 0, 2e-13);
    for (const double e : ws.rows.velocity) EXPECT_NEAR(e, 0, 2e-13);

    AbaWorkspace<double> aba_ws(tree);
    aba(tree, aba_ws, s.q, s.v, none, a);
    std::vector<std::string> bodies;
    for (const BodySpec& body : tree.spec().bodies) bodies.push_back(body.name);
    const Numbers want = body_accelerations(tree, s, a, bodies);
    EXPECT_TRUE(near(body_accelerations(twin, t, b, bodies), want, 1, 1, 2e-11 * (1 + largest(want))));
  }
}

TEST(Maximal, ThePendulumHasFiveRowsALink) {
  const Model tree = compile(mechanisms::pendulum(12)).value(), twin = compile(make_maximal(tree)).value();
  EXPECT_EQ(ConstraintSet(twin).rows(), 60);
  EXPECT_EQ(twin.spec().shapes.size(), tree.spec().shapes.size());
}

TEST(Maximal, WhatCannotBeALoopIsNamed) {
  for (const JointKind kind : {JointKind::composite, JointKind::prescribed, JointKind::user}) {
    const Model tree = compile(random_tree(3, {.bodies = 2, .kinds = {kind}})).value();
    try {
      make_maximal(tree);
      FAIL() << to_string(kind);
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("'" + tree.spec().joints[0].name + "'"), std::string::npos) << e.what();
    }
  }
  ModelSpec heavy = mechanisms::pendulum(2);
  heavy.joints[1].dofs = {DofSpec{.armature = 0.1}};
  EXPECT_THROW(make_maximal(compile(heavy).value()), std::invalid_argument);
}

}  // namespace sinew::test
