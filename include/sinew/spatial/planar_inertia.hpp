// sinew/spatial/planar_inertia.hpp - planar rigid and articulated inertias [F08 section 2.16, Table A.1]
//   rigid:  [ I   -hy  hx ]   articulated:  [ I    H^T ]   M symmetric 2x2
//           [-hy   m   0  ]                 [ H    M   ]
//           [ hx   0   m  ]
#pragma once
#include "sinew/spatial/planar.hpp"

namespace sinew {

// Of a rigid body in the plane.
template <class T>
struct PlanarRigidInertia {
  T m{};
  Vec2<T> h;  // m times the centre of mass
  T I{};      // about the origin
};
// A symmetric 3 x 3 matrix.
template <class T>
struct PlanarArticulatedInertia {
  T mxx{}, mxy{}, myy{};
  Vec2<T> H;
  T I{};
};

// mcI. [F08 2.78]
template <class T>
SINEW_HD PlanarRigidInertia<T> make_planar_inertia(const T& m, const Vec2<T>& c, const T& Ic) {
  const Vec2<T> h = m * c;
  return {m, h, Ic + dot(h, c)};
}
template <class T>
SINEW_HD PlanarArticulatedInertia<T> to_articulated(const PlanarRigidInertia<T>& a) {
  return {a.m, lit<T>(0), a.m, {-a.h.y, a.h.x}, a.I};
}
template <class T>
SINEW_HD PlanarRigidInertia<T> operator+(const PlanarRigidInertia<T>& a, const PlanarRigidInertia<T>& b) {
  return {a.m + b.m, a.h + b.h, a.I + b.I};
}
template <class T>
SINEW_HD PlanarArticulatedInertia<T> operator+(const PlanarArticulatedInertia<T>& a,
                                               const PlanarArticulatedInertia<T>& b) {
  return {a.mxx + b.mxx, a.mxy + b.mxy, a.myy + b.myy, a.H + b.H, a.I + b.I};
}
template <class T>
SINEW_HD PlanarArticulatedInertia<T> operator+(const PlanarArticulatedInertia<T>& a, const PlanarRigidInertia<T>& b) {
  return {a.mxx + b.m, a.mxy, a.myy + b.m, {a.H.x - b.h.y, a.H.y + b.h.x}, a.I + b.I};
}
template <class T>
SINEW_HD PlanarForce<T> operator*(const PlanarRigidInertia<T>& a, const PlanarMotion<T>& v) {
  return {a.I * v.ang + cross(a.h, v.lin), a.m * v.lin + cross(v.ang, a.h)};
}
template <class T>
SINEW_HD PlanarForce<T> operator*(const PlanarArticulatedInertia<T>& a, const PlanarMotion<T>& v) {
  return {a.I * v.ang + dot(a.H, v.lin),
          {a.mxx * v.lin.x + a.mxy * v.lin.y + a.H.x * v.ang, a.mxy * v.lin.x + a.myy * v.lin.y + a.H.y * v.ang}};
}

// X* I X^-1 and X^T I X.
template <class T>
SINEW_HD PlanarRigidInertia<T> apply(const PlanarTransform<T>& X, const PlanarRigidInertia<T>& a) {
  const Vec2<T> y = a.h - a.m * X.r;
  return {a.m, detail::turn(X, y), a.I - dot(X.r, a.h + y)};
}
template <class T>
SINEW_HD PlanarRigidInertia<T> apply_inverse(const PlanarTransform<T>& X, const PlanarRigidInertia<T>& a) {
  const Vec2<T> h = detail::turn_back(X, a.h), y = h + a.m * X.r;
  return {a.m, y, a.I + dot(X.r, h + y)};
}
namespace detail {
// The origin moves to (p.y, -p.x): I + p.(H + H'), H' = H + M p.
template <class T>
SINEW_HD PlanarArticulatedInertia<T> shift(const PlanarArticulatedInertia<T>& a, const Vec2<T>& p) {
  const Vec2<T> H{a.H.x + a.mxx * p.x + a.mxy * p.y, a.H.y + a.mxy * p.x + a.myy * p.y};
  return {a.mxx, a.mxy, a.myy, H, a.I + dot(p, a.H + H)};
}
template <class T>
SINEW_HD PlanarArticulatedInertia<T> turn(const PlanarTransform<T>& X, const PlanarArticulatedInertia<T>& a) {
  const T cs = X.c * X.s, ss = X.s * X.s, diff = a.myy - a.mxx;
  const T alpha = (cs + cs) * a.mxy + ss * diff;
  return {a.mxx + alpha, cs * diff + (lit<T>(1) - (ss + ss)) * a.mxy, a.myy - alpha, turn(X, a.H), a.I};
}
}  // namespace detail
template <class T>
SINEW_HD PlanarArticulatedInertia<T> apply(const PlanarTransform<T>& X, const PlanarArticulatedInertia<T>& a) {
  return detail::turn(X, detail::shift(a, Vec2<T>{X.r.y, -X.r.x}));
}
template <class T>
SINEW_HD PlanarArticulatedInertia<T> apply_inverse(const PlanarTransform<T>& X, const PlanarArticulatedInertia<T>& a) {
  return detail::shift(detail::turn(PlanarTransform<T>{X.c, -X.s, {}}, a), Vec2<T>{-X.r.y, X.r.x});
}

}  // namespace sinew
