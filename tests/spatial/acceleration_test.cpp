// tests/spatial/acceleration_test.cpp - spatial against classical acceleration, and along a chain (SVA-4)
#include "sinew/spatial/acceleration.hpp"

#include "sinew/spatial/exponential.hpp"
#include "sinew/spatial/line.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

// Figure 2.6: the body accelerates nowhere, its points do.
TEST(Acceleration, OfABodyThatTurnsSteadily) {
  for_seeds(20, [](Random& rng) {
    const Vec3<double> on_axis = random_vec3(rng), w = random_vec3(rng), p = random_vec3(rng);
    const Motion<double> v = rotation_about(on_axis, w), a{};
    const Vec3<double> r = p - on_axis;
    EXPECT_TRUE(near(point_velocity(v, p), cross(w, r), 20));
    EXPECT_TRUE(near(point_acceleration(a, v, p), cross(w, cross(w, r)), 50));
    EXPECT_TRUE(near(to_classical(a, v).lin, cross(w, cross(w, -on_axis)), 50));
  });
}

// A body-fixed point followed in time, differenced twice.
TEST(Acceleration, OfAPointByDifferences) {
  for_seeds(20, [](Random& rng) {
    // x(t) = x0 + x1 t + x2 t^2 for position, turn by exp of the same
    const Vec3<double> x1 = random_vec3(rng), x2 = random_vec3(rng), w1 = random_vec3(rng), w2 = random_vec3(rng);
    const Vec3<double> p = random_vec3(rng), o = random_vec3(rng);
    const auto point = [&](double t, const Vec3<double>& q) {
      const Rotation<double> E = to_rotation(exp(t * w1 + (t * t) * w2));
      return o + t * x1 + (t * t) * x2 + apply_inverse(E, q - o);
    };
    // at t = 0: w = w1, dw/dt = 2 w2 and the point at o moves with x1, 2 x2
    const Motion<double> v{w1, x1 - cross(w1, o)};
    const Vec3<double> rdd = 2.0 * x2 - cross(2.0 * w2, o) - cross(w1, cross(w1, o));  // of the point at the origin
    const Motion<double> a = to_spatial(ClassicalAcceleration<double>{2.0 * w2, rdd}, v);
    const double h = 1e-4;
    const Vec3<double> velocity = (.5 / h) * (point(h, p) - point(-h, p));
    const Vec3<double> acceleration = (1 / (h * h)) * (point(h, p) - 2.0 * point(0, p) + point(-h, p));
    EXPECT_TRUE(near(point_velocity(v, p), velocity, 1e10));
    EXPECT_TRUE(near(point_acceleration(a, v, p), acceleration, 1e10));
  });
}

TEST(Acceleration, ClassicalAndSpatialAreInverse) {
  for_seeds(20, [](Random& rng) {
    const Motion<double> a = random_motion(rng), v = random_motion(rng);
    EXPECT_TRUE(near(to_spatial(to_classical(a, v), v), a, 10));
    // [F08 2.50]
    const ClassicalAcceleration<double> c = to_classical(a, v);
    EXPECT_TRUE(near(a, Motion<double>{c.ang, c.lin} + cross(Motion<double>{{}, v.lin}, v), 10));
  });
}

// A chain whose axes s_i are fixed in both bodies they join; fixed coordinates throughout.
struct Chain {
  static constexpr int kJoints = 6;
  explicit Chain(Random& rng) {
    for (int i = 0; i < kJoints; ++i)
      s[i] = random_motion(rng), qd[i] = random_number(rng), qdd[i] = random_number(rng);
  }
  // Of the first `joints` bodies' last one after a time t: the product of exponentials carries each axis along.
  Motion<double> velocity(int joints, double t) const {
    Motion<double> v{};
    Transform<double> carried{};
    for (int i = 0; i < joints; ++i) {
      v += (qd[i] + t * qdd[i]) * apply_inverse(carried, s[i]);
      const Displacement<double> d = exp((t * qd[i] + 0.5 * t * t * qdd[i]) * s[i]);
      carried = Transform<double>{to_rotation(d.turn), d.shift} * carried;
    }
    return v;
  }
  Motion<double> acceleration(int joints) const {
    Motion<double> v{}, a{};
    for (int i = 0; i < joints; ++i) {
      v = v + qd[i] * s[i];
      a = a + qdd[i] * s[i] + qd[i] * cross(v, s[i]);  // [F08 2.55]
    }
    return a;
  }
  Motion<double> s[kJoints];
  double qd[kJoints], qdd[kJoints];
};
constexpr double kStep = 1e-5;  // of central differences: an error of about 2e-9
template <class Velocity>
Motion<double> differenced(Velocity velocity) {
  return (0.5 / kStep) * (velocity(kStep) - velocity(-kStep));
}

// Example 2.5.
TEST(Acceleration, AlongAChain) {
  for_seeds(20, [](Random& rng) {
    const Chain c(rng);
    const Motion<double> a = c.acceleration(Chain::kJoints);
    Motion<double> by_sums{};
    for (int j = 0; j < Chain::kJoints; ++j) {
      by_sums += c.qdd[j] * c.s[j];
      for (int k = 0; k < j; ++k) by_sums += (c.qd[j] * c.qd[k]) * cross(c.s[k], c.s[j]);  // [F08 2.56]
    }
    EXPECT_TRUE(near(a, by_sums, 200));
    EXPECT_TRUE(near(a, differenced([&](double t) { return c.velocity(Chain::kJoints, t); }), 1, 0, 3e-8));
  });
}

// [F08 2.51]: relative acceleration is a difference, without Coriolis terms, in every frame.
TEST(Acceleration, AddsUpLikeVelocity) {
  for_seeds(20, [](Random& rng) {
    // the rate of the relative velocity of two bodies of a chain
    const Chain c(rng);
    const auto relative = [&](double t) { return c.velocity(Chain::kJoints, t) - c.velocity(2, t); };
    EXPECT_TRUE(near(differenced(relative), c.acceleration(Chain::kJoints) - c.acceleration(2), 1, 0, 3e-8));
    // classical accelerations do not add up: what is missing is the Coriolis term
    const Motion<double> a1 = random_motion(rng), a2 = random_motion(rng);
    const Motion<double> v1 = random_motion(rng), v2 = random_motion(rng);
    const Vec3<double> missing =
        to_classical(a2, v2).lin - to_classical(a1, v1).lin - to_classical(a2 - a1, v2 - v1).lin;
    EXPECT_TRUE(near(missing, cross(v1.ang, v2.lin - v1.lin) + cross(v2.ang - v1.ang, v1.lin), 50));
  });
}

}  // namespace
}  // namespace sinew::test
