// sinew/sweep/kernel/turns.hpp - sines and cosines of all one-axis joints, ahead of a sweep
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

namespace detail {
template <class T, class R, class Q>
SINEW_HD Turn<T> turn_of(const Link<R>& l, const Q& q) {
  Turn<T> t{lit<T>(l.c), lit<T>(l.s)};
  if (l.turns != R(0)) sincos(q[l.q] + lit<T>(l.theta), t.s, t.c);
  return t;
}
}  // namespace detail

// turns[i]: cosine and sine of link i.
template <class T, class R, class Q>
SINEW_HD void calc_turns(const Link<R>* links, int n, const Q& q, Turn<T>* turns) {
  for (int i = 1; i < n; ++i)
    if (links[i].step == Step::revolute || links[i].step == Step::axial) turns[i] = detail::turn_of<T>(links[i], q);
}

// How a sweep gets them: stored before, or calculated each time where memory is slower than arithmetic.
template <class T>
struct StoredTurns {
  const Turn<T>* turns;
  template <class R>
  SINEW_HD const Turn<T>& operator()(int i, const Link<R>&) const {
    return turns[i];
  }
};
template <class T, class Q>
struct FreshTurns {
  Q q;
  template <class R>
  SINEW_HD Turn<T> operator()(int, const Link<R>& l) const {
    return detail::turn_of<T>(l, q);
  }
};

#if !defined(__CUDACC__)
// turns[i]: cosine and sine of angles[i], begin <= i < end, by whole registers; `angles` has room for one beyond `end`.
template <class T>
void calc_turns(const T* angles, int begin, int end, Turn<T>* turns) {
  using P = NativePack<T>;
  constexpr int kLanes = ScalarTraits<P>::kLanes;
  for (int i = begin; i < end; i += kLanes) {
    P s, c;
    sincos(P::load(angles + i), s, c);
    for (int k = 0; k < kLanes && i + k < end; ++k) turns[i + k] = {c[k], s[k]};
  }
}
// The turns of all links in double and float. `angles`: room for n numbers and one register.
template <class T, class R, class Q>
void calc_turns(const Link<R>* links, int n, const Q& q, T* angles, Turn<T>* turns) {
  if constexpr (!std::is_floating_point_v<T>) {
    calc_turns(links, n, q, turns);
  } else {
    bool other = false;
    for (int i = 1; i < n; ++i) {
      angles[i] = links[i].step == Step::revolute ? q[links[i].q] + links[i].theta : T{};
      other |= links[i].step == Step::axial;
    }
    calc_turns(angles, 1, n, turns);
    for (int i = 1; other && i < n; ++i)
      if (links[i].step == Step::axial) turns[i] = detail::turn_of<T>(links[i], q);
  }
}
#endif

}  // namespace sinew
