// tests/support/user_joints.hpp - joints written as a user would write them
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew::test {

// A follower on a cam: turns about z by q and is lifted along z by h sin(q).
struct CamJoint : EuclideanJoint<1> {
  double h;
  explicit CamJoint(double lift) : h(lift) {}

  template <class T>
  void calc(const T* q, const T* v, JointMotion<T>& out) const {
    T s, c;
    sincos(q[0], s, c);
    const T o = lit<T>(0), lift = lit<T>(h);
    out.X = {rotation_z(q[0]), {o, o, lift * s}};
    out.S[0] = {{o, o, lit<T>(1)}, {o, o, lift * c}};
    out.v = v[0] * out.S[0];
    out.c = {{}, {o, o, -(lift * s * v[0] * v[0])}};
  }
};

}  // namespace sinew::test
