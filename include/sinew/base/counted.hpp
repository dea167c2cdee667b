// sinew/base/counted.hpp - a double that counts what is done with it, by the rules of [F08]
// Subtractions are additions; negations, comparisons and selections are free. Adding an exact 0, multiplying by
// an exact 0, 1 or -1 and dividing by 1 or -1 cost nothing: those are the operations special code leaves out.
//   Tally tally;  crba(...);  tally.count()   // {mul, add, div, sqrt, trig}
#pragma once
#include "sinew/base/scalar.hpp"

namespace sinew {

// How often each operation was done.
struct OperationCount {
  long mul = 0, add = 0, div = 0, sqrt = 0, trig = 0;
  friend constexpr bool operator==(const OperationCount&, const OperationCount&) = default;
  friend constexpr OperationCount operator-(const OperationCount& a, const OperationCount& b) {
    return {a.mul - b.mul, a.add - b.add, a.div - b.div, a.sqrt - b.sqrt, a.trig - b.trig};
  }
};

struct Counted {
  double value = 0;
  inline static thread_local OperationCount done;

  Counted() = default;
  explicit constexpr Counted(double x) : value(x) {}
};

// Counts from its construction on, in this thread.
class Tally {
 public:
  Tally() : start_(Counted::done) {}
  OperationCount count() const { return Counted::done - start_; }

 private:
  OperationCount start_;
};

template <>
struct ScalarTraits<Counted> {
  using Value = double;
  using Mask = bool;
  static constexpr int kLanes = 1;
  static constexpr double kEpsilon = ScalarTraits<double>::kEpsilon;
};

inline Counted operator+(const Counted& a, const Counted& b) {
  Counted::done.add += a.value != 0 && b.value != 0;
  return Counted(a.value + b.value);
}
inline Counted operator-(const Counted& a) { return Counted(-a.value); }
inline Counted operator-(const Counted& a, const Counted& b) {
  Counted::done.add += a.value != 0 && b.value != 0;
  return Counted(a.value - b.value);
}
inline Counted operator*(const Counted& a, const Counted& b) {
  const auto trivial = [](double x) { return x == 0 || x == 1 || x == -1; };
  Counted::done.mul += !trivial(a.value) && !trivial(b.value);
  return Counted(a.value * b.value);
}
inline Counted operator/(const Counted& a, const Counted& b) {
  Counted::done.div += a.value != 0 && b.value != 1 && b.value != -1;
  return Counted(a.value / b.value);
}
inline Counted& operator+=(Counted& a, const Counted& b) { return a = a + b; }
inline Counted& operator-=(Counted& a, const Counted& b) { return a = a - b; }
inline Counted& operator*=(Counted& a, const Counted& b) { return a = a * b; }
inline Counted& operator/=(Counted& a, const Counted& b) { return a = a / b; }

inline bool operator<(const Counted& a, const Counted& b) { return a.value < b.value; }
inline bool operator<=(const Counted& a, const Counted& b) { return a.value <= b.value; }
inline bool operator>(const Counted& a, const Counted& b) { return a.value > b.value; }
inline bool operator>=(const Counted& a, const Counted& b) { return a.value >= b.value; }
inline bool operator==(const Counted& a, const Counted& b) { return a.value == b.value; }

inline Counted select(bool m, const Counted& a, const Counted& b) { return m ? a : b; }
inline Counted min(const Counted& a, const Counted& b) { return a < b ? a : b; }
inline Counted max(const Counted& a, const Counted& b) { return a > b ? a : b; }
inline Counted abs(const Counted& a) { return Counted(std::abs(a.value)); }

inline Counted sqrt(const Counted& a) { return ++Counted::done.sqrt, Counted(std::sqrt(a.value)); }
inline Counted sin(const Counted& a) { return ++Counted::done.trig, Counted(std::sin(a.value)); }
inline Counted cos(const Counted& a) { return ++Counted::done.trig, Counted(std::cos(a.value)); }
inline Counted asin(const Counted& a) { return ++Counted::done.trig, Counted(std::asin(a.value)); }
inline Counted acos(const Counted& a) { return ++Counted::done.trig, Counted(std::acos(a.value)); }
inline Counted atan2(const Counted& y, const Counted& x) {
  return ++Counted::done.trig, Counted(std::atan2(y.value, x.value));
}
inline void sincos(const Counted& x, Counted& s, Counted& c) { s = sin(x), c = cos(x); }

}  // namespace sinew
