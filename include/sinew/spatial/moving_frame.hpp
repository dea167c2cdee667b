// sinew/spatial/moving_frame.hpp - differentiation in moving coordinates, and of what a body carries along
// The apparent rate is what an observer sees who moves with the frame: the rate of the coordinates. The true rate
// adds what the frame's own velocity v_A does. All in the coordinates of the frame. [F08 section 2.10]
#pragma once
#include "sinew/spatial/inertia.hpp"

namespace sinew {

// The rate of a vector from that of its coordinates in a frame that moves with v_A, and the other way round.
template <class T>
SINEW_HD Vec3<T> true_rate(const Vec3<T>& apparent, const Vec3<T>& w_A, const Vec3<T>& u) {
  return apparent + cross(w_A, u);  // [F08 2.38]
}
template <class T>
SINEW_HD Motion<T> true_rate(const Motion<T>& apparent, const Motion<T>& v_A, const Motion<T>& m) {
  return apparent + cross(v_A, m);  // [F08 2.43]
}
template <class T>
SINEW_HD Force<T> true_rate(const Force<T>& apparent, const Motion<T>& v_A, const Force<T>& f) {
  return apparent + cross(v_A, f);  // [F08 2.44]
}
template <class T>
SINEW_HD Motion<T> apparent_rate(const Motion<T>& rate, const Motion<T>& v_A, const Motion<T>& m) {
  return rate - cross(v_A, m);
}
template <class T>
SINEW_HD Force<T> apparent_rate(const Force<T>& rate, const Motion<T>& v_A, const Force<T>& f) {
  return rate - cross(v_A, f);
}

// dX/dt of X = ^B X_A by its parts, from the velocities of both frames in B coordinates: [F08 2.45] is
// (v_A - v_B) x X, a 6x6 matrix whose blocks these two determine.
template <class T>
struct TransformRate {
  Mat3<T> E;
  Vec3<T> r;
};
template <class T>
SINEW_HD TransformRate<T> transform_rate(const Transform<T>& X, const Motion<T>& v_A, const Motion<T>& v_B) {
  const Motion<T> u = v_A - v_B;
  return {skew(u.ang) * X.E.m, -apply_inverse(X.E, u.lin)};
}

namespace detail {
// w x A - A w x for symmetric A, which is twice the symmetric part of w x A.
template <class T>
SINEW_HD Sym3<T> carried_rate(const Vec3<T>& w, const Sym3<T>& A) {
  const Mat3<T> B = cross(w, A);
  return {B.xx + B.xx, B.xy + B.yx, B.xz + B.zx, B.yy + B.yy, B.yz + B.zy, B.zz + B.zz};
}
template <class T>
SINEW_HD Mat3<T> commutator(const Vec3<T>& w, const Mat3<T>& A) {
  const Mat3<T> W = skew(w);
  return W * A - A * W;
}
}  // namespace detail

// dI/dt = v x* I - I v x of an inertia fixed in a body with velocity v. [F08 2.65]
// The rate has the form of an inertia (of mass zero, if rigid) but is not one.
template <class T>
SINEW_HD RigidInertia<T> inertia_rate(const Motion<T>& v, const RigidInertia<T>& a) {
  const Vec3<T>&u = v.lin, &h = a.h;
  const T k = dot(u, h), two = lit<T>(2);
  // -(v x h x) - (h x v x)
  const Sym3<T> twist{two * (k - u.x * h.x), -(u.x * h.y + u.y * h.x), -(u.x * h.z + u.z * h.x),
                      two * (k - u.y * h.y), -(u.y * h.z + u.z * h.y), two * (k - u.z * h.z)};
  return {lit<T>(0), cross(v.ang, h) + a.m * u, detail::carried_rate(v.ang, a.I) + twist};
}
template <class T>
SINEW_HD ArticulatedInertia<T> inertia_rate(const Motion<T>& v, const ArticulatedInertia<T>& a) {
  const Mat3<T> vHt = skew(v.lin) * transpose(a.H);  // v x H^T - H v x is this and its transpose
  const Sym3<T> twist{vHt.xx + vHt.xx, vHt.xy + vHt.yx, vHt.xz + vHt.zx,
                      vHt.yy + vHt.yy, vHt.yz + vHt.zy, vHt.zz + vHt.zz};
  return {detail::carried_rate(v.ang, a.M), detail::commutator(v.ang, a.H) + cross(v.lin, a.M),
          detail::carried_rate(v.ang, a.I) + twist};
}

}  // namespace sinew
