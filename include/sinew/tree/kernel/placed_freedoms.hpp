// sinew/tree/kernel/placed_freedoms.hpp - nodes and their freedoms in one frame for each tree: that of its first node
#pragma once
#include "sinew/sweep/kernel/general_joint.hpp"
#include "sinew/sweep/kernel/joint_axes.hpp"
#include "sinew/tree/kernel/kinematics_sweep.hpp"

namespace sinew {

template <class R>
SINEW_HD bool is_one_axis(const Link<R>& l) {
  return l.step == Step::revolute || l.step == Step::axial;
}

// X of a node from p of its parent. turn(): of a one-axis joint; d_of(link): its shift.
SINEW_HD_CALLER
template <class T, class R, class TurnFn, class Shift>
SINEW_HD Transform<T> pose_in_tree(const Link<R>& l, const Transform<T>& p, const GeneralJoint<T>* general,
                                   TurnFn&& turn, Shift&& d_of) {
  if (l.parent == 0) return {};
  if (!is_one_axis(l)) return general[l.extra].X * p;
  return dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA {
    return pose_of<K.value>(l, turn(), l.step == Step::revolute ? lit<T>(l.d) : d_of(l), p);
  });
}

// put(k, S) for the freedoms k of a node that is at X.
SINEW_HD_CALLER
template <class T, class R, class Put>
SINEW_HD void place_freedoms_of(const Link<R>& l, const Transform<T>& X, const GeneralJoint<T>* general, Put&& put) {
  if (is_one_axis(l)) {
    const Vec3<T> z{X.E.m.zx, X.E.m.zy, X.E.m.zz}, moment = cross(X.r, z);
    if (l.step == Step::revolute)
      put(0, Motion<T>{z, moment});
    else
      put(0, Motion<T>{lit<T>(l.turns) * z, lit<T>(l.turns) * moment + lit<T>(l.slides) * z});
  } else if (l.step == Step::free) {
    detail::for_axes([&](auto k) SINEW_INLINE_LAMBDA {
      Motion<T> S{};
      detail::component<k.value>(S) = lit<T>(1);
      put(k, S);
    });
  } else {
    for (int k = 0; k < l.nv; ++k) put(k, apply_inverse(X, general[l.extra].S[k]));
  }
}

}  // namespace sinew
