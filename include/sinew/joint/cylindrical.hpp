// sinew/joint/cylindrical.hpp - turns about and slides along z, independently [F08 Table 4.1]
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct CylindricalJoint : EuclideanJoint<2> {
  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    const T o = lit<T>(0), i = lit<T>(1);
    out.X = {rotation_z(q[0]), {o, o, q[1]}};
    out.S[0] = detail::angular(o, o, i);
    out.S[1] = detail::linear(o, o, i);
    out.v = {{o, o, v[0]}, {o, o, v[1]}};
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T*, JointComplements<T>& out) {
    detail::unit_complements<T>({2, 5}, out);
  }
};

}  // namespace sinew
