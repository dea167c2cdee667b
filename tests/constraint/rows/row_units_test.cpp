// tests/constraint/rows/row_units_test.cpp - what is said of rows does not depend on the units they are written in
#include <numeric>

#include "sinew/model/builder.hpp"
#include "support/loop_mechanisms.hpp"

namespace sinew::test {
namespace {

// The rows of another set, each times a factor.
class ScaledRows : public CustomConstraint {
 public:
  ScaledRows(const Model& m, ConstraintSet set, Numbers factors)
      : set_(std::move(set)), rows_(m, set_), factors_(std::move(factors)) {}
  std::string name() const override { return "scaled"; }
  int rows() const override { return set_.rows(); }
  std::vector<delassus::Entry> entries(const Model&) const override {
    return {set_.problem().entries().begin(), set_.problem().entries().end()};
  }
  void calc(const ConstraintState& s, const ConstraintOutput& out) const override {
    calc_constraint_rows(s.model, set_, rows_, s.q, s.v, s.time);
    const auto entries = set_.problem().entries();
    for (std::size_t e = 0; e < entries.size(); ++e) out.K[e] = factors_[entries[e].row] * rows_.K[e];
    for (std::size_t r = 0; r < factors_.size(); ++r) {
      out.k[r] = factors_[r] * rows_.k[r];
      out.position[r] = factors_[r] * rows_.position[r];
      out.velocity[r] = factors_[r] * rows_.velocity[r];
    }
  }

 private:
  ConstraintSet set_;
  mutable ConstraintRows rows_;
  Numbers factors_;
};
ConstraintSet scaled(const Model& m, ConstraintSet set, const Numbers& factors) {
  return ConstraintSet(m, {std::make_shared<const ScaledRows>(m, std::move(set), factors)}, false);
}
constexpr ProximalOptions kPerRow{.per_row = true};

MaskConstraint held(const Model& m, const std::string& name, int body, const Numbers& q) {
  MaskConstraint out;
  out.name = name;
  out.body_b = m.bodies()[body].name;
  out.blocked = {false, false, false, true, false, true};
  KinematicsWorkspace<double> kinematics(m);
  calc_kinematics(m, kinematics, q);
  out.pose_a = get_body_pose(m, kinematics, body);
  return out;
}

}  // namespace

TEST(RowUnits, DoNotChangeTheMotionNorTheRank) {
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const LoopState l(c.spec);
    Numbers factors(static_cast<std::size_t>(l.set.rows()), 1.0), want(l.s.v.size()), got(want), lambda(factors);
    for (std::size_t r = 1; r < factors.size(); r += 3) factors[r] = 1e6;
    const ConstraintSet set = scaled(l.model, ConstraintSet(l.model), factors);
    ConstrainedWorkspace plain(l.model, l.set);
    constrained_forward_dynamics(l.model, l.set, plain, l.s.q, l.s.v, l.tau, want, lambda);
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      ConstrainedWorkspace ws(l.model, set, {.method = method, .proximal = kPerRow});
      const SolveCertificate& s = constrained_forward_dynamics(l.model, set, ws, l.s.q, l.s.v, l.tau, got, lambda);
      EXPECT_EQ(s.status, SolveStatus::solved) << to_string(s.status);
      EXPECT_TRUE(s.rank == c.rank || s.rank == -1) << s.rank;
      EXPECT_TRUE(near(got, want, 1, std::max(1.0, largest(want)), 1e-12));
    }
  }
}

// Two rows that contradict each other by 2 mm/s^2, and next to them rows of 1e6 times the units on something fast.
TEST(RowUnits, HideNoContradiction) {
  ModelBuilder b("two");
  for (const std::string arm : {"slow", "fast"})
    for (int i = 0; i < 3; ++i) {
      const std::string body = arm + std::to_string(i);
      b.body(body).mass(solid_box(1, {0.1, 0.1, 0.4}), make_placement({0, 0, 0.2}));
      b.revolute(body + ".joint", i == 0 ? "world" : arm + std::to_string(i - 1), body)
          .at({0, i == 0 && arm == "fast" ? 2.0 : 0.0, i == 0 ? 0.0 : 0.4})
          .axis({0, 1, 0});
    }
  const Model m = b.build().value();
  const Numbers q{0.4, -0.7, 0.9, 0.3, 0.8, -0.5}, v{0, 0, 0, 3, -2, 4};
  const MaskConstraint still = held(m, "still", *m.find_body("slow2"), q),
                       fast = held(m, "fast", *m.find_body("fast2"), q);
  MaskConstraint moving = still;
  moving.name = "moving";
  moving.laws = {[](double t) { return MotionSample{1e-3 * t * t, 2e-3 * t, 2e-3}; }, MotionLaw{}};
  const auto make = [&] { return ConstraintSet(m, {still, moving, fast}); };
  const Numbers none(6);
  for (const Numbers& factors : {Numbers{1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1e6, 1e6}, {1, 1, 1e6, 1, 1, 1e6}}) {
    const ConstraintSet set = scaled(m, make(), factors);
    for (const ConstrainedMethod method : kMethods) {
      SCOPED_TRACE(to_string(method));
      ConstrainedWorkspace ws(m, set, {.method = method, .proximal = kPerRow});
      Numbers qdd(6), lambda(6);
      const SolveCertificate& c = constrained_forward_dynamics(m, set, ws, q, v, none, qdd, lambda);
      EXPECT_EQ(c.status, SolveStatus::inconsistent) << to_string(c.status);
      // By iteration what a contradiction leaves lies on the row of the smaller units alone.
      const auto has = [&](int r) { return std::count(c.contradicting.begin(), c.contradicting.end(), r) > 0; };
      EXPECT_TRUE(has(0)) << testing::PrintToString(c.contradicting);
      EXPECT_TRUE(has(2) || (c.rank == -1 && factors[2] > 1)) << testing::PrintToString(c.contradicting);
      EXPECT_FALSE(has(1) || has(3) || has(4) || has(5)) << testing::PrintToString(c.contradicting);
    }
  }
}

}  // namespace sinew::test
