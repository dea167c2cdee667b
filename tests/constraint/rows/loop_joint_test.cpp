// tests/constraint/rows/loop_joint_test.cpp - loops closed by user, composite and prescribed joints
#include "sinew/constraint/rows/loop_joint.hpp"

#include <gtest/gtest.h>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/joint/user.hpp"
#include "sinew/model/builder.hpp"
#include "support/closed_loops.hpp"
#include "support/no_alloc.hpp"
#include "support/user_joints.hpp"

namespace sinew::test {
namespace {

// A tree with a state, and a joint of any kind between two of its bodies, closed there at time 0.
struct LoopedTree {
  Model tree;
  TreeState s;
  JointSpec joint;
  LoopedTree(std::uint64_t seed, JointSpec spec, int a = 2, int b = 5)
      : tree(compile(frozen(random_tree(seed, {.bodies = 6, .kinds = {JointKind::revolute, JointKind::spherical}})))
                 .value()),
        joint(std::move(spec)) {
    Random rng(seed + 5);
    s = random_state(tree, rng);
    joint.name = "closing";
    joint.parent = tree.bodies()[a].name, joint.child = tree.bodies()[b].name;
    joint.child_placement = {};
    Diagnostics remarks;
    const JointPart part = make_canonical(joint, remarks);
    EXPECT_FALSE(remarks.has_errors());
    std::vector<double> q(at(part.joint.nq())), rest(at(part.joint.nv()));
    const double lower[] = {-.9, -.9, -.9, -.9, -.9, -.9}, upper[] = {.9, .9, .9, .9, .9, .9};
    random(part.joint, rng, lower, upper, q.data());
    JointMotion<double> motion;
    calc_joint(part.joint, q.data(), rest.data(), 0, motion);
    KinematicsWorkspace<double> ws(tree);
    calc_kinematics(tree, ws, s.q);
    const Transform<double> is = get_body_pose(tree, ws, b) * inverse(get_body_pose(tree, ws, a));
    // child <- parent is after * X_J * before, and after = inverse(child_placement) times what it is without
    joint.child_placement = part.after * motion.X * part.before * inverse(is);
    const JointPart fits = make_canonical(joint, remarks);
    EXPECT_TRUE(near(fits.after * motion.X * fits.before, is, 200));
  }
};
JointSpec kind_of(JointKind kind) {
  Random rng(3);
  return random_joint(rng, kind, "closing");
}
JointSpec composite_of(std::vector<JointSpec> parts) {
  JointSpec j = kind_of(JointKind::fixed);
  j.kind = JointKind::composite;
  j.parts = std::move(parts);
  return j;
}
JointSpec plain(JointKind kind, const Vec3<double>& axis) {
  JointSpec j;
  j.kind = kind;
  j.axis = axis;
  return j;
}
JointSpec moving(JointKind kind) {
  JointSpec j = plain(JointKind::prescribed, {0, .6, .8});
  j.prescribed_kind = kind;
  j.law = [](double t) { return MotionSample{.3 * std::sin(2 * t), .6 * std::cos(2 * t), -1.2 * std::sin(2 * t)}; };
  return j;
}
JointSpec cam() {
  JointSpec j = kind_of(JointKind::fixed);
  j.kind = JointKind::user;
  j.user = make_user_joint(CamJoint{0.3});
  return j;
}
std::vector<std::pair<std::string, JointSpec>> odd_joints() {
  JointSpec reversed = kind_of(JointKind::universal);
  reversed.reversed = true;
  JointSpec arm = plain(JointKind::revolute, {0, 0, 1});
  arm.placement = make_placement({.4, 0, .1});
  return {
      {"user", cam()},
      {"prescribed turn", moving(JointKind::revolute)},
      {"prescribed slide", moving(JointKind::prismatic)},
      {"two turns", composite_of({plain(JointKind::revolute, {1, 0, 0}), arm})},
      {"slide and turn", composite_of({plain(JointKind::prismatic, {0, 1, 0}), plain(JointKind::revolute, {1, 1, 0})})},
      {"user and slide", composite_of({cam(), plain(JointKind::prismatic, {0, 1, 1})})},
      {"partly prescribed", composite_of({moving(JointKind::prismatic), plain(JointKind::revolute, {1, 0, 0})})},
      {"reversed universal", reversed}};
}
std::vector<double> accelerate(const Model& m, const ConstraintSet& set, const TreeState& s, int& rank) {
  ConstrainedWorkspace ws(m, set);
  std::vector<double> qdd(s.v.size()), lambda(at(set.rows()));
  const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, s.q, s.v, s.a, qdd, lambda);
  EXPECT_EQ(c.status, SolveStatus::solved);
  rank = c.rank;
  return qdd;
}

// Closed where it was built; velocity errors are rates of position errors, k those of velocity errors, laws included.
TEST(LoopJoint, RowsAreRatesOfEachOther) {
  for (const auto& [name, spec] : odd_joints())
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      LoopedTree t(seed, spec);
      const ConstraintSet set(t.tree, {make_loop_joint(t.tree, t.joint)});
      ConstraintRows rows(t.tree, set);
      calc_constraint_rows(t.tree, set, rows, t.s.q, t.s.v);
      EXPECT_TRUE(is_small(largest(rows.position), 4e-13));
      // a velocity that the loop allows: T turns with the joint, so only then is k the rate of the velocity error
      ManifoldWorkspace manifold(t.tree, set);
      project_velocity(t.tree, set, manifold, t.s.q, t.s.v);
      expect_rates_match(t.tree, set, t.s, 500);
    }
}
// The same acceleration, at a velocity that both allow, and the same rank.
void expect_moves_as(const LoopedTree& t, const ConstraintSpec& other, double allowed,
                     const std::source_location& where = std::source_location::current()) {
  const ConstraintSet by_other(t.tree, {other}), by_joint(t.tree, {make_loop_joint(t.tree, t.joint)});
  EXPECT_EQ(by_other.rows(), by_joint.rows());
  TreeState s = t.s;
  ManifoldWorkspace manifold(t.tree, by_other);
  project_velocity(t.tree, by_other, manifold, s.q, s.v);
  int rank_other = 0, rank_joint = 0;
  const std::vector<double> want = accelerate(t.tree, by_other, s, rank_other),
                            got = accelerate(t.tree, by_joint, s, rank_joint);
  EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), allowed, where));
  EXPECT_EQ(rank_joint, rank_other);
}
// The loop between the bodies of t's joint, of another kind.
LoopSpec loop_like(const LoopedTree& t, JointKind kind) {
  LoopSpec l;
  l.name = "closing", l.kind = kind, l.body_a = t.joint.parent, l.body_b = t.joint.child;
  l.pose_a = t.joint.placement, l.pose_b = t.joint.child_placement;
  return l;
}
// Primitive kinds through this path are the loops that LoopSpec makes, though T is another basis.
TEST(LoopJoint, PrimitiveKindsMoveAsLoops) {
  for (const JointKind kind : loop_kinds()) {
    SCOPED_TRACE(std::string(to_string(kind)));
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const LoopedTree t(seed, kind_of(kind));
      LoopSpec l = loop_like(t, kind);
      l.axis = t.joint.axis, l.axis2 = t.joint.axis2, l.pitch = t.joint.pitch, l.radius = t.joint.radius;
      if (t.joint.reversed) std::swap(l.body_a, l.body_b), std::swap(l.pose_a, l.pose_b);
      expect_moves_as(t, l, 2e-12);
    }
  }
}
// Composites that are primitive joints by another name.
TEST(LoopJoint, CompositesThatArePrimitiveKinds) {
  const auto x = plain(JointKind::revolute, {1, 0, 0}), y = plain(JointKind::revolute, {0, 1, 0}),
             z = plain(JointKind::revolute, {0, 0, 1}), slide = plain(JointKind::prismatic, {0, 0, 1});
  expect_moves_as(LoopedTree(4, composite_of({z, slide})),
                  loop_like(LoopedTree(4, composite_of({z, slide})), JointKind::cylindrical), 6e-14);
  expect_moves_as(LoopedTree(4, composite_of({z, y, x})),
                  loop_like(LoopedTree(4, composite_of({z, y, x})), JointKind::spherical), 6e-14);
  const LoopedTree cross(4, composite_of({x, y}));
  LoopSpec universal = loop_like(cross, JointKind::universal);
  universal.axis = {1, 0, 0}, universal.axis2 = {0, 1, 0};
  expect_moves_as(cross, universal, 6e-14);
}
// A law on a loop moves as the same law on a mask.
TEST(LoopJoint, APrescribedSlideIsAMaskWithALaw) {
  JointSpec slide = moving(JointKind::prismatic);
  slide.axis = {0, 0, 1};
  const LoopedTree t(6, slide);
  MaskConstraint mask;
  mask.name = "closing", mask.body_a = t.joint.parent, mask.body_b = t.joint.child;
  mask.pose_a = t.joint.placement, mask.pose_b = t.joint.child_placement;
  mask.laws.assign(6, {});
  mask.laws[5] = slide.law;
  expect_moves_as(t, mask, 5e-14);
}
TEST(LoopJoint, AllocatesNothingAndGivesTheSameTwice) {
  const LoopedTree t(2, odd_joints()[5].second);
  const ConstraintSet set(t.tree, {make_loop_joint(t.tree, t.joint)});
  ConstraintRows rows(t.tree, set), again(t.tree, set);
  calc_constraint_rows(t.tree, set, rows, t.s.q, t.s.v);
  const AllocationCount allocations;
  calc_constraint_rows(t.tree, set, again, t.s.q, t.s.v);
  EXPECT_EQ(allocations.count(), 0);
  EXPECT_EQ(rows.k, again.k);
  EXPECT_EQ(rows.position, again.position);
}
TEST(LoopJoint, RefusesByName) {
  const LoopedTree t(2, cam());
  const auto message = [&](const JointSpec& j) -> std::string {
    try {
      make_loop_joint(t.tree, j);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  JointSpec j = t.joint;
  j.child = "nobody";
  EXPECT_EQ(message(j), "loop joint 'closing': there is no body 'nobody'");
  j = t.joint, j.child = j.parent;
  EXPECT_NE(message(j).find("do not move relative to each other"), std::string::npos);
  j = t.joint, j.user = nullptr;
  EXPECT_NE(message(j).find("`user` is not set"), std::string::npos);
  j = moving(JointKind::spherical), j.parent = t.joint.parent, j.child = t.joint.child;
  EXPECT_NE(message(j).find("cannot be prescribed"), std::string::npos);
  const LoopedTree other(3, cam());
  EXPECT_THROW(ConstraintSet(other.tree, {make_loop_joint(t.tree, t.joint)}), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
