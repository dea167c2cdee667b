// sinew/base/dual.hpp - a value and its derivative along one direction: forward differentiation, exact to rounding
//   Dual x{0.3, 1};  sin(x).slope   // cos(0.3)
#pragma once
#include "sinew/base/scalar.hpp"

namespace sinew {

struct Dual {
  double value = 0, slope = 0;

  Dual() = default;
  explicit SINEW_HD constexpr Dual(double v, double s = 0) : value(v), slope(s) {}
};

template <>
struct ScalarTraits<Dual> {
  using Value = double;
  using Mask = bool;
  static constexpr int kLanes = 1;
  static constexpr double kEpsilon = ScalarTraits<double>::kEpsilon;
};

SINEW_HD Dual operator+(const Dual& a, const Dual& b) { return Dual{a.value + b.value, a.slope + b.slope}; }
SINEW_HD Dual operator-(const Dual& a, const Dual& b) { return Dual{a.value - b.value, a.slope - b.slope}; }
SINEW_HD Dual operator-(const Dual& a) { return Dual{-a.value, -a.slope}; }
SINEW_HD Dual operator*(const Dual& a, const Dual& b) {
  return Dual{a.value * b.value, a.slope * b.value + a.value * b.slope};
}
SINEW_HD Dual operator/(const Dual& a, const Dual& b) {
  const double q = a.value / b.value;
  return Dual{q, (a.slope - q * b.slope) / b.value};
}
SINEW_HD Dual& operator+=(Dual& a, const Dual& b) { return a = a + b; }
SINEW_HD Dual& operator-=(Dual& a, const Dual& b) { return a = a - b; }
SINEW_HD Dual& operator*=(Dual& a, const Dual& b) { return a = a * b; }
SINEW_HD Dual& operator/=(Dual& a, const Dual& b) { return a = a / b; }

// Comparisons look at the values alone.
SINEW_HD bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
SINEW_HD bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
SINEW_HD bool operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
SINEW_HD bool operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
SINEW_HD bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }

SINEW_HD Dual select(bool m, const Dual& a, const Dual& b) { return m ? a : b; }
SINEW_HD Dual min(const Dual& a, const Dual& b) { return a < b ? a : b; }
SINEW_HD Dual max(const Dual& a, const Dual& b) { return a > b ? a : b; }
SINEW_HD Dual abs(const Dual& a) { return a.value < 0 ? -a : a; }

SINEW_HD Dual sqrt(const Dual& a) {
  const double r = std::sqrt(a.value);
  return Dual{r, a.slope / (2 * r)};
}
SINEW_HD void sincos(const Dual& x, Dual& s, Dual& c) {
  double sv, cv;
  sincos(x.value, sv, cv);
  s = Dual{sv, cv * x.slope};
  c = Dual{cv, -sv * x.slope};
}
SINEW_HD Dual sin(const Dual& x) {
  Dual s, c;
  return sincos(x, s, c), s;
}
SINEW_HD Dual cos(const Dual& x) {
  Dual s, c;
  return sincos(x, s, c), c;
}
SINEW_HD Dual asin(const Dual& a) {
  return Dual{std::asin(a.value), a.slope / std::sqrt((1 - a.value) * (1 + a.value))};
}
SINEW_HD Dual acos(const Dual& a) {
  return Dual{std::acos(a.value), -a.slope / std::sqrt((1 - a.value) * (1 + a.value))};
}
SINEW_HD Dual atan2(const Dual& y, const Dual& x) {
  return Dual{std::atan2(y.value, x.value),
              (y.slope * x.value - y.value * x.slope) / (x.value * x.value + y.value * y.value)};
}

}  // namespace sinew
