// sinew/sim/kernel/spin.hpp - a body that spins freely for one step, for CPU and device: see sim/free_flight.hpp
#pragma once
#include <cmath>

#include "sinew/spatial/inertia.hpp"

namespace sinew::flight {

// x: A x = b.
template <class T>
SINEW_HD Vec3<T> solve_3(const Mat3<T>& A, const Vec3<T>& b) {
  const Vec3<T> r0{A.xx, A.xy, A.xz}, r1{A.yx, A.yy, A.yz}, r2{A.zx, A.zy, A.zz};
  const Vec3<T> c0 = cross(r1, r2), c1 = cross(r2, r0), c2 = cross(r0, r1);
  return (1 / dot(r0, c0)) * (b.x * c0 + b.y * c1 + b.z * c2);
}

// The velocity half way, w_m, of a body that spins freely for h: I w_m - h / 2 (I w_m) x w_m = I w, by Newton's method.
template <class T>
SINEW_HD Vec3<T> find_middle(const Sym3<T>& I, const Vec3<T>& w, const T& h) {
  const Vec3<T> momentum = I * w;
  const T half = lit<T>(0.5) * h;
  constexpr int kMost = 20;  // four are usual
  Vec3<T> x = w;
  T last = lit<T>(1e30);  // larger than any
  for (int i = 0; i < kMost; ++i) {
    const Vec3<T> Ix = I * x, rest = momentum - Ix + half * cross(Ix, x);
    const Vec3<T> change = solve_3(to_mat3(I) - half * (skew(Ix) - skew(x) * to_mat3(I)), rest);
    const T size = norm(change);
    if (!(size < last)) break;  // rounding is reached
    x += change, last = size;
  }
  return x;
}

// 1 + a / 2 as a turn.
template <class T>
SINEW_HD Quaternion<T> cayley(const Vec3<T>& a) {
  const T half = lit<T>(0.5);
  return normalized(Quaternion<T>{lit<T>(1), half * a.x, half * a.y, half * a.z});
}

// The turn and the velocity after dt without forces, by the implicit midpoint rule. A fast spin takes several parts:
// Newton's method then finds the near root.
template <class T>
struct Spin {
  Vec3<T> after;       // w*
  Quaternion<T> turn;  // of the axes
  T parts{};           // in how many parts
};
template <class T>
SINEW_HD Spin<T> spin_freely(const Sym3<T>& I, const Vec3<T>& w, const T& dt) {
  constexpr double kMostTurn = 0.5;  // [rad] in one part
  constexpr double kMostParts = 1e6;
  Spin<T> s{w, {}, max(lit<T>(1), std::ceil(dt * norm(w) / lit<T>(kMostTurn)))};
  if (s.parts <= lit<T>(kMostParts))  // else numbers are not finite, or soon will not be: the step says so
    for (int i = 0; i < static_cast<int>(s.parts); ++i) {
      const T h = dt / s.parts;
      const Vec3<T> middle = find_middle(I, s.after, h);
      s.after = lit<T>(2) * middle - s.after;
      s.turn = s.turn * cayley(h * middle);
    }
  return s;
}

}  // namespace sinew::flight
