// tests/tree/assembly_test.cpp - articulated bodies by assembly (TREE-7)
#include "sinew/tree/assembly.hpp"

#include <gtest/gtest.h>

#include "sinew/joint/joint.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "sinew/tree/projection.hpp"
#include "support/dense6.hpp"
#include "support/naive_dynamics.hpp"
#include "support/no_alloc.hpp"
#include "support/random_spatial.hpp"
#include "support/tree_state.hpp"

namespace sinew::test {
namespace {

Motion<double> unit_motion(int k) {
  std::array<double, 6> e{};
  e[k] = 1;
  return sinew::to_motion(e);
}
// A joint of any kind at a random position, its quantities in F_s coordinates, which serve as the common ones.
AssemblyJoint<double> random_assembly_joint(JointKind kind, Random& rng) {
  Joint joint;
  joint.kind = kind;
  joint.parameter = 0.3;
  std::vector<double> q(at(joint.nq())), v(at(joint.nv()));
  const double lower[] = {-1, -1, -1, -1, -1, -1}, upper[] = {1, 1, 1, 1, 1, 1};
  random(joint, rng, lower, upper, q.data());
  for (double& x : v) x = rng.uniform(-1, 1);
  JointMotion<double> motion;
  calc_joint(joint, q.data(), v.data(), 0, motion);
  AssemblyJoint<double> out{.nv = joint.nv(), .c = random_motion(rng)};
  for (int k = 0; k < out.nv; ++k) out.S[k] = motion.S[k], out.tau[k] = rng.uniform(-1, 1);
  calc_complements(joint, q.data(), 0, out.forces);
  return out;
}
ArticulatedBody<double> random_body_with_bias(Random& rng) {
  const RigidInertia<double> I = random_inertia(rng);
  return {to_articulated(I), random_force(rng)};
}
constexpr JointKind kKinds[] = {JointKind::fixed,     JointKind::revolute,       JointKind::prismatic,
                                JointKind::helical,   JointKind::cylindrical,    JointKind::planar,
                                JointKind::spherical, JointKind::spherical_ypr,  JointKind::universal,
                                JointKind::free,      JointKind::rack_and_pinion};

// 1 Book case --------------------------------------------------------------------------------------------------------

// Example 7.1: a cylinder in the slot of a box turns about x and slides along y. The apparent mass of the box depends
// on the direction: I^A = diag(I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2).
TEST(Assembly, CylinderInASlot) {
  constexpr double I1 = 3, I2 = 0.5, m1 = 7, m2 = 2;
  const auto body = [](double m, double I) {
    return ArticulatedBody<double>{to_articulated(make_inertia(m, {}, Sym3<double>::diagonal(I, I, I))), {}};
  };
  AssemblyJoint<double> slot{.nv = 2};
  slot.S[0] = unit_motion(0), slot.S[1] = unit_motion(4);
  sinew::detail::unit_complements<double>({0, 4}, slot.forces);
  Dense want;
  const double diagonal[] = {I1, I1 + I2, I1 + I2, m1 + m2, m1, m1 + m2};
  for (int i = 0; i < 6; ++i) want(i, i) = diagonal[i];
  EXPECT_TRUE(near(to_dense(assemble(body(m1, I1), body(m2, I2), slot).I), want, 4));
  EXPECT_TRUE(near(to_dense(assemble_implicit(body(m1, I1), body(m2, I2), slot).I), want, 20));
  EXPECT_TRUE(
      near(to_dense(to_articulated(assemble_inverse(to_inverse(body(m1, I1)), to_inverse(body(m2, I2)), slot)).I), want,
           20));
  // The same by projection, the box floating.
  ModelBuilder b("slot");
  b.body("box").mass(m1, {}, Sym3<double>::diagonal(I1, I1, I1));
  b.body("cylinder").mass(m2, {}, Sym3<double>::diagonal(I2, I2, I2));
  b.body("between").mass(0, {}, {});
  b.free("free", "world", "box");
  b.prismatic("slide", "box", "between").axis({0, 1, 0});
  b.revolute("turn", "between", "cylinder").axis({1, 0, 0});
  const Model m = b.build().value();
  ProjectionWorkspace<double> ws(m, {m.bodies()[1]});
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(8), bias(6);
  Grid<double> Phi(6, 6);
  project(m, ws, q, v, v, Phi, bias);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) EXPECT_TRUE(near(Phi(i, j), i == j ? 1 / diagonal[i] : 0, 20));
  EXPECT_TRUE(near(bias, to_array(Motion<double>{{}, {0, 0, -9.81}}), 20));
}

// 2 The three sets of formulae agree ---------------------------------------------------------------------------------

TEST(Assembly, FormulaeOfTable7_2Agree) {
  for (const JointKind kind : kKinds) {
    SCOPED_TRACE(std::string(to_string(kind)));
    for_seeds(20, [&](Random& rng) {
      const AssemblyJoint<double> joint = random_assembly_joint(kind, rng);
      const ArticulatedBody<double> body1 = random_body_with_bias(rng), body2 = random_body_with_bias(rng);
      const ArticulatedBody<double> standard = assemble(body1, body2, joint);
      const ArticulatedBody<double> implicit = assemble_implicit(body1, body2, joint);
      const InverseBody<double> inverse = assemble_inverse(to_inverse(body1), to_inverse(body2), joint);
      EXPECT_TRUE(near(standard.I, implicit.I, 200));
      EXPECT_TRUE(near(standard.p, implicit.p, 200));
      EXPECT_TRUE(near(to_inverse(standard).Phi, inverse.Phi, 200));
      EXPECT_TRUE(near(to_inverse(standard).b, inverse.b, 200));
      EXPECT_TRUE(near(to_articulated(inverse).I, standard.I, 500));
      // every equation that the assembly was made from, for a force on the handle [F08 7.51-7.55]
      const Force<double> f = random_force(rng);
      const Motion<double> a1 = inverse.Phi * f + inverse.b;
      const Force<double> f2 = f - (body1.I * a1 + body1.p);
      const InverseBody<double> own2 = to_inverse(body2);
      const Motion<double> a2 = own2.Phi * f2 + own2.b;
      double qdd[6];
      calc_joint_accelerations(joint, a1, a2, qdd);
      Motion<double> relative = joint.c;
      for (int k = 0; k < joint.nv; ++k) {
        relative += qdd[k] * joint.S[k];
        EXPECT_TRUE(near(dot(joint.S[k], f2), joint.tau[k], 200, 10));
      }
      EXPECT_TRUE(near(a2 - a1, relative, 50, 10 + largest(flatten(a2))));
    });
  }
}
// What passes the joint carries no inertia along it: I^a S = 0.
TEST(Assembly, NoInertiaAlongTheJoint) {
  for (const JointKind kind : kKinds)
    for_seeds(20, [&](Random& rng) {
      const AssemblyJoint<double> joint = random_assembly_joint(kind, rng);
      const ArticulatedBody<double> passed = assemble({}, random_body_with_bias(rng), joint);
      for (int k = 0; k < joint.nv; ++k) EXPECT_TRUE(near(passed.I * joint.S[k], Force<double>{}, 5, 100));
    });
}
// A handle on the ground has no inertia, but an inverse: the zero matrix for a welded one. Variant 1 takes it.
TEST(Assembly, GroundedHandles) {
  for_seeds(20, [](Random& rng) {
    const AssemblyJoint<double> pin = random_assembly_joint(JointKind::revolute, rng);
    const ArticulatedBody<double> body = random_body_with_bias(rng);
    // the body as handle, hung on the ground: rank 1, along S, with 1 / S^T I S
    AssemblyJoint<double> from_body = pin;  // body 1 is the moving one
    from_body.tau[0] = 0;
    from_body.c = {};
    const InverseBody<double> ground{};
    const InverseBody<double> hung = assemble_inverse(to_inverse(body), ground, from_body);
    const double D = dot(pin.S[0], body.I * pin.S[0]);
    const Force<double> f = random_force(rng);
    EXPECT_TRUE(near(hung.Phi * f, (dot(pin.S[0], f) / D) * pin.S[0], 20));
    EXPECT_TRUE(near(hung.b, (-dot(pin.S[0], body.p) / D) * pin.S[0], 200));
  });
}

}  // namespace
}  // namespace sinew::test
