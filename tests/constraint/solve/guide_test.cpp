// tests/constraint/solve/guide_test.cpp - the examples of docs/constraints.md, as they stand there
#include <gtest/gtest.h>

#include "sinew/constraint/closure/manifold.hpp"
#include "sinew/constraint/rank/mobility.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/model/builder.hpp"
#include "sinew/model/mechanisms.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// A string around two posts: x of one slider and x of the other add up to its length.
class String : public CustomConstraint {
 public:
  std::string name() const override { return "string"; }
  int rows() const override { return 1; }
  std::vector<delassus::Entry> entries(const Model& m) const override {
    return {{0, m.bodies()[1].node}, {0, m.bodies()[2].node}};
  }
  void calc(const ConstraintState& s, const ConstraintOutput& out) const override {
    const Force<double> pull{{}, {1, 0, 0}};  // in the body's frame; nodes have frames of their own
    for (std::size_t b : {1, 2}) out.K[b - 1] = apply_inverse(s.model.bodies()[b].in_node, pull);
    out.k[0] = 0;
    out.position[0] = s.q[0] + s.q[1] - 0.5;
    out.velocity[0] = s.v[0] + s.v[1];
  }
};

}  // namespace

TEST(ConstraintsGuide, FirstExample) {
  const Model model = compile(mechanisms::four_bar()).value();
  const ConstraintSet set(model);  // its own loops and couplings
  ConstrainedWorkspace ws(model, set, {.method = ConstrainedMethod::pv});
  std::vector<double> q(model.neutral().begin(), model.neutral().end()), v(3), tau(3), qdd(3);
  std::vector<double> lambda(static_cast<std::size_t>(set.rows()));
  const SolveCertificate& c = constrained_forward_dynamics(model, set, ws, q, v, tau, qdd, lambda);
  EXPECT_EQ(c.status, SolveStatus::solved);
  EXPECT_EQ(c.rank, 2);
  EXPECT_EQ(c.redundant.size(), 3u);
}

TEST(ConstraintsGuide, WaysToWriteThem) {
  ModelBuilder b("two");
  b.body("left").mass(solid_sphere(1, 0.1));
  b.body("right").mass(solid_sphere(2, 0.1));
  b.prismatic("x1", "world", "left").axis({1, 0, 0});
  b.prismatic("x2", "world", "right").axis({1, 0, 0});
  const Model model = b.build().value();

  LoopSpec weld;
  weld.name = "weld", weld.kind = JointKind::fixed, weld.body_a = "left", weld.body_b = "right";
  CouplingSpec gear;
  gear.name = "gear", gear.dependent = "x2", gear.terms = {{"x1", {2}, 0}};  // x2 = 2 x1
  MaskConstraint point;                                                      // the last three axes: a point held
  point.name = "point", point.body_b = "left", point.blocked = {false, false, false, true, true, true};
  point.laws = {[](double t) { return MotionSample{0.1 * t, 0.1, 0}; }, MotionLaw{}, MotionLaw{}};
  EXPECT_EQ(ConstraintSet(model, {weld}).rows(), 6);
  EXPECT_EQ(ConstraintSet(model, {gear}).rows(), 1);
  EXPECT_EQ(ConstraintSet(model, {point}).rows(), 3);

  const ConstraintSet set(model, {std::make_shared<const String>()});
  ConstrainedWorkspace ws(model, set);
  std::vector<double> q{0.2, 0.3}, v{1, -1}, tau{3, 0}, qdd(2), lambda(1);
  constrained_forward_dynamics(model, set, ws, q, v, tau, qdd, lambda);
  EXPECT_NEAR(qdd[0], 1, 1e-14);
  EXPECT_NEAR(lambda[0], -2, 1e-14);
}

TEST(ConstraintsGuide, OverTime) {
  const Model model = compile(mechanisms::bricard()).value();
  const ConstraintSet set(model);
  StepWorkspace ws(model, set);
  State state{{model.neutral().begin(), model.neutral().end()}, std::vector<double>(5), 0};
  const std::vector<double> tau(5);
  for (int i = 0; i < 100; ++i) {
    const ProjectedStepReport r = step_rk4_projected(model, set, ws, state, tau, 1e-3);
    EXPECT_TRUE(r.position.reached);
  }
  const Mobility m = find_mobility(model, set, state.q);
  EXPECT_EQ(m.lowest, 1);
  EXPECT_EQ(m.overconstraint, 1);
}

}  // namespace sinew::test
