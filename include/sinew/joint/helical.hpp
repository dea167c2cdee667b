// sinew/joint/helical.hpp - turns about z and advances by the pitch h per radian [F08 Table 4.1]
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct HelicalJoint : EuclideanJoint<1> {
  template <class T>
  static SINEW_HD void calc(const T& h, const T* q, const T* v, JointMotion<T>& out) {
    const T o = lit<T>(0);
    out.X = {rotation_z(q[0]), {o, o, h * q[0]}};
    out.S[0] = {{o, o, lit<T>(1)}, {o, o, h}};
    out.v = {{o, o, v[0]}, {o, o, h * v[0]}};
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T& h, const T*, JointComplements<T>& out) {
    detail::unit_complements<T>({2}, out);
    out.constraint[4].ang.z = -h;  // the force along z needs a couple to do no work
  }
};

}  // namespace sinew
