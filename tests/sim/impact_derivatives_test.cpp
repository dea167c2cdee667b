// tests/sim/impact_derivatives_test.cpp - derivatives of steps in which bodies bounce: closed forms, then differences
#include <gtest/gtest.h>

#include <map>

#include "sinew/base/random.hpp"
#include "sinew/model/builder.hpp"
#include "support/ball_world.hpp"
#include "support/step_differences.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// Balls of radius 0.1 m and 2 kg on a line, each on a slider along x or on a free joint; no gravity.
Model balls_on_a_line(int balls, double restitution, bool free) {
  ModelBuilder b("balls");
  b.gravity({});
  for (int i = 0; i < balls; ++i) {
    const std::string name = fmt::format("ball{}", i);
    b.body(name).mass(solid_sphere(2, 0.1)).sphere(0.1);
    if (free)
      b.free(name, "world", name);
    else
      b.prismatic(name, "world", name).axis({1, 0, 0});
  }
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0, s.restitution = restitution;
  return b.build().value();
}

// The product of the derivatives of steps until `end`, rows and columns dq, dv.
class Trajectory {
 public:
  Trajectory(Simulation& s, double end) : n(2 * at(s.model().nv())), product(n * n) {
    StepDerivatives d(s);
    for (std::size_t i = 0; i < n; ++i) product[i * n + i] = 1;
    std::vector<double> next(n * n);
    while (s.state.time < end - 1e-9) {
      const StepDerivativesReport& r = d.step();
      impacts += r.impacts, at_switch += r.at_switch, falling += r.falling;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          next[i * n + j] = 0;
          for (std::size_t k = 0; k < n; ++k) next[i * n + j] += d.state()(i, k) * product[k * n + j];
        }
      product = next;
    }
  }
  double operator()(std::size_t i, std::size_t j) const { return product[i * n + j]; }

  std::size_t n;
  std::vector<double> product;
  int impacts = 0, at_switch = 0, falling = 0;
};

}  // namespace

// The second ball ends at v0 T + x1 + 2 r: its gradient in (x1, x2, v0, u0) is (1, 0, T, 0), whatever the step.
TEST(ImpactDerivatives, TwoEqualBallsExchangeTheirFutures) {
  for (const bool free : {false, true})
    for (const double dt : {1.0, 0.05, 0.01, 0.0078125}) {
      const Model m = balls_on_a_line(2, 1, free);
      Simulation s(m, plain_options(dt));
      if (free)
        s.state.q = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0.52, 0, 0}, s.state.v[3] = 1;
      else
        s.state.q = {0, 0.52}, s.state.v = {1, 0};
      const Trajectory t(s, 1);
      EXPECT_EQ(t.impacts, 1);
      EXPECT_EQ(t.at_switch, 0);
      const std::size_t one = free ? 3 : 0, two = free ? 9 : 1, n = free ? 12 : 2;
      EXPECT_NEAR(s.state.q[free ? 11 : 1], 1.2, 2e-14);
      EXPECT_NEAR(t(two, one), 1, 1e-14) << free << ", dt " << dt;
      EXPECT_NEAR(t(two, two), 0, 1e-14) << free << ", dt " << dt;
      EXPECT_NEAR(t(two, n + one), 1, 2e-14) << free << ", dt " << dt;
      EXPECT_NEAR(t(two, n + two), 0, 1e-14) << free << ", dt " << dt;
      // And the first ends where the second would have been, less 2 r.
      EXPECT_NEAR(t(one, one), 0, 1e-14);
      EXPECT_NEAR(t(one, two), 1, 1e-14);
      EXPECT_NEAR(t(one, n + two), 1, 1e-14);
      EXPECT_NEAR(t(n + two, n + one), 1, 1e-14);
    }
}

// With restitution e and relative speed w: v2 = v0 (1 + e) / 2 + u0 (1 - e) / 2, the impact at (x2 - x1 - 2 r) / w.
TEST(ImpactDerivatives, OfTwoBallsWithRestitution) {
  const double e = 0.6, v0 = 1.1, u0 = -0.3, x2 = 0.52, T = 1, w = v0 - u0, t = (x2 - 0.2) / w;
  const Model m = balls_on_a_line(2, e, false);
  Simulation s(m, plain_options(0.02));
  s.state.q = {0, x2}, s.state.v = {v0, u0};
  const Trajectory d(s, T);
  const double after = v0 * (1 + e) / 2 + u0 * (1 - e) / 2, jump = after - u0;
  EXPECT_NEAR(s.state.q[1], x2 + u0 * t + after * (T - t), 2e-14);
  EXPECT_NEAR(d(1, 0), jump / w, 1e-14);
  EXPECT_NEAR(d(1, 1), 1 - jump / w, 1e-14);
  EXPECT_NEAR(d(1, 2), jump * t / w + (T - t) * (1 + e) / 2, 1e-14);
  EXPECT_NEAR(d(1, 3), t - jump * t / w + (T - t) * (1 - e) / 2, 1e-14);
}

// A cradle of four balls, a millimetre apart: each impact hands place and velocity on. The last ball ends where the
// first would, three diameters further; the others end in the places of their neighbours.
TEST(ImpactDerivatives, OfACradle) {
  for (const double dt : {0.5, 0.01, 1e-3}) {
    const Model m = balls_on_a_line(4, 1, false);
    Simulation s(m, plain_options(dt));
    s.state.q = {0, 0.301, 0.502, 0.703}, s.state.v = {1, 0, 0, 0};
    const Trajectory t(s, 0.5);
    EXPECT_EQ(t.impacts, 3);
    EXPECT_EQ(t.at_switch, 0);
    EXPECT_NEAR(s.state.q[3], 0.5 + 0.6, 2e-13);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        const double one = j == (i + 1) % 4 ? 1 : 0;
        EXPECT_NEAR(t(i, j), one, 1e-14) << i << ", " << j << ", dt " << dt;
        EXPECT_NEAR(t(i, 4 + j), 0.5 * one, 2e-14) << i << ", " << j << ", dt " << dt;
        EXPECT_NEAR(t(4 + i, 4 + j), one, 1e-14);
        EXPECT_NEAR(t(4 + i, j), 0, 1e-14);
      }
  }
}

// A ball that falls on its parabola and bounces on the floor. Bounce k has the speed e^k w, w^2 = v^2 + 2 g (z - r);
// with t1 = (v + w) / g, bounces are at t1, t1 + 2 e w / g, ...; it would rest at t1 + 2 e w / (g (1 - e)).
TEST(ImpactDerivatives, OfABouncingBall) {
  const double e = 0.7, g = kGravity, r = 0.1, z = 0.6, v = 0.4, T = 1.4;
  ModelBuilder b("bouncing_ball");
  b.body("ball").mass(solid_sphere(2, r)).sphere(r);
  b.free("ball", "world", "ball");
  b.world().plane();
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0, s.restitution = e;
  const Model m = b.build().value();
  Simulation s(m, plain_options(0.01));
  s.state.q[6] = z, s.state.v[5] = v;
  const Trajectory d(s, T);
  EXPECT_EQ(d.at_switch, 0);
  EXPECT_GT(d.falling, 0);
  const int bounces = d.impacts;
  ASSERT_EQ(bounces, 4);
  // By w and t1, then by z and v.
  const double w = std::sqrt(v * v + 2 * g * (z - r)), first = (v + w) / g;
  double sum = 0, after = w;
  for (int k = 1; k <= bounces; ++k) after *= e, sum += k < bounces ? 2 * after / g : 0;
  const double left = T - first - sum;
  EXPECT_NEAR(s.state.q[6], r + after * left - g * left * left / 2, 1e-14);
  EXPECT_NEAR(s.state.v[5], after - g * left, 5e-14);
  const auto by = [&](double dw, double dt1) {
    const double d_after = after / w * dw, d_left = -dt1 - sum / w * dw;
    return std::array{d_after * left + (after - g * left) * d_left, d_after - g * d_left};
  };
  const auto by_z = by(g / w, 1 / w), by_v = by(v / w, (1 + v / w) / g);
  EXPECT_NEAR(d(5, 5), by_z[0], 5e-14);
  EXPECT_NEAR(d(11, 5), by_z[1], 2e-12);
  EXPECT_NEAR(d(5, 11), by_v[0], 1e-14);
  EXPECT_NEAR(d(11, 11), by_v[1], 2e-13);
  // The time of rest from the end of the run: with w' there, T + (v' + w') / g + 2 e w' / (g (1 - e)).
  const double v1 = s.state.v[5], w1 = std::sqrt(v1 * v1 + 2 * g * (s.state.q[6] - r)), rest = 2 * e / (g * (1 - e));
  const auto rest_by = [&](double dz, double dv) {
    const double dw = (v1 * dv + g * dz) / w1;
    return (dv + dw) / g + rest * dw;
  };
  EXPECT_NEAR(rest_by(d(5, 5), d(11, 5)), 1 / w + rest * g / w, 5e-13);
  EXPECT_NEAR(rest_by(d(5, 11), d(11, 11)), (1 + v / w) / g + rest * v / w, 1e-13);
}

// A ball that slides first and then rolls, on joints along x and z and a hinge: v + 2/5 r w is kept, so that it ends at
// 5/7 v0 + 2/7 r w0. It slides in n of N steps: x = dt (sum of v0 - k mu g dt, k = 1 .. n) + (N - n) dt v_end.
TEST(ImpactDerivatives, OfSlidingThatBecomesRolling) {
  const double dt = 1e-3, mu = 0.3, r = 0.1, v0 = 0.5, w0 = -1, T = 0.2;
  ModelBuilder b("ball");
  b.body("along"), b.body("up");
  b.body("ball").mass(solid_sphere(2, r)).sphere(r);
  b.prismatic("x", "world", "along").axis({1, 0, 0});
  b.prismatic("z", "along", "up").axis({0, 0, 1});
  b.revolute("turn", "up", "ball").axis({0, 1, 0});
  b.world().plane();
  for (ShapeSpec& s : b.spec().shapes) s.friction = mu;
  const Model m = b.build().value();
  SimulationOptions o = plain_options(dt);
  o.recovery = 1;  // no corner at a gap of zero
  Simulation s(m, o);
  s.state.q = {0, r, 0}, s.state.v = {v0, 0, w0};
  const Trajectory d(s, T);
  const double rolls = 5. / 7 * v0 + 2. / 7 * r * w0;
  const int steps = 200, sliding = static_cast<int>((v0 - rolls) / (mu * kGravity * dt));
  ASSERT_GT(sliding, 20);
  ASSERT_LT(sliding, 180);
  EXPECT_EQ(d.at_switch, 0);
  EXPECT_NEAR(s.state.v[0], rolls, 2e-14);
  EXPECT_NEAR(d(3, 3), 5. / 7, 1e-14);
  EXPECT_NEAR(d(3, 5), 2. / 7 * r, 1e-14);
  EXPECT_NEAR(d(5, 3), 5. / 7 / r, 1e-13);
  EXPECT_NEAR(d(0, 3), dt * (sliding + (steps - sliding) * 5. / 7), 2e-14);
  EXPECT_NEAR(d(0, 5), dt * (steps - sliding) * 2. / 7 * r, 1e-14);
}

// By restitution: v2 = v0 (1 + e) / 2 + u0 (1 - e) / 2 for the rest of the step, and the opposite for the first ball.
TEST(ImpactDerivatives, ByRestitution) {
  const double e = 0.6, v0 = 1.1, u0 = -0.3, x2 = 0.52, dt = 1, w = v0 - u0, t = (x2 - 0.2) / w;
  const Model m = balls_on_a_line(2, e, false);
  Simulation s(m, plain_options(dt));
  s.state.q = {0, x2}, s.state.v = {v0, u0};
  StepDerivatives d(s);
  ASSERT_EQ(d.step().impacts, 1);
  std::vector<double> by(4);
  d.calc_by_restitution({by.data(), 4, 1});
  EXPECT_NEAR(by[0], -(dt - t) * w / 2, 1e-14);
  EXPECT_NEAR(by[1], (dt - t) * w / 2, 1e-14);
  EXPECT_NEAR(by[2], -w / 2, 1e-14);
  EXPECT_NEAR(by[3], w / 2, 1e-14);
}

namespace {
// A ball over a floor, on a slider or free.
Model ball_on_floor(bool slides, double e) {
  ModelBuilder b("ball");
  b.body("ball").mass(solid_sphere(2, 0.1)).sphere(0.1);
  if (slides)
    b.prismatic("z", "world", "ball").axis({0, 0, 1});
  else
    b.free("z", "world", "ball");
  b.world().plane();
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.3, s.restitution = e;
  return b.build().value();
}
SimulationOptions options_without_corner() {
  SimulationOptions o = plain_options(0.01);
  o.recovery = 1;  // no corner at a gap of zero
  return o;
}
}  // namespace

// A ball that bounces lower and lower, and in the end lies on the floor: whatever it did before, it ends there.
TEST(ImpactDerivatives, OfABallThatComesToRest) {
  for (const bool slides : {true, false}) {
    const Model m = ball_on_floor(slides, 0.5);
    Simulation s(m, options_without_corner());
    const std::size_t z = slides ? 0 : 5;
    s.state.q[slides ? 0 : 6] = 0.3;
    const Trajectory t(s, 1);
    EXPECT_GT(t.impacts, 3);
    EXPECT_EQ(t.at_switch, 0);
    EXPECT_NEAR(s.state.q[slides ? 0 : 6], 0.1, 1e-15);
    for (std::size_t k = 0; k < t.n; ++k) {
      EXPECT_NEAR(t(z, k), 0, 1e-14) << k;
      EXPECT_NEAR(t(t.n / 2 + z, k), 0, 1e-14) << k;
    }
  }
}

// Its last bounces: it falls back within the step, and presses.
TEST(ImpactDerivatives, OfABallThatBouncesAndPressesAreThoseOfDifferences) {
  for (const bool slides : {true, false}) {
    const Model m = ball_on_floor(slides, 0.1);
    Differences d(m, options_without_corner());
    const std::size_t z = slides ? 0 : 5;
    std::vector<double> applied(at(m.nv()), 0.1);  // off its parabola
    int both = 0;
    for (int i = 0; i < 20; ++i) {
      State s = make_state(m);
      s.q[slides ? 0 : 6] = 0.1 + 1e-4 * (1 + i % 5);
      if (!slides) s.v = {1, 2, -1, 0.3, 0.1, 0};
      s.v[z] = -0.17 - 0.02 * i;
      const auto r = d.compare(s, {}, applied);
      ASSERT_TRUE(r) << d.refused;
      if (!r->differentiable || !r->same_modes || r->close) continue;
      const std::vector<StepRow>& rows = d.derivatives->report().rows;
      const bool presses = std::any_of(rows.begin(), rows.end(), [](const StepRow& x) {
        return x.kind == StepRowKind::contact && x.mode != StepMode::open;
      });
      both += presses && d.derivatives->report().impacts > 0;
      EXPECT_TRUE(is_small(r->worst, 2e-7)) << (slides ? "slider" : "free") << ", state " << i << ": " << r->where;
    }
    EXPECT_GT(both, 5);
  }
}

// At the speed below which nothing bounces it is at a switch, on both sides of which it says how far that is.
TEST(ImpactDerivatives, OfTheLastBounceAreAtASwitch) {
  const Model m = ball_on_floor(true, 0.5);
  Simulation s(m, options_without_corner());
  StepDerivatives d(s);
  const double dt = 0.01, gap = 3e-4, g = kGravity, slow = s.options().rest_speed;
  const double v = g * dt / 2 - std::sqrt(slow * slow - 2 * g * gap);  // half a step behind its time
  for (const double faster : {-1e-3, -1e-9, 1e-9, 1e-3}) {
    s.restart({{0.1 + gap}, {v - faster}});
    const StepDerivativesReport& r = d.step();
    const double from = std::sqrt(slow * slow - 2 * g * gap) + faster, speed = std::sqrt(from * from + 2 * g * gap);
    EXPECT_EQ(r.impacts, faster > 0 ? 1 : 0);
    EXPECT_EQ(r.at_switch, std::abs(faster) < 1e-6 ? 1 : 0);
    EXPECT_EQ(r.differentiable, std::abs(faster) > 1e-6);
    double least = 1;
    for (const StepRow& row : r.rows)
      if (!row.before) least = std::min(least, row.distance);
    EXPECT_NEAR(least, std::abs(speed - slow), 2e-14);
  }
}

// A cart that slides or stands on three feet, with a mast on a servo that may be at its stop or at its limit of force,
// while a ball hits one of them: rows press before and after the impact.
TEST(ImpactDerivatives, OfACartThatIsHitAreThoseOfDifferences) {
  ModelBuilder b("cart");
  auto cart = b.body("cart").mass(solid_box(3, {0.2, 0.15, 0.05}), make_placement({0.01, 0.02, 0}));
  cart.box({0.2, 0.15, 0.05});
  for (const Vec3<double>& foot : {Vec3<double>{0.18, 0, -0.05}, {-0.18, 0.13, -0.05}, {-0.18, -0.13, -0.05}})
    cart.sphere(0.02, make_placement(foot));
  b.body("mast")
      .mass(solid_box(0.5, {0.02, 0.02, 0.2}), make_placement({0, 0, 0.2}))
      .capsule(0.02, 0.2, make_placement({0, 0, 0.25}));
  b.body("ball").mass(solid_sphere(0.5, 0.06)).sphere(0.06);
  b.free("cart", "world", "cart");
  b.revolute("mast", "cart", "mast").axis({0, 1, 0}).at({0, 0, 0.05}).limits(-0.4, 0.4);
  b.free("ball", "world", "ball");
  b.position_servo("servo", "mast", 20, 1);
  b.spec().actuators[0].force_lower = -1.5, b.spec().actuators[0].force_upper = 1.5;
  b.world().plane();
  for (ShapeSpec& s : b.spec().shapes) s.friction = 0.3, s.restitution = s.kind == ShapeKind::plane ? 0 : 0.6;
  const Model m = b.build().value();
  const double dt = 4e-3;
  Differences d(m, plain_options(dt));
  Random rng(11);
  int compared = 0, skipped = 0, close = 0, before = 0, after = 0, stops = 0, limited = 0;
  double worst = 0;
  std::map<std::string, int> refused;
  for (int i = 0; i < 60; ++i) {
    State s = make_state(m);
    std::vector<double> dq(at(m.nv()));
    for (double& x : dq) x = 2e-4 * rng.uniform(-1, 1);
    dq[5] += 0.07 - 1e-4, dq[6] = i % 3 == 0 ? 0.4 - rng.uniform(0, 4e-3) : rng.uniform(-0.3, 0.3);
    dq[10] = rng.uniform(-0.15, 0.15), dq[11] = rng.uniform(-0.1, 0.1);
    dq[12] = 0.12 + 0.06 + rng.uniform(0, 8e-3);  // above the cart
    if (i % 2 == 1)
      dq[10] = -0.08 - rng.uniform(0, 8e-3) + 0.3 * std::sin(dq[6]), dq[11] = 0, dq[12] = 0.37;  // the mast
    integrate(m, make_state(m).q, dq, 1, s.q);
    for (double& x : s.v) x = 0.1 * rng.uniform(-1, 1);
    s.v[3] = rng.uniform(-1, 1), s.v[6] = i % 3 == 0 ? rng.uniform(0, 2) : rng.uniform(-1, 1);
    if (i % 2 == 1)
      s.v[10] = 3;
    else
      s.v[12] = -3;
    const auto r = d.compare(s, {rng.uniform(-0.1, 0.1)}, std::vector<double>(at(m.nv()), 0.1));
    if (!r) {
      ++refused[d.refused];
      continue;
    }
    const StepDerivativesReport& report = d.derivatives->report();
    if (report.impacts == 0 || !r->same_modes || r->close || !r->differentiable) {
      ++skipped;
      continue;
    }
    // Differences move impulses by 1e-5 N s, gaps by 2e-6 m, slips by 1e-4 m/s.
    const auto near = [](const StepRow& x) {
      return x.gap < 1e-5 || (x.kind == StepRowKind::impact && x.distance < (x.mode == StepMode::slides ? 2e-3 : 5e-5));
    };
    if (std::any_of(report.rows.begin(), report.rows.end(), near)) {
      ++close;
      continue;
    }
    const auto any = [&](auto has) { return std::any_of(report.rows.begin(), report.rows.end(), has) ? 1 : 0; };
    const auto presses = [](const StepRow& x) { return x.kind == StepRowKind::contact && x.mode != StepMode::open; };
    before += any([&](const StepRow& x) { return x.before && presses(x); });
    after += any([&](const StepRow& x) { return !x.before && presses(x); });
    stops += any([&](const StepRow& x) { return x.kind == StepRowKind::stop && x.mode == StepMode::presses; });
    limited += any([&](const StepRow& x) { return x.mode == StepMode::limited; });
    ++compared, worst = std::max(worst, r->worst);
    EXPECT_TRUE(is_small(r->worst, 1e-6)) << "state " << i << ": " << r->where;
  }
  fmt::print(
      "{} compared, {} press before and {} after, {} with a stop, {} limited, worst {:.1e}; {} skipped, {} close\n",
      compared, before, after, stops, limited, worst, skipped, close);
  for (const auto& [why, count] : refused) fmt::print("  {} refused: {}\n", count, why);
  EXPECT_GT(compared, 30);
}

// A foot slides on the floor until a ball lifts it, from below and askew: friction before the impact changes the
// impact. And it falls on a ball that gives it less than it takes away, so that it presses after the impact.
TEST(ImpactDerivatives, ByFrictionAndRestitutionWhereRowsPress) {
  const auto make = [](double mu, double e) {
    ModelBuilder b("foot");
    b.body("along"), b.body("foot").mass(solid_sphere(2, 0.1)).sphere(0.1).sphere(0.1, make_placement({0, 0, 1}));
    b.body("ball").mass(solid_sphere(1, 0.1)).sphere(0.1);
    b.prismatic("x", "world", "along").axis({1, 0, 0});
    b.prismatic("z", "along", "foot").axis({0, 0, 1});
    b.prismatic("ball", "world", "ball").axis({0, 0, 1}).at({0.15, 0, 0});
    b.world().plane();
    for (ShapeSpec& s : b.spec().shapes) s.friction = 0, s.restitution = 0;
    b.spec().shapes[0].friction = mu, b.spec().shapes[1].restitution = e;
    return b.build().value();
  };
  // Heights of foot and ball, and velocities: lifted, then pressed down.
  const std::array<std::array<double, 5>, 2> states{
      {{0.1 - 1e-5, 0.1 + 1 - std::sqrt(0.04 - 0.15 * 0.15) - 2e-3, 1, 0, 2},
       {0.1 - 1e-5, 0.1 + 1 + std::sqrt(0.04 - 0.15 * 0.15) + 2e-3, 1, 0, -2}}};
  for (const auto& x : states) {
    const auto step = [&](double mu, double e, auto read) {
      const Model m = make(mu, e);
      Simulation s(m, plain_options(5e-3));
      s.state.q = {0, x[0], x[1]}, s.state.v = {x[2], x[3], x[4]};
      StepDerivatives d(s);
      const StepDerivativesReport& r = d.step();
      EXPECT_TRUE(r.differentiable);
      return read(s, d, r);
    };
    const auto end = [](const Simulation& s, const StepDerivatives&, const StepDerivativesReport&) {
      std::vector<double> out = s.state.q;
      out.insert(out.end(), s.state.v.begin(), s.state.v.end());
      return out;
    };
    step(0.3, 0.6, [&](const Simulation& s, const StepDerivatives& d, const StepDerivativesReport& r) {
      const std::size_t contacts = s.contacts().size(), impacts = at(r.impacts);
      std::vector<double> by_mu(6 * contacts), by_e(6 * impacts);
      d.calc_by_friction({by_mu.data(), 6, contacts});
      d.calc_by_restitution({by_e.data(), 6, impacts});
      std::size_t foot = 0, hit = impacts;
      while (s.contacts()[foot].friction == 0) ++foot;
      for (const StepRow& row : r.rows)
        if (row.kind == StepRowKind::impact && row.mode == StepMode::presses) hit = at(row.index);
      EXPECT_LT(hit, impacts);
      const double h = 1e-4;
      const std::vector<double> more = step(0.3 + h, 0.6, end), less = step(0.3 - h, 0.6, end),
                                faster = step(0.3, 0.6 + h, end), slower = step(0.3, 0.6 - h, end);
      for (std::size_t k = 0; k < 6; ++k) {
        // Pressed down, friction in the impact counts too, which is no part of it.
        const double friction = x[4] > 0 ? (more[k] - less[k]) / (2 * h) : by_mu[k * contacts + foot];
        EXPECT_NEAR(by_mu[k * contacts + foot], friction, 2e-10) << k;
        EXPECT_NEAR(by_e[k * impacts + hit], (faster[k] - slower[k]) / (2 * h), 1e-10) << k;
      }
      EXPECT_TRUE(std::any_of(r.rows.begin(), r.rows.end(),
                              [](const StepRow& row) { return row.before && row.mode == StepMode::slides; }));
      return 0;
    });
  }
}

// Free bodies that meet the floor, and each other, askew, with spin, friction and restitution.
TEST(ImpactDerivatives, AreThoseOfDifferences) {
  Random rng(4);
  for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::box, ShapeKind::capsule}) {
    ModelBuilder b("bounce");
    for (const char* name : {"one", "two"}) {
      auto body = b.body(name).mass(solid_box(2, {0.2, 0.15, 0.1}), make_placement({0.02, 0.01, -0.01}));
      if (kind == ShapeKind::sphere) body.sphere(0.1);
      if (kind == ShapeKind::box) body.box({0.1, 0.08, 0.05});
      if (kind == ShapeKind::capsule) body.capsule(0.05, 0.1);
      b.free(name, "world", name);
    }
    b.world().plane();
    for (ShapeSpec& s : b.spec().shapes) s.friction = 0.3, s.restitution = 0.6;
    const Model m = b.build().value();
    Differences d(m, plain_options(5e-3));
    int compared = 0, impacts = 0, skipped = 0, refused = 0;
    double worst = 0;
    for (int i = 0; i < 120; ++i) {
      State s = make_state(m);
      for (int body = 0; body < 2; ++body) {
        const auto turn = normalized(Quaternion<double>{rng.normal(), rng.normal(), rng.normal(), rng.normal()});
        const double q[] = {turn.w,
                            turn.x,
                            turn.y,
                            turn.z,
                            rng.uniform(-0.1, 0.1),
                            rng.uniform(-0.1, 0.1),
                            body == 0 ? rng.uniform(0.09, 0.13) : rng.uniform(0.25, 0.35)};
        std::copy_n(q, 7, s.q.begin() + 7 * body);
        for (int k = 0; k < 6; ++k) s.v[at(6 * body + k)] = rng.uniform(-2, 2);
      }
      const auto r = d.compare(s, {}, std::vector<double>(12, 0.2));
      if (!r) {
        ++refused;
        continue;
      }
      const int here = d.derivatives->report().impacts;
      if (here == 0 || !r->same_modes || r->close || !r->differentiable) {
        skipped += here > 0;
        continue;
      }
      ++compared, impacts += here, worst = std::max(worst, r->worst);
      EXPECT_TRUE(is_small(r->worst, 1e-6)) << to_string(kind) << ", state " << i << ": " << r->where;
    }
    fmt::print("{}: {} steps with {} impacts compared, worst {:.1e}; {} skipped, {} refused: {}\n", to_string(kind),
               compared, impacts, worst, skipped, refused, d.refused);
    EXPECT_GT(compared, 10);
  }
}

}  // namespace sinew::test
