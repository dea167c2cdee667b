// sinew/spatial/line.hpp - line vectors, free vectors and screws [F08 section 2.5]
// A spatial vector has a part s that does not depend on the origin (a motion's angular, a force's linear part) and a
// part s_O that does. s = 0: a free vector, a translation or a couple. s . s_O = 0: a line vector, a rotation about
// a line or a force along one. Everything else is a line vector and a parallel free one, in one way only.
#pragma once
#include <limits>

#include "sinew/spatial/force.hpp"

namespace sinew {

// Unit motions and forces: a turn about a line, a translation, a force along a line, a couple.
template <class T>
SINEW_HD Motion<T> rotation_about(const Vec3<T>& point, const Vec3<T>& s) {
  return {s, cross(point, s)};
}
template <class T>
SINEW_HD Motion<T> translation_along(const Vec3<T>& s) {
  return {{}, s};
}
template <class T>
SINEW_HD Force<T> force_through(const Vec3<T>& point, const Vec3<T>& s) {
  return {cross(point, s), s};
}
template <class T>
SINEW_HD Force<T> couple_about(const Vec3<T>& s) {
  return {s, {}};
}

// A twist or a wrench: magnitude times a unit line vector, and `pitch` times as much along the line.
// A free vector has infinite pitch and no definite line; its point is then the origin.
template <class T>
struct Screw {
  Vec3<T> point;      // of the line, the one nearest to the origin
  Vec3<T> direction;  // unit; zero for the zero vector
  T pitch{};          // [m/rad]
  T magnitude{};
};

namespace detail {
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
SINEW_HD T pitch(const Vec3<T>& s, const Vec3<T>& s_O, const T& ss) {
  return dot(s, s_O) / ss;  // [F08 2.10]
}
template <class T>
SINEW_HD Screw<T> make_screw(const Vec3<T>& s, const Vec3<T>& s_O) {
  using std::sqrt;
  const T one = lit<T>(1), zero = lit<T>(0);
  const T ss = dot(s, s), oo = dot(s_O, s_O);
  const auto free = ss == zero;
  const T safe = select(free, one, ss), magnitude = sqrt(select(free, oo, ss));
  const T scale = one / select(magnitude == zero, one, magnitude);
  const Vec3<T> d{select(free, s_O.x, s.x), select(free, s_O.y, s.y), select(free, s_O.z, s.z)};
  return {(one / safe) * cross(s, s_O), scale * d, select(free, lit<T>(kInfinity), pitch(s, s_O, safe)), magnitude};
}
}  // namespace detail

// Axis, pitch and magnitude.
template <class T>
SINEW_HD Screw<T> screw_of(const Motion<T>& m) {
  return detail::make_screw(m.ang, m.lin);
}
template <class T>
SINEW_HD Screw<T> screw_of(const Force<T>& f) {
  return detail::make_screw(f.lin, f.ang);
}

// The unique sum of a line vector and a parallel free vector. A free vector has no line part.
template <class V>
struct LineAndFree {
  V line, free;
};
template <class T>
SINEW_HD LineAndFree<Motion<T>> split(const Motion<T>& m) {
  const T ss = dot(m.ang, m.ang), o = lit<T>(0);
  const auto is_free = ss == o;
  const T h = detail::pitch(m.ang, m.lin, select(is_free, lit<T>(1), ss));
  const Vec3<T> along = h * m.ang;
  const Vec3<T> free{select(is_free, m.lin.x, along.x), select(is_free, m.lin.y, along.y),
                     select(is_free, m.lin.z, along.z)};
  return {{m.ang, m.lin - free}, {{}, free}};  // [F08 2.10]
}
template <class T>
SINEW_HD LineAndFree<Force<T>> split(const Force<T>& f) {
  const auto parts = split(Motion<T>{f.lin, f.ang});
  return {{parts.line.lin, parts.line.ang}, {parts.free.lin, parts.free.ang}};
}

}  // namespace sinew
