// tests/spatial/exponential_test.cpp - exponential and logarithm of turns and displacements
#include "sinew/spatial/exponential.hpp"

#include <numbers>

#include "sinew/base/scalars.hpp"
#include "sinew/spatial/orientation.hpp"
#include "support/dense6.hpp"
#include "support/near.hpp"
#include "support/random_spatial.hpp"

namespace sinew::test {
namespace {

const double kAngles[] = {0,  1e-300, 1e-160, 1e-20, 1e-9, 1e-5, 1e-3, .0999,
                          .1, .1001,  .5,     1,     2,    3,    3.14, std::numbers::pi - 1e-9};

// 1 + A + A^2/2 + ... of the 4x4 matrix of a motion: the active displacement.
std::array<std::array<double, 4>, 4> exp_series(const Motion<double>& u) {
  const double A[4][4] = {
      {0, -u.ang.z, u.ang.y, u.lin.x}, {u.ang.z, 0, -u.ang.x, u.lin.y}, {-u.ang.y, u.ang.x, 0, u.lin.z}, {0, 0, 0, 0}};
  std::array<std::array<double, 4>, 4> sum{}, term{};
  for (std::size_t i = 0; i < 4; ++i) sum[i][i] = term[i][i] = 1;
  for (int n = 1; n < 60; ++n) {
    auto next = term;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        next[i][j] = 0;
        for (std::size_t k = 0; k < 4; ++k) next[i][j] += term[i][k] * A[k][j] / n;
        sum[i][j] += next[i][j];
      }
    term = next;
  }
  return sum;
}

TEST(Exponential, IsTheMatrixExponential) {
  for_seeds(20, [](Random& rng) {
    const Vec3<double> axis = random_unit(rng), lin = random_vec3(rng);
    for (double t : kAngles) {
      SCOPED_TRACE(testing::Message() << "angle " << t);
      const Motion<double> u{t * axis, lin};
      const auto want = exp_series(u);
      const Displacement<double> d = exp(u);
      const Mat3<double> R = transpose(to_rotation(d.turn).m);
      EXPECT_TRUE(near(R,
                       Mat3<double>{want[0][0], want[0][1], want[0][2], want[1][0], want[1][1], want[1][2], want[2][0],
                                    want[2][1], want[2][2]},
                       60));
      EXPECT_TRUE(near(d.shift, Vec3<double>{want[0][3], want[1][3], want[2][3]}, 60));
      EXPECT_TRUE(near(exp(u.ang), d.turn, 1));
      EXPECT_TRUE(near(d.turn, quaternion_from_axis_angle(axis, t), 4));
    }
  });
}

// To the last digits, whether the angle is tiny or almost pi.
TEST(Exponential, LogarithmIsItsInverse) {
  for_seeds(20, [](Random& rng) {
    const Vec3<double> axis = random_unit(rng), lin = random_vec3(rng);
    for (double t : kAngles) {
      SCOPED_TRACE(testing::Message() << "angle " << t);
      const Vec3<double> w = t * axis, back = log(exp(w));
      EXPECT_TRUE(near(back, w, 8, t == 0 ? 1 : t));  // relative to the angle itself
      const Motion<double> u{w, lin}, u_back = log(exp(u));
      EXPECT_TRUE(near(u_back.lin, lin, 20));
      // -q is the same turn
      const Quaternion<double> q = exp(w);
      EXPECT_TRUE(near(log(Quaternion<double>{-q.w, -q.x, -q.y, -q.z}), back, 8));
    }
  });
}

TEST(Exponential, LogarithmTakesTheShorterWay) {
  const Vec3<double> axis{.6, 0, .8};
  EXPECT_TRUE(near(log(exp((std::numbers::pi + .5) * axis)), (.5 - std::numbers::pi) * axis, 8));
  EXPECT_TRUE(near(norm(log(Quaternion<double>{0, .6, 0, .8})), std::numbers::pi, 2));
  EXPECT_TRUE(near(log(exp((2 * std::numbers::pi + .5) * axis)), .5 * axis, 8));
  EXPECT_EQ(log(Quaternion<double>{}), Vec3<double>{});
}

// A log is asked for after many products: q need not be of unit length to the last digit.
TEST(Exponential, LogarithmDoesNotMindTheLengthOfQ) {
  for_seeds(20, [](Random& rng) {
    const Vec3<double> w = rng.uniform(.01, 3) * random_unit(rng);
    const Quaternion<double> q = exp(w);
    EXPECT_TRUE(near(log(Quaternion<double>{1.5 * q.w, 1.5 * q.x, 1.5 * q.y, 1.5 * q.z}), w, 20));
  });
}

// The velocity of exp(t u) is u, in the moving frame and in the fixed one.
TEST(Exponential, DerivativeThroughDuals) {
  for_seeds(20, [](Random& rng) {
    const Motion<double> u = random_motion(rng);
    for (double t : {0., 1e-9, .03, .7}) {
      const Displacement<Dual> d = exp(Dual{t, 1} * cast<Dual>(u));
      const auto slope = [](const auto& v) { return Vec3<double>{v.x.slope, v.y.slope, v.z.slope}; };
      const auto value = [](const auto& v) { return Vec3<double>{v.x.value, v.y.value, v.z.value}; };
      // shift' = R v, and 2 q' = q w
      const Quaternion<double> q{d.turn.w.value, d.turn.x.value, d.turn.y.value, d.turn.z.value};
      EXPECT_TRUE(near(apply(to_rotation(q), slope(d.shift)), u.lin, 1e3));
      const Quaternion<double> qw = q * Quaternion<double>{0, .5 * u.ang.x, .5 * u.ang.y, .5 * u.ang.z};
      EXPECT_TRUE(near(Quaternion<double>{d.turn.w.slope, d.turn.x.slope, d.turn.y.slope, d.turn.z.slope}, qw, 1e3));
      // log takes it back, slope and all
      const Motion<Dual> back = log(d);
      EXPECT_TRUE(near(value(back.ang), t * u.ang, 100));
      EXPECT_TRUE(near(slope(back.ang), u.ang, 1e5));
      EXPECT_TRUE(near(slope(back.lin), u.lin, 1e5));
    }
  });
}

// Lanes of one pack may be on both sides of every switch.
TEST(Exponential, PacksDoWhatDoublesDo) {
  using P = NativePack<double>;
  constexpr int n = ScalarTraits<P>::kLanes;
  for_seeds(20, [](Random& rng) {
    Motion<P> u{};
    Motion<double> lanes[n];
    for (int i = 0; i < n; ++i) {
      const double t = kAngles[rng.below(int(std::size(kAngles)))];
      lanes[i] = {t * random_unit(rng), random_vec3(rng)};
      u.ang.x.set(i, lanes[i].ang.x), u.ang.y.set(i, lanes[i].ang.y), u.ang.z.set(i, lanes[i].ang.z);
      u.lin.x.set(i, lanes[i].lin.x), u.lin.y.set(i, lanes[i].lin.y), u.lin.z.set(i, lanes[i].lin.z);
    }
    const Displacement<P> d = exp(u);
    const Motion<P> back = log(d);
    for (int i = 0; i < n; ++i) {
      const Displacement<double> want = exp(lanes[i]);
      EXPECT_TRUE(near(flatten(d.turn, i), flatten(want.turn), 4));
      EXPECT_TRUE(near(flatten(d.shift, i), flatten(want.shift), 10));
      EXPECT_TRUE(near(flatten(back, i), flatten(log(want)), 20));
    }
  });
}

}  // namespace
}  // namespace sinew::test
