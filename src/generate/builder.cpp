// src/generate/builder.cpp
#include "generate/builder.hpp"

#include <bit>
#include <cmath>

namespace sinew::generate {

std::size_t Builder::HashOfKey::operator()(const Key& k) const {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const std::uint64_t x : k) h = (h ^ x) * 0x9e3779b97f4a7c15, h ^= h >> 29;
  return static_cast<std::size_t>(h);
}

Builder::Key Builder::key_of(const TracedStep& s) {
  const auto bits = [](int x) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)); };
  return {bits(s.a) << 32 | bits(s.b), bits(s.c) << 32 | static_cast<std::uint64_t>(s.op),
          std::bit_cast<std::uint64_t>(s.value)};
}

int Builder::find(const TracedStep& s) const {
  const auto found = places_.find(key_of(s));
  return found == places_.end() ? -1 : found->second;
}
int Builder::find_or_add(const TracedStep& s) {
  const auto [place, fresh] = places_.try_emplace(key_of(s), static_cast<int>(steps_.size()));
  if (fresh) steps_.push_back(s);
  return place->second;
}

Signed Builder::make_constant(double x) { return {find_or_add({TracedOp::constant, -1, -1, -1, std::abs(x)}), x < 0}; }
Signed Builder::make_input(int i) { return {find_or_add({TracedOp::input, i, -1, -1, 0}), false}; }

Builder::Scaled Builder::split(Signed x) const {
  const TracedStep& s = at_step(x.step);
  const double sign = x.minus ? -1 : 1;
  if (s.op == TracedOp::constant) return {sign * s.value, -1};
  if (s.op == TracedOp::mul && at_step(s.a).op == TracedOp::constant) return {sign * at_step(s.a).value, s.b};
  return {sign, x.step};
}

Signed Builder::scale(double factor, int step) {
  if (step < 0 || factor == 0) return make_constant(factor);
  if (factor == 1 || factor == -1) return {step, factor < 0};
  const Signed c = make_constant(factor);
  return {find_or_add({TracedOp::mul, c.step, step, -1, 0}), c.minus};  // a constant factor comes first
}

Signed Builder::add(Signed x, Signed y) {
  const Scaled a = split(x), b = split(y);
  if (a.step == b.step) return scale(a.factor + b.factor, a.step);  // like terms, and constants
  if (is_constant(x) && value(x) == 0) return y;
  if (is_constant(y) && value(y) == 0) return x;
  if (x.minus == y.minus)
    return {find_or_add({TracedOp::add, std::min(x.step, y.step), std::max(x.step, y.step), -1, 0}), x.minus};
  const int plus = x.minus ? y.step : x.step, minus = x.minus ? x.step : y.step;
  if (const int other = find({TracedOp::sub, minus, plus, -1, 0}); other >= 0) return {other, true};
  return {find_or_add({TracedOp::sub, plus, minus, -1, 0}), false};
}

Signed Builder::multiply(Signed x, Signed y) {
  if (is_constant(y)) std::swap(x, y);
  if (is_constant(x)) {
    const Scaled b = split(y);
    return scale(value(x) * b.factor, b.step);
  }
  return {find_or_add({TracedOp::mul, std::min(x.step, y.step), std::max(x.step, y.step), -1, 0}), x.minus != y.minus};
}

Signed Builder::divide(Signed x, Signed y) {
  if (x.step == y.step) return make_constant(x.minus == y.minus ? 1 : -1);
  if (is_constant(y)) return multiply(x, make_constant(1 / value(y)));
  if (is_constant(x) && value(x) == 0) return x;
  return {find_or_add({TracedOp::div, x.step, y.step, -1, 0}), x.minus != y.minus};
}

int Builder::settle(Signed x) {
  if (!x.minus) return x.step;
  const TracedStep s = at_step(x.step);
  if (s.op == TracedOp::constant) return find_or_add({TracedOp::constant, -1, -1, -1, -s.value});
  return find_or_add({TracedOp::neg, x.step, -1, -1, 0});
}

Signed Builder::apply(TracedOp op, Signed a, Signed b, Signed c) {
  const auto constant_or_none = [&](Signed x) { return x.step < 0 || is_constant(x); };
  const auto number = [&](Signed x) { return x.step < 0 ? 0 : value(x); };
  if (constant_or_none(a) && constant_or_none(b) && constant_or_none(c))
    return make_constant(calc_step(op, number(a), number(b), number(c)));
  const auto settled = [&](Signed x) { return x.step < 0 ? -1 : settle(x); };
  switch (op) {
    case TracedOp::neg: return -a;
    case TracedOp::sin:
    case TracedOp::asin: return {find_or_add({op, a.step, -1, -1, 0}), a.minus};  // odd
    case TracedOp::cos:
    case TracedOp::abs: return {find_or_add({op, a.step, -1, -1, 0}), false};  // even
    case TracedOp::select:
      if (is_constant(a)) return value(a) != 0 ? b : c;
      if (b == c) return b;
      break;
    default: break;
  }
  const int ia = settled(a), ib = settled(b), ic = settled(c);
  return {find_or_add({op, ia, ib, ic, 0}), false};
}

}  // namespace sinew::generate
