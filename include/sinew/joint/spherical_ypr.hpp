// sinew/joint/spherical_ypr.hpp - ball joint by yaw, pitch and roll [F08 4.7-4.9]
// Turns about z, then the new y, then the new x: E = rx(q3) ry(q2) rz(q1). Singular at pitch +-90 degrees, where
// the active complement does not exist.
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct SphericalYprJoint : EuclideanJoint<3> {
  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    T s1, c1, s2, c2, s3, c3;
    sincos(q[0], s1, c1);
    sincos(q[1], s2, c2);
    sincos(q[2], s3, c3);
    const T o = lit<T>(0), i = lit<T>(1);
    const T s32 = s3 * s2, c32 = c3 * s2;
    out.X = rotate_frame(Rotation<T>{{c2 * c1, c2 * s1, -s2, s32 * c1 - c3 * s1, s32 * s1 + c3 * c1, s3 * c2,
                                      c32 * c1 + s3 * s1, c32 * s1 - s3 * c1, c3 * c2}});  // [F08 4.7]
    out.S[0] = detail::angular(-s2, c2 * s3, c2 * c3);                                     // [F08 4.8]
    out.S[1] = detail::angular(o, c3, -s3);
    out.S[2] = detail::angular(i, o, o);
    out.v = detail::angular(v[2] - s2 * v[0], c2 * s3 * v[0] + c3 * v[1], c2 * c3 * v[0] - s3 * v[1]);
    const T v12 = v[0] * v[1], v13 = v[0] * v[2], v23 = v[1] * v[2];
    out.c = detail::angular(-(c2 * v12), c2 * c3 * v13 - s2 * s3 * v12 - s3 * v23,
                            -(s2 * c3 * v12 + c2 * s3 * v13 + c3 * v23));  // [F08 4.9]
  }
  // The active basis is the dual of S's angular columns: their pairwise cross products over det = -cos(pitch).
  template <class T>
  static SINEW_HD void complements(const T& parameter, const T* q, JointComplements<T>& out) {
    detail::unit_complements<T>({0, 1, 2}, out);
    JointMotion<T> m;
    const T rest[3] = {lit<T>(0), lit<T>(0), lit<T>(0)};
    calc(parameter, q, rest, m);
    const Vec3<T>&a = m.S[0].ang, &b = m.S[1].ang, &c = m.S[2].ang;
    const T d = lit<T>(1) / dot(a, cross(b, c));
    out.active[0] = {d * cross(b, c), {}};
    out.active[1] = {d * cross(c, a), {}};
    out.active[2] = {d * cross(a, b), {}};
  }
};

}  // namespace sinew
