// sinew/tree/kernel/aba_steps.hpp - the steps of the articulated-body algorithm, one link at a time
// Accelerations are those of points, so bias terms need no linear velocity. With Omega = w x w x:
//   (1) w  = E w_p + z v,   c = (w x z v; E Omega_p r),   p = (axial vector of Omega J; Omega h)    [F08 7.34-7.36]
//   (2) U = IA S, D = S^T U, u = tau - S^T p,                                                      [F08 7.43-7.45]
//       Ia = IA - U U^T / D,  pa = p + Ia c + U u / D,   to the parent                              [F08 7.47, 7.48]
//   (3) a' = X a_p + c,  qdd = (u - U^T a') / D,  a = a' + S qdd [F08 7.46, 7.49, 7.50]
// k = U / D. A revolute joint has k_z = 1 and zeros in row and column z of Ia. A joint of several freedoms is
// eliminated one freedom after the other, as if massless links stood between them.
#pragma once
#include "sinew/spatial/solve.hpp"
#include "sinew/sweep/kernel/general_joint.hpp"
#include "sinew/sweep/kernel/inertia_crossing.hpp"
#include "sinew/sweep/kernel/turns.hpp"
#include "sinew/sweep/sweep.hpp"

namespace sinew {

// Passed to the parent in (2).
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
// Kept for a one-axis link: twelve numbers, and k_z where it is not 1.
template <class T>
struct AbaLink {
  Vec3<T> w;   // from (1); c and p are made from it again
  Vec3<T> cl;  // linear part of c, from (1)
  Force<T> k;  // from (2)
  T u;         // u / D, from (2)
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
  AbaLink<T>* links;         // (n)
  Vec3<T>* slot_rates;       // (branch slots)
  AbaLoad<T>* slot_loads;    // (branch slots)
  Motion<T>* slot_motions;   // (branch slots)
  GeneralJoint<T>* general;  // (general joints)
  AbaJoint<T>* joints;       // (general joints)
  Force<T>* external;        // (n) or null
};

namespace detail {
// w w^T
template <class T>
SINEW_HD Sym3<T> square(const Vec3<T>& w) {
  return {w.x * w.x, w.x * w.y, w.x * w.z, w.y * w.y, w.y * w.z, w.z * w.z};
}
// (1) p: 27m + 21a
template <class T, class R>
SINEW_HD Force<T> bias_force(const Link<R>& l, const Vec3<T>& w) {
  const Sym3<T> ww = square(w);
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
SINEW_HD Vec3<T> centripetal(const Vec3<T>& w, const Vec3<T>& r) {
  return cross(w, cross(w, r));
}
// The angular part of c; w.x and w.y are those of the link, whose z is the joint's axis.
template <class T>
SINEW_HD Motion<T> joint_bias(const AbaLink<T>& rec, const T& spin) {
  return {{rec.w.y * spin, -(rec.w.x * spin), lit<T>(0)}, rec.cl};
}
}  // namespace detail

// (1) for a one-axis joint with velocity v; returns w. The link's record gets w and cl.
template <bool revolute, Twist K, class T, class R>
SINEW_HD Vec3<T> aba_outward(const Link<R>& l, const Turn<T>& t, const T& d, const T& v, const Vec3<T>& p,
                             AbaLink<T>& rec) {
  const T o = lit<T>(0);
  Vec3<T> w = to_link<K>(l, t.c, t.s, p), cl{o, o, o};
  if (l.branch) {
    cl = to_link<K>(l, t.c, t.s, detail::centripetal(p, cast<T>(l.r0)));
  } else if (l.has_a) {
    const T a = lit<T>(l.a), k = p.x * a;
    cl = to_link<K>(l, t.c, t.s, Vec3<T>{-((p.y * p.y + p.z * p.z) * a), p.y * k, p.z * k});
  }
  if (l.has_d) {
    const T k = d * w.z;
    cl = {cl.x + w.x * k, cl.y + w.y * k, cl.z - (w.x * w.x + w.y * w.y) * d};
  }
  if constexpr (revolute) {
    w.z = w.z + v;
  } else {
    const T u = lit<T>(l.slides) * v, twice = u + u;
    cl = {cl.x + twice * w.y, cl.y - twice * w.x, cl.z};
    w.z = w.z + lit<T>(l.turns) * v;
  }
  rec.w = w;
  rec.cl = cl;
  return w;
}

// Ia of a revolute joint, k = U / D with k_z = 1. 15m + 15a  [F08 7.47]
template <class T>
SINEW_HD RevoluteInertia<T> project_revolute(const ArticulatedInertia<T>& I, const Force<T>& k) {
  const Vec3<T> U{I.H.zx, I.H.zy, I.H.zz};
  const T &kx = k.ang.x, &ky = k.ang.y;
  return {{I.M.xx - k.lin.x * U.x, I.M.xy - k.lin.x * U.y, I.M.xz - k.lin.x * U.z, I.M.yy - k.lin.y * U.y,
           I.M.yz - k.lin.y * U.z, I.M.zz - k.lin.z * U.z},
          I.H.xx - kx * U.x,
          I.H.xy - kx * U.y,
          I.H.xz - kx * U.z,
          I.H.yx - ky * U.x,
          I.H.yy - ky * U.y,
          I.H.yz - ky * U.z,
          I.I.xx - kx * I.I.xz,
          I.I.xy - kx * I.I.yz,
          I.I.yy - ky * I.I.yz};
}
// (2) for a revolute joint: Ia and pa in its own frame.
template <class T>
SINEW_HD RevoluteInertia<T> aba_project(const AbaLoad<T>& A, const T& tau, const Motion<T>& c, AbaLink<T>& rec,
                                        Force<T>& pa) {
  const ArticulatedInertia<T>& I = A.I;
  const T Dinv = lit<T>(1) / I.I.zz, u = tau - A.p.ang.z;  // [F08 7.44, 7.45]
  const Force<T> k{{I.I.xz * Dinv, I.I.yz * Dinv, lit<T>(1)}, {I.H.zx * Dinv, I.H.zy * Dinv, I.H.zz * Dinv}};
  const RevoluteInertia<T> a = project_revolute(I, k);
  const T &cx = c.ang.x, &cy = c.ang.y;
  const Vec3<T>& l = c.lin;
  const Force<T>& p = A.p;
  pa.ang = {p.ang.x + a.ixx * cx + a.ixy * cy + a.hxx * l.x + a.hxy * l.y + a.hxz * l.z + k.ang.x * u,
            p.ang.y + a.ixy * cx + a.iyy * cy + a.hyx * l.x + a.hyy * l.y + a.hyz * l.z + k.ang.y * u, tau};
  pa.lin = {
      p.lin.x + a.hxx * cx + a.hyx * cy + a.M.xx * l.x + a.M.xy * l.y + a.M.xz * l.z + k.lin.x * u,
      p.lin.y + a.hxy * cx + a.hyy * cy + a.M.xy * l.x + a.M.yy * l.y + a.M.yz * l.z + k.lin.y * u,
      p.lin.z + a.hxz * cx + a.hyz * cy + a.M.xz * l.x + a.M.yz * l.y + a.M.zz * l.z + k.lin.z * u};  // [F08 7.48]
  rec.k.ang.x = k.ang.x, rec.k.ang.y = k.ang.y, rec.k.lin = k.lin;
  rec.u = u * Dinv;
  return a;
}
// The same for a joint on the world: only k and u.
template <class T>
SINEW_HD void aba_project_last(const AbaLoad<T>& A, const T& tau, AbaLink<T>& rec) {
  const T Dinv = lit<T>(1) / A.I.I.zz;
  rec.k.lin = {A.I.H.zx * Dinv, A.I.H.zy * Dinv, A.I.H.zz * Dinv};
  rec.u = (tau - A.p.ang.z) * Dinv;
}
// One freedom S of any joint: k = U / D and 1 / D, and I becomes what lies above it.
template <class T>
SINEW_HD void eliminate(const Motion<T>& S, const T& armature, ArticulatedInertia<T>& I, Force<T>& k, T& Dinv) {
  const Force<T> U = I * S;
  Dinv = lit<T>(1) / (dot(S, U) + armature);
  k = Dinv * U;
  I = I - dyad(Dinv, U);
}
// (2) for one freedom S of any joint; k and u / D go out, A becomes what lies above it.
template <class T>
SINEW_HD void aba_eliminate(const Motion<T>& S, const T& armature, const T& tau, AbaLoad<T>& A, Force<T>& k, T& u) {
  const T rest = tau - dot(S, A.p);
  T Dinv;
  eliminate(S, armature, A.I, k, Dinv);
  u = rest * Dinv;
  A.p = A.p + rest * k;
}

}  // namespace sinew
