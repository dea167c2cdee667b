// sinew/joint/universal.hpp - turns about x, then about the new y (a Hooke's joint)
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct UniversalJoint : EuclideanJoint<2> {
  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    T s1, c1, s2, c2;
    sincos(q[0], s1, c1);
    sincos(q[1], s2, c2);
    const T o = lit<T>(0), i = lit<T>(1);
    // E = ry(q2) rx(q1)
    out.X = rotate_frame(Rotation<T>{{c2, s1 * s2, -(c1 * s2), o, c1, s1, s2, -(s1 * c2), c1 * c2}});
    out.S[0] = detail::angular(c2, o, s2);  // where x of F_p stands in F_s
    out.S[1] = detail::angular(o, i, o);
    out.v = detail::angular(c2 * v[0], v[1], s2 * v[0]);
    const T v12 = v[0] * v[1];
    out.c = detail::angular(-(s2 * v12), o, c2 * v12);
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T* q, JointComplements<T>& out) {
    T s2, c2;
    sincos(q[1], s2, c2);
    const T o = lit<T>(0);
    detail::unit_complements<T>({0, 1}, out);
    out.constraint[0] = {{-s2, o, c2}, {}};
    out.active[0] = {{c2, o, s2}, {}};
  }
};

}  // namespace sinew
