// tests/spatial/moving_frame_test.cpp - differentiation in moving coordinates against differences (SVA-3)
// Two frames A and B move by laws that are known in closed form; everything else is differenced.
#include "sinew/spatial/moving_frame.hpp"

#include "sinew/spatial/exponential.hpp"
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

constexpr double kStep = 1e-5;
constexpr double kLoose = 1e7;  // eps * kLoose = 2e-9: the error of a central difference at this step
constexpr double kExact = 2e6;  // without that of the method, where f is a parabola

// A frame that starts at `start` and moves at a constant velocity, given in its own coordinates.
struct Mover {
  Transform<double> start;
  Motion<double> velocity;

  Transform<double> at(double t) const {
    const Displacement<double> d = exp(t * velocity);
    return make_pose(d.shift, d.turn) * start;
  }
};
Mover random_mover(Random& rng) {
  const Transform<double> start = random_transform(rng);
  return {start, random_motion(rng)};
}
template <class F>
auto difference(F f) {
  return (0.5 / kStep) * (f(kStep) - f(-kStep));
}

TEST(MovingFrame, RateOfATransform) {
  for_seeds(20, [](Random& rng) {
    const Mover A = random_mover(rng), B = random_mover(rng);
    const auto X_BA = [&](double t) { return B.at(t) * inverse(A.at(t)); };
    const Transform<double> X = X_BA(0);
    const Motion<double> vA = apply(X, A.velocity), vB = B.velocity;
    const Dense rate = difference([&](double t) { return to_dense(X_BA(t)); });
    EXPECT_TRUE(near(rate, to_dense_cross(vA - vB) * to_dense(X), kLoose));  // [F08 2.45]
    const TransformRate<double> parts = transform_rate(X, vA, vB);
    EXPECT_TRUE(near(parts.E, difference([&](double t) { return X_BA(t).E.m; }), kLoose));
    EXPECT_TRUE(near(parts.r, difference([&](double t) { return X_BA(t).r; }), kLoose));
  });
}

// Table 2.4 and [F08 2.38, 2.43, 2.44]: vectors m(t), f(t), u(t) given in fixed coordinates, seen from A.
TEST(MovingFrame, TrueAndApparentRates) {
  for_seeds(20, [](Random& rng) {
    const Mover A = random_mover(rng);
    const Motion<double> m0 = random_motion(rng), m1 = random_motion(rng);
    const Force<double> f0 = random_force(rng), f1 = random_force(rng);
    const Vec3<double> u0 = random_vec3(rng), u1 = random_vec3(rng);
    const auto m = [&](double t) { return apply(A.at(t), m0 + t * m1); };
    const auto f = [&](double t) { return apply(A.at(t), f0 + t * f1); };
    const auto u = [&](double t) { return apply(A.at(t).E, u0 + t * u1); };
    const Motion<double> m_ring = difference(m);
    const Force<double> f_ring = difference(f);
    EXPECT_TRUE(near(true_rate(m_ring, A.velocity, m(0)), apply(A.at(0), m1), kLoose));
    EXPECT_TRUE(near(true_rate(f_ring, A.velocity, f(0)), apply(A.at(0), f1), kLoose));
    EXPECT_TRUE(near(true_rate(difference(u), A.velocity.ang, u(0)), apply(A.at(0).E, u1), kLoose));
    EXPECT_TRUE(near(apparent_rate(apply(A.at(0), m1), A.velocity, m(0)), m_ring, kLoose));
    EXPECT_TRUE(near(apparent_rate(apply(A.at(0), f1), A.velocity, f(0)), f_ring, kLoose));
  });
}

TEST(MovingFrame, Table2_4) {
  for_seeds(20, [](Random& rng) {
    const Motion<double> u0 = random_motion(rng), u1 = random_motion(rng), v0 = random_motion(rng),
                         v1 = random_motion(rng);
    const Force<double> f0 = random_force(rng), f1 = random_force(rng);
    const RigidInertia<double> L0 = random_inertia(rng), L1 = random_inertia(rng);
    const double k = random_number(rng);
    const auto u = [&](double t) { return u0 + t * u1; };
    const auto v = [&](double t) { return v0 + t * v1; };
    const auto f = [&](double t) { return f0 + t * f1; };
    EXPECT_TRUE(near(difference([&](double t) { return dot(u(t), f(t)); }), dot(u1, f0) + dot(u0, f1), kLoose));
    EXPECT_TRUE(near(difference([&](double t) { return cross(u(t), v(t)); }), cross(u1, v0) + cross(u0, v1), kExact));
    EXPECT_TRUE(near(difference([&](double t) { return cross(u(t), f(t)); }), cross(u1, f0) + cross(u0, f1), kExact));
    EXPECT_TRUE(near(difference([&](double t) { return to_dense_cross(u(t)); }), to_dense_cross(u1), kExact));
    EXPECT_TRUE(near(difference([&](double t) { return (k * t) * v(t); }), k * v0, 50));
    EXPECT_TRUE(near(difference([&](double t) { return (L0 + t * L1) * v(t); }), L1 * v0 + L0 * v1, kExact));
    // dyads u (f .), mapping motions to motions
    const auto dyad = [](const Motion<double>& a, const Force<double>& b) {
      Dense out;
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) out(i, j) = to_array(a)[std::size_t(i)] * to_array(b)[std::size_t(j)];
      return out;
    };
    EXPECT_TRUE(near(difference([&](double t) { return dyad(u(t), f(t)); }), dyad(u1, f0) + dyad(u0, f1), kExact));
  });
}

// An inertia fixed in a moving body, in fixed coordinates. [F08 2.65]
TEST(MovingFrame, RateOfAnInertia) {
  for_seeds(20, [](Random& rng) {
    const Mover body = random_mover(rng);
    const RigidInertia<double> I = random_inertia(rng);
    const ArticulatedInertia<double> IA = random_articulated(rng);
    const Motion<double> v = apply_inverse(body.at(0), body.velocity);
    const RigidInertia<double> I0 = apply_inverse(body.at(0), I);
    const ArticulatedInertia<double> IA0 = apply_inverse(body.at(0), IA);
    EXPECT_TRUE(near(to_dense(inertia_rate(v, I0)),
                     difference([&](double t) { return to_dense(apply_inverse(body.at(t), I)); }), kLoose));
    EXPECT_TRUE(near(to_dense(inertia_rate(v, IA0)),
                     difference([&](double t) { return to_dense(apply_inverse(body.at(t), IA)); }), kLoose));
    const Dense vx = to_dense_cross(v), vf = to_dense_cross_force(v);
    EXPECT_TRUE(near(to_dense(inertia_rate(v, I0)), vf * to_dense(I0) - to_dense(I0) * vx, 50));
    EXPECT_TRUE(near(to_dense(inertia_rate(v, IA0)), vf * to_dense(IA0) - to_dense(IA0) * vx, 50));
    EXPECT_EQ(inertia_rate(v, I0).m, 0);
  });
}

}  // namespace
}  // namespace sinew::test
