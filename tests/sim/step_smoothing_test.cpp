// tests/sim/step_smoothing_test.cpp - derivatives of relaxed laws: closed forms at switches, and their limit
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "support/ball_world.hpp"
#include "support/scenario.hpp"
#include "support/step_differences.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

constexpr double kMass = 2, kStep = 1e-2;

// A ball on sliders along x and z, over a floor.
Model sliding_ball(double friction) {
  ModelBuilder b("ball");
  b.body("along"), b.body("ball").mass(solid_sphere(kMass, kRadius)).sphere(kRadius);
  b.prismatic("x", "world", "along").axis({1, 0, 0});
  b.prismatic("z", "along", "ball").axis({0, 0, 1});
  b.world().plane();
  for (ShapeSpec& s : b.spec().shapes) s.friction = friction;
  return b.build().value();
}

// The relaxed step of that ball, solved here by bisection: m (u - v) = dt f + p in both directions, with
// p_n (u_z + bias) = kappa and p_x = -mu p_n u_x / h.
struct RelaxedBall {
  double mu, kappa, recovery = 0.2;
  template <class Function>
  static double solve(double low, double high, Function f) {
    for (int i = 0; i < 200; ++i) ((f((low + high) / 2) > 0) ? high : low) = (low + high) / 2;
    return (low + high) / 2;
  }
  // The velocity at the end, along x or z.
  std::array<double, 2> step(double z, double vx, double vz, double fx) const {
    const double gap = z - kRadius, width = kStep * std::sqrt(kappa / kMass);
    const double bias = ((1 + recovery) / 2 * gap + (1 - recovery) / 2 * std::sqrt(gap * gap + width * width)) / kStep;
    const double free = vz - kGravity * kStep;
    const double uz = solve(-bias, 1e3, [&](double u) { return kMass * (u - free) - kappa / (u + bias); });
    const double p = kappa / (uz + bias), x = (uz + bias) / mu;
    const double ux = solve(-1e3, 1e3, [&](double u) {
      return kMass * (u - vx) - kStep * fx + mu * p * u / ((x + std::sqrt(x * x + 4 * u * u)) / 2);
    });
    return {ux, uz};
  }
};

}  // namespace

// At a gap of zero, with the slope between those of both sides: 0.8 of an overlap stays, nothing of a gap.
TEST(StepSmoothing, OfABallAtAGapOfZero) {
  const Model m = sliding_ball(0);
  Simulation s(m, plain_options(kStep));
  StepDerivatives d(s);
  for (const double kappa : {1e-3, 1e-6, 1e-9}) {
    d.options.smoothing = kappa;
    s.restart({{0, kRadius}, {0, 0}});
    const StepDerivativesReport& r = d.step();
    EXPECT_EQ(r.smoothing, kappa);
    EXPECT_EQ(r.at_switch, 1);
    EXPECT_TRUE(r.differentiable);
    EXPECT_NEAR(s.state.v[1], 0, 1e-15);  // the step itself is exact
    const RelaxedBall ball{1, kappa};
    const double bias = 0.4 * std::sqrt(kappa / kMass), u = ball.step(kRadius, 0, 0, 0)[1];
    const double p = kMass * (u + kGravity * kStep), gain = p / (u + bias), share = gain / (kMass + gain);
    EXPECT_NEAR(d.state()(1, 1), 1 - 0.6 * share, 1e-14);
    EXPECT_NEAR(d.state()(3, 3), 1 - share, 1e-14);
    EXPECT_GT(d.state()(1, 1), 0);
    EXPECT_LT(d.state()(1, 1), 0.8);
  }
}

// Pushed by as much as friction holds: stuck a push moves nothing, sliding it moves dt / m, relaxed something between.
TEST(StepSmoothing, OfABallBetweenStickingAndSliding) {
  const double mu = 0.4, most = mu * kMass * kGravity;
  const Model m = sliding_ball(mu);
  Simulation s(m, plain_options(kStep));
  StepDerivatives d(s);
  const double z = kRadius - 1e-5;
  for (const double push : {0.5 * most, most, 1.5 * most})
    for (const double kappa : {1e-2, 1e-4, 1e-6}) {
      d.options.smoothing = kappa;
      s.restart({{0, z}, {0, 0}}), s.applied = {push, 0};
      const StepDerivativesReport& r = d.step();
      EXPECT_TRUE(r.differentiable);
      const RelaxedBall ball{mu, kappa};
      const auto slope = [&](std::size_t out, double h, auto at_change) {
        return (at_change(h)[out] - at_change(-h)[out]) / (2 * h);
      };
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        EXPECT_NEAR(d.applied()(2 + k, 0), slope(k, 1e-4, [&](double h) { return ball.step(z, 0, 0, push + h); }),
                    1e-9);
        EXPECT_NEAR(d.state()(2 + k, 2), slope(k, 1e-6, [&](double h) { return ball.step(z, h, 0, push); }), 1e-7);
        EXPECT_NEAR(d.state()(2 + k, 3), slope(k, 1e-6, [&](double h) { return ball.step(z, 0, h, push); }), 5e-8);
        EXPECT_NEAR(d.state()(2 + k, 1), slope(k, 1e-8, [&](double h) { return ball.step(z + h, 0, 0, push); }), 1e-5);
      }
      EXPECT_GT(d.applied()(2, 0), 0);
      EXPECT_LT(d.applied()(2, 0), kStep / kMass);
      // By the friction coefficient.
      std::vector<double> by(4);
      d.calc_by_friction({by.data(), 4, 1});
      const auto with = [&](double h) { return RelaxedBall{mu + h, kappa}.step(z, 0, 0, push); };
      EXPECT_NEAR(by[2], slope(0, 1e-6, with), 1e-9);
      // By the height of the floor.
      std::vector<double> by_floor(24);
      d.calc_by_placement(1, {by_floor.data(), 4, 6});
      EXPECT_NEAR(by_floor[2 * 6 + 5], -d.state()(2, 1), 1e-13);
    }
}

// Dry friction f of a joint: m u = dt F + p,  u (f^2 - p^2) = -kappa p.  And a stop, p (u + gap / dt) = kappa.
TEST(StepSmoothing, OfDryFrictionAndStops) {
  ModelBuilder b("slider");
  b.gravity({});
  b.body("block").mass(solid_box(kMass, {0.1, 0.1, 0.1}));
  b.prismatic("slide", "world", "block").axis({1, 0, 0}).friction(3);
  const Model m = b.build().value();
  Simulation s(m, plain_options(kStep));
  StepDerivatives d(s, {.smoothing = 1e-5});
  const double f = 3 * kStep, kappa = 1e-5;
  for (const double push : {1.0, 3.0, 5.0}) {
    s.restart(make_state(m)), s.applied = {push};
    EXPECT_TRUE(d.step().differentiable);
    const double p =
        RelaxedBall::solve(-f, f, [&](double x) { return (kStep * push + x) / kMass * (f * f - x * x) + kappa * x; });
    const double u = (kStep * push + p) / kMass, room = f * f - p * p;
    // (kappa - 2 u p) dp + room du = 0,  m du = dt dF + dp.
    const double gain = room / (kappa - 2 * u * p);
    EXPECT_NEAR(d.applied()(1, 0), kStep / (kMass + gain), 1e-14);
  }
  ModelBuilder c("stop");
  c.gravity({});
  c.body("block").mass(solid_box(kMass, {0.1, 0.1, 0.1}));
  c.prismatic("slide", "world", "block").axis({1, 0, 0}).limits(-1, 0.5);
  const Model stopped = c.build().value();
  Simulation t(stopped, plain_options(kStep));
  StepDerivatives e(t, {.smoothing = kappa});
  for (const double speed : {0.5, 1.0, 2.0}) {  // at 1 m/s it just reaches the stop
    const double gap = kStep, width = kStep * std::sqrt(kappa / kMass);
    const double bias = (0.6 * gap + 0.4 * std::sqrt(gap * gap + width * width)) / kStep;
    t.restart({{0.5 - gap}, {speed}});
    EXPECT_TRUE(e.step().differentiable);
    const double u = RelaxedBall::solve(-10, bias, [&](double x) { return kMass * (x - speed) + kappa / (bias - x); });
    const double gain = kMass * (speed - u) / (bias - u);
    EXPECT_NEAR(e.state()(1, 1), kMass / (kMass + gain), 2e-13) << speed;
  }
}

// Away from switches the derivatives tend to the exact ones, and by as much as kappa is smaller.
TEST(StepSmoothing, TendsToTheExactDerivatives) {
  for (const char* scene : {"quadruped", "gripper"}) {
    const Model m = Scenario::load(scene).model();
    Simulation run(m, {.middle_forces = false, .refinements = 0});
    const KeyframeSpec& key = m.spec().keyframes[0];
    if (!key.q.empty()) run.state.q = key.q;
    if (!key.control.empty()) run.control = key.control;
    Random rng(2);
    int compared = 0;
    for (int i = 0; i < 30; ++i) {
      for (double& f : run.applied) f = (scene[0] == 'q' ? 3 : 0.3) * rng.uniform(-1, 1);
      for (int k = 0; k < 5; ++k) run.step();
      State start = run.state;
      std::vector<double> dq(start.v.size());
      for (double& x : dq) x = 2e-4 * rng.uniform(-1, 1);
      integrate(m, run.state.q, dq, 1, start.q);
      for (double& x : start.v) x += 0.05 * rng.uniform(-1, 1);
      const auto calc = [&](double kappa, StepDerivativesReport& r) {
        Simulation s(m, plain_options());
        s.restart(start), s.control = run.control, s.applied = run.applied;
        StepDerivatives d(s, {.smoothing = kappa});
        r = d.step();
        return std::vector<double>(d.state().data(), d.state().data() + d.state().rows() * d.state().cols());
      };
      StepDerivativesReport exact, relaxed;
      const std::vector<double> limit = calc(0, exact);
      bool near = !exact.differentiable;
      int pressing = 0;
      for (const StepRow& r : exact.rows) {
        near = near || r.distance < 1e-4 || r.gap < 5e-6;
        pressing += r.kind == StepRowKind::contact && r.mode != StepMode::open;
      }
      if (near || pressing == 0) continue;
      std::array<double, 3> off{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::vector<double> x = calc(1e-10 * std::pow(0.1, k), relaxed);
        EXPECT_TRUE(relaxed.differentiable);
        for (std::size_t j = 0; j < x.size(); ++j) off[k] = std::max(off[k], std::abs(x[j] - limit[j]));
      }
      ++compared;
      EXPECT_NEAR(std::log10(off[0] / off[1]), 1, 1e-2) << scene << ", state " << i << ": " << off[0] << ", " << off[1];
      EXPECT_NEAR(std::log10(off[1] / off[2]), 1, 1e-3) << scene << ", state " << i << ": " << off[1] << ", " << off[2];
    }
    EXPECT_GT(compared, 2) << scene;
  }
}

// A box on four points, whose share of the load is not unique: relaxed it is.
TEST(StepSmoothing, SharesTheLoadOfABoxInOneWay) {
  ModelBuilder b("box");
  b.body("box").mass(solid_box(kMass, {0.1, 0.1, 0.05})).box({0.1, 0.1, 0.05});
  b.free("free", "world", "box");
  b.world().plane();
  const Model m = b.build().value();
  Simulation s(m, plain_options(kStep));
  const State start{{1, 0, 0, 0, 0, 0, 0.05 - 1e-5}, {0, 0, 0.5, 0.3, 0, 0}};
  StepDerivatives d(s);
  s.restart(start);
  EXPECT_FALSE(d.step().unique);
  d.options.smoothing = 1e-6;
  s.restart(start);
  const StepDerivativesReport& r = d.step();
  EXPECT_TRUE(r.unique);
  EXPECT_EQ(r.rank, 12);
  EXPECT_TRUE(r.differentiable);
  d.options.smoothing = -1;
  EXPECT_THROW(d.step(), std::invalid_argument);
}

}  // namespace sinew::test
