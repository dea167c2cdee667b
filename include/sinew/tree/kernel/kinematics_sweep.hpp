// sinew/tree/kernel/kinematics_sweep.hpp - poses of all nodes, base to tip
// The rows of E are the node's axes seen from the world: turning the frame about x mixes rows y and z, about z rows
// x and y. A link of two axial screws costs 30m + 18a, with a quarter turn between them 18m + 12a.
#pragma once
#include "sinew/sweep/kernel/crossing.hpp"
#include "sinew/sweep/kernel/turns.hpp"

namespace sinew {

template <Twist K, class T, class R>
SINEW_HD Transform<T> pose_of(const Link<R>& l, const Turn<T>& t, const T& d, const Transform<T>& p) {
  const Mat3<T>& E = p.E.m;
  Vec3<T> x{E.xx, E.xy, E.xz}, y{E.yx, E.yy, E.yz}, z{E.zx, E.zy, E.zz}, r = p.r;
  if (l.branch) {
    r = r + transpose_times(E, cast<T>(l.r0));
    if (l.c0 != R(1)) {
      const T c0 = lit<T>(l.c0), s0 = lit<T>(l.s0);
      const Vec3<T> turned = c0 * x + s0 * y;
      y = c0 * y - s0 * x;
      x = turned;
    }
  } else if (l.has_a) {
    r = r + lit<T>(l.a) * x;
  }
  if constexpr (K == Twist::quarter) {
    const Vec3<T> down = -y;
    y = z;
    z = down;
  } else if constexpr (K == Twist::any) {
    const T ca = lit<T>(l.ca), sa = lit<T>(l.sa);
    const Vec3<T> turned = ca * y + sa * z;
    z = ca * z - sa * y;
    y = turned;
  }
  if (l.has_d) r = r + d * z;
  const Vec3<T> u = t.c * x + t.s * y, v = t.c * y - t.s * x;
  return {{{u.x, u.y, u.z, v.x, v.y, v.z, z.x, z.y, z.z}}, r};
}

// A one-axis joint on the world.
template <class T, class R>
SINEW_HD Transform<T> first_pose_of(const Link<R>& l, const Turn<T>& t, const T& d) {
  const Mat3<T> E = cast<T>(l.E0.m);
  const Vec3<T> x{E.xx, E.xy, E.xz}, y{E.yx, E.yy, E.yz}, z{E.zx, E.zy, E.zz};
  const Vec3<T> u = t.c * x + t.s * y, v = t.c * y - t.s * x, r = cast<T>(l.r0);
  return {{{u.x, u.y, u.z, v.x, v.y, v.z, z.x, z.y, z.z}}, l.has_d ? r + d * z : r};
}

// X[i] of all nodes. pose(i, link) is X_J X_T of a general joint, d_of(link) the shift of a one-axis joint.
SINEW_HD_CALLER
template <class T, class R, class Shift, class PoseFn>
SINEW_HD void kinematics_sweep(const Link<R>* links, int n, const Turn<T>* turns, Transform<T>* X, Shift&& d_of,
                               PoseFn&& pose) {
  Transform<T> state = X[0] = Transform<T>{};
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    if (l.parent != i - 1) state = X[l.parent];
    if (l.step == Step::revolute || l.step == Step::axial) {
      const T d = l.step == Step::revolute ? lit<T>(l.d) : d_of(l);
      if (l.parent == 0)
        state = first_pose_of(l, turns[i], d);
      else
        state = dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA { return pose_of<K.value>(l, turns[i], d, state); });
    } else {
      state = pose(i, l) * state;
    }
    X[i] = state;
  }
}

}  // namespace sinew
