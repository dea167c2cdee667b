// tests/constraint/embedding/embedded_dynamics_test.cpp - aggregate nodes against multipliers
#include "sinew/constraint/embedding/embedded_dynamics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/constraint/embedding/embedded_sko.hpp"
#include "sinew/operators/algebra.hpp"
#include "sinew/operators/identities.hpp"
#include "sinew/operators/sko_dynamics.hpp"
#include "support/closed_loops.hpp"
#include "support/embedded_cases.hpp"
#include "support/no_alloc.hpp"

namespace sinew::test {
namespace {

TEST(EmbeddedDynamics, AcceleratesAsWithMultipliers) {
  for (const LoopCase& c : embedded_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    ConstrainedWorkspace want(l.model, l.set);
    EmbeddedWorkspace ws(l.model, l.set);
    std::vector<double> a(l.s.v.size()), b(a), lambda(at(l.set.rows()));
    constrained_forward_dynamics(l.model, l.set, want, l.s.q, l.s.v, l.tau, a, lambda);
    EXPECT_EQ(want.certificate.status, SolveStatus::solved);
    const EmbeddingReport& r = embedded_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, b);
    EXPECT_EQ(r.status, EmbeddingStatus::ready) << describe(r, l.model, l.set);
    EXPECT_EQ(r.rank, c.rank);
    EXPECT_EQ(r.freedoms, l.model.nv() - c.rank);
    EXPECT_TRUE(near(b, a, 1, 0, 1e-9));  // the hundred cells; the others agree to 1e-12
  }
}

// Everything that a tree may have: all joints, joints that move by laws, armature, external forces, loops of every
// kind.
TEST(EmbeddedDynamics, AcceleratesRandomTreesWithRandomLoops) {
  int solved = 0, hanging = 0;
  for_random_trees(120, [&](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    TreeState s = random_state(m, rng);
    std::vector<ConstraintSpec> loops;
    for (int i = 0; i < 2; ++i) {
      const std::vector<JointKind> kinds = loop_kinds();
      const JointKind kind = kinds[at(rng.below(static_cast<int>(kinds.size())))];
      loops.emplace_back(closed_loop(m, kind, s.q, rng, "loop" + std::to_string(i)));
    }
    const ConstraintSet set(m, loops);
    ManifoldWorkspace manifold(m, set);
    if (!project_velocity(m, set, manifold, s.q, s.v).reached) return;
    std::vector<Force<double>> external(m.bodies().size());
    for (Force<double>& f : external) f = {{rng.normal(), rng.normal(), rng.normal()}, {rng.normal(), rng.normal(), 0}};
    const Surroundings<double> around{external, 0};
    ConstrainedWorkspace want(m, set);
    std::vector<double> a(s.v.size()), b(a), lambda(at(set.rows()));
    if (constrained_forward_dynamics(m, set, want, s.q, s.v, s.a, a, lambda, around).status != SolveStatus::solved)
      return;
    EmbeddedWorkspace ws(m, set);
    const EmbeddingReport& r = embedded_forward_dynamics(m, set, ws, s.q, s.v, s.a, b, around);
    ASSERT_EQ(r.status, EmbeddingStatus::ready) << describe(r, m, set);
    EXPECT_EQ(r.rank, want.certificate.rank);
    EXPECT_TRUE(near(b, a, 1, std::max(1.0, largest(a)), 1e-9));
    ++solved;
    for (const EmbeddedGroup& g : ws.embedding.loops.groups) hanging += g.parent != 0;
    // More force gives more acceleration: the mass alone decides how much.
    std::vector<double> more(s.a), f = random_numbers(rng, m.nv()), x(f.size()), faster(f.size());
    solve_embedded_mass(m, ws, f, x);
    for (std::size_t i = 0; i < f.size(); ++i) more[i] += f[i];
    embedded_forward_dynamics(m, set, ws, s.q, s.v, more, faster, around);
    for (std::size_t i = 0; i < f.size(); ++i) faster[i] -= b[i];
    EXPECT_TRUE(near(x, faster, 1, std::max({1.0, largest(b), largest(faster)}), 7e-13));
    embedded_forward_dynamics(m, set, ws, s.q, s.v, s.a, b, around);

    calc_embedded_forces(m, set, ws, s.q, s.v, s.a, b, lambda, around);
    CertifyWorkspace check(m, set);
    SolveCertificate c(set.rows());
    c.tolerance = 1e-9;
    certify(m, set, ws.embedding.rows, check, s.q, s.v, s.a, ws.embedding.rows.k, b, lambda, c, around);
    EXPECT_TRUE(is_small(c.dynamics_residual / c.dynamics_scale, 1e-11));
    EXPECT_TRUE(is_small(c.constraint_residual / std::max(1.0, c.constraint_scale), 3e-12));
  });
  EXPECT_GT(solved, 60);
  EXPECT_GT(hanging, 10);
}

TEST(EmbeddedDynamics, InverseDynamicsAndMassMatrixBelongToTheSameEquation) {
  for (const LoopCase& c : embedded_cases()) {
    if (c.name == "lift100") continue;
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    const std::size_t nv = l.s.v.size();
    EmbeddedWorkspace ws(l.model, l.set);
    std::vector<double> a(nv), y_forces, ydd, T, rest;
    embedded_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, a);
    const std::vector<int> independent = ws.embedding.independent;
    for (const int k : independent) ydd.push_back(a[at(k)]);
    y_forces.resize(ydd.size()), T = rest = y_forces;
    reduce_forces(l.model, ws.embedding, l.tau, y_forces);
    embedded_inverse_dynamics(l.model, l.set, ws, l.s.q, l.s.v, ydd, T);
    EXPECT_TRUE(near(T, y_forces, 1, 0, 3e-12));

    // T = M y'' + rest, and M is that of v = X y.
    embedded_inverse_dynamics(l.model, l.set, ws, l.s.q, l.s.v, std::vector<double>(ydd.size()), rest);
    Grid<double> M(static_cast<int>(ydd.size()), static_cast<int>(ydd.size())),
        H(static_cast<int>(nv), static_cast<int>(nv));
    calc_embedded_mass_matrix(l.model, l.set, ws, l.s.q, M);
    EXPECT_TRUE(near(plus(M * ydd, rest), T, 1, 0, 5e-12));
    CrbaWorkspace<double> crba_ws(l.model);
    crba(l.model, crba_ws, l.s.q, MatrixView<double>(H));
    std::vector<double> y(ydd.size()), x(nv), Hx(y.size());
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = 1.0 + static_cast<double>(j);
    expand_velocities(l.model, ws.embedding, y, x);
    reduce_forces(l.model, ws.embedding, H * x, Hx);
    EXPECT_TRUE(near(M * y, Hx, 300));
  }
}

// The dense aggregate nodes of operators/ are a second path, with nothing in common but X and g.
TEST(EmbeddedDynamics, EqualsTheSkoModelWithAggregateNodes) {
  for (const LoopCase& c : embedded_cases()) {
    if (c.name == "lift100") continue;
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    EmbeddedWorkspace ws(l.model, l.set);
    std::vector<double> a(l.s.v.size()), ydd;
    embedded_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, a);
    for (const int k : ws.embedding.independent) ydd.push_back(a[at(k)]);
    EmbeddedSko e(l.model, ws.embedding);
    e.update(ws.embedding, l.s.q, l.s.v);
    sko::SkoDynamics<double> dynamics(e.sko);
    std::vector<double> T(ydd.size()), by_node(ydd.size());
    reduce_forces(l.model, ws.embedding, l.tau, T);
    sko::forward_dynamics<double>(e.sko, dynamics, e.stack(ws.embedding, T), by_node);
    EXPECT_TRUE(near(e.unstack(ws.embedding, by_node), ydd, 1, 0, 5e-14));

    Random rng(3);
    const sko::OperatorAlgebra<double> algebra(e.sko);
    for (const sko::CheckedIdentity& x : check_identities(algebra, rng))
      EXPECT_TRUE(is_small(x.residual, 2e-13)) << x.formula;
  }
}

TEST(EmbeddedDynamics, FollowsPlacesThatMoveByLaws) {
  // A point of the chain's tip is led along a circle.
  const Model m = compile(mechanisms::chain(7)).value();
  Random rng(4);
  TreeState s = random_state(m, rng);
  KinematicsWorkspace<double> k(m);
  calc_kinematics(m, k, s.q);
  MaskConstraint led;
  led.name = "led", led.body_b = m.bodies().back().name, led.blocked = {false, false, false, true, true, true};
  led.pose_a = get_body_pose(m, k, static_cast<int>(m.bodies().size()) - 1);
  led.laws = {[](double t) {
                return MotionSample{0.2 * std::sin(t), 0.2 * std::cos(t), -0.2 * std::sin(t)};
              },
              [](double t) {
                return MotionSample{0.2 - 0.2 * std::cos(t), 0.2 * std::sin(t), 0.2 * std::cos(t)};
              },
              {}};
  const ConstraintSet set(m, {led});
  EmbeddedWorkspace ws(m, set);
  std::vector<double> a(7), b(7), lambda(3);
  for (const double time : {0.0, 0.1, 0.2}) {
    ASSERT_EQ(close_loops(m, set, ws.embedding, s.q, s.v, time).status, EmbeddingStatus::ready);
    EXPECT_TRUE(is_small(ws.embedding.report.velocity_error, 1e-14));
    ConstrainedWorkspace want(m, set);
    constrained_forward_dynamics(m, set, want, s.q, s.v, s.a, a, lambda, {{}, time});
    embedded_forward_dynamics(m, set, ws, s.q, s.v, s.a, b, {{}, time});
    EXPECT_TRUE(near(b, a, 1, 0, 5e-14));
  }
}

TEST(EmbeddedDynamics, AllocatesNothingAndRepeatsItsBits) {
  const LoopState l(mechanisms::scissor_lift({.stages = 5, .local_loops = true}));
  EmbeddedWorkspace ws(l.model, l.set);
  std::vector<double> a(l.s.v.size()), b(a), q = l.s.q, v = l.s.v, lambda(at(l.set.rows()));
  embedded_forward_dynamics(l.model, l.set, ws, q, v, l.tau, a);
  close_loops(l.model, l.set, ws.embedding, q, v);
  const AllocationCount allocations;
  q[0] += 1e-4;
  close_loops(l.model, l.set, ws.embedding, q, v);
  embedded_forward_dynamics(l.model, l.set, ws, q, v, l.tau, b);
  calc_embedded_forces(l.model, l.set, ws, q, v, l.tau, b, lambda);
  renew_coordinates(l.model, l.set, ws.embedding, q, v);
  EXPECT_EQ(allocations.count(), 0);
  embedded_forward_dynamics(l.model, l.set, ws, l.s.q, l.s.v, l.tau, b);
  EXPECT_EQ(a, b);
}

TEST(EmbeddedDynamics, NamesAJointThatMovesNothing) {
  ModelSpec spec = mechanisms::four_bar();
  for (BodySpec& b : spec.bodies) b.mass = 0, b.com = {}, b.inertia = {};
  const Model m = compile(spec).value();
  const ConstraintSet set(m);
  EmbeddedWorkspace ws(m, set);
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), a(3);
  const EmbeddingReport& r =
      embedded_forward_dynamics(m, set, ws, q, std::vector<double>(3), std::vector<double>(3), a);
  EXPECT_EQ(r.status, EmbeddingStatus::no_inertia);
  EXPECT_TRUE(std::isnan(a[0]));
  EXPECT_NE(describe(r, m, set).find("moves no inertia"), std::string::npos);
}

}  // namespace
}  // namespace sinew::test
