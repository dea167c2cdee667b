// sinew/joint/revolute.hpp - turns about z [F08 Table 4.1]
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct RevoluteJoint : EuclideanJoint<1> {
  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    const T o = lit<T>(0);
    out.X = rotate_frame(rotation_z(q[0]));
    out.S[0] = detail::angular(o, o, lit<T>(1));
    out.v = detail::angular(o, o, v[0]);
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T*, JointComplements<T>& out) {
    detail::unit_complements<T>({2}, out);
  }
};

}  // namespace sinew
