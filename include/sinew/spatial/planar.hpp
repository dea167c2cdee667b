// sinew/spatial/planar.hpp - the algebra of bodies that move parallel to the x-y plane [F08 section 2.16, Table A.1]
// The twins of Motion, Force, Transform: coordinates wz, vx, vy of the spatial ones, the others being zero.
#pragma once
#include "sinew/spatial/transform.hpp"

namespace sinew {

// Two numbers.
template <class T>
struct Vec2 {
  T x{}, y{};
};
template <class T>
SINEW_HD Vec2<T> operator+(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
SINEW_HD Vec2<T> operator-(const Vec2<T>& a, const Vec2<T>& b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
SINEW_HD Vec2<T> operator-(const Vec2<T>& a) {
  return {-a.x, -a.y};
}
template <class T>
SINEW_HD Vec2<T> operator*(const T& s, const Vec2<T>& a) {
  return {s * a.x, s * a.y};
}
// The scalar product.
template <class T>
SINEW_HD T dot(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.x + a.y * b.y;
}
// The z component of a x b, and w z x b.
template <class T>
SINEW_HD T cross(const Vec2<T>& a, const Vec2<T>& b) {
  return a.x * b.y - a.y * b.x;
}
template <class T>
SINEW_HD Vec2<T> cross(const T& w, const Vec2<T>& b) {
  return {-(w * b.y), w * b.x};
}

// Velocity, acceleration or axis in the plane: angular, then linear.
template <class T>
struct PlanarMotion {
  T ang{};
  Vec2<T> lin;
};
// Force, momentum or impulse in the plane: moment, then force.
template <class T>
struct PlanarForce {
  T ang{};
  Vec2<T> lin;
};

template <class T>
SINEW_HD PlanarMotion<T> operator+(const PlanarMotion<T>& a, const PlanarMotion<T>& b) {
  return {a.ang + b.ang, a.lin + b.lin};
}
template <class T>
SINEW_HD PlanarMotion<T> operator*(const T& s, const PlanarMotion<T>& a) {
  return {s * a.ang, s * a.lin};
}
template <class T>
SINEW_HD PlanarForce<T> operator+(const PlanarForce<T>& a, const PlanarForce<T>& b) {
  return {a.ang + b.ang, a.lin + b.lin};
}
template <class T>
SINEW_HD PlanarForce<T> operator*(const T& s, const PlanarForce<T>& a) {
  return {s * a.ang, s * a.lin};
}
template <class T>
SINEW_HD T dot(const PlanarMotion<T>& v, const PlanarForce<T>& f) {
  return v.ang * f.ang + dot(v.lin, f.lin);
}
template <class T>
SINEW_HD PlanarMotion<T> cross(const PlanarMotion<T>& v, const PlanarMotion<T>& u) {
  return {lit<T>(0), cross(v.ang, u.lin) - cross(u.ang, v.lin)};  // [F08 2.76]
}
template <class T>
SINEW_HD PlanarForce<T> cross(const PlanarMotion<T>& v, const PlanarForce<T>& f) {
  return {cross(v.lin, f.lin), cross(v.ang, f.lin)};
}

// ^B X_A: B's origin is at r, its axes are turned by the angle. [F08 2.77]
template <class T>
struct PlanarTransform {
  T c = lit<T>(1), s{};
  Vec2<T> r;
};
template <class T>
SINEW_HD PlanarTransform<T> planar_transform(const Vec2<T>& r, const T& angle) {
  PlanarTransform<T> X;
  sincos(angle, X.s, X.c);
  X.r = r;
  return X;
}
namespace detail {
template <class T>
SINEW_HD Vec2<T> turn(const PlanarTransform<T>& X, const Vec2<T>& a) {
  return {X.c * a.x + X.s * a.y, X.c * a.y - X.s * a.x};
}
template <class T>
SINEW_HD Vec2<T> turn_back(const PlanarTransform<T>& X, const Vec2<T>& a) {
  return {X.c * a.x - X.s * a.y, X.c * a.y + X.s * a.x};
}
}  // namespace detail

template <class T>
SINEW_HD PlanarTransform<T> operator*(const PlanarTransform<T>& X1, const PlanarTransform<T>& X2) {
  return {X1.c * X2.c - X1.s * X2.s, X1.s * X2.c + X1.c * X2.s, X2.r + detail::turn_back(X2, X1.r)};
}
// The way back, and what a transform does to motions and forces.
template <class T>
SINEW_HD PlanarTransform<T> inverse(const PlanarTransform<T>& X) {
  return {X.c, -X.s, -detail::turn(X, X.r)};
}
template <class T>
SINEW_HD PlanarMotion<T> apply(const PlanarTransform<T>& X, const PlanarMotion<T>& v) {
  return {v.ang, detail::turn(X, v.lin + cross(v.ang, X.r))};
}
template <class T>
SINEW_HD PlanarMotion<T> apply_inverse(const PlanarTransform<T>& X, const PlanarMotion<T>& v) {
  return {v.ang, detail::turn_back(X, v.lin) - cross(v.ang, X.r)};
}
template <class T>
SINEW_HD PlanarForce<T> apply(const PlanarTransform<T>& X, const PlanarForce<T>& f) {
  return {f.ang - cross(X.r, f.lin), detail::turn(X, f.lin)};
}
template <class T>
SINEW_HD PlanarForce<T> apply_inverse(const PlanarTransform<T>& X, const PlanarForce<T>& f) {
  const Vec2<T> l = detail::turn_back(X, f.lin);
  return {f.ang + cross(X.r, l), l};
}

// Into space: the x-y plane of the planar frame is that of the spatial one.
template <class T>
SINEW_HD Motion<T> to_space(const PlanarMotion<T>& v) {
  return {{lit<T>(0), lit<T>(0), v.ang}, {v.lin.x, v.lin.y, lit<T>(0)}};
}
template <class T>
SINEW_HD Force<T> to_space(const PlanarForce<T>& f) {
  return {{lit<T>(0), lit<T>(0), f.ang}, {f.lin.x, f.lin.y, lit<T>(0)}};
}
template <class T>
SINEW_HD Transform<T> to_space(const PlanarTransform<T>& X) {
  const T o = lit<T>(0);
  return {{{X.c, X.s, o, -X.s, X.c, o, o, o, lit<T>(1)}}, {X.r.x, X.r.y, o}};
}

}  // namespace sinew
