// sinew/base/traced.hpp - a scalar that writes down what is done with it
// A kernel that runs on Traced numbers leaves a list of operations, the record of [F08 section 10.4]:
//   Recording recording;                   // this thread records from here on, until the object goes
//   const Traced x = recording.make_input();
//   const Traced y = sin(x) * lit<Traced>(2);
//   recording.steps()                      // input, sin, constant 2, mul
// Numbers that do not depend on an input are constants and leave no steps. Nothing is simplified:
// generate/simplify.hpp. A comparison gives a condition for select(). A condition is not a bool: where code branches on
// it, TraceError names the line of the comparison. Used where a kernel is instantiated for it, see
// src/base/traced_pass.hpp.
#pragma once
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <vector>

#include "sinew/base/scalar.hpp"

namespace sinew {

// What a step of a record does.
enum class TracedOp : std::uint8_t {
  constant,  // value
  input,     // a: which one
  add,
  sub,
  mul,
  div,
  neg,
  sqrt,
  sin,
  cos,
  asin,
  acos,
  atan2,
  abs,
  min,         // a < b ? a : b
  max,         // a > b ? a : b
  less,        // a < b, a condition
  less_equal,  // a <= b, a condition
  equal,       // a == b, a condition
  select,      // a ? b : c
};

// One operation; a, b, c are earlier steps, -1 where the operation has fewer.
struct TracedStep {
  TracedOp op = TracedOp::constant;
  int a = -1, b = -1, c = -1;
  double value = 0;
};

// Code that cannot be traced; the message names the line.
struct TraceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Traced {
  double value = 0;  // of a constant
  int step = -1;     // in the recording; -1: a constant

  Traced() = default;
  explicit constexpr Traced(double x) : value(x) {}
  bool is_constant() const { return step < 0; }  // known without the inputs
};

// What a comparison gives.
struct TracedCondition {
  bool value = false;  // of constants
  int step = -1;
  std::source_location where;

  // Throws TraceError unless both numbers that were compared are constants.
  explicit operator bool() const;
};

// While it lives, operations of this thread on Traced numbers are written down.
class Recording {
 public:
  Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  Traced make_input();  // the next one
  int inputs() const { return inputs_; }
  const std::vector<TracedStep>& steps() const { return steps_; }
  int find_step(const Traced&);  // of a result; that of a constant is made

  // Records one operation in the recording of this thread. Throws std::logic_error where there is none.
  static int note(TracedOp, const Traced& a, const Traced& b = Traced{}, const Traced& c = Traced{});

 private:
  int add(const TracedStep&);

  std::vector<TracedStep> steps_;
  int inputs_ = 0;
  Recording* outer_;  // of this thread, before this one
};

template <>
struct ScalarTraits<Traced> {
  using Value = double;
  using Mask = TracedCondition;
  static constexpr int kLanes = 1;
  static constexpr double kEpsilon = ScalarTraits<double>::kEpsilon;
};

namespace detail {
// The operation on constants, or a step.
Traced traced_unary(TracedOp, const Traced& a);
Traced traced_binary(TracedOp, const Traced& a, const Traced& b);
// The left side of a comparison, with the place where it is written.
struct Compared {
  Traced x;
  std::source_location where;
  Compared(const Traced& number,  // NOLINT(google-explicit-constructor)
           std::source_location line = std::source_location::current())
      : x(number), where(line) {}
};
TracedCondition compare(TracedOp, const Traced& a, const Traced& b, const std::source_location&);
}  // namespace detail

inline Traced operator+(const Traced& a, const Traced& b) { return detail::traced_binary(TracedOp::add, a, b); }
inline Traced operator-(const Traced& a, const Traced& b) { return detail::traced_binary(TracedOp::sub, a, b); }
inline Traced operator*(const Traced& a, const Traced& b) { return detail::traced_binary(TracedOp::mul, a, b); }
inline Traced operator/(const Traced& a, const Traced& b) { return detail::traced_binary(TracedOp::div, a, b); }
inline Traced operator-(const Traced& a) { return detail::traced_unary(TracedOp::neg, a); }
inline Traced& operator+=(Traced& a, const Traced& b) { return a = a + b; }
inline Traced& operator-=(Traced& a, const Traced& b) { return a = a - b; }
inline Traced& operator*=(Traced& a, const Traced& b) { return a = a * b; }
inline Traced& operator/=(Traced& a, const Traced& b) { return a = a / b; }

inline TracedCondition operator<(const detail::Compared& a, const Traced& b) {
  return detail::compare(TracedOp::less, a.x, b, a.where);
}
inline TracedCondition operator<=(const detail::Compared& a, const Traced& b) {
  return detail::compare(TracedOp::less_equal, a.x, b, a.where);
}
inline TracedCondition operator>(const detail::Compared& a, const Traced& b) {
  return detail::compare(TracedOp::less, b, a.x, a.where);
}
inline TracedCondition operator>=(const detail::Compared& a, const Traced& b) {
  return detail::compare(TracedOp::less_equal, b, a.x, a.where);
}
inline TracedCondition operator==(const detail::Compared& a, const Traced& b) {
  return detail::compare(TracedOp::equal, a.x, b, a.where);
}
inline bool all(const TracedCondition& c) { return static_cast<bool>(c); }
inline bool any(const TracedCondition& c) { return static_cast<bool>(c); }

Traced select(const TracedCondition&, const Traced& a, const Traced& b);
inline Traced min(const Traced& a, const Traced& b) { return detail::traced_binary(TracedOp::min, a, b); }
inline Traced max(const Traced& a, const Traced& b) { return detail::traced_binary(TracedOp::max, a, b); }
inline Traced abs(const Traced& a) { return detail::traced_unary(TracedOp::abs, a); }
inline Traced sqrt(const Traced& a) { return detail::traced_unary(TracedOp::sqrt, a); }
inline Traced sin(const Traced& a) { return detail::traced_unary(TracedOp::sin, a); }
inline Traced cos(const Traced& a) { return detail::traced_unary(TracedOp::cos, a); }
inline Traced asin(const Traced& a) { return detail::traced_unary(TracedOp::asin, a); }
inline Traced acos(const Traced& a) { return detail::traced_unary(TracedOp::acos, a); }
inline Traced atan2(const Traced& y, const Traced& x) { return detail::traced_binary(TracedOp::atan2, y, x); }
inline void sincos(const Traced& x, Traced& s, Traced& c) { s = sin(x), c = cos(x); }

// What an operation gives on numbers; conditions are 0 and 1. For steps other than constants and inputs.
double calc_step(TracedOp, double a, double b, double c);

}  // namespace sinew
