// sinew/joint/prismatic.hpp - slides along z [F08 Table 4.1]
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct PrismaticJoint : EuclideanJoint<1> {
  template <class T>
  static SINEW_HD void calc(const T&, const T* q, const T* v, JointMotion<T>& out) {
    const T o = lit<T>(0);
    out.X = shift_frame(Vec3<T>{o, o, q[0]});
    out.S[0] = detail::linear(o, o, lit<T>(1));
    out.v = detail::linear(o, o, v[0]);
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T*, JointComplements<T>& out) {
    detail::unit_complements<T>({5}, out);
  }
};

}  // namespace sinew
