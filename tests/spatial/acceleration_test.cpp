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

// Example 2.5: a chain whose axes s_i are fixed in both bodies they join; fixed coordinates throughout.
TEST(Acceleration, AlongAChain) {
  for_seeds(20, [](Random& rng) {
    constexpr int n = 6;
    Motion<double> s[n];
    double qd[n], qdd[n];
    for (int i = 0; i < n; ++i) s[i] = random_motion(rng), qd[i] = random_number(rng), qdd[i] = random_number(rng);
    Motion<double> v{}, a{}, by_sums{}, by_jacobian{};
    for (int i = 0; i < n; ++i) {
      v = v + qd[i] * s[i];
      a = a + qdd[i] * s[i] + qd[i] * cross(v, s[i]);  // [F08 2.55]
    }
    for (int j = 0; j < n; ++j) {
      by_sums += qdd[j] * s[j];
      for (int k = 0; k < j; ++k) by_sums += (qd[j] * qd[k]) * cross(s[k], s[j]);  // [F08 2.56]
    }
    Motion<double> v_j{};
    for (int j = 0; j < n; ++j) {
      v_j += qd[j] * s[j];
      const Motion<double> s_rate = cross(v_j, s[j]);  // [F08 2.54]
      by_jacobian += qdd[j] * s[j] + qd[j] * s_rate;   // [F08 2.57]
    }
    EXPECT_TRUE(near(a, by_sums, 200));
    EXPECT_TRUE(near(a, by_jacobian, 200));
  });
}

// [F08 2.51]: relative acceleration is a difference, without Coriolis terms, in every frame.
TEST(Acceleration, AddsUpLikeVelocity) {
  for_seeds(20, [](Random& rng) {
    const Motion<double> a1 = random_motion(rng), a2 = random_motion(rng);
    const Transform<double> X = random_transform(rng);
    EXPECT_TRUE(near(apply(X, a2 - a1), apply(X, a2) - apply(X, a1), 50));
    // classical accelerations do not: what is missing is the Coriolis term
    const Motion<double> v1 = random_motion(rng), v2 = random_motion(rng);
    const Vec3<double> missing =
        to_classical(a2, v2).lin - to_classical(a1, v1).lin - to_classical(a2 - a1, v2 - v1).lin;
    EXPECT_TRUE(near(missing, cross(v1.ang, v2.lin - v1.lin) + cross(v2.ang - v1.ang, v1.lin), 50));
  });
}

}  // namespace
}  // namespace sinew::test
