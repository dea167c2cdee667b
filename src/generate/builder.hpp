// src/generate/builder.hpp - a graph without repetitions, put together step by step
// Numbers are steps with a sign: the sign of a product or a quotient is that of its factors, and a sum takes the signs
// of its terms. So a negation is a step only where a result, or a function that does not know signs, asks for it.
#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>

#include "sinew/generate/graph.hpp"

namespace sinew::generate {

struct Signed {
  int step = -1;
  bool minus = false;
  Signed operator-() const { return {step, !minus}; }
  friend bool operator==(const Signed&, const Signed&) = default;
};

class Builder {
 public:
  Signed make_constant(double);
  Signed make_input(int);
  Signed add(Signed, Signed);
  Signed multiply(Signed, Signed);
  Signed divide(Signed, Signed);
  Signed apply(TracedOp, Signed a, Signed b, Signed c);  // any other operation
  int settle(Signed);                                    // a step that has the sign

  // x = factor * rest with a constant factor, 1 where there is none.
  struct Scaled {
    double factor;
    int step;  // -1: x is the constant `factor`
  };
  Scaled split(Signed) const;
  Signed scale(double factor, int step);

  const TracedStep& at_step(int i) const { return steps_[at(i)]; }
  bool is_constant(Signed x) const { return at_step(x.step).op == TracedOp::constant; }
  double value(Signed x) const { return x.minus ? -at_step(x.step).value : at_step(x.step).value; }
  std::vector<TracedStep> take() { return std::move(steps_); }

 private:
  using Key = std::array<std::uint64_t, 3>;
  struct HashOfKey {
    std::size_t operator()(const Key&) const;
  };
  static Key key_of(const TracedStep&);
  int find(const TracedStep&) const;  // -1: not yet there
  int find_or_add(const TracedStep&);

  std::vector<TracedStep> steps_;
  std::unordered_map<Key, int, HashOfKey> places_;
};

}  // namespace sinew::generate
