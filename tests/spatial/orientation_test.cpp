// tests/spatial/orientation_test.cpp - conversions between rotations, quaternions, axis-angle, roll-pitch-yaw
#include "sinew/spatial/orientation.hpp"

#include <numbers>

#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

// The active matrices of the textbooks, columns = axes of B in A.
Mat3<double> active_x(double t) { return {1, 0, 0, 0, std::cos(t), -std::sin(t), 0, std::sin(t), std::cos(t)}; }
Mat3<double> active_y(double t) { return {std::cos(t), 0, std::sin(t), 0, 1, 0, -std::sin(t), 0, std::cos(t)}; }
Mat3<double> active_z(double t) { return {std::cos(t), -std::sin(t), 0, std::sin(t), std::cos(t), 0, 0, 0, 1}; }

TEST(Orientation, RpyIsUrdfs) {
  for_seeds(50, [](Random& rng) {
    const Vec3<double> rpy{rng.uniform(-3, 3), rng.uniform(-1.5, 1.5), rng.uniform(-3, 3)};
    const Rotation<double> E = rotation_from_rpy(rpy);
    EXPECT_TRUE(near(transpose(E.m), active_z(rpy.z) * active_y(rpy.y) * active_x(rpy.x), 10));
    EXPECT_TRUE(near(to_rotation(quaternion_from_rpy(rpy)), E, 10));
    EXPECT_TRUE(near(rpy_from_rotation(E), rpy, 200));
  });
}

TEST(Orientation, RpyAtThePoles) {
  for (double pitch : {std::numbers::pi / 2, -std::numbers::pi / 2}) {
    const Rotation<double> E = rotation_from_rpy(Vec3<double>{0.4, pitch, 0.9});
    const Vec3<double> rpy = rpy_from_rotation(E);
    EXPECT_EQ(rpy.x, 0);
    EXPECT_TRUE(near(rpy.y, pitch, 4));
    EXPECT_TRUE(near(rotation_from_rpy(rpy), E, 10));
  }
}

TEST(Orientation, AxisAngle) {
  for_seeds(50, [](Random& rng) {
    const Vec3<double> axis = random_unit(rng);
    const double angle = rng.uniform(-4, 4);
    const Rotation<double> E = rotation_from_axis_angle(axis, angle);
    // Rodrigues: the active matrix turns v about the axis
    const Vec3<double> v = random_vec3(rng);
    const Vec3<double> turned =
        std::cos(angle) * v + std::sin(angle) * cross(axis, v) + ((1 - std::cos(angle)) * dot(axis, v)) * axis;
    EXPECT_TRUE(near(apply_inverse(E, v), turned, 20));
    EXPECT_TRUE(near(to_rotation(quaternion_from_axis_angle(axis, angle)), E, 10));
    EXPECT_LT(orthonormality_error(E), 1e-14);
  });
  EXPECT_TRUE(near(rotation_from_axis_angle(Vec3<double>{1, 0, 0}, .3), rotation_x(.3), 1));
  EXPECT_TRUE(near(rotation_from_axis_angle(Vec3<double>{0, 1, 0}, .3), rotation_y(.3), 1));
  EXPECT_TRUE(near(rotation_from_axis_angle(Vec3<double>{0, 0, 1}, .3), rotation_z(.3), 1));
}

TEST(Orientation, QuaternionOfARotation) {
  const auto check = [](const Quaternion<double>& q) {
    const Quaternion<double> p = to_quaternion(to_rotation(q));
    const double sign = q.w * p.w + q.x * p.x + q.y * p.y + q.z * p.z < 0 ? -1 : 1;
    EXPECT_TRUE(near(Quaternion<double>{sign * p.w, sign * p.x, sign * p.y, sign * p.z}, q, 6));
    EXPECT_GE(p.w, 0);
  };
  for_seeds(200, [&](Random& rng) { check(random_quaternion(rng)); });
  // half turns and what is close to them, where the trace is useless
  for_seeds(50, [&](Random& rng) {
    const Vec3<double> a = random_unit(rng);
    for (double w : {0.0, 1e-300, 1e-16, 1e-9, 1e-4}) check(normalized(Quaternion<double>{w, a.x, a.y, a.z}));
  });
  for (int k = 0; k < 4; ++k) check({k == 0 ? 1. : 0., k == 1 ? 1. : 0., k == 2 ? 1. : 0., k == 3 ? 1. : 0.});
}

TEST(Orientation, QuaternionProductIsTurnAfterTurn) {
  for_seeds(50, [](Random& rng) {
    const Quaternion<double> a = random_quaternion(rng), b = random_quaternion(rng);
    // first A -> B by a, then B -> C by b: coordinates go through a's E first
    EXPECT_TRUE(near(to_rotation(a * b), to_rotation(b) * to_rotation(a), 10));
    EXPECT_TRUE(near(to_rotation(conjugate(a)), inverse(to_rotation(a)), 2));
    EXPECT_TRUE(near(a * conjugate(a), Quaternion<double>{}, 4));
  });
}

TEST(Orientation, RotationToZ) {
  const auto check = [](const Vec3<double>& axis) {
    const Rotation<double> E = rotation_to_z(axis);
    EXPECT_TRUE(near(apply(E, axis), Vec3<double>{0, 0, 1}, 10));
    EXPECT_LT(orthonormality_error(E), 1e-14);
  };
  for_seeds(100, [&](Random& rng) { check(random_unit(rng)); });
  for (double s : {1., -1.}) check({s, 0, 0}), check({0, s, 0}), check({0, 0, s});
  check({1e-9, 0, -std::sqrt(1 - 1e-18)});
  EXPECT_TRUE(near(rotation_to_z(Vec3<double>{0, 0, 1}), Rotation<double>{}, 0));
}

TEST(Orientation, OrthonormalityError) {
  EXPECT_EQ(orthonormality_error(Rotation<double>{}), 0);
  EXPECT_EQ(orthonormality_error(Rotation<double>{{1, 0, 0, 0, 1, 0, 0, 0, -1}}), 2);
  EXPECT_TRUE(near(orthonormality_error(Rotation<double>{{1.01, 0, 0, 0, 1, 0, 0, 0, 1}}), .0201, 10));
  EXPECT_TRUE(near(orthonormality_error(Rotation<double>{{1, .25, 0, 0, 1, 0, 0, 0, 1}}), .25, 1));
}

}  // namespace
}  // namespace sinew::test
