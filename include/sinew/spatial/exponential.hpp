// sinew/spatial/exponential.hpp - exponential and logarithm of turns and of rigid displacements
// exp(w)  the turn reached by spinning at the constant angular velocity w for one unit of time
// exp(u)  the displacement of a frame that moves at the constant velocity u for one unit of time, seen from its start
// log     the inverse, by the shortest motion: |w| <= pi; for a half turn, +w or -w
// All are exact to rounding over the whole range and never branch on a value, so packs and duals pass through.
#pragma once
#include "sinew/spatial/motion.hpp"
#include "sinew/spatial/rotation.hpp"

namespace sinew {

// A turn and a shift.
template <class T>
struct Displacement {
  Quaternion<T> turn;
  Vec3<T> shift;  // of the origin, in the coordinates of the start
};

namespace detail {
// Below this square of an angle, five terms of a series replace a quotient that would be 0 / 0.
inline constexpr double kSmallSquare = 1e-2;

template <class T>
SINEW_HD T five_terms(const T& x, double c0, double c1, double c2, double c3, double c4) {
  return (((lit<T>(c4) * x + lit<T>(c3)) * x + lit<T>(c2)) * x + lit<T>(c1)) * x + lit<T>(c0);
}

// cos(t / 2) and sin(t / 2) / t from t^2.
template <class T>
SINEW_HD void half_turn(const T& tt, T& c, T& k) {
  using std::sqrt;
  const auto small = tt < lit<T>(kSmallSquare);
  const T t = sqrt(select(small, lit<T>(1), tt));
  T s;
  sincos(lit<T>(0.5) * t, s, c);
  c = select(small, five_terms(tt, 1., -1. / 8, 1. / 384, -1. / 46080, 1. / 10321920), c);
  k = select(small, five_terms(tt, 1. / 2, -1. / 48, 1. / 3840, -1. / 645120, 1. / 185794560), s / t);
}
// 2 atan(n / w) / n for w >= 0, from n^2: what turns the vector part of a quaternion into its logarithm.
template <class T>
SINEW_HD T angle_over_sine(const T& nn, const T& w) {
  using std::atan2;
  using std::sqrt;
  const auto small = nn < lit<T>(kSmallSquare * 1e-2) * w * w;
  const T n = sqrt(select(small, lit<T>(1), nn)), w_safe = select(small, w, lit<T>(1));
  const T xx = nn / (w_safe * w_safe);
  return select(small, five_terms(xx, 2., -2. / 3, 2. / 5, -2. / 7, 2. / 9) / w_safe, lit<T>(2) * atan2(n, w) / n);
}
// q or -q, whichever has w >= 0: the same turn by the shorter way.
template <class T>
SINEW_HD Quaternion<T> shorter(const Quaternion<T>& q) {
  const T sign = select(q.w < lit<T>(0), lit<T>(-1), lit<T>(1));
  return {sign * q.w, sign * q.x, sign * q.y, sign * q.z};
}
}  // namespace detail

// The turn by the rotation vector w, and the shortest w of a turn.
template <class T>
SINEW_HD Quaternion<T> exp(const Vec3<T>& w) {
  T c, k;
  detail::half_turn(dot(w, w), c, k);
  return {c, k * w.x, k * w.y, k * w.z};
}
template <class T>
SINEW_HD Vec3<T> log(const Quaternion<T>& q) {
  const Quaternion<T> p = detail::shorter(q);
  const Vec3<T> n{p.x, p.y, p.z};
  return detail::angle_over_sine(dot(n, n), p.w) * n;
}

// shift = (1 + (1 - cos t)/t^2 w x + (t - sin t)/t^3 w x w x) v
template <class T>
SINEW_HD Displacement<T> exp(const Motion<T>& u) {
  const Vec3<T>& w = u.ang;
  const T tt = dot(w, w), one = lit<T>(1);
  T c, k;
  detail::half_turn(tt, c, k);
  const auto small = tt < lit<T>(detail::kSmallSquare);
  const T b = select(small, detail::five_terms(tt, 1. / 6, -1. / 120, 1. / 5040, -1. / 362880, 1. / 39916800),
                     (one - lit<T>(2) * k * c) / select(small, one, tt));
  const Vec3<T> wv = cross(w, u.lin);
  return {{c, k * w.x, k * w.y, k * w.z}, u.lin + lit<T>(2) * k * k * wv + b * cross(w, wv)};
}
// v = (1 - 1/2 w x + (1 - t/2 cot t/2)/t^2 w x w x) shift
template <class T>
SINEW_HD Motion<T> log(const Displacement<T>& d) {
  const Quaternion<T> p = detail::shorter(d.turn);
  const Vec3<T> n{p.x, p.y, p.z};
  const T f = detail::angle_over_sine(dot(n, n), p.w), one = lit<T>(1);
  const Vec3<T> w = f * n;
  const T tt = dot(w, w);
  const auto small = tt < lit<T>(detail::kSmallSquare);
  const T b = select(small, detail::five_terms(tt, 1. / 12, 1. / 720, 1. / 30240, 1. / 1209600, 1. / 47900160),
                     (one - lit<T>(0.5) * f * p.w) / select(small, one, tt));
  const Vec3<T> wr = cross(w, d.shift);
  return {w, d.shift - lit<T>(0.5) * wr + b * cross(w, wr)};
}

}  // namespace sinew
