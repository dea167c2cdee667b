// sinew/derivative/kernel/primitive_slopes.hpp - slopes of the primitive joints whose S changes, differentiated by hand
// Letters and meaning: derivative/joint_slopes.hpp; the joints: joint/universal.hpp, spherical_ypr.hpp,
// rack_and_pinion.hpp.
#pragma once
#include "sinew/joint/kind.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

template <class T>
struct JointSlopes {
  Motion<T> S[kMaxJointDofs][kMaxJointDofs];  // S[k][l] = d_k S_l, in F_s coordinates
  Motion<T> c[kMaxJointDofs];                 // d_k c
};

namespace detail {
template <class T>
SINEW_HD void differentiate_universal(const T* q, const T* v, JointSlopes<T>& out) {
  T s2, c2;
  sincos(q[1], s2, c2);
  const T o = lit<T>(0), v12 = v[0] * v[1];
  out.S[1][0] = detail::angular(-s2, o, c2);
  out.c[1] = detail::angular(-(c2 * v12), o, -(s2 * v12));
}
template <class T>
SINEW_HD void differentiate_spherical_ypr(const T* q, const T* v, JointSlopes<T>& out) {
  T s2, c2, s3, c3;
  sincos(q[1], s2, c2);
  sincos(q[2], s3, c3);
  const T o = lit<T>(0), v12 = v[0] * v[1], v13 = v[0] * v[2], v23 = v[1] * v[2];
  out.S[1][0] = detail::angular(-c2, -(s2 * s3), -(s2 * c3));
  out.S[2][0] = detail::angular(o, c2 * c3, -(c2 * s3));
  out.S[2][1] = detail::angular(o, -s3, -c3);
  out.c[1] = detail::angular(s2 * v12, -(s2 * c3 * v13 + c2 * s3 * v12), s2 * s3 * v13 - c2 * c3 * v12);
  out.c[2] = detail::angular(o, -(c2 * s3 * v13 + s2 * c3 * v12 + c3 * v23), s2 * s3 * v12 - c2 * c3 * v13 + s3 * v23);
}
template <class T>
SINEW_HD void differentiate_rack_and_pinion(const T& r, const T* q, const T* v, JointSlopes<T>& out) {
  T s, c;
  sincos(q[0], s, c);
  const T o = lit<T>(0), rs = r * s, rc = r * c, ww = v[0] * v[0];
  out.S[0][0] = detail::linear(-rs, -rc, o);
  out.c[0] = detail::linear(-(rc * ww), rs * ww, o);
}
}  // namespace detail

// Of a primitive joint, not reversed. All slopes are written.
template <class T>
SINEW_HD void calc_primitive_slopes(JointKind kind, const T& parameter, const T* q, const T* v, JointSlopes<T>& out) {
  const T o = lit<T>(0);
  const Motion<T> none{{o, o, o}, {o, o, o}};
  for (int k = 0; k < kMaxJointDofs; ++k) {
    out.c[k] = none;
    for (int l = 0; l < kMaxJointDofs; ++l) out.S[k][l] = none;
  }
  if (kind == JointKind::universal)
    detail::differentiate_universal(q, v, out);
  else if (kind == JointKind::spherical_ypr)
    detail::differentiate_spherical_ypr(q, v, out);
  else if (kind == JointKind::rack_and_pinion)
    detail::differentiate_rack_and_pinion(parameter, q, v, out);
}

}  // namespace sinew
