// sinew/tree/aba_steps.hpp - the steps of the articulated-body algorithm, one link at a time
// Accelerations are those of points, so that bias terms know no linear velocity. With Omega = w x w x:
//   (1) w  = E w_p + z v,   c = (w x z v; E Omega_p r),   p = (axial vector of Omega J; Omega h)    [F08 7.26-7.33]
//   (2) U = IA S, D = S^T U, u = tau - S^T p,                                                      [F08 7.43-7.45]
//       Ia = IA - U U^T / D,  pa = p + Ia c + U u / D,   to the parent                              [F08 7.46-7.47]
//   (3) a' = X a_p + c,  qdd = (u - U^T a') / D,  a = a' + S qdd                                    [F08 7.48-7.50]
// k = U / D. A revolute joint has k_z = 1 and zeros in row and column z of Ia. A joint of several freedoms is
// eliminated one freedom after the other, as if massless links stood between them.
#pragma once
#include "sinew/spatial/solve.hpp"
#include "sinew/sweep/general_joint.hpp"
#include "sinew/sweep/inertia_crossing.hpp"
#include "sinew/sweep/sweep.hpp"
#include "sinew/sweep/turns.hpp"

namespace sinew {

// Handed outward in (1): the angular velocity and the products of its components.
template <class T>
struct AbaRates {
  Vec3<T> w;
  Sym3<T> ww;  // w w^T
};
// Handed inward in (2).
template <class T>
struct AbaLoad {
  ArticulatedInertia<T> I;
  Force<T> p;
  SINEW_HD AbaLoad& operator+=(const AbaLoad& b) {
    I = I + b.I;
    p = p + b.p;
    return *this;
  }
};
// Remembered of a one-axis link: 12 numbers beside its turn. p lives until (2), k and u from (2) to (3).
template <class T>
struct AbaLink {
  T cx, cy;     // angular part of c; its z is zero
  Vec3<T> cl;   // linear part
  Force<T> pk;  // p, then k
  T u;          // u / D
};
// Of any other joint.
template <class T>
struct AbaJoint {
  Motion<T> c;
  Force<T> p;                 // also of a free joint
  Force<T> U[kMaxJointDofs];  // k of each freedom
  T u[kMaxJointDofs];         // u / D of each freedom
  Motion<T> a;                // of a free joint
};
template <class T>
struct AbaScratch {
  Turn<T>* turns;            // (n)
  AbaLink<T>* links;         // (n)
  AbaRates<T>* slot_rates;   // (branch slots)
  AbaLoad<T>* slot_loads;    // (branch slots)
  Motion<T>* slot_motions;   // (branch slots)
  GeneralJoint<T>* general;  // (general joints)
  AbaJoint<T>* joints;       // (general joints)
  Force<T>* external;        // (n) or null
};

namespace detail {
template <class T>
SINEW_HD AbaRates<T> rates_of(const Vec3<T>& w) {
  return {w, {w.x * w.x, w.x * w.y, w.x * w.z, w.y * w.y, w.y * w.z, w.z * w.z}};
}
// (1) p: 21m + 21a
template <class T, class R>
SINEW_HD Force<T> bias_force(const Link<R>& l, const Sym3<T>& ww) {
  const Vec3<T> h = cast<T>(l.h);
  const T xy = lit<T>(l.J.xy), xz = lit<T>(l.J.xz), yz = lit<T>(l.J.yz);
  const Vec3<T> n{ww.xz * xy - ww.xy * xz + ww.yz * lit<T>(l.J.yy - l.J.zz) + (ww.zz - ww.yy) * yz,
                  ww.xy * yz - ww.yz * xy + ww.xz * lit<T>(l.J.zz - l.J.xx) + (ww.xx - ww.zz) * xz,
                  ww.yz * xz - ww.xz * yz + ww.xy * lit<T>(l.J.xx - l.J.yy) + (ww.yy - ww.xx) * xy};
  const Vec3<T> f{ww.xy * h.y + ww.xz * h.z - (ww.yy + ww.zz) * h.x, ww.xy * h.x + ww.yz * h.z - (ww.xx + ww.zz) * h.y,
                  ww.xz * h.x + ww.yz * h.y - (ww.xx + ww.yy) * h.z};
  return {n, f};
}
// Omega r
template <class T>
SINEW_HD Vec3<T> centripetal(const Sym3<T>& ww, const Vec3<T>& r) {
  return {ww.xy * r.y + ww.xz * r.z - (ww.yy + ww.zz) * r.x, ww.xy * r.x + ww.yz * r.z - (ww.xx + ww.zz) * r.y,
          ww.xz * r.x + ww.yz * r.y - (ww.xx + ww.yy) * r.z};
}
}  // namespace detail

// (1) for a one-axis joint with velocity v; the link's record gets c and p.
template <bool revolute, Twist K, class T, class R>
SINEW_HD AbaRates<T> aba_outward(const Link<R>& l, const Turn<T>& t, const T& d, const T& v, const AbaRates<T>& p,
                                 AbaLink<T>& rec) {
  const T o = lit<T>(0);
  Vec3<T> w = to_link<K>(l, t.c, t.s, p.w), cl{o, o, o};
  if (l.branch) {
    cl = to_link<K>(l, t.c, t.s, detail::centripetal(p.ww, cast<T>(l.r0)));
  } else if (l.has_a) {
    const T a = lit<T>(l.a);
    cl = to_link<K>(l, t.c, t.s, Vec3<T>{-(p.ww.yy + p.ww.zz) * a, p.ww.xy * a, p.ww.xz * a});
  }
  const T spin = revolute ? v : lit<T>(l.turns) * v;
  const T wz = w.z;
  rec.cx = w.y * spin;
  rec.cy = -(w.x * spin);
  w.z = w.z + spin;
  const AbaRates<T> out = detail::rates_of(w);
  if (l.has_d) {
    const T k = d * wz;
    cl = {cl.x + w.x * k, cl.y + w.y * k, cl.z - (out.ww.xx + out.ww.yy) * d};
  }
  if constexpr (!revolute) {
    const T u = lit<T>(l.slides) * v, twice = u + u;
    cl = {cl.x + twice * w.y, cl.y - twice * w.x, cl.z};
  }
  rec.cl = cl;
  rec.pk = detail::bias_force(l, out.ww);
  return out;
}

// (2) for a revolute joint: what it passes on, before the way to the parent.
template <class T>
SINEW_HD RevoluteInertia<T> aba_project(const AbaLoad<T>& A, const T& tau, AbaLink<T>& rec, Force<T>& pa) {
  const ArticulatedInertia<T>& I = A.I;
  const T Dinv = lit<T>(1) / I.I.zz, u = tau - A.p.ang.z;  // [F08 7.44, 7.45]
  const T kx = I.I.xz * Dinv, ky = I.I.yz * Dinv;
  const Vec3<T> U{I.H.zx, I.H.zy, I.H.zz}, k{U.x * Dinv, U.y * Dinv, U.z * Dinv};
  const RevoluteInertia<T> a{{I.M.xx - k.x * U.x, I.M.xy - k.x * U.y, I.M.xz - k.x * U.z, I.M.yy - k.y * U.y,
                              I.M.yz - k.y * U.z, I.M.zz - k.z * U.z},
                             I.H.xx - kx * U.x,
                             I.H.xy - kx * U.y,
                             I.H.xz - kx * U.z,
                             I.H.yx - ky * U.x,
                             I.H.yy - ky * U.y,
                             I.H.yz - ky * U.z,
                             I.I.xx - kx * I.I.xz,
                             I.I.xy - kx * I.I.yz,
                             I.I.yy - ky * I.I.yz};  // [F08 7.46]
  const T &cx = rec.cx, &cy = rec.cy;
  const Vec3<T>& l = rec.cl;
  const Force<T>& p = A.p;
  pa.ang = {p.ang.x + a.ixx * cx + a.ixy * cy + a.hxx * l.x + a.hxy * l.y + a.hxz * l.z + kx * u,
            p.ang.y + a.ixy * cx + a.iyy * cy + a.hyx * l.x + a.hyy * l.y + a.hyz * l.z + ky * u, tau};
  pa.lin = {p.lin.x + a.hxx * cx + a.hyx * cy + a.M.xx * l.x + a.M.xy * l.y + a.M.xz * l.z + k.x * u,
            p.lin.y + a.hxy * cx + a.hyy * cy + a.M.xy * l.x + a.M.yy * l.y + a.M.yz * l.z + k.y * u,
            p.lin.z + a.hxz * cx + a.hyz * cy + a.M.xz * l.x + a.M.yz * l.y + a.M.zz * l.z + k.z * u};  // [F08 7.47]
  rec.pk = {{kx, ky, lit<T>(1)}, k};
  rec.u = u * Dinv;
  return a;
}
// The same of a joint on the world: only k and u.
template <class T>
SINEW_HD void aba_project_last(const AbaLoad<T>& A, const T& tau, AbaLink<T>& rec) {
  const T Dinv = lit<T>(1) / A.I.I.zz, o = lit<T>(0);
  rec.pk = {{o, o, lit<T>(1)}, {A.I.H.zx * Dinv, A.I.H.zy * Dinv, A.I.H.zz * Dinv}};
  rec.u = (tau - A.p.ang.z) * Dinv;
}
// (2) for one freedom S of any joint; k and u / D go out, A becomes what lies above it.
template <class T>
SINEW_HD void aba_eliminate(const Motion<T>& S, const T& armature, const T& tau, AbaLoad<T>& A, Force<T>& k, T& u) {
  const Force<T> U = A.I * S;
  const T Dinv = lit<T>(1) / (dot(S, U) + armature), rest = tau - dot(S, A.p);
  k = Dinv * U;
  u = rest * Dinv;
  A.I = A.I - dyad(Dinv, U);
  A.p = A.p + rest * k;
}

}  // namespace sinew
