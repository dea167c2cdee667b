// tests/spatial/axial_screw_test.cpp - axial screws equal the general transform (SVA-10)
#include "sinew/spatial/axial_screw.hpp"

#include "sinew/spatial/revolute_inertia.hpp"
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

// I^A - U U^T / D for S = e3, all of its numbers, zeros included.
ArticulatedInertia<double> without_z(const ArticulatedInertia<double>& a) {
  const Array6 U = to_array(a * Motion<double>{{0, 0, 1}, {}});
  Dense out = to_dense(a);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out(i, j) -= U[std::size_t(i)] * U[std::size_t(j)] / U[2];
  return articulated_from_dense(out);
}

ArticulatedInertia<double> whole(const ArticulatedInertia<double>& a) { return a; }
ArticulatedInertia<double> whole(const RevoluteInertia<double>& a) { return to_articulated(a); }

template <class A>
struct AxialScrewTest : testing::Test {};
template <Axis A>
using AxisConstant = std::integral_constant<Axis, A>;
using Axes = testing::Types<AxisConstant<Axis::x>, AxisConstant<Axis::y>, AxisConstant<Axis::z>>;
TYPED_TEST_SUITE(AxialScrewTest, Axes);

TYPED_TEST(AxialScrewTest, IsRotationAndShiftAlongTheAxis) {
  constexpr Axis A = TypeParam::value;
  const double t = 0.7, d = 1.3;
  const Rotation<double> E = A == Axis::x ? rotation_x(t) : A == Axis::y ? rotation_y(t) : rotation_z(t);
  const Vec3<double> r{A == Axis::x ? d : 0, A == Axis::y ? d : 0, A == Axis::z ? d : 0};
  const Transform<double> X = to_transform(make_screw<A>(t, d));
  EXPECT_TRUE(near(X, Transform<double>{E, r}, 2));
  EXPECT_TRUE(near(X, shift_frame(r) * rotate_frame(E), 5));  // they commute
  EXPECT_TRUE(near(to_transform(inverse(make_screw<A>(t, d))), inverse(X), 5));
}

TYPED_TEST(AxialScrewTest, AppliesAsTheTransformDoes) {
  for_seeds(50, [](Random& rng) {
    const auto S = random_screw<TypeParam::value>(rng);
    const Transform<double> X = to_transform(S);
    const Motion<double> v = random_motion(rng);
    const Force<double> f = random_force(rng);
    const RigidInertia<double> I = random_inertia(rng);
    const ArticulatedInertia<double> IA = random_articulated(rng);
    EXPECT_TRUE(near(apply(S, v), apply(X, v), 10));
    EXPECT_TRUE(near(apply(S, f), apply(X, f), 10));
    EXPECT_TRUE(near(apply(S, I), apply(X, I), 30));
    EXPECT_TRUE(near(apply(S, IA), apply(X, IA), 30));
    EXPECT_TRUE(near(apply_inverse(S, v), apply_inverse(X, v), 10));
    EXPECT_TRUE(near(apply_inverse(S, f), apply_inverse(X, f), 10));
    EXPECT_TRUE(near(apply_inverse(S, I), apply_inverse(X, I), 30));
    EXPECT_TRUE(near(apply_inverse(S, IA), apply_inverse(X, IA), 30));
  });
}

TYPED_TEST(AxialScrewTest, RotatesMatrices) {
  for_seeds(50, [](Random& rng) {
    const auto S = random_screw<TypeParam::value>(rng);
    const Mat3<double> E = to_transform(S).E.m, A = random_mat3(rng);
    const Sym3<double> B = random_sym3(rng);
    EXPECT_TRUE(near(rotate(S, A), E * A * transpose(E), 20));
    EXPECT_TRUE(near(to_mat3(rotate(S, B)), E * to_mat3(B) * transpose(E), 20));
  });
}

// What a revolute joint leaves of an inertia has zeros; the special code must give what the general one gives.
TYPED_TEST(AxialScrewTest, AppliesToInertiasWithoutRowThree) {
  for_seeds(50, [](Random& rng) {
    const auto S = random_screw<TypeParam::value>(rng);
    const Transform<double> X = to_transform(S);
    const ArticulatedInertia<double> full = without_z(random_articulated(rng));
    const RevoluteInertia<double> Ia = to_revolute(full);
    EXPECT_TRUE(near(to_articulated(Ia), full, 50));  // row and column 3 are zero indeed
    EXPECT_TRUE(near(whole(apply(S, Ia)), apply(X, full), 100));
    EXPECT_TRUE(near(whole(apply_inverse(S, Ia)), apply_inverse(X, full), 100));
  });
}

// A Denavit-Hartenberg link is two screws, any transform three.
TEST(AxialScrew, MakeLinksAndTransforms) {
  for_seeds(50, [](Random& rng) {
    const double alpha = rng.uniform(-3, 3), a = random_number(rng), theta = rng.uniform(-3, 3), d = random_number(rng);
    const auto Sx = make_screw<Axis::x>(alpha, a);
    const auto Sz = make_screw<Axis::z>(theta, d);
    const Transform<double> link = rotate_frame(rotation_z(theta)) * shift_frame(Vec3<double>{0, 0, d}) *
                                   rotate_frame(rotation_x(alpha)) * shift_frame(Vec3<double>{a, 0, 0});
    EXPECT_TRUE(near(to_transform(Sz) * to_transform(Sx), link, 20));
    const RevoluteInertia<double> Ia = to_revolute(without_z(random_articulated(rng)));
    EXPECT_TRUE(near(apply_inverse(Sx, apply_inverse(Sz, Ia)), apply_inverse(link, to_articulated(Ia)), 100));
    const Motion<double> v = random_motion(rng);
    EXPECT_TRUE(near(apply(Sz, apply(Sx, v)), apply(link, v), 30));
    // z, x, z with the right angles and shifts reach every transform: six numbers, solved for here
    const Transform<double> X = random_transform(rng);
    const Mat3<double>& e = X.E.m;  // E = rz(c) rx(b) rz(a)
    const double b = std::acos(e.zz), ang_a = std::atan2(e.zx, -e.zy), ang_c = std::atan2(e.xz, e.yz);
    // r = za + Ez(a)^T (xb + Ex(b)^T zc): two shifts along z and one along x' span space where sin b is not 0
    const Vec3<double> x_axis{std::cos(ang_a), std::sin(ang_a), 0};
    const Vec3<double> z_axis{e.zx, e.zy, e.zz};
    const double dc = cross(x_axis, X.r).z / cross(x_axis, z_axis).z;
    const double db = dot(X.r - dc * z_axis, x_axis), da = X.r.z - dc * z_axis.z;
    const Transform<double> three = to_transform(make_screw<Axis::z>(ang_c, dc)) *
                                    to_transform(make_screw<Axis::x>(b, db)) *
                                    to_transform(make_screw<Axis::z>(ang_a, da));
    EXPECT_TRUE(near(three, X, 300));
  });
}

}  // namespace
}  // namespace sinew::test
