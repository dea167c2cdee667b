// tests/base/dual_test.cpp - every function of a dual against a central difference
#include "sinew/base/dual.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "support/tolerance.hpp"

namespace sinew {
namespace {

struct Case {
  const char* name;
  std::function<Dual(const Dual&)> dual;
  std::function<double(double)> plain;
};

TEST(Dual, SlopesAreDerivatives) {
  const Dual k(1.7);
  const std::vector<Case> cases = {
      {"sum", [&](const Dual& x) { return x + k + x; }, [](double x) { return 2 * x + 1.7; }},
      {"difference", [&](const Dual& x) { return k - x; }, [](double x) { return 1.7 - x; }},
      {"minus", [&](const Dual& x) { return -x; }, [](double x) { return -x; }},
      {"product", [&](const Dual& x) { return x * x * k; }, [](double x) { return 1.7 * x * x; }},
      {"quotient", [&](const Dual& x) { return k * x / (x + k); }, [](double x) { return 1.7 * x / (x + 1.7); }},
      {"in place",
       [&](const Dual& x) {
         Dual y = x;
         y *= x, y += k, y /= x, y -= k;
         return y;
       },
       [](double x) { return (x * x + 1.7) / x - 1.7; }},
      {"sqrt", [](const Dual& x) { return sqrt(x); }, [](double x) { return std::sqrt(x); }},
      {"sin", [](const Dual& x) { return sin(x); }, [](double x) { return std::sin(x); }},
      {"cos", [](const Dual& x) { return cos(x); }, [](double x) { return std::cos(x); }},
      {"asin", [](const Dual& x) { return asin(x); }, [](double x) { return std::asin(x); }},
      {"acos", [](const Dual& x) { return acos(x); }, [](double x) { return std::acos(x); }},
      {"atan2 y", [&](const Dual& x) { return atan2(x, k); }, [](double x) { return std::atan2(x, 1.7); }},
      {"atan2 x", [&](const Dual& x) { return atan2(k, x); }, [](double x) { return std::atan2(1.7, x); }},
      {"abs", [](const Dual& x) { return abs(-x); }, [](double x) { return std::abs(-x); }},
      {"min", [&](const Dual& x) { return min(x * x, k); }, [](double x) { return std::min(x * x, 1.7); }},
      {"max", [&](const Dual& x) { return max(x * x, k); }, [](double x) { return std::max(x * x, 1.7); }},
      {"select", [&](const Dual& x) { return select(x < k, x * x, k); },
       [](double x) { return x < 1.7 ? x * x : 1.7; }},
  };
  for (const Case& c : cases)
    for (double x : {.2, .55, .9}) {
      SCOPED_TRACE(testing::Message() << c.name << " at " << x);
      const double h = 1e-6, slope = (c.plain(x + h) - c.plain(x - h)) / (2 * h);
      const Dual y = c.dual(Dual{x, 1});
      EXPECT_DOUBLE_EQ(y.value, c.plain(x));
      EXPECT_NEAR(y.slope, slope, 1e-8);
      EXPECT_NEAR(c.dual(Dual{x, -3}).slope, -3 * y.slope, 1e-12);  // linear in the direction
      EXPECT_EQ(c.dual(Dual{x}).slope, 0);
    }
}

TEST(Dual, SelectTakesOneSideWhole) {
  const Dual bad = sqrt(Dual{0, 1}), good{2, 3};
  EXPECT_TRUE(std::isinf(bad.slope));
  EXPECT_EQ(select(true, good, bad).slope, 3);
  Dual s, c;
  sincos(Dual{.3, 2}, s, c);
  EXPECT_DOUBLE_EQ(s.slope, 2 * std::cos(.3));
  EXPECT_DOUBLE_EQ(c.slope, -2 * std::sin(.3));
}

}  // namespace
}  // namespace sinew
