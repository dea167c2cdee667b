// tests/spatial/transform_test.cpp - Plücker transforms and the compact types against 6x6 arithmetic (SVA-1, SVA-9)
#include "sinew/spatial/transform.hpp"

#include "sinew/spatial/inverse_inertia.hpp"
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

TEST(Rotation, FollowsTable2_2) {
  const double t = 0.4, c = std::cos(t), s = std::sin(t);
  EXPECT_TRUE(near(rotation_x(t), Rotation<double>{{1, 0, 0, 0, c, s, 0, -s, c}}, 1));
  EXPECT_TRUE(near(rotation_y(t), Rotation<double>{{c, 0, -s, 0, 1, 0, s, 0, c}}, 1));
  EXPECT_TRUE(near(rotation_z(t), Rotation<double>{{c, s, 0, -s, c, 0, 0, 0, 1}}, 1));
}

// The coordinates of a vector that stays where it is, seen from a frame that was turned.
TEST(Rotation, IsACoordinateTransform) {
  const double quarter = std::acos(0.0);
  EXPECT_TRUE(near(apply(rotation_x(quarter), Vec3<double>{0, 1, 0}), Vec3<double>{0, 0, -1}, 1));
  EXPECT_TRUE(near(apply(rotation_y(quarter), Vec3<double>{0, 0, 1}), Vec3<double>{-1, 0, 0}, 1));
  EXPECT_TRUE(near(apply(rotation_z(quarter), Vec3<double>{1, 0, 0}), Vec3<double>{0, -1, 0}, 1));
}

TEST(Rotation, ProductsAreMatrixProducts) {
  for_seeds(kSeeds, [](Random& rng) {
    const Rotation<double> F = random_rotation(rng), G = random_rotation(rng), H = random_rotation(rng);
    EXPECT_TRUE(near((F * G).m, F.m * G.m, 10));
    EXPECT_TRUE(near(rotation_chain(F, G, H, F).m, F.m * G.m * H.m * F.m, 20));
    const Vec3<double> v = random_vec3(rng);
    EXPECT_TRUE(near(apply_inverse(F, apply(F, v)), v, 10));
  });
}

TEST(Rotation, CongruencesAreMatrixProducts) {
  for_seeds(kSeeds, [](Random& rng) {
    const Rotation<double> E = random_rotation(rng);
    const Mat3<double> A = random_mat3(rng);
    const Sym3<double> S = random_sym3(rng);
    const Mat3<double> want = E.m * A * transpose(E.m);
    EXPECT_TRUE(near(rotate(E, A), want, 30));
    EXPECT_TRUE(near(rotate_by_trace(E, A), want, 30));
    EXPECT_TRUE(near(to_mat3(rotate(E, S)), E.m * to_mat3(S) * transpose(E.m), 30));
  });
}

TEST(Transform, RotAndXlt) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    const Dense rot = to_dense(rotate_frame(X.E)), xlt = to_dense(shift_frame(X.r));
    EXPECT_TRUE(near(rot * xlt, to_dense(X), 10));
    EXPECT_TRUE(near(to_dense(rotate_frame(X.E) * shift_frame(X.r)), to_dense(X), 10));
    // rot and xlt themselves, entry by entry
    const Mat3<double>& e = X.E.m;
    const Vec3<double>& r = X.r;
    const Dense want_rot{{{e.xx, e.xy, e.xz, 0, 0, 0},
                          {e.yx, e.yy, e.yz, 0, 0, 0},
                          {e.zx, e.zy, e.zz, 0, 0, 0},
                          {0, 0, 0, e.xx, e.xy, e.xz},
                          {0, 0, 0, e.yx, e.yy, e.yz},
                          {0, 0, 0, e.zx, e.zy, e.zz}}};
    const Dense want_xlt{{{1, 0, 0, 0, 0, 0},
                          {0, 1, 0, 0, 0, 0},
                          {0, 0, 1, 0, 0, 0},
                          {0, r.z, -r.y, 1, 0, 0},
                          {-r.z, 0, r.x, 0, 1, 0},
                          {r.y, -r.x, 0, 0, 0, 1}}};
    EXPECT_TRUE(near(rot, want_rot, 1));
    EXPECT_TRUE(near(xlt, want_xlt, 1));
  });
}

TEST(Transform, ForceTransformIsTheInverseTranspose) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    EXPECT_TRUE(near(to_dense_force(X), transposed(inverted(to_dense(X))), 100));
    EXPECT_TRUE(near(to_dense_force(X) * transposed(to_dense(X)), dense_identity(), 50));
  });
}

TEST(Transform, ComposesAndInverts) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X_BA = random_transform(rng), X_CB = random_transform(rng);
    EXPECT_TRUE(near(to_dense(X_CB * X_BA), to_dense(X_CB) * to_dense(X_BA), 30));
    EXPECT_TRUE(near(to_dense(inverse(X_BA)) * to_dense(X_BA), dense_identity(), 50));
  });
}

TEST(Transform, AppliesToVectorsAsMatricesDo) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    const Motion<double> v = random_motion(rng);
    const Force<double> f = random_force(rng);
    const Dense x = to_dense(X), xf = to_dense_force(X);
    EXPECT_TRUE(near(to_array(apply(X, v)), x * to_array(v), 30));
    EXPECT_TRUE(near(to_array(apply(X, f)), xf * to_array(f), 30));
    EXPECT_TRUE(near(to_array(apply_inverse(X, v)), inverted(x) * to_array(v), 100));
    EXPECT_TRUE(near(to_array(apply_inverse(X, f)), transposed(x) * to_array(f), 30));
    // power does not depend on the frame
    EXPECT_TRUE(near(dot(apply(X, v), apply(X, f)), dot(v, f), 200));
    EXPECT_TRUE(near(dot(v, f), dot(to_array(v), to_array(f)), 10));
    EXPECT_EQ(dot(v, f), dot(f, v));
  });
}

// [F08 2.28]: the homogeneous matrix acts on points.
TEST(Transform, MovesPointsAsHomogeneousMatricesDo) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    const Vec3<double> p = random_vec3(rng), q = apply_to_point(X, p);
    EXPECT_TRUE(near(q, X.E.m * p - X.E.m * X.r, 10));
    EXPECT_TRUE(near(apply_inverse_to_point(X, q), p, 30));
    EXPECT_TRUE(near(apply_inverse_to_point(X, Vec3<double>{}), X.r, 1));
    // a point's velocity in both frames
    const Motion<double> v = random_motion(rng), vB = apply(X, v);
    EXPECT_TRUE(near(vB.lin + cross(vB.ang, q), apply(X.E, v.lin + cross(v.ang, p)), 60));
  });
}

TEST(Transform, AppliesToInertiasAsMatricesDo) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    const Dense x = to_dense(X), xi = to_dense(inverse(X)), xf = to_dense_force(X);
    const RigidInertia<double> I = random_inertia(rng);
    const ArticulatedInertia<double> IA = random_articulated(rng);
    EXPECT_TRUE(near(to_dense(apply(X, I)), xf * to_dense(I) * xi, 50));
    EXPECT_TRUE(near(to_dense(apply_inverse(X, I)), transposed(x) * to_dense(I) * x, 50));
    EXPECT_TRUE(near(to_dense(apply(X, IA)), xf * to_dense(IA) * xi, 50));
    EXPECT_TRUE(near(to_dense(apply_inverse(X, IA)), transposed(x) * to_dense(IA) * x, 50));
    EXPECT_TRUE(near(apply(X, to_articulated(I)), to_articulated(apply(X, I)), 50));
  });
}

// [F08 Table 2.5]: similarity for v x and v x*, congruence for I and Phi.
TEST(Transform, DyadicsFollowTable2_5) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    const Dense x = to_dense(X), xi = inverted(x), xf = to_dense_force(X), xfi = inverted(xf);
    const Motion<double> v = random_motion(rng);
    EXPECT_TRUE(near(to_dense_cross(apply(X, v)), x * to_dense_cross(v) * xi, 200));
    EXPECT_TRUE(near(to_dense_cross_force(apply(X, v)), xf * to_dense_cross_force(v) * xfi, 200));
    const RigidInertia<double> I = random_inertia(rng);
    EXPECT_TRUE(near(to_dense(apply(X, I)), xf * to_dense(I) * xi, 200));
    const InverseInertia<double> Phi = inverse(I);
    EXPECT_TRUE(near(to_dense(apply(X, Phi)), x * to_dense(Phi) * xfi, 200));
    EXPECT_TRUE(near(apply_inverse(X, apply(X, Phi)), Phi, 300));
  });
}

TEST(Transform, DenseFormsCanBeReadBack) {
  for_seeds(kSeeds, [](Random& rng) {
    const Transform<double> X = random_transform(rng);
    EXPECT_TRUE(near(transform_from_dense(to_dense(X)), X, 10));
    const RigidInertia<double> I = random_inertia(rng);
    EXPECT_TRUE(near(rigid_from_dense(to_dense(I)), I, 1));
    const ArticulatedInertia<double> IA = random_articulated(rng);
    EXPECT_TRUE(near(articulated_from_dense(to_dense(IA)), IA, 1));
    const Motion<double> v = random_motion(rng);
    EXPECT_TRUE(near(to_motion(to_array(v)), v, 1));
  });
}

}  // namespace
}  // namespace sinew::test
