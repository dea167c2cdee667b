// sinew/sweep/turns.hpp - sines and cosines of all one-axis joints, ahead of a sweep
// One pass over the angles fills whole registers where a call at each joint would fill one lane of them.
#pragma once
#include <type_traits>

#include "sinew/base/scalars.hpp"
#include "sinew/model/link.hpp"

namespace sinew {

template <class T>
struct Turn {
  T c, s;
};

// Of link i, into turns[i]. `angles` has room for n + one register of numbers.
template <class T, class R, class Q>
void calc_turns(const Link<R>* links, int n, const Q& q, T* angles, Turn<T>* turns) {
  for (int i = 1; i < n; ++i)
    angles[i] = links[i].step == Step::revolute ? q[links[i].q] + lit<T>(links[i].theta) : T{};
  if constexpr (std::is_floating_point_v<T>) {
    using P = NativePack<T>;
    constexpr int kLanes = ScalarTraits<P>::kLanes;
    for (int i = 1; i < n; i += kLanes) {
      P s, c;
      sincos(P::load(angles + i), s, c);
      for (int k = 0; k < kLanes && i + k < n; ++k) turns[i + k] = {c[k], s[k]};
    }
  } else {
    for (int i = 1; i < n; ++i)
      if (links[i].step == Step::revolute) sincos(angles[i], turns[i].s, turns[i].c);
  }
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    if (l.step != Step::axial) continue;
    turns[i] = {lit<T>(l.c), lit<T>(l.s)};
    if (l.turns != R(0)) sincos(q[l.q] + lit<T>(l.theta), turns[i].s, turns[i].c);
  }
}

}  // namespace sinew
