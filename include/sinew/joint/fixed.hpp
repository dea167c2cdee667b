// sinew/joint/fixed.hpp - no freedom
#pragma once
#include "sinew/joint/euclidean.hpp"
#include "sinew/joint/motion.hpp"

namespace sinew {

struct FixedJoint : EuclideanJoint<0> {
  template <class T>
  static SINEW_HD void calc(const T&, const T*, const T*, JointMotion<T>& out) {
    out.X = {};
    out.v = {};
    out.c = {};
  }
  template <class T>
  static SINEW_HD void complements(const T&, const T*, JointComplements<T>& out) {
    for (int k = 0; k < 6; ++k) out.constraint[k] = detail::unit_force<T>(k);
  }
};

}  // namespace sinew
