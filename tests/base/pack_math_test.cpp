// tests/base/pack_math_test.cpp - sine and cosine of packs against long double
// 2 ulp are promised for every argument; double is held to 1, which it keeps.
#include "sinew/base/pack_math.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "sinew/base/random.hpp"

namespace sinew {
namespace {

template <class T>
double ulps_between(T got, long double want) {
  if (std::isnan(double(want)) || std::isnan(double(got)))
    return std::isnan(double(want)) == std::isnan(double(got)) ? 0 : 1e9;
  int exponent = 0;
  std::frexp(want, &exponent);
  using Limits = std::numeric_limits<T>;
  const int last = std::max(exponent, Limits::min_exponent) - Limits::digits;
  return double(std::abs((long double)(got)-want) / std::ldexp(1.0L, last));
}

template <class P>
struct SincosTest : testing::Test {
  using Value = typename ScalarTraits<P>::Value;
  static constexpr int kLanes = ScalarTraits<P>::kLanes;

  // The worst of all arguments, which go through in packs as they come.
  void check(const std::vector<Value>& arguments) {
    double worst = 0;
    Value at = 0;
    for (std::size_t k = 0; k < arguments.size(); k += std::size_t(kLanes)) {
      P x, s, c;
      for (int i = 0; i < kLanes; ++i) x.set(i, arguments[(k + std::size_t(i)) % arguments.size()]);
      sincos(x, s, c);
      const P sine = sin(x), cosine = cos(x);
      for (int i = 0; i < kLanes; ++i) {
        const auto exact = (long double)(x[i]);
        const double error = std::max(ulps_between(s[i], std::sin(exact)), ulps_between(c[i], std::cos(exact)));
        if (error > worst) worst = error, at = x[i];
        EXPECT_TRUE(s[i] == sine[i] || std::isnan(s[i]));
        EXPECT_TRUE(c[i] == cosine[i] || std::isnan(c[i]));
      }
    }
    EXPECT_LE(worst, sizeof(Value) == 8 ? 1 : 2) << "at " << testing::PrintToString(at);
    this->RecordProperty("ulp", std::to_string(worst));
  }
};
using Packs = testing::Types<NativePack<double>, NativePack<float>, Pack<double, 2>, Pack<float, 4>>;
TYPED_TEST_SUITE(SincosTest, Packs);

TYPED_TEST(SincosTest, RandomArguments) {
  using T = typename ScalarTraits<TypeParam>::Value;
  Random rng(1);
  for (double limit : {.8, 4., 100., 1e5, 1.6e6, 1e9}) {
    std::vector<T> x(20000);
    for (T& a : x) a = T(rng.uniform(-limit, limit));
    this->check(x);
  }
}

// The doubles (floats) next to k pi/2, where almost all digits cancel; every k up to 2^12, then random ones.
TYPED_TEST(SincosTest, NearMultiplesOfHalfPi) {
  using T = typename ScalarTraits<TypeParam>::Value;
  Random rng(2);
  std::vector<T> x;
  for (int i = 0; i < 20000; ++i) {
    const int k = i < 4096 ? i : rng.below(1 << 20);
    T y = T(k * (std::numbers::pi_v<long double> / 2));
    for (int step = rng.below(3); step > 0; --step) y = std::nextafter(y, T(0));
    x.push_back(rng.below(2) ? y : -y);
  }
  this->check(x);
}

// All exponents: subnormal numbers, ordinary ones, and the largest there are.
TYPED_TEST(SincosTest, AllMagnitudes) {
  using T = typename ScalarTraits<TypeParam>::Value;
  using Limits = std::numeric_limits<T>;
  Random rng(3);
  std::vector<T> x{0, Limits::denorm_min(), Limits::min(), Limits::max(), Limits::lowest(), T(1e5), T(1e22)};
  for (int e = Limits::min_exponent - Limits::digits; e <= Limits::max_exponent; ++e)
    for (int i = 0; i < 8; ++i) x.push_back(std::ldexp(T(rng.uniform(.5, 1)), e));
  // both sides of the limit beyond which the C library helps
  for (T edge : {T(detail::kSincosLimit), T(-detail::kSincosLimit)})
    for (T toward : {T(0), 2 * edge}) x.push_back(std::nextafter(edge, toward)), x.push_back(edge);
  this->check(x);
}

// The doubles closest to a multiple of pi/2 of all (Kahan's and Muller's), the limits of step 1 among them.
TEST(Sincos, HardestArguments) {
  using P = NativePack<double>;
  for (double x : {6381956970095103. * 0x1p797, 0x1.921fb54442d18p0, 0x1.921fb54442d18p1, 0x1.2d97c7f3321d2p2,
                   0x1.f6a7a2955385ep2, 0x1.6ac5b262ca1ffp849, 0x1.921fb54442d18p19, 0x1.6345785d8a0000p20}) {
    P s, c;
    sincos(P(x), s, c);
    EXPECT_LE(ulps_between(s[0], std::sin((long double)x)), 2) << x;
    EXPECT_LE(ulps_between(c[0], std::cos((long double)x)), 2) << x;
  }
}

TYPED_TEST(SincosTest, SpecialValues) {
  using P = TypeParam;
  using T = typename ScalarTraits<TypeParam>::Value;
  const T inf = std::numeric_limits<T>::infinity();
  for (T bad : {inf, -inf, std::numeric_limits<T>::quiet_NaN()}) {
    P x(T(.5)), s, c;
    x.set(1, bad);
    sincos(x, s, c);
    EXPECT_TRUE(std::isnan(s[1]) && std::isnan(c[1]));
    EXPECT_LE(ulps_between(s[0], std::sin(.5L)), 2);  // the other lanes do not notice
  }
  P s, c;
  sincos(P(T(-0.0)), s, c);
  EXPECT_TRUE(s[0] == 0 && std::signbit(s[0]) && c[0] == 1);
  sincos(P(T(0)), s, c);
  EXPECT_TRUE(s[0] == 0 && !std::signbit(s[0]) && c[0] == 1);
  // sine is odd, cosine even, to the bit
  P s2, c2;
  sincos(P(T(2.3)), s, c);
  sincos(P(T(-2.3)), s2, c2);
  EXPECT_TRUE(s[0] == -s2[0] && c[0] == c2[0]);
}

}  // namespace
}  // namespace sinew
