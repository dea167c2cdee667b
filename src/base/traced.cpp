// src/base/traced.cpp
#include "sinew/base/traced.hpp"

#include <string>

namespace sinew {
namespace {

thread_local Recording* current_recording = nullptr;

}  // namespace

double calc_step(TracedOp op, double a, double b, double c) {
  switch (op) {
    case TracedOp::add: return a + b;
    case TracedOp::sub: return a - b;
    case TracedOp::mul: return a * b;
    case TracedOp::div: return a / b;
    case TracedOp::neg: return -a;
    case TracedOp::sqrt: return std::sqrt(a);
    case TracedOp::sin: return std::sin(a);
    case TracedOp::cos: return std::cos(a);
    case TracedOp::asin: return std::asin(a);
    case TracedOp::acos: return std::acos(a);
    case TracedOp::atan2: return std::atan2(a, b);
    case TracedOp::abs: return std::abs(a);
    case TracedOp::min: return min(a, b);
    case TracedOp::max: return max(a, b);
    case TracedOp::less: return a < b;
    case TracedOp::less_equal: return a <= b;
    case TracedOp::equal: return a == b;
    case TracedOp::select: return a != 0 ? b : c;
    case TracedOp::constant:
    case TracedOp::input: break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

TracedCondition::operator bool() const {
  if (step < 0) return value;
  throw TraceError(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                   ": the code branches on a number that depends on the inputs, so it cannot be traced; choose by "
                   "select(condition, a, b) instead");
}

Recording::Recording() : outer_(current_recording) { current_recording = this; }
Recording::~Recording() { current_recording = outer_; }

int Recording::add(const TracedStep& s) {
  steps_.push_back(s);
  return static_cast<int>(steps_.size()) - 1;
}

Traced Recording::make_input() {
  Traced x;
  x.step = add({TracedOp::input, inputs_++, -1, -1, 0});
  return x;
}

int Recording::find_step(const Traced& x) {
  return x.is_constant() ? add({TracedOp::constant, -1, -1, -1, x.value}) : x.step;
}

int Recording::note(TracedOp op, const Traced& a, const Traced& b, const Traced& c) {
  Recording* r = current_recording;
  if (!r) throw std::logic_error("a traced number outlived its Recording");
  const bool two = op != TracedOp::neg && !(op >= TracedOp::sqrt && op <= TracedOp::acos) && op != TracedOp::abs;
  const int ia = r->find_step(a), ib = two ? r->find_step(b) : -1;
  return r->add({op, ia, ib, op == TracedOp::select ? r->find_step(c) : -1, 0});
}

namespace detail {
Traced traced_unary(TracedOp op, const Traced& a) {
  if (a.is_constant()) return Traced(calc_step(op, a.value, 0, 0));
  Traced out;
  out.step = Recording::note(op, a);
  return out;
}
Traced traced_binary(TracedOp op, const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return Traced(calc_step(op, a.value, b.value, 0));
  Traced out;
  out.step = Recording::note(op, a, b);
  return out;
}
TracedCondition compare(TracedOp op, const Traced& a, const Traced& b, const std::source_location& where) {
  if (a.is_constant() && b.is_constant()) return {calc_step(op, a.value, b.value, 0) != 0, -1, where};
  return {false, Recording::note(op, a, b), where};
}
}  // namespace detail

Traced select(const TracedCondition& condition, const Traced& a, const Traced& b) {
  if (condition.step < 0) return condition.value ? a : b;
  Traced which, out;
  which.step = condition.step;
  out.step = Recording::note(TracedOp::select, which, a, b);
  return out;
}

}  // namespace sinew
