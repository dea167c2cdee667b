// sinew/joint/rack_and_pinion.hpp - a pinion of radius r rolls along x and turns about z [F08 Example 4.6]
// q is the pinion's angle. With r = 0 it is a revolute joint.
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct RackAndPinionJoint : EuclideanJoint<1> {
  template <class T>
  static SINEW_HD void calc(const T& r, const T* q, const T* v, JointMotion<T>& out) {
    T s, c;
    sincos(q[0], s, c);
    const T o = lit<T>(0), i = lit<T>(1);
    const T rc = r * c, rs = r * s, w = v[0];
    out.X = {{{c, s, o, -s, c, o, o, o, i}}, {r * q[0], o, o}};
    out.S[0] = {{o, o, i}, {rc, -rs, o}};
    out.v = {{o, o, w}, {rc * w, -(rs * w), o}};
    const T ww = w * w;
    out.c = detail::linear(-(rs * ww), -(rc * ww), o);
  }
  template <class T>
  static SINEW_HD void complements(const T& r, const T* q, JointComplements<T>& out) {
    T s, c;
    sincos(q[0], s, c);
    detail::unit_complements<T>({2}, out);
    // A force in the plane needs a couple to do no work against S.
    out.constraint[2].ang.z = -(r * c);
    out.constraint[3].ang.z = r * s;
  }
};

}  // namespace sinew
