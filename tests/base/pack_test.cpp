// tests/base/pack_test.cpp - a pack does to each lane what the scalar does, bit for bit
#include "sinew/base/pack.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "sinew/base/pack_math.hpp"
#include "sinew/base/random.hpp"

namespace sinew {
namespace {

template <class P>
struct PackTest : testing::Test {
  using Value = typename ScalarTraits<P>::Value;
  static constexpr int kLanes = ScalarTraits<P>::kLanes;

  Random rng{7};
  P random(double lower = -4, double upper = 4) {
    P p;
    for (int i = 0; i < kLanes; ++i) p.set(i, Value(rng.uniform(lower, upper)));
    return p;
  }
  // Zeros of both signs, infinities, NaN and numbers that compare equal.
  P special(int shift) {
    const Value inf = std::numeric_limits<Value>::infinity(), nan = std::numeric_limits<Value>::quiet_NaN();
    const Value list[] = {0, -Value(0), 1, -1, inf, -inf, nan, std::numeric_limits<Value>::denorm_min()};
    P p;
    for (int i = 0; i < kLanes; ++i) p.set(i, list[std::size_t(i * 3 + shift) % 8]);
    return p;
  }
};
using Packs = testing::Types<NativePack<double>, NativePack<float>, Pack<double, 2>, Pack<float, 4>>;
TYPED_TEST_SUITE(PackTest, Packs);

template <class T>
bool same_bits(T a, T b) {
  if (std::isnan(a) && std::isnan(b)) return true;
  return a == b && std::signbit(a) == std::signbit(b);
}

TYPED_TEST(PackTest, ArithmeticIsLaneByLane) {
  using P = TypeParam;
  for (int round = 0; round < 64; ++round) {
    const P a = round % 2 ? this->random() : this->special(round),
            b = round % 3 ? this->random() : this->special(round / 8);
    P sum = a, difference = a, product = a, quotient = a;
    sum += b, difference -= b, product *= b, quotient /= b;
    for (int i = 0; i < this->kLanes; ++i) {
      EXPECT_TRUE(same_bits((a + b)[i], a[i] + b[i]));
      EXPECT_TRUE(same_bits((a - b)[i], a[i] - b[i]));
      EXPECT_TRUE(same_bits((a * b)[i], a[i] * b[i]));
      EXPECT_TRUE(same_bits((a / b)[i], a[i] / b[i]));
      EXPECT_TRUE(same_bits((-a)[i], -a[i]));
      EXPECT_TRUE(same_bits(abs(a)[i], std::abs(a[i])));
      EXPECT_TRUE(same_bits(sqrt(a)[i], std::sqrt(a[i])));
      EXPECT_TRUE(same_bits(min(a, b)[i], a[i] < b[i] ? a[i] : b[i]));
      EXPECT_TRUE(same_bits(max(a, b)[i], a[i] > b[i] ? a[i] : b[i]));
      EXPECT_TRUE(same_bits(atan2(a, b)[i], std::atan2(a[i], b[i])));
      EXPECT_TRUE(same_bits(sum[i], a[i] + b[i]));
      EXPECT_TRUE(same_bits(difference[i], a[i] - b[i]));
      EXPECT_TRUE(same_bits(product[i], a[i] * b[i]));
      EXPECT_TRUE(same_bits(quotient[i], a[i] / b[i]));
    }
    const P unit = this->random(-1, 1);
    for (int i = 0; i < this->kLanes; ++i) {
      EXPECT_TRUE(same_bits(asin(unit)[i], std::asin(unit[i])));
      EXPECT_TRUE(same_bits(acos(unit)[i], std::acos(unit[i])));
    }
  }
}

TYPED_TEST(PackTest, ComparisonsAndSelect) {
  using P = TypeParam;
  for (int round = 0; round < 64; ++round) {
    const P a = this->special(round), b = round % 3 ? this->random() : this->special(round / 8);
    for (int i = 0; i < this->kLanes; ++i) {
      EXPECT_EQ((a < b)[i], a[i] < b[i]);
      EXPECT_EQ((a <= b)[i], a[i] <= b[i]);
      EXPECT_EQ((a > b)[i], a[i] > b[i]);
      EXPECT_EQ((a >= b)[i], a[i] >= b[i]);
      EXPECT_EQ((a == b)[i], a[i] == b[i]);
      EXPECT_EQ((a != b)[i], a[i] != b[i]);
      EXPECT_EQ((!(a < b))[i], !(a[i] < b[i]));
      EXPECT_EQ(((a < b) & (a == a))[i], a[i] < b[i]);
      EXPECT_EQ(((a < b) | (a >= b))[i], a[i] < b[i] || a[i] >= b[i]);
      EXPECT_TRUE(same_bits(select(a < b, a, b)[i], a[i] < b[i] ? a[i] : b[i]));
    }
  }
}

TYPED_TEST(PackTest, AnyAndAll) {
  using P = TypeParam;
  using M = MaskOf<P>;
  EXPECT_TRUE(all(M(true)) && any(M(true)));
  EXPECT_FALSE(all(M(false)) || any(M(false)));
  for (int i = 0; i < this->kLanes; ++i) {
    P p(1);
    p.set(i, -1);
    EXPECT_TRUE(any(p < P(0)));
    EXPECT_FALSE(all(p < P(0)));
    EXPECT_FALSE(all(p > P(0)));
  }
}

TYPED_TEST(PackTest, LoadsStoresAndBroadcasts) {
  using P = TypeParam;
  using T = typename ScalarTraits<TypeParam>::Value;
  std::vector<T> from(std::size_t(this->kLanes + 1)), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = T(i) + T(.5);
  const P p = P::load(from.data() + 1);  // not aligned
  p.store(to.data() + 1);
  for (int i = 0; i < this->kLanes; ++i) EXPECT_EQ(p[i], from[std::size_t(i + 1)]);
  EXPECT_EQ(to[0], 0);
  EXPECT_TRUE(std::equal(to.begin() + 1, to.end(), from.begin() + 1));
  const P zero{}, minus(T(-0.0)), third = lit<P>(1. / 3);
  for (int i = 0; i < this->kLanes; ++i) {
    EXPECT_TRUE(same_bits(zero[i], T(0)));
    EXPECT_TRUE(same_bits(minus[i], -T(0)));
    EXPECT_EQ(third[i], T(1. / 3));
  }
  static_assert(sizeof(P) == sizeof(T) * std::size_t(ScalarTraits<P>::kLanes));
}

}  // namespace
}  // namespace sinew
