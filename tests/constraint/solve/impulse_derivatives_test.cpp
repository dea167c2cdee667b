// tests/constraint/solve/impulse_derivatives_test.cpp - derivatives of the velocity after an impact and of its impulses
#include <gtest/gtest.h>

#include "constraint/solve/differences.hpp"
#include "sinew/model/builder.hpp"
#include "support/closed_loops.hpp"
#include "support/loop_mechanisms.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

// v after an impact and the impulses, against differences of constrained_impulse.
void expect_impulse_slopes(const Model& m, const ConstraintSet& set, const TreeState& s, Random& rng, bool with_target,
                           const Allowed& n, const std::source_location& where = std::source_location::current()) {
  const Column target = with_target ? random_numbers(rng, set.rows()) : Column();
  ConstrainedDerivativesWorkspace ws(m, set);
  SlopesOutcome got(m.nv(), set.rows());
  const DerivativeCertificate& done =
      calc_impulse_derivatives(m, set, ws, s.q, s.v, s.a, target, got.a, got.lambda, got.impulse_views(), 0.3);
  ASSERT_EQ(done.status, DerivativeStatus::exact) << to_string(done.status);
  ConstrainedWorkspace plain(m, set);
  const Column zero(s.v.size());
  for (const int which : {0, 1, 2}) {
    SCOPED_TRACE(which);
    const Column x = random_numbers(rng, m.nv());
    const auto solve = [&](double step) {
      TreeState t = s;
      if (which == 0) integrate(m, s.q, x, step, t.q);
      for (std::size_t i = 0; i < x.size() && which > 0; ++i) (which == 1 ? t.v : t.a)[i] += step * x[i];
      Column after(x.size()), P(at(set.rows()));
      constrained_impulse(m, set, plain, t.q, t.v, t.a, target, after, P, 0.3);
      after.insert(after.end(), P.begin(), P.end());
      return after;
    };
    const Column want = romberg(solve, kFar);
    const Column have = which == 0   ? times(got.a_q, got.lambda_q, x)
                        : which == 1 ? times(got.a_v, got.lambda_v, x)
                                     : times(got.a_tau, got.lambda_tau, x);
    const double scale = scale_of(m, s.q, {&want, &got.a, &got.lambda});
    EXPECT_TRUE(near(have, want, n, scale, kFarError, where));
  }
}
TEST(ImpulseDerivatives, AreThoseOfDifferences) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const SlopesTree tree(seed);
    const Model& m = tree.model;
    Random rng(seed + 21);
    const TreeState s = random_state(m, rng);
    const std::vector<JointKind> kinds = loop_kinds();
    MaskConstraint point;
    point.name = "point", point.body_b = m.bodies().back().name;
    point.blocked = {0, 0, 0, 1, 1, 1}, point.pose_b = random_pose(rng);
    point.laws = {[](double t) { return MotionSample{t, 1, 0}; }, {}, {}};
    const LoopSpec loop = closed_loop(m, kinds[seed % kinds.size()], s.q, rng, "loop");
    const ConstraintSet set = seed % 2 == 0 ? ConstraintSet(m, {point}) : ConstraintSet(m, {loop});
    ConstrainedWorkspace ws(m, set);
    Column after(s.v.size()), P(at(set.rows()));
    const SolveCertificate& c = constrained_impulse(m, set, ws, s.q, s.v, s.a, {}, after, P, 0.3);
    if (c.status != SolveStatus::solved || c.rank < set.rows() || c.least_row < 0.05) continue;
    ++compared;
    expect_impulse_slopes(m, set, s, rng, seed % 3 == 0, 1000);
  }
  EXPECT_GT(compared, 8);
}
// Redundant rows: the planar four-bar is stopped by its pin.
TEST(ImpulseDerivatives, OfRedundantRows) {
  const LoopState l(mechanisms::four_bar());
  Random rng(6);
  TreeState s = l.s;
  s.v = random_numbers(rng, l.model.nv()), s.a = l.tau;
  expect_impulse_slopes(l.model, l.set, s, rng, false, 5);
}
// A rod of length 2 l, caught at one end: v+ of the turn is 3/4 of w + v / l.
TEST(ImpulseDerivatives, OfARodCaughtByItsEnd) {
  ModelBuilder b("rod");
  const double mass = 3, length = 2, I = mass * length * length / 12;
  b.body("rod").mass(mass, {length / 2, 0, 0}, {1e-9, 0, 0, I, 0, I});
  b.free("base", "world", "rod");
  const Model m = b.build().value();
  MaskConstraint hook;
  hook.name = "hook", hook.body_b = "rod", hook.blocked = {0, 0, 0, 1, 1, 1};
  const ConstraintSet set(m, {hook});
  ConstrainedDerivativesWorkspace ws(m, set);
  SlopesOutcome got(6, 3);
  const Column q(m.neutral().begin(), m.neutral().end());
  EXPECT_EQ(calc_impulse_derivatives(m, set, ws, q, Column{0, 0, 0, 0, 0, -1.7}, {}, {}, got.a, got.lambda,
                                     got.impulse_views())
                .status,
            DerivativeStatus::exact);
  EXPECT_TRUE(near(got.a_v(1, 5), -1.5 / length, 20));  // of the turn about y with the speed along z
  EXPECT_TRUE(near(got.lambda_v(2, 5), -mass / 4, 20));
  EXPECT_TRUE(near(got.a_v(1, 1), 1.0, 20));
  EXPECT_TRUE(near(got.a_tau(1, 1), 3 / (mass * length * length), 20));
}

}  // namespace
}  // namespace sinew::test
