// tests/spatial/cross_test.cpp - the cross operators: Tables 2.1 and 2.3, Figure 2.5, all 36 products (SVA-2)
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

Mat3<double> outer(const Vec3<double>& a, const Vec3<double>& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}

TEST(Cross, Table2_1) {
  for_seeds(kSeeds, [](Random& rng) {
    const Vec3<double> a = random_vec3(rng), b = random_vec3(rng), c = random_vec3(rng);
    const Rotation<double> E = random_rotation(rng);
    const double k = random_number(rng);
    const Mat3<double> one = Mat3<double>::identity(), zero{};
    EXPECT_TRUE(near(transpose(skew(a)), zero - skew(a), 1));
    EXPECT_TRUE(near(skew(k * a), k * skew(a), 1));
    EXPECT_TRUE(near(skew(a + b), skew(a) + skew(b), 1));
    EXPECT_TRUE(near(skew(apply(E, a)), E.m * skew(a) * transpose(E.m), 20));
    EXPECT_TRUE(near(skew(a) * b, zero * b - skew(b) * a, 1));
    EXPECT_TRUE(near(skew(a) * b, cross(a, b), 1));
    EXPECT_TRUE(near(dot(cross(a, b), c), dot(a, cross(b, c)), 20));
    EXPECT_TRUE(near(skew(a) * skew(b), outer(b, a) - dot(a, b) * one, 20));
    EXPECT_TRUE(near(skew(cross(a, b)), outer(b, a) - outer(a, b), 20));
    EXPECT_TRUE(near(skew(cross(a, b)), skew(a) * skew(b) - skew(b) * skew(a), 20));
  });
}

TEST(Cross, ProductsWithSymmetricMatrices) {
  for_seeds(kSeeds, [](Random& rng) {
    const Vec3<double> a = random_vec3(rng), b = random_vec3(rng);
    const Sym3<double> M = random_sym3(rng);
    EXPECT_TRUE(near(cross(a, M), skew(a) * to_mat3(M), 10));
    EXPECT_TRUE(near(cross_cross(a, b), lower_triangle(skew(a) * skew(b)), 10));
    const Sym3<double> P = random_spd3(rng);
    EXPECT_TRUE(near(to_mat3(inverse(P)) * to_mat3(P), Mat3<double>::identity(), 1e4));
  });
}

TEST(Cross, Table2_3) {
  for_seeds(kSeeds, [](Random& rng) {
    const Motion<double> u = random_motion(rng), v = random_motion(rng);
    const Force<double> f = random_force(rng);
    const Transform<double> X = random_transform(rng);
    const double k = random_number(rng);
    const Dense ux = to_dense_cross(u), vx = to_dense_cross(v), uf = to_dense_cross_force(u),
                vf = to_dense_cross_force(v);
    EXPECT_TRUE(near(vf, -1.0 * transposed(vx), 1));
    EXPECT_TRUE(near(to_dense_cross(k * v), k * vx, 1));
    EXPECT_TRUE(near(to_dense_cross_force(k * v), k * vf, 1));
    EXPECT_TRUE(near(to_dense_cross(u + v), ux + vx, 1));
    EXPECT_TRUE(near(to_dense_cross_force(u + v), uf + vf, 1));
    EXPECT_TRUE(near(to_dense_cross(apply(X, v)), to_dense(X) * vx * to_dense(inverse(X)), 200));
    EXPECT_TRUE(near(to_dense_cross_force(apply(X, v)), to_dense_force(X) * vf * to_dense_force(inverse(X)), 200));
    EXPECT_TRUE(near(cross(u, v), -cross(v, u), 10));
    EXPECT_TRUE(near(dot(cross(u, v), f), -dot(v, cross(u, f)), 50));
    EXPECT_TRUE(near(dot(cross(u, f), v), -dot(f, cross(u, v)), 50));
    EXPECT_TRUE(near(to_dense_cross(cross(u, v)), ux * vx - vx * ux, 50));
    EXPECT_TRUE(near(to_dense_cross_force(cross(u, v)), uf * vf - vf * uf, 50));
    // what the matrices say is what the functions do [F08 2.33, 2.34]
    EXPECT_TRUE(near(to_array(cross(u, v)), ux * to_array(v), 10));
    EXPECT_TRUE(near(to_array(cross(u, f)), uf * to_array(f), 10));
    // and a transform commutes with both
    EXPECT_TRUE(near(cross(apply(X, u), apply(X, v)), apply(X, cross(u, v)), 200));
    EXPECT_TRUE(near(cross(apply(X, u), apply(X, f)), apply(X, cross(u, f)), 200));
  });
}

// Figure 2.5. Rows: velocity of the frame; columns: the vector carried along. Entry +-k: plus or minus basis vector
// k, counted from 1 (rotations or couples about x y z, then translations or forces along x y z); 0: nothing.
constexpr int kMotionTable[6][6] = {{0, 3, -2, 0, 6, -5}, {-3, 0, 1, -6, 0, 4}, {2, -1, 0, 5, -4, 0},
                                    {0, 6, -5, 0, 0, 0},  {-6, 0, 4, 0, 0, 0},  {5, -4, 0, 0, 0, 0}};
constexpr int kForceTable[6][6] = {{0, 3, -2, 0, 6, -5}, {-3, 0, 1, -6, 0, 4}, {2, -1, 0, 5, -4, 0},
                                   {0, 0, 0, 0, 3, -2},  {0, 0, 0, -3, 0, 1},  {0, 0, 0, 2, -1, 0}};

Array6 unit(int k) {
  Array6 out{};
  if (k != 0) out[std::size_t(std::abs(k) - 1)] = k > 0 ? 1 : -1;
  return out;
}

TEST(Cross, Figure2_5) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      SCOPED_TRACE(testing::Message() << "row " << i << ", column " << j);
      const Motion<double> v = to_motion(unit(i + 1));
      EXPECT_TRUE(near(to_array(cross(v, to_motion(unit(j + 1)))), unit(kMotionTable[i][j]), 1));
      EXPECT_TRUE(near(to_array(cross(v, to_force(unit(j + 1)))), unit(kForceTable[i][j]), 1));
    }
}

// The definition: d/dt of a vector that is carried along, by moving the frame a little.
TEST(Cross, IsTheRateOfWhatIsCarriedAlong) {
  for_seeds(10, [](Random& rng) {
    const Motion<double> v = random_motion(rng), m = random_motion(rng);
    const Force<double> f = random_force(rng);
    const double h = 1e-6;
    // where a frame is that moved with v for the time +-h, to second order
    const auto moved = [&](double t) {
      const double w = norm(v.ang);
      const Vec3<double> axis = (1 / w) * v.ang;
      const double s = std::sin(.5 * w * t), c = std::cos(.5 * w * t);
      return make_pose(t * v.lin + (.5 * t * t) * cross(v.ang, v.lin),
                       Quaternion<double>{c, s * axis.x, s * axis.y, s * axis.z});
    };
    const Motion<double> rate_m = (1 / (2 * h)) * (apply_inverse(moved(h), m) - apply_inverse(moved(-h), m));
    const Force<double> rate_f = (1 / (2 * h)) * (apply_inverse(moved(h), f) - apply_inverse(moved(-h), f));
    EXPECT_TRUE(near(rate_m, cross(v, m), 1e7));
    EXPECT_TRUE(near(rate_f, cross(v, f), 1e7));
  });
}

}  // namespace
}  // namespace sinew::test
