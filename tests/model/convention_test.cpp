// tests/model/convention_test.cpp - the maps to Pinocchio's and MuJoCo's coordinates
#include "sinew/model/convention.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sinew/model/builder.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/spatial/orientation.hpp"
#include "support/tolerance.hpp"

namespace sinew::test {
namespace {

// A floating base with a continuous joint listed after, but named before, a ball.
Model example() {
  ModelBuilder b("example");
  for (const char* name : {"base", "wheel", "ball", "sheet"}) b.body(name).mass(solid_sphere(1, 0.1));
  b.free("root", "world", "base");
  b.spherical("zball", "base", "ball");
  b.revolute("awheel", "base", "wheel");
  b.spec().joints.back().continuous = true;
  b.planar("plane", "wheel", "sheet");
  return b.build().value();
}

TEST(Convention, PinocchioOrdersByNameAndSplitsAngles) {
  const Model m = example();
  const ConventionMap map(m, Convention::pinocchio);
  EXPECT_EQ(map.nq(), 7 + 2 + 4 + 4);  // free, continuous, planar, ball
  EXPECT_EQ(map.nv(), 6 + 1 + 3 + 3);
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), other(17);
  q[4] = 1, q[5] = 2, q[6] = 3;  // base position
  const JointEntry *wheel = m.find_joint("awheel"), *plane = m.find_joint("plane");
  q[wheel->q] = 0.5;
  q[plane->q] = 0.25, q[static_cast<std::size_t>(plane->q) + 1] = 7;
  map.to_other_q(q, other);
  const double expected[] = {1, 2, 3, 0, 0, 0, 1, std::cos(0.5), std::sin(0.5), 7, 0, std::cos(0.25), std::sin(0.25),
                             0, 0, 0, 1};
  for (std::size_t i = 0; i < 17; ++i) EXPECT_DOUBLE_EQ(other[i], expected[i]) << i;
}

TEST(Convention, MujocoTurnsTheBaseVelocityIntoTheWorld) {
  const Model m = example();
  const ConventionMap map(m, Convention::mujoco);
  std::vector<double> q(m.neutral().begin(), m.neutral().end()), v(13), other(13);
  const Quaternion<double> quarter = quaternion_from_axis_angle(Vec3<double>{0, 0, 1}, std::acos(0.0));
  q[0] = quarter.w, q[3] = quarter.z;
  v[2] = 5, v[3] = 1;  // spins about z, moves along its own x, which is the world's y
  map.to_other_v(q, v, other);
  EXPECT_NEAR(other[1], 1, 1e-15);
  EXPECT_NEAR(other[0], 0, 1e-15);
  EXPECT_EQ(other[5], 5);
  // Moving along a turning x, the world velocity changes: a_world = w x v, though all rates in the body are zero.
  std::vector<double> a(13), a_other(13);
  map.to_other_a(q, v, a, a_other);
  EXPECT_NEAR(a_other[0], -5, 1e-14);
}

TEST(Convention, AllMapsAreInvertedByTheirTwins) {
  const Model m = example();
  Random rng(4);
  for (const Convention c : {Convention::sinew, Convention::pinocchio, Convention::mujoco}) {
    const ConventionMap map(m, c);
    const std::vector<double> q = random_configuration(m, rng);
    std::vector<double> v(13), a(13), q2(q.size()), v2(13), a2(13);
    for (double& x : v) x = rng.uniform(-1, 1);
    for (double& x : a) x = rng.uniform(-1, 1);
    std::vector<double> oq(static_cast<std::size_t>(map.nq())), ov(13), oa(13), ot(13);
    map.to_other_q(q, oq);
    map.from_other_q(oq, q2);
    map.to_other_v(q, v, ov);
    map.from_other_v(q, ov, v2);
    map.to_other_a(q, v, a, oa);
    map.from_other_a(q, v, oa, a2);
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(q2[i], q[i], 1e-14) << to_string(c);
    for (std::size_t i = 0; i < 13; ++i) {
      EXPECT_NEAR(v2[i], v[i], 1e-14) << to_string(c);
      EXPECT_NEAR(a2[i], a[i], 1e-14) << to_string(c);
    }
    // Power is the same in both.
    map.to_other_tau(q, a, ot);
    double ours = 0, theirs = 0;
    for (std::size_t i = 0; i < 13; ++i) ours += a[i] * v[i], theirs += ot[i] * ov[i];
    EXPECT_NEAR(ours, theirs, 1e-14) << to_string(c);
  }
}

TEST(Convention, SizesAreChecked) {
  const Model m = example();
  const ConventionMap map(m, Convention::pinocchio);
  std::vector<double> q(3), other(17);
  EXPECT_THROW(map.to_other_q(q, other), std::invalid_argument);
}

}  // namespace
}  // namespace sinew::test
