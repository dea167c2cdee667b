// sinew/spatial/transform.hpp - Plücker coordinate transforms [F08 section 2.8, Table A.4]
// X = ^B X_A = rot(E) xlt(r): E takes coordinates from A to B, r is B's origin seen from A, in A's coordinates.
// apply(X, .) takes motion, force or inertia from A to B coordinates by the rule of its own type;
// apply_inverse(X, .) takes it back without forming the inverse.
#pragma once
#include "sinew/spatial/force.hpp"
#include "sinew/spatial/rotation.hpp"

namespace sinew {

template <class T>
struct Transform {
  Rotation<T> E;
  Vec3<T> r;
};

template <class T, class S>
SINEW_HD Transform<T> cast(const Transform<S>& X) {
  return {cast<T>(X.E), cast<T>(X.r)};
}

// To a frame that is turned, or shifted, only.
template <class T>
SINEW_HD Transform<T> rotate_frame(const Rotation<T>& E) {
  return {E, {}};
}
template <class T>
SINEW_HD Transform<T> shift_frame(const Vec3<T>& r) {
  return {{}, r};
}
// Where a frame stands: origin and the turn that carries the reference axes onto its own.
template <class T>
SINEW_HD Transform<T> make_pose(const Vec3<T>& origin, const Quaternion<T>& turn) {
  return {to_rotation(turn), origin};
}

// ^C X_A = ^C X_B ^B X_A. 33m + 24a
template <class T>
SINEW_HD Transform<T> operator*(const Transform<T>& X1, const Transform<T>& X2) {
  return {X1.E * X2.E, X2.r + apply_inverse(X2.E, X1.r)};
}
// 9m + 6a
template <class T>
SINEW_HD Transform<T> inverse(const Transform<T>& X) {
  return {inverse(X.E), -apply(X.E, X.r)};
}

// A point: its position from A's origin in A, to its position from B's origin in B.
template <class T>
SINEW_HD Vec3<T> apply_to_point(const Transform<T>& X, const Vec3<T>& p) {
  return apply(X.E, p - X.r);
}
template <class T>
SINEW_HD Vec3<T> apply_inverse_to_point(const Transform<T>& X, const Vec3<T>& p) {
  return X.r + apply_inverse(X.E, p);
}

// X v, X^-1 v, X* f, X^T f: 24m + 18a each.
template <class T>
SINEW_HD Motion<T> apply(const Transform<T>& X, const Motion<T>& v) {
  return {apply(X.E, v.ang), apply(X.E, v.lin - cross(X.r, v.ang))};
}
template <class T>
SINEW_HD Motion<T> apply_inverse(const Transform<T>& X, const Motion<T>& v) {
  const Vec3<T> w = apply_inverse(X.E, v.ang);
  return {w, apply_inverse(X.E, v.lin) + cross(X.r, w)};
}
template <class T>
SINEW_HD Force<T> apply(const Transform<T>& X, const Force<T>& f) {
  return {apply(X.E, f.ang - cross(X.r, f.lin)), apply(X.E, f.lin)};
}
template <class T>
SINEW_HD Force<T> apply_inverse(const Transform<T>& X, const Force<T>& f) {
  const Vec3<T> l = apply_inverse(X.E, f.lin);
  return {apply_inverse(X.E, f.ang) + cross(X.r, l), l};
}

}  // namespace sinew
