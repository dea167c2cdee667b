// tests/constraint/rows/mask_test.cpp - axis masks: holonomic or not, standing still or led by laws
#include <gtest/gtest.h>

#include <cmath>

#include "support/closed_loops.hpp"

namespace sinew::test {
namespace {

// Between two random bodies, frames so that b stands at X from a.
MaskConstraint mask_at(const Model& m, const std::vector<double>& q, const Transform<double>& X, Random& rng) {
  const int bodies = static_cast<int>(m.bodies().size());
  const int a = rng.below(bodies), b = (a + 1 + rng.below(bodies - 1)) % bodies;
  KinematicsWorkspace<double> ws(m);
  calc_kinematics(m, ws, q);
  MaskConstraint c;
  c.name = "mask";
  c.body_a = a == 0 ? "" : m.bodies()[a].name;
  c.body_b = b == 0 ? "" : m.bodies()[b].name;
  c.pose_a = random_pose(rng);
  c.pose_b = X * (c.pose_a * (get_body_pose(m, ws, a) * inverse(get_body_pose(m, ws, b))));
  return c;
}
std::vector<int> all_rows(const ConstraintSet& set) {
  std::vector<int> out;
  for (int r = 0; r < set.rows(); ++r) out.push_back(r);
  return out;
}

struct NamedMask {
  const char* name;
  std::array<bool, 6> blocked;
  bool group;
};

constexpr bool kFree = false, kHeld = true;
constexpr NamedMask kWeld{"weld", {kHeld, kHeld, kHeld, kHeld, kHeld, kHeld}, true},
    kPoint{"point", {kFree, kFree, kFree, kHeld, kHeld, kHeld}, true},
    kOrientation{"orientation", {kHeld, kHeld, kHeld, kFree, kFree, kFree}, true},
    kOneTurnBlocked{"one turn blocked", {kHeld, kFree, kFree, kFree, kFree, kFree}, false},
    kHeight{"height", {kFree, kFree, kFree, kFree, kFree, kHeld}, false};

TEST(Mask, HoldsPositionsWhereItsFreeAxesMakeAGroup) {
  const NamedMask masks[] = {kWeld,
                             kPoint,
                             kOrientation,
                             {"hinge about y", {kHeld, kFree, kHeld, kHeld, kHeld, kHeld}, true},
                             {"slider", {kHeld, kHeld, kHeld, kHeld, kFree, kHeld}, true},
                             {"cylinder", {kFree, kHeld, kHeld, kFree, kHeld, kHeld}, true},
                             {"plane", {kHeld, kHeld, kFree, kFree, kFree, kHeld}, true},
                             {"tilt", {kHeld, kHeld, kFree, kFree, kFree, kFree}, true},
                             {"skate", {kHeld, kHeld, kFree, kFree, kHeld, kHeld}, false},
                             {"one turn", {kFree, kHeld, kFree, kHeld, kHeld, kHeld}, false},
                             kOneTurnBlocked,
                             kHeight};
  for (const NamedMask& mask : masks) {
    SCOPED_TRACE(mask.name);
    for_random_trees(12, [&](const Model& m, Random& rng) {
      if (m.nv() == 0) return;
      const TreeState s = random_state(m, rng);
      MaskConstraint c = mask_at(m, s.q, {}, rng);
      c.blocked = mask.blocked;
      const ConstraintSet set(m, {c});
      expect_rates_match(m, set, s, 100, mask.group ? std::vector<int>{} : all_rows(set));
      if (mask.group) return;
      ConstraintRows rows(m, set);
      calc_constraint_rows(m, set, rows, random_configuration(m, rng), s.v);
      EXPECT_EQ(rows.position, std::vector<double>(rows.position.size()));
    });
  }
}

// Relative to the world shifts are held one by one; between two bodies, and turns anywhere, all three or none.
TEST(Mask, AlongTheAxesOfTheWorld) {
  const NamedMask masks[] = {kWeld,        kPoint,
                             kOrientation, kOneTurnBlocked,
                             kHeight,      {"level and height", {kHeld, kHeld, kHeld, kFree, kFree, kHeld}, false}};
  for (const bool to_world : {true, false})
    for (const NamedMask& mask : masks) {
      SCOPED_TRACE(mask.name);
      for_random_trees(12, [&](const Model& m, Random& rng) {
        if (m.nv() == 0) return;
        const TreeState s = random_state(m, rng);
        MaskConstraint c = mask_at(m, s.q, {}, rng);
        if (to_world) {
          KinematicsWorkspace<double> ws(m);
          calc_kinematics(m, ws, s.q);
          c.body_a.clear(), c.body_b = m.bodies().back().name;
          c.pose_b = c.pose_a * inverse(get_body_pose(m, ws, static_cast<int>(m.bodies().size()) - 1));
        }
        c.blocked = mask.blocked, c.world_axes = true;
        const ConstraintSet set(m, {c}, false);
        std::vector<int> velocities_only;
        int row = 0;
        for (int k = 0; k < 6; ++k) {
          if (!mask.blocked[k]) continue;
          const bool all = mask.blocked[k / 3 * 3] && mask.blocked[k / 3 * 3 + 1] && mask.blocked[k / 3 * 3 + 2];
          if (!all && !(k >= 3 && m.find_body(c.body_a.empty() ? m.spec().world : c.body_a) == 0)) {
            velocities_only.push_back(row);
          }
          ++row;
        }
        expect_rates_match(m, set, s, 100, velocities_only);
        // A force along an axis of the world is one, whatever the frame: the rows of three shifts are those of a point.
        EXPECT_NE(set.row_name(0).find("of the world on"), std::string::npos);
      });
    }
}

TEST(Mask, TakesFrames) {
  for_random_trees(6, [](const Model& m, Random& rng) {
    if (m.nv() == 0 || m.frames().empty()) return;
    const TreeState s = random_state(m, rng);
    const FrameEntry& frame = m.frames().front();
    MaskConstraint by_frame, by_body;
    by_frame.body_b = frame.name, by_frame.pose_b = random_pose(rng);
    by_body.body_b = m.bodies()[frame.body].name;
    by_body.pose_b = by_frame.pose_b * m.spec().frames.front().pose;
    const ConstraintSet x(m, {by_frame}, false), y(m, {by_body}, false);
    ConstraintRows rows_x(m, x), rows_y(m, y);
    calc_constraint_rows(m, x, rows_x, s.q, s.v);
    calc_constraint_rows(m, y, rows_y, s.q, s.v);
    EXPECT_TRUE(near(rows_x.velocity, rows_y.velocity, 10));
    EXPECT_TRUE(near(rows_x.position, rows_y.position, 10));
  });
}

MotionLaw wave(double a, double w, double phase) {
  return [=](double t) {
    return MotionSample{a * std::sin(w * t + phase), a * w * std::cos(w * t + phase),
                        -a * w * w * std::sin(w * t + phase)};
  };
}

TEST(Mask, FollowsLawsOfTime) {
  const MotionLaw turn = wave(0.7, 1.3, 0.4), along[3] = {wave(0.3, 2, 1), wave(0.2, 0.5, -1), wave(0.4, 1.1, 2)};
  const Vec3<double> r{along[0](0).position, along[1](0).position, along[2](0).position};
  for_random_trees(24, [&](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    // A weld that turns and shifts; a point that is led along a path while its body turns freely.
    MaskConstraint weld = mask_at(m, s.q, {rotation_y(turn(0).position), r}, rng);
    weld.laws = {{}, turn, {}, along[0], along[1], along[2]};
    MaskConstraint point = mask_at(m, s.q, {random_pose(rng).E, r}, rng);
    point.name = "point";
    point.blocked = {kFree, kFree, kFree, kHeld, kHeld, kHeld};
    point.laws = {along[0], along[1], along[2]};
    const ConstraintSet set(m, {weld, point});
    ConstraintRows rows(m, set);
    calc_constraint_rows(m, set, rows, s.q, s.v);
    EXPECT_TRUE(near(rows.position, std::vector<double>(rows.position.size()), 1e3));
    expect_rates_match(m, set, s, 100);
  });
}

// A weld as a mask is a fixed loop joint; the last three axes are a ball.
TEST(Mask, IsTheLoopJointOfTheSameFreedoms) {
  for_random_trees(12, [](const Model& m, Random& rng) {
    if (m.nv() == 0) return;
    const TreeState s = random_state(m, rng);
    for (const JointKind kind : {JointKind::fixed, JointKind::spherical, JointKind::revolute, JointKind::planar}) {
      const LoopSpec loop = closed_loop(m, kind, s.q, rng, "loop");
      LoopSpec along_z = loop;
      along_z.axis = {0, 0, 1};
      MaskConstraint mask{
          .name = "mask", .body_a = loop.body_a, .body_b = loop.body_b, .pose_a = loop.pose_a, .pose_b = loop.pose_b};
      if (kind == JointKind::spherical) mask.blocked = {kFree, kFree, kFree, kHeld, kHeld, kHeld};
      if (kind == JointKind::revolute) mask.blocked = {kHeld, kHeld, kFree, kHeld, kHeld, kHeld};
      if (kind == JointKind::planar) mask.blocked = {kHeld, kHeld, kFree, kFree, kFree, kHeld};
      const ConstraintSet a(m, {along_z}, false), b(m, {mask}, false);
      ConstraintRows rows_a(m, a), rows_b(m, b);
      calc_constraint_rows(m, a, rows_a, s.q, s.v);
      calc_constraint_rows(m, b, rows_b, s.q, s.v);
      ASSERT_EQ(rows_a.K.size(), rows_b.K.size());
      for (std::size_t e = 0; e < rows_a.K.size(); ++e) EXPECT_TRUE(near(rows_a.K[e], rows_b.K[e], 10));
      EXPECT_TRUE(near(rows_a.k, rows_b.k, 10));
      EXPECT_TRUE(near(rows_a.position, rows_b.position, 10));
      EXPECT_TRUE(near(rows_a.velocity, rows_b.velocity, 10));
    }
  });
}

}  // namespace
}  // namespace sinew::test
