// tests/sim/impact_derivatives_test.cpp - derivatives of steps in which bodies bounce: closed forms, then differences
#include <gtest/gtest.h>

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
      const int here = d.derivatives.report().impacts;
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
