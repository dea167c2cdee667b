// sinew/batch/kernel/team.hpp - the lanes that work on one world, and the loops they share
// A step of one world is written once, as loops over items that do not depend on each other:
//   team.each(n, f)             f(i) for all i < n; all are done when it returns
//   team.one(f)                 f() once
//   team.publish(f)             the same, when all that the team wrote before can be seen by others
//   team.max(n, f)              the largest f(i), 0 if there is none; a value that is not a number counts as infinite
//   team.sum(n, f)              the sum of f(i), always in the same order
//   team.find_largest(n, f)     the first i with the largest f(i) >= 0; -1 if n is 0
//   team.place(n, count, put)   put(i, first) where first is the sum of count(j), j < i; returns the whole sum
//   team.choose(n, test, put)   put(i, place) for those that pass, numbered in the order of i; returns how many do
//   team.collect<P>(n, make, put)  make(i, points) fills up to P::kMost points and returns how many;
//                               put(points, k, place) numbers all of them in the order of i; returns how many
//                               there are
//   team.substitute<way>(s, L, x)  x becomes L^-1 x (up) or L^-T x (down), of the factor of the mass matrix of a scene
//   team.factor(s, M, x, line)  true if the lanes can hold a row each of the mass matrix: M is then D L, with D on its
//                               diagonal, and x becomes L^-T x; line: kRow numbers of scratch. False: nothing is done
//   team.eliminate(n, A, stride, row, x, least, ok)  true if the lanes can hold a row each of A x = b, n x n with b in
//                               column n; row: kRow numbers of scratch. Then ok: whether pivots, the largest of their
//                               columns, are above `least` and finite; x is the solution. False: nothing is done
// On a device a team is a warp (WarpTeam, src/batch/cuda/warp_team.cuh): lane l takes items l, l + 32, ... On a CPU it
// is one thread: Order::forward takes items in their order, Order::backward in the opposite one. No result may depend
// on that: a test runs both and compares bits, which finds items that are not independent.
// Problems of many rows have a team that is a block of warps (BlockTeam, src/batch/cuda/block_team.cuh; SerialBlock on
// a CPU). kBlock says so: its matrices lie in the memory of the device, so that the loops over them are other ones
// (device_large.hpp).
#pragma once
#include <limits>

#include "sinew/base/config.hpp"

namespace sinew::device {

enum class Order { forward, backward };
enum class Way { up, down };  // from the first item or from the last one

inline constexpr int kRow = 32;  // numbers of the scratch of eliminate and factor

struct SerialTeam {
  static constexpr bool kBlock = false;
  Order order = Order::forward;

  template <class F>
  void each(int n, F&& f) const {
    for (int i = 0; i < n; ++i) f(order == Order::forward ? i : n - 1 - i);
  }
  template <class F>
  void one(F&& f) const {
    f();
  }
  template <class F>
  void publish(F&& f) const {
    f();
  }
  template <class R, class F>
  R max(int n, F&& f) const {
    R most = 0;
    each(n, [&](int i) {
      const R x = f(i);
      if (!(x <= most)) most = x == x ? x : std::numeric_limits<R>::infinity();
    });
    return most;
  }
  template <class R, class F>
  R sum(int n, F&& f) const {
    R out = 0;
    for (int i = 0; i < n; ++i) out += f(i);
    return out;
  }
  template <class F>
  int find_largest(int n, F&& f) const {
    int best = n > 0 ? 0 : -1;
    for (int i = 1; i < n; ++i)
      if (f(i) > f(best)) best = i;
    return best;
  }
  template <class Count, class Put>
  int place(int n, Count&& count, Put&& put) const {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      const int more = count(i);
      put(i, sum);
      sum += more;
    }
    return sum;
  }
  template <class Test, class Put>
  int choose(int n, Test&& test, Put&& put) const {
    int sum = 0;
    for (int i = 0; i < n; ++i)
      if (test(i)) put(i, sum++);
    return sum;
  }
  template <class Points, class Make, class Put>
  int collect(int n, Make&& make, Put&& put) const {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
      Points points;
      const int count = make(i, points);
      for (int k = 0; k < count; ++k) put(points, k, sum + k);
      sum += count;
    }
    return sum;
  }
  template <Way way, class Scene, class R>
  void substitute(const Scene& s, const R* L, R* x) const {
    for (int j = 0; j < s.dofs; ++j) {
      const int k = way == Way::up ? j : s.dofs - 1 - j;
      each(s.dofs, [&](int i) {
        const int above = way == Way::up ? k : i, below = way == Way::up ? i : k;
        if (above < below && below < s.dof[above].end) x[i] -= L[s.dof[below].row + s.dof[above].depth] * x[k];
      });
    }
  }
  template <class Scene, class R>
  bool factor(const Scene&, R*, R*, R*) const {
    return false;
  }
  template <class R>
  bool eliminate(int, const R*, int, R*, R*, R, bool&) const {
    return false;
  }
};

struct SerialBlock : SerialTeam {
  static constexpr bool kBlock = true;
};

}  // namespace sinew::device
