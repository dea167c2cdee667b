// tests/spatial/planar_test.cpp - the planar twins are the wz, vx, vy part of the spatial ones (SVA-7, SVA-8)
#include "sinew/spatial/planar_inertia.hpp"

#include "sinew/spatial/xtov.hpp"
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

using Dense3 = std::array<std::array<double, 3>, 3>;
using Array3 = std::array<double, 3>;

// Rows and columns 3, 4, 5 counted from 1.
Dense3 planar_part(const Dense& a) {
  Dense3 out{};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[std::size_t(i)][std::size_t(j)] = a(i + 2, j + 2);
  return out;
}
template <class V>
Array3 numbers(const V& v) {
  return {v.ang, v.lin.x, v.lin.y};
}
PlanarMotion<double> unit_motion(int k) { return {k == 0 ? 1. : 0., {k == 1 ? 1. : 0., k == 2 ? 1. : 0.}}; }
PlanarForce<double> unit_force(int k) { return {k == 0 ? 1. : 0., {k == 1 ? 1. : 0., k == 2 ? 1. : 0.}}; }
// The matrix of a linear map, column by column.
template <class Unit, class Map>
Dense3 matrix_of(Unit unit, Map map) {
  Dense3 out{};
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) out[std::size_t(i)][std::size_t(j)] = numbers(map(unit(j)))[std::size_t(i)];
  return out;
}
template <class Inertia>
Dense3 matrix_of(const Inertia& I) {
  return matrix_of(unit_motion, [&](const auto& v) { return I * v; });
}
Dense3 product(const Dense3& a, const Dense3& b) {
  Dense3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}
Dense3 transposed_planar(const Dense3& a) {
  Dense3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i][j] = a[j][i];
  return out;
}
Dense3 motion_matrix(const PlanarTransform<double>& X) {
  return matrix_of(unit_motion, [&](const auto& v) { return apply(X, v); });
}
RigidInertia<double> to_space(const PlanarRigidInertia<double>& a) {
  // any Ixx, Iyy and any height of the centre would do
  return {a.m, {a.h.x, a.h.y, 0}, Sym3<double>::diagonal(1, 2, a.I)};
}

// The operator is the submatrix of [F08 2.31] and not of the one printed before 2.75, which has a misprint in row 4.
TEST(Planar, CrossOperators) {
  for_seeds(kSeeds, [](Random& rng) {
    const PlanarMotion<double> v = random_planar_motion(rng), u = random_planar_motion(rng);
    const PlanarForce<double> f = random_planar_force(rng);
    const double w = v.ang, vx = v.lin.x, vy = v.lin.y;
    const Dense3 crm = matrix_of(unit_motion, [&](const auto& m) { return cross(v, m); });
    const Dense3 crf = matrix_of(unit_force, [&](const auto& m) { return cross(v, m); });
    EXPECT_TRUE(near(crm, Dense3{{{0, 0, 0}, {vy, 0, -w}, {-vx, w, 0}}}, 1));  // [F08 2.75]
    EXPECT_TRUE(near(crm, planar_part(to_dense_cross(to_space(v))), 1));
    EXPECT_TRUE(near(crf, planar_part(to_dense_cross_force(to_space(v))), 1));
    EXPECT_TRUE(
        near(crf, transposed_planar(matrix_of(unit_motion, [&](const auto& m) { return -1.0 * cross(v, m); })), 1));
    EXPECT_TRUE(near(to_space(cross(v, u)), cross(to_space(v), to_space(u)), 5));
    EXPECT_TRUE(near(to_space(cross(v, f)), cross(to_space(v), to_space(f)), 5));
    EXPECT_TRUE(near(dot(v, f), dot(to_space(v), to_space(f)), 5));
  });
}

TEST(Planar, Transforms) {
  for_seeds(kSeeds, [](Random& rng) {
    const Vec2<double> r = random_vec2(rng);
    const double t = rng.uniform(-3, 3), c = std::cos(t), s = std::sin(t);
    const PlanarTransform<double> X = planar_transform(r, t), Y = random_planar_transform(rng);
    const Dense3 want{{{1, 0, 0}, {s * r.x - c * r.y, c, s}, {c * r.x + s * r.y, -s, c}}};  // [F08 2.77]
    EXPECT_TRUE(near(motion_matrix(X), want, 5));
    EXPECT_TRUE(near(motion_matrix(X), planar_part(to_dense(to_space(X))), 5));
    EXPECT_TRUE(near(to_space(X * Y), to_space(X) * to_space(Y), 20));
    EXPECT_TRUE(near(to_space(inverse(X)), inverse(to_space(X)), 10));
    const PlanarMotion<double> v = random_planar_motion(rng);
    const PlanarForce<double> f = random_planar_force(rng);
    EXPECT_TRUE(near(to_space(apply(X, f)), apply(to_space(X), to_space(f)), 10));
    EXPECT_TRUE(near(apply_inverse(X, apply(X, v)), v, 30));
    EXPECT_TRUE(near(apply_inverse(X, apply(X, f)), f, 30));
    EXPECT_TRUE(near(dot(apply(X, v), apply(X, f)), dot(v, f), 50));
  });
}

TEST(Planar, RigidInertias) {
  for_seeds(kSeeds, [](Random& rng) {
    const double m = rng.uniform(.5, 2), Ic = rng.uniform(.5, 2);
    const Vec2<double> c = random_vec2(rng);
    const PlanarRigidInertia<double> I = make_planar_inertia(m, c, Ic), J = random_planar_inertia(rng);
    const Dense3 want{{{Ic + m * (c.x * c.x + c.y * c.y), -m * c.y, m * c.x}, {-m * c.y, m, 0}, {m * c.x, 0, m}}};
    EXPECT_TRUE(near(matrix_of(I), want, 5));  // [F08 2.78]
    EXPECT_TRUE(near(matrix_of(I), planar_part(to_dense(to_space(I))), 5));
    const PlanarTransform<double> X = random_planar_transform(rng);
    EXPECT_TRUE(near(matrix_of(apply(X, I)), planar_part(to_dense(apply(to_space(X), to_space(I)))), 30));
    EXPECT_TRUE(
        near(matrix_of(apply_inverse(X, I)), planar_part(to_dense(apply_inverse(to_space(X), to_space(I)))), 30));
    const PlanarMotion<double> v = random_planar_motion(rng);
    EXPECT_TRUE(near(numbers((I + J) * v), numbers(I * v + J * v), 20));
    EXPECT_TRUE(near(to_articulated(I) * v, I * v, 10));
    EXPECT_TRUE(near(to_articulated(I) + J, to_articulated(I + J), 5));
  });
}

TEST(Planar, ArticulatedInertias) {
  for_seeds(kSeeds, [](Random& rng) {
    const PlanarArticulatedInertia<double> I = random_planar_articulated(rng), J = random_planar_articulated(rng);
    const PlanarTransform<double> X = random_planar_transform(rng);
    const Dense3 x = motion_matrix(X), xi = motion_matrix(inverse(X));
    EXPECT_TRUE(near(matrix_of(I), transposed_planar(matrix_of(I)), 0));
    EXPECT_TRUE(near(matrix_of(apply(X, I)), product(transposed_planar(xi), product(matrix_of(I), xi)), 50));
    EXPECT_TRUE(near(matrix_of(apply_inverse(X, I)), product(transposed_planar(x), product(matrix_of(I), x)), 50));
    const PlanarMotion<double> v = random_planar_motion(rng);
    EXPECT_TRUE(near((I + J) * v, I * v + J * v, 20));
  });
}

// The exact motion really carries A onto B, and xtov is parallel to it.
TEST(Planar, XtoV) {
  for_seeds(kSeeds, [](Random& rng) {
    const PlanarTransform<double> X = random_planar_transform(rng);
    const PlanarMotion<double> u = xtov_exact(X), v = xtov(X), simple = xtov_simple(X);
    const Displacement<double> d = exp(to_space(u));
    EXPECT_TRUE(near(make_pose(d.shift, d.turn), to_space(X), 50));
    EXPECT_TRUE(near(apply(X, v), v, 20));
    EXPECT_TRUE(near(to_space(v), xtov(to_space(X)), 10));
    if (X.c > 0) {  // asin reaches no further
      EXPECT_TRUE(near(u, (std::asin(X.s) / X.s) * v, 100));
    }
    const Dense3 x = motion_matrix(X);
    EXPECT_TRUE(near(numbers(simple), Array3{x[1][2], x[2][0], -x[1][0]}, 5));
  });
  const PlanarTransform<double> shift = planar_transform(Vec2<double>{3, -4}, 0.0);
  EXPECT_EQ(numbers(xtov(shift)), (Array3{0, 3, -4}));
  EXPECT_EQ(numbers(xtov_simple(shift)), (Array3{0, 3, -4}));
}

}  // namespace
}  // namespace sinew::test
