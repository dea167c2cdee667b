// sinew/spatial/inertia.hpp - rigid and articulated-body inertias [F08 section 2.13, section 7.1, Tables A.3, A.4]
//   rigid:        I = [ I   h x ]   m, h = m c, I about the frame's origin: 10 numbers
//                     [-h x  m 1]
//   articulated:  I = [ I   H ]     symmetric I and M, general H: 21 numbers
//                     [ H^T M ]
#pragma once
#include "sinew/spatial/rotate.hpp"
#include "sinew/spatial/transform.hpp"

namespace sinew {

// Of a rigid body: ten numbers.
template <class T>
struct RigidInertia {
  T m{};      // [kg]
  Vec3<T> h;  // [kg m] m times the centre of mass
  Sym3<T> I;  // [kg m^2] about the frame's origin
};

// Of a body with a mechanism on it: a symmetric 6 x 6 matrix, 21 numbers.
template <class T>
struct ArticulatedInertia {
  Sym3<T> M;
  Mat3<T> H;
  Sym3<T> I;
};

template <class T, class S>
SINEW_HD RigidInertia<T> cast(const RigidInertia<S>& a) {
  return {lit<T>(a.m), cast<T>(a.h), cast<T>(a.I)};
}
template <class T, class S>
SINEW_HD ArticulatedInertia<T> cast(const ArticulatedInertia<S>& a) {
  return {cast<T>(a.M), cast<T>(a.H), cast<T>(a.I)};
}

// From mass, centre of mass and rotational inertia about the centre of mass. [F08 2.63]
template <class T>
SINEW_HD RigidInertia<T> make_inertia(const T& m, const Vec3<T>& c, const Sym3<T>& Ic) {
  const Vec3<T> h = m * c;
  return {m, h, Ic - cross_cross(h, c)};
}
// The inverse. Not for a massless body, which has no centre of mass.
template <class T>
SINEW_HD Vec3<T> centre_of_mass(const RigidInertia<T>& a) {
  return (lit<T>(1) / a.m) * a.h;
}
template <class T>
SINEW_HD Sym3<T> inertia_about_centre(const RigidInertia<T>& a) {
  return a.I + cross_cross(a.h, centre_of_mass(a));
}

// The same in the general form.
template <class T>
SINEW_HD ArticulatedInertia<T> to_articulated(const RigidInertia<T>& a) {
  const T o = lit<T>(0);
  return {{a.m, o, o, a.m, o, a.m}, skew(a.h), a.I};
}

// Sums and scaling: 10a, 21a, 15a, 10m, 21m.
template <class T>
SINEW_HD RigidInertia<T> operator+(const RigidInertia<T>& a, const RigidInertia<T>& b) {
  return {a.m + b.m, a.h + b.h, a.I + b.I};
}
template <class T>
SINEW_HD RigidInertia<T> operator*(const T& s, const RigidInertia<T>& a) {
  return {s * a.m, s * a.h, s * a.I};
}
template <class T>
SINEW_HD ArticulatedInertia<T> operator+(const ArticulatedInertia<T>& a, const ArticulatedInertia<T>& b) {
  return {a.M + b.M, a.H + b.H, a.I + b.I};
}
template <class T>
SINEW_HD ArticulatedInertia<T>& operator+=(ArticulatedInertia<T>& a, const ArticulatedInertia<T>& b) {
  return a = a + b;
}
template <class T>
SINEW_HD ArticulatedInertia<T> operator+(const ArticulatedInertia<T>& a, const RigidInertia<T>& b) {
  const Sym3<T>& M = a.M;
  const Mat3<T>& H = a.H;
  return {{M.xx + b.m, M.xy, M.xz, M.yy + b.m, M.yz, M.zz + b.m},
          {H.xx, H.xy - b.h.z, H.xz + b.h.y, H.yx + b.h.z, H.yy, H.yz - b.h.x, H.zx - b.h.y, H.zy + b.h.x, H.zz},
          a.I + b.I};
}
template <class T>
SINEW_HD ArticulatedInertia<T> operator-(const ArticulatedInertia<T>& a, const ArticulatedInertia<T>& b) {
  return {a.M - b.M, a.H - b.H, a.I - b.I};
}
template <class T>
SINEW_HD ArticulatedInertia<T> operator*(const T& s, const ArticulatedInertia<T>& a) {
  return {s * a.M, s * a.H, s * a.I};
}

// s f f^T, the symmetric dyad. 27m  [F08 2.64]
template <class T>
SINEW_HD ArticulatedInertia<T> dyad(const T& s, const Force<T>& f) {
  const Vec3<T>&n = f.ang, &l = f.lin;
  const Vec3<T> sn = s * n, sl = s * l;
  return {{sl.x * l.x, sl.x * l.y, sl.x * l.z, sl.y * l.y, sl.y * l.z, sl.z * l.z},
          {sn.x * l.x, sn.x * l.y, sn.x * l.z, sn.y * l.x, sn.y * l.y, sn.y * l.z, sn.z * l.x, sn.z * l.y, sn.z * l.z},
          {sn.x * n.x, sn.x * n.y, sn.x * n.z, sn.y * n.y, sn.y * n.z, sn.z * n.z}};
}

// Momentum of a motion: 24m + 18a and 36m + 30a.
template <class T>
SINEW_HD Force<T> operator*(const RigidInertia<T>& a, const Motion<T>& v) {
  return {a.I * v.ang + cross(a.h, v.lin), a.m * v.lin - cross(a.h, v.ang)};
}
template <class T>
SINEW_HD Force<T> operator*(const ArticulatedInertia<T>& a, const Motion<T>& v) {
  return {a.I * v.ang + a.H * v.lin, a.M * v.lin + transpose_times(a.H, v.ang)};
}

// X* I X^-1 and X^T I X: 52m + 56a each.
template <class T>
SINEW_HD RigidInertia<T> apply(const Transform<T>& X, const RigidInertia<T>& a) {
  const Vec3<T> y = a.h - a.m * X.r;
  const Sym3<T> Z = a.I + cross_cross(X.r, a.h) + cross_cross(y, X.r);
  return {a.m, apply(X.E, y), rotate(X.E, Z)};
}
template <class T>
SINEW_HD RigidInertia<T> apply_inverse(const Transform<T>& X, const RigidInertia<T>& a) {
  const Vec3<T> h = apply_inverse(X.E, a.h);
  const Vec3<T> y = h + a.m * X.r;
  return {a.m, y, rotate(inverse(X.E), a.I) - cross_cross(X.r, h) - cross_cross(y, X.r)};
}

namespace detail {
// The lower triangle of r x H^T: entry (i, j) = (r x row_j(H))_i. 12m + 6a
template <class T>
SINEW_HD Sym3<T> cross_transpose(const Vec3<T>& r, const Mat3<T>& H) {
  return {r.y * H.xz - r.z * H.xy, r.z * H.xx - r.x * H.xz, r.x * H.xy - r.y * H.xx,
          r.z * H.yx - r.x * H.yz, r.x * H.yy - r.y * H.yx, r.x * H.zy - r.y * H.zx};
}
// The lower triangle of Y (r x): entry (i, j) = (row_i(Y) x r)_j. 12m + 6a
template <class T>
SINEW_HD Sym3<T> times_cross(const Mat3<T>& Y, const Vec3<T>& r) {
  return {Y.xy * r.z - Y.xz * r.y, Y.yy * r.z - Y.yz * r.y, Y.zy * r.z - Y.zz * r.y,
          Y.yz * r.x - Y.yx * r.z, Y.zz * r.x - Y.zx * r.z, Y.zx * r.y - Y.zy * r.x};
}
}  // namespace detail

// X* I^A X^-1 and X^T I^A X: 137m + 137a each.
template <class T>
SINEW_HD ArticulatedInertia<T> apply(const Transform<T>& X, const ArticulatedInertia<T>& a) {
  const Mat3<T> Y = a.H - cross(X.r, a.M);
  const Sym3<T> Z = a.I - detail::cross_transpose(X.r, a.H) + detail::times_cross(Y, X.r);
  return {rotate(X.E, a.M), rotate(X.E, Y), rotate(X.E, Z)};
}
template <class T>
SINEW_HD ArticulatedInertia<T> apply_inverse(const Transform<T>& X, const ArticulatedInertia<T>& a) {
  const Rotation<T> Et = inverse(X.E);
  const Sym3<T> M = rotate(Et, a.M);
  const Mat3<T> H = rotate(Et, a.H);
  const Mat3<T> Y = H + cross(X.r, M);
  return {M, Y, rotate(Et, a.I) + detail::cross_transpose(X.r, H) - detail::times_cross(Y, X.r)};
}

}  // namespace sinew
