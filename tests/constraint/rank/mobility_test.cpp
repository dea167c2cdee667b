// tests/constraint/rank/mobility_test.cpp - mobility here and nearby, and the words for it [F08 8.10]
#include "sinew/constraint/rank/mobility.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sinew/constraint/rank/assemble.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/closed_loops.hpp"

namespace sinew::test {
namespace {

TEST(Mobility, OfAPlanarLoopInSpace) {
  const Model m = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(m);
  const Mobility a = find_mobility(m, set, m.neutral());
  EXPECT_EQ(a.freedoms, 3);
  EXPECT_EQ(a.rows, 5);
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.instantaneous, 1);
  EXPECT_EQ(a.lowest, 1);
  EXPECT_EQ(a.highest, 1);
  EXPECT_EQ(a.overconstraint, 3);
  EXPECT_TRUE(a.decided);
  EXPECT_GT(a.samples, 0);
  const std::vector<std::string> words = describe(a, set);
  EXPECT_EQ(words[0], "mobility 1: 3 tree freedoms less 2 independent constraints (of 5)");
  EXPECT_EQ(words[1],
            "overconstrained by 3: the other rows imply loop 'coupler_pin' (moment about x, moment about y, force "
            "along z)");

  // n_tot - 6 N_L + (n_c - r)
  EXPECT_EQ(a.instantaneous, (3 + 1) - 6 + a.overconstraint);  // [F08 8.55]
}

// A sphere in a cylinder: the sphere's centre may move along the axis only, whatever way it turns.
class SphereInCylinder : public CustomConstraint {
 public:
  SphereInCylinder(const LoopEntry& loop) : loop_(loop) {}  // F_p on the ball, F_s on the cylinder along z
  std::string name() const override { return "sphere in cylinder"; }
  int rows() const override { return 2; }
  std::vector<delassus::Entry> entries(const Model&) const override {
    return {{0, loop_.node_b}, {0, loop_.node_a}, {1, loop_.node_b}, {1, loop_.node_a}};
  }
  void calc(const ConstraintState& s, const ConstraintOutput& out) const override {
    const auto& X = s.motion.kinematics.X;
    const Transform<double> X_a = loop_.in_a * X[loop_.node_a], X_b = loop_.in_b * X[loop_.node_b];
    const Vec3<double> centre = apply_to_point(X_b, X_a.r);
    for (std::size_t r = 0; r < 2; ++r) {
      const Vec3<double> axis = r == 0 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
      const Force<double> f{cross(centre, axis), axis};
      out.K[2 * r] = apply_inverse(loop_.in_b, f);
      out.K[2 * r + 1] = -apply_inverse(loop_.in_a, apply(X_a, apply_inverse(X_b, f)));
      out.position[r] = -dot(axis, centre);
      out.velocity[r] = out.k[r] = 0;
    }
  }

 private:
  LoopEntry loop_;
};

TEST(Mobility, ASphereInACylinderConstrainsAPlanarLoopProperly) {
  const Model m = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(m, {std::make_shared<SphereInCylinder>(m.loops()[0])}, false);
  const Mobility a = find_mobility(m, set, m.neutral());
  EXPECT_EQ(a.rows, 2);
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.overconstraint, 0);
  EXPECT_EQ(a.lowest, 1);
  EXPECT_EQ(a.samples, 0) << "no need to look nearby";
  EXPECT_TRUE(a.redundant.empty());
}

// Two kites on one crank: the crank is as long as the ground, so that its end may come to rest on the other pivot P;
// then both arms, each folded onto itself, are free to turn about P. [F08 Fig 8.2(a)]
ModelSpec two_kites() {
  ModelBuilder b("two_kites");
  const MassProperties mass = solid_sphere(1, 0.1);
  b.body("crank").mass(mass);
  b.revolute("theta", "world", "crank");
  for (const char* side : {"1", "2"}) {
    const std::string s = side, coupler = "coupler" + s, rocker = "rocker" + s;
    const double length = s == "1" ? 0.7 : 0.9;
    b.body(coupler).mass(mass);
    b.body(rocker).mass(mass);
    b.revolute("c" + s, "crank", coupler).at({1, 0, 0});
    b.revolute("r" + s, "world", rocker).at({1, 0, 0});
    b.loop({.name = "pin" + s,
            .kind = JointKind::revolute,
            .body_a = coupler,
            .body_b = rocker,
            .pose_a = shift_frame(Vec3<double>{length, 0, 0}),
            .pose_b = shift_frame(Vec3<double>{length, 0, 0})});
  }
  return std::move(b.spec());
}

TEST(Mobility, VariesWithThePosition) {
  const Model m = compile(two_kites()).value();
  const ConstraintSet set(m);
  ASSERT_EQ(m.nv(), 5);
  ASSERT_EQ(set.rows(), 10);

  // The crank is off the ground: one motion.
  const double theta = 0.6, half = theta / 2;
  const auto rocker = [&](double length) {  // the pin lies on the line that halves theta
    const double s = std::cos(half) + std::sqrt(length * length - std::sin(half) * std::sin(half));
    return std::atan2(s * std::sin(half), s * std::cos(half) - 1);
  };
  const double r1 = rocker(0.7), r2 = rocker(0.9);
  const Mobility left = find_mobility(m, set, std::vector<double>{theta, -r1, r1, -r2, r2});
  EXPECT_EQ(left.rank, 4);
  EXPECT_EQ(left.instantaneous, 1);
  EXPECT_EQ(left.lowest, 1);
  EXPECT_EQ(left.highest, 1);

  // On the ground, the arms anywhere: they move independently.
  const Mobility right = find_mobility(m, set, std::vector<double>{0, 0.7, 0.7, -1.1, -1.1});
  EXPECT_EQ(right.rank, 3);
  EXPECT_EQ(right.instantaneous, 2);
  EXPECT_EQ(right.lowest, 2);
  EXPECT_EQ(right.highest, 2);

  // On the ground and in line: between the two, three motions for an instant.
  const Mobility middle = find_mobility(m, set, std::vector<double>(5));
  EXPECT_EQ(middle.rank, 2);
  EXPECT_EQ(middle.instantaneous, 3);
  EXPECT_TRUE(middle.decided);
  EXPECT_GE(middle.lowest, 1);
  EXPECT_LE(middle.highest, 2);
  EXPECT_NE(describe(middle, set)[1].find("3 motions possible for an instant"), std::string::npos)
      << describe(middle, set)[1];
}

// A zero-DoF joint can close any loop, once the freedoms of the one it replaces belong to the tree.
TEST(Mobility, AWeldIsAUniversalLoopJoint) {
  ModelSpec spec = mechanisms::four_bar();
  LoopSpec& pin = spec.loops[0];
  spec.bodies.push_back({.name = "shim", .mass = 1e-9});
  spec.joints.push_back({.name = "pin_in_the_tree",
                         .parent = pin.body_b,
                         .child = "shim",
                         .kind = JointKind::revolute,
                         .placement = pin.pose_b,
                         .axis = pin.axis,
                         .dofs = {DofSpec{.armature = 1e-9}}});
  pin.kind = JointKind::fixed;
  pin.body_b = "shim";
  pin.pose_b = {};
  const Model m = compile(spec).value();
  const ConstraintSet set(m);
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  ASSERT_TRUE(assemble(m, set, q).closed);
  const Mobility a = find_mobility(m, set, q);
  EXPECT_EQ(a.freedoms, 4);
  EXPECT_EQ(a.rows, 6);
  EXPECT_EQ(a.rank, 3);
  EXPECT_EQ(a.lowest, 1);
  EXPECT_EQ(a.highest, 1);
}

TEST(Mobility, IsNotDecidedWhereTheLoopsAreOpen) {
  const Model m = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(m);
  const Mobility a = find_mobility(m, set, std::vector<double>{0.1, 0.2, 0.3});
  EXPECT_FALSE(a.decided);
  EXPECT_GT(a.error, 0.01);
  EXPECT_NE(a.how.find("open by"), std::string::npos);
}

// Baumgarte's errors, once more: assembling makes them zero by the least motion.
TEST(Assemble, ClosesWhatItCanAndSaysWhatItCannot) {
  for (const ModelSpec& spec : {mechanisms::four_bar(), mechanisms::crank_slider(), mechanisms::crank_piston()}) {
    const Model m = compile(spec).value();
    const ConstraintSet set(m);
    std::vector<double> q(m.neutral().begin(), m.neutral().end());
    Random rng(1);
    for (double& x : q) x += rng.uniform(-0.1, 0.1);
    const Assembly a = assemble(m, set, q);
    EXPECT_TRUE(a.closed) << m.name() << ", " << a.error;
    EXPECT_LT(a.iterations, 20);
  }
  ModelSpec torn = mechanisms::four_bar();
  torn.loops[0].pose_a = shift_frame(Vec3<double>{10, 0, 0});
  const Model m = compile(torn).value();
  std::vector<double> q(m.neutral().begin(), m.neutral().end());
  const Assembly a = assemble(m, ConstraintSet(m), q);
  EXPECT_FALSE(a.closed);
  EXPECT_GT(a.error, 1);
}

}  // namespace
}  // namespace sinew::test
