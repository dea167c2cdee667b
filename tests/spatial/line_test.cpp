// tests/spatial/line_test.cpp - line vectors, free vectors, screws (SVA-6)
#include "sinew/spatial/line.hpp"

#include "sinew/spatial/acceleration.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

TEST(Line, RotationsLeaveTheirLineAtRest) {
  for_seeds(20, [](Random& rng) {
    const Vec3<double> p = random_vec3(rng), s = random_vec3(rng);
    const Motion<double> m = rotation_about(p, s);
    EXPECT_TRUE(near(point_velocity(m, p + 1.7 * s), Vec3<double>{}, 30));
    EXPECT_TRUE(near(dot(m.ang, m.lin), 0.0, 30));
    // a force along a line has no moment about its points, and does no work on a rotation about a line it meets
    const Force<double> f = force_through(p, random_vec3(rng));
    EXPECT_TRUE(near(dot(m, f), 0.0, 50));
    EXPECT_TRUE(near(apply(shift_frame(p), f).ang, Vec3<double>{}, 30));
  });
}

TEST(Line, EveryVectorIsALineAndAParallelFreeVector) {
  for_seeds(20, [](Random& rng) {
    const Motion<double> m = random_motion(rng);
    const auto parts = split(m);
    EXPECT_TRUE(near(parts.line + parts.free, m, 5));
    EXPECT_TRUE(near(dot(parts.line.ang, parts.line.lin), 0.0, 30, norm(m.ang) * norm(m.lin)));
    EXPECT_EQ(parts.free.ang, Vec3<double>{});
    EXPECT_TRUE(near(cross(parts.free.lin, m.ang), Vec3<double>{}, 30));
    const Force<double> f = random_force(rng);
    const auto wrench = split(f);
    EXPECT_TRUE(near(wrench.line + wrench.free, f, 5));
    EXPECT_TRUE(near(dot(wrench.line.ang, wrench.line.lin), 0.0, 30, norm(f.ang) * norm(f.lin)));
    EXPECT_EQ(wrench.free.lin, Vec3<double>{});
  });
}

// Built from its line, pitch and magnitude, and found again.
TEST(Line, ScrewsAreUnique) {
  for_seeds(20, [](Random& rng) {
    const Vec3<double> d = random_unit(rng), any_point = random_vec3(rng);
    const Vec3<double> nearest = any_point - dot(any_point, d) * d;
    const double h = random_number(rng), size = rng.uniform(.5, 3);
    const Motion<double> m = size * (rotation_about(any_point, d) + h * translation_along(d));
    const Screw<double> s = screw_of(m);
    EXPECT_TRUE(near(s.direction, d, 20));
    EXPECT_TRUE(near(s.point, nearest, 40));
    EXPECT_TRUE(near(s.pitch, h, 40));
    EXPECT_TRUE(near(s.magnitude, size, 10));
    const Force<double> f = size * (force_through(any_point, d) + h * couple_about(d));
    const Screw<double> w = screw_of(f);
    EXPECT_TRUE(near(w.direction, d, 20));
    EXPECT_TRUE(near(w.point, nearest, 40));
    EXPECT_TRUE(near(w.pitch, h, 40));
    // the pitch does not depend on the frame; the line moves with it
    const Transform<double> X = random_transform(rng);
    const Screw<double> moved = screw_of(apply(X, m));
    EXPECT_TRUE(near(moved.pitch, h, 100));
    EXPECT_TRUE(near(moved.direction, apply(X.E, d), 40));
    const Vec3<double> point_there = apply_to_point(X, any_point);
    EXPECT_TRUE(near(cross(point_there - moved.point, moved.direction), Vec3<double>{}, 100));
  });
}

TEST(Line, FreeVectorsHaveInfinitePitch) {
  const Motion<double> m = translation_along(Vec3<double>{0, 3, 4});
  const Screw<double> s = screw_of(m);
  EXPECT_EQ(s.pitch, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(near(s.direction, Vec3<double>{0, .6, .8}, 2));
  EXPECT_EQ(s.magnitude, 5);
  EXPECT_EQ(s.point, Vec3<double>{});
  const auto parts = split(m);
  EXPECT_EQ(parts.line.lin, Vec3<double>{});
  EXPECT_EQ(parts.free.lin, m.lin);
  const Screw<double> couple = screw_of(couple_about(Vec3<double>{0, 3, 4}));
  EXPECT_EQ(couple.pitch, std::numeric_limits<double>::infinity());
  const Screw<double> zero = screw_of(Motion<double>{});
  EXPECT_EQ(zero.magnitude, 0);
  EXPECT_EQ(zero.direction, Vec3<double>{});
}

}  // namespace
}  // namespace sinew::test
