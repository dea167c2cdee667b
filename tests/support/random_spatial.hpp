// tests/support/random_spatial.hpp - random spatial quantities; every failure names its seed
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "sinew/base/random.hpp"
#include "sinew/spatial/axial_screw.hpp"
#include "sinew/spatial/planar_inertia.hpp"

namespace sinew::test {

inline constexpr int kSeeds = 50;  // where nothing asks for more

// Runs `body` with a fresh generator for each of the seeds 0 .. count - 1.
template <class Body>
void for_seeds(int count, Body body) {
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random rng(std::uint64_t(seed) * 7919 + 1);
    body(rng);
    if (testing::Test::HasFatalFailure()) return;
  }
}

inline double random_number(Random& rng) { return rng.uniform(-2, 2); }
inline Vec2<double> random_vec2(Random& rng) { return {random_number(rng), random_number(rng)}; }
inline Vec3<double> random_vec3(Random& rng) {
  const double x = random_number(rng), y = random_number(rng), z = random_number(rng);
  return {x, y, z};
}
inline Vec3<double> random_unit(Random& rng) {
  const double x = rng.normal(), y = rng.normal(), z = rng.normal();
  const Vec3<double> a{x, y, z};
  return (1 / norm(a)) * a;
}
inline Mat3<double> random_mat3(Random& rng) {
  const Vec3<double> a = random_vec3(rng), b = random_vec3(rng), c = random_vec3(rng);
  return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
}
inline Sym3<double> random_sym3(Random& rng) { return lower_triangle(random_mat3(rng)); }
// A^T A + 1/10: positive definite.
inline Sym3<double> random_spd3(Random& rng) {
  const Mat3<double> a = random_mat3(rng);
  return lower_triangle(transpose(a) * a) + Sym3<double>::diagonal(.1, .1, .1);
}
inline Quaternion<double> random_quaternion(Random& rng) {
  const double w = rng.normal(), x = rng.normal(), y = rng.normal(), z = rng.normal();
  return normalized(Quaternion<double>{w, x, y, z});
}
inline Rotation<double> random_rotation(Random& rng) { return to_rotation(random_quaternion(rng)); }
inline Transform<double> random_transform(Random& rng) {
  const Rotation<double> E = random_rotation(rng);
  return {E, random_vec3(rng)};
}
inline PlanarTransform<double> random_planar_transform(Random& rng) {
  const Vec2<double> r = random_vec2(rng);
  return planar_transform(r, rng.uniform(-3, 3));
}
inline Motion<double> random_motion(Random& rng) {
  const Vec3<double> w = random_vec3(rng);
  return {w, random_vec3(rng)};
}
inline Force<double> random_force(Random& rng) {
  const Vec3<double> n = random_vec3(rng);
  return {n, random_vec3(rng)};
}
inline PlanarMotion<double> random_planar_motion(Random& rng) {
  const double w = random_number(rng);
  return {w, random_vec2(rng)};
}
inline PlanarForce<double> random_planar_force(Random& rng) {
  const double n = random_number(rng);
  return {n, random_vec2(rng)};
}
// Of a body: masses at six points, so that the triangle inequality holds.
inline RigidInertia<double> random_inertia(Random& rng) {
  RigidInertia<double> sum{};
  for (int i = 0; i < 6; ++i) {
    const double m = rng.uniform(.1, 1);
    sum = sum + make_inertia(m, random_vec3(rng), Sym3<double>{});
  }
  return sum;
}
// Any symmetric 6x6, for what is linear in the inertia.
inline ArticulatedInertia<double> random_articulated(Random& rng) {
  const Sym3<double> M = random_spd3(rng);
  const Mat3<double> H = random_mat3(rng);
  return {M, H, random_spd3(rng)};
}
inline PlanarRigidInertia<double> random_planar_inertia(Random& rng) {
  const double m = rng.uniform(.1, 2), Ic = rng.uniform(.1, 2);
  return make_planar_inertia(m, random_vec2(rng), Ic);
}
inline PlanarArticulatedInertia<double> random_planar_articulated(Random& rng) {
  const Vec3<double> m = random_vec3(rng);
  const Vec2<double> H = random_vec2(rng);
  return {m.x, m.y, m.z, H, random_number(rng)};
}
template <Axis A>
AxialScrew<A, double> random_screw(Random& rng) {
  const double angle = rng.uniform(-3, 3);
  return make_screw<A>(angle, random_number(rng));
}

}  // namespace sinew::test
