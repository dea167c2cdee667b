// tests/spatial/inertia_test.cpp - inertia, momentum, equation of motion, inverse inertia (SVA-5)
#include "sinew/spatial/inertia.hpp"

#include "sinew/spatial/acceleration.hpp"
#include "sinew/spatial/inverse_inertia.hpp"
#include "sinew/spatial/moving_frame.hpp"
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

struct Body {
  double m;
  Vec3<double> c;
  Sym3<double> Ic;
  RigidInertia<double> inertia() const { return make_inertia(m, c, Ic); }
};
Body random_body(Random& rng) {
  const RigidInertia<double> a = random_inertia(rng);
  return {a.m, centre_of_mass(a), inertia_about_centre(a)};
}

TEST(Inertia, HasTheMatrixOfEquation2_63) {
  for_seeds(kSeeds, [](Random& rng) {
    const Body b = random_body(rng);
    const Mat3<double> cx = skew(b.c), zero{}, one = Mat3<double>::identity();
    const Dense want =
        sinew::detail::blocks(to_mat3(b.Ic) + b.m * (cx * transpose(cx)), b.m * cx, b.m * transpose(cx), b.m * one);
    EXPECT_TRUE(near(to_dense(b.inertia()), want, 10));
    EXPECT_TRUE(near(to_dense(b.inertia()), transposed(to_dense(b.inertia())), 0));
    EXPECT_TRUE(near(centre_of_mass(b.inertia()), b.c, 10));
    EXPECT_TRUE(near(inertia_about_centre(b.inertia()), b.Ic, 20, 50));
    // at the centre of mass [F08 2.62]
    EXPECT_TRUE(near(to_dense(apply(shift_frame(b.c), b.inertia())),
                     sinew::detail::blocks(to_mat3(b.Ic), zero, zero, b.m * one), 50, 50));
  });
}

TEST(Inertia, IsPositiveDefinite) {
  for_seeds(kSeeds, [](Random& rng) {
    const RigidInertia<double> I = random_inertia(rng);
    for (int k = 0; k < 20; ++k) {
      const Motion<double> v = random_motion(rng);
      EXPECT_GT(dot(v, I * v), 0);
    }
  });
}

// Ten numbers: the sum of many parts is again such an inertia, and kinetic energy adds up.
TEST(Inertia, OfPartsAddsUp) {
  for_seeds(kSeeds, [](Random& rng) {
    const Body a = random_body(rng), b = random_body(rng);
    const RigidInertia<double> sum = a.inertia() + b.inertia();
    const double m = a.m + b.m;
    const Vec3<double> c = (1 / m) * (a.m * a.c + b.m * b.c), da = a.c - c, db = b.c - c;
    const Sym3<double> Ic = a.Ic + b.Ic - a.m * cross_cross(da, da) - b.m * cross_cross(db, db);
    EXPECT_TRUE(near(sum, make_inertia(m, c, Ic), 20));
    const Motion<double> v = random_motion(rng);
    EXPECT_TRUE(near(dot(v, sum * v), dot(v, a.inertia() * v) + dot(v, b.inertia() * v), 50));
    // the same bodies as articulated inertias
    const ArticulatedInertia<double> A = to_articulated(a.inertia());
    EXPECT_TRUE(near(A + b.inertia(), to_articulated(sum), 20));
    EXPECT_TRUE(near(A + to_articulated(b.inertia()), to_articulated(sum), 20));
    EXPECT_TRUE(near(2.0 * A, to_articulated(2.0 * a.inertia()), 1));
  });
}

TEST(Inertia, GivesMomentum) {
  for_seeds(kSeeds, [](Random& rng) {
    const Body b = random_body(rng);
    const Motion<double> v = random_motion(rng);
    const Force<double> h = b.inertia() * v;
    const Vec3<double> p = b.m * point_velocity(v, b.c);
    EXPECT_TRUE(near(h, Force<double>{b.Ic * v.ang + cross(b.c, p), p}, 20));  // [F08 2.60]
    EXPECT_TRUE(near(to_array(h), to_dense(b.inertia()) * to_array(v), 20));
    const ArticulatedInertia<double> IA = random_articulated(rng);
    EXPECT_TRUE(near(to_array(IA * v), to_dense(IA) * to_array(v), 20));
  });
}

// f = I a + v x* I v is Newton's and Euler's law. [F08 2.68, Example 2.6]
TEST(Inertia, GivesNewtonAndEuler) {
  for_seeds(kSeeds, [](Random& rng) {
    const Body b = random_body(rng);
    const Motion<double> v = random_motion(rng), a = random_motion(rng);
    const Force<double> f = b.inertia() * a + cross(v, b.inertia() * v);
    const Vec3<double> force = b.m * point_acceleration(a, v, b.c);
    const Vec3<double> couple = b.Ic * a.ang + cross(v.ang, b.Ic * v.ang);
    EXPECT_TRUE(near(f, Force<double>{couple + cross(b.c, force), force}, 100));
    // (v x* I - I v x) v = v x* I v
    EXPECT_TRUE(near(inertia_rate(v, b.inertia()) * v, cross(v, b.inertia() * v), 100));
  });
}

TEST(Inertia, RotationalPartObeysTheTriangle) {
  for_seeds(kSeeds, [](Random& rng) {
    const Sym3<double> J = random_inertia(rng).I;
    EXPECT_LT(J.xx, J.yy + J.zz);
    EXPECT_LT(J.yy, J.xx + J.zz);
    EXPECT_LT(J.zz, J.xx + J.yy);
  });
}

TEST(InverseInertia, IsTheInverse) {
  for_seeds(kSeeds, [](Random& rng) {
    const Body b = random_body(rng);
    const InverseInertia<double> Phi = inverse(b.inertia());
    EXPECT_TRUE(near(to_dense(Phi) * to_dense(b.inertia()), dense_identity(), 1e4));
    const Motion<double> v = random_motion(rng);
    EXPECT_TRUE(near(Phi * (b.inertia() * v), v, 1e4));
    // [F08 2.74] entry by entry
    const Mat3<double> K = to_mat3(inverse(b.Ic)), cx = skew(b.c), cxt = transpose(cx);
    const Dense want = sinew::detail::blocks(K, K * cxt, cx * K, (1 / b.m) * Mat3<double>::identity() + cx * K * cxt);
    EXPECT_TRUE(near(to_dense(Phi), want, 1e4));
    EXPECT_TRUE(near(to_dense(Phi + Phi), 2.0 * want, 1e4));
  });
}

}  // namespace
}  // namespace sinew::test
