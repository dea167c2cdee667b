// sinew/derivative/kernel/slope_nodes.hpp - the nodes of a tree in one frame: places, motions, inertias and B
// The frame is that of the first node of the tree, about its origin; the letters are those of dynamics_slopes.hpp.
#pragma once
#include "sinew/derivative/joint_slopes.hpp"
#include "sinew/sweep/kernel/joint_axes.hpp"
#include "sinew/sweep/kernel/turns.hpp"
#include "sinew/tree/kernel/kinematics_sweep.hpp"
#include "sinew/tree/kernel/rnea_steps.hpp"

namespace sinew {

// Sums over a subtree, or those of one body.
template <class T>
struct SubtreeSum {
  Vec3<T> h;   // mass times position
  Sym3<T> P;   // second moments of mass
  Mat3<T> N;   // of B: w x P + h x v x
  Vec3<T> l;   // of B: linear momentum
  Force<T> f;  // that moves the bodies, less external ones
};
template <class T>
SINEW_HD SubtreeSum<T>& operator+=(SubtreeSum<T>& a, const SubtreeSum<T>& b) {
  a.h += b.h;
  a.P = a.P + b.P;
  a.N = a.N + b.N;
  a.l += b.l;
  a.f += b.f;
  return a;
}

// A node, in the frame of the first node of its tree.
template <class T>
struct SlopeNode {
  Rotation<T> E;      // that frame <- the node's: its columns are the node's axes
  Vec3<T> r;          // the node's origin
  Vec3<T> up;         // -g, of the first node only
  Motion<T> v, a;     // velocity, acceleration
  SubtreeSum<T> sum;  // of the body, then of the subtree
};
// The motion across a general joint, in the same frame.
template <class T>
struct SlopeJoint {
  Motion<T> v, c;
};

// Motions and forces of the freedoms lie in columns: (6 x freedoms) each.
template <class T>
struct SlopeScratch {
  SlopeNode<T>* nodes;     // (n)
  SlopeJoint<T>* joints;   // (general joints)
  JointSlopes<T>* slopes;  // (joints whose S changes)
  const int* slopes_of;    // (n) which of these; -1: none
  Force<T>* external;      // (n) or null, in the frames of the nodes
  SpatialColumns<T> S, psi, phi, chi, u, y, z;
  SpatialColumns<T> w;  // its last three rows are not used
};

namespace detail {
template <class T>
SINEW_HD Motion<T> get_motion(const SpatialColumns<T>& x, int k) {
  return {{x.row(0)[k], x.row(1)[k], x.row(2)[k]}, {x.row(3)[k], x.row(4)[k], x.row(5)[k]}};
}
template <class T>
SINEW_HD Force<T> get_force(const SpatialColumns<T>& x, int k) {
  return {{x.row(0)[k], x.row(1)[k], x.row(2)[k]}, {x.row(3)[k], x.row(4)[k], x.row(5)[k]}};
}
template <class T>
SINEW_HD void set_motion(const SpatialColumns<T>& x, int k, const Motion<T>& m) {
  x.set(k, Force<T>{m.ang, m.lin});
}
// From the node's frame to the common one.
template <class T>
SINEW_HD Motion<T> to_common(const SlopeNode<T>& n, const Motion<T>& m) {
  const Vec3<T> w = n.E.m * m.ang;
  return {w, n.E.m * m.lin + cross(n.r, w)};
}
template <class T>
SINEW_HD Force<T> to_common(const SlopeNode<T>& n, const Force<T>& f) {
  const Vec3<T> l = n.E.m * f.lin;
  return {n.E.m * f.ang + cross(n.r, l), l};
}
template <class T>
SINEW_HD Force<T> to_node(const SlopeNode<T>& n, const Force<T>& f) {
  return {transpose_times(n.E.m, f.ang - cross(n.r, f.lin)), transpose_times(n.E.m, f.lin)};
}

// Where a one-axis link stands: the pose of tree/kernel/kinematics_sweep.hpp, with axes as columns.
template <Twist K, class T, class R>
SINEW_HD void place(const Link<R>& l, const Turn<T>& t, const T& d, const SlopeNode<T>& p, SlopeNode<T>& n) {
  const Transform<T> X = pose_of<K>(l, t, d, Transform<T>{inverse(p.E), p.r});
  n.E = inverse(X.E), n.r = X.r;
}

// Inertia and B of one body, once its velocity is known.
template <class T, class R>
SINEW_HD void start_sum(const Link<R>& l, bool first, SlopeNode<T>& n) {
  SubtreeSum<T>& s = n.sum;
  const T m = lit<T>(l.m);
  if (first) {
    s.h = cast<T>(l.h);
    s.P = cast<T>(l.J);
  } else {
    const Vec3<T> h = n.E.m * cast<T>(l.h), &r = n.r;
    const Vec3<T> mr = m * r, k = h + lit<T>(0.5) * mr;
    s.h = h + mr;
    const T xx = r.x * k.x, yy = r.y * k.y, zz = r.z * k.z;
    s.P = rotate(n.E, cast<T>(l.J)) +
          Sym3<T>{xx + xx, r.x * k.y + r.y * k.x, r.x * k.z + r.z * k.x, yy + yy, r.y * k.z + r.z * k.y, zz + zz};
  }
  const Vec3<T>&w = n.v.ang, &v = n.v.lin, &h = s.h;
  s.l = m * v + cross(w, h);
  const T hx = h.x * v.x, hy = h.y * v.y, hz = h.z * v.z;
  s.N = cross(w, s.P) + Mat3<T>{-(hy + hz), v.x * h.y, v.x * h.z, v.y * h.x, -(hx + hz),
                                v.y * h.z,  v.z * h.x, v.z * h.y, -(hx + hy)};  // h x v x
}

// The force that moves a body: (5) of tree/kernel/rnea_steps.hpp, with the origin of the common frame as the point.
template <class T, class R>
SINEW_HD Force<T> calc_moving_force(const Link<R>& l, const SlopeNode<T>& n) {
  const Mat3<T> U = rate_matrix(n.v.ang, n.a.ang);
  const Vec3<T> a = n.a.lin + cross(n.v.ang, n.v.lin), &h = n.sum.h;
  const Sym3<T>& J = n.sum.P;
  const Vec3<T> moment{U.zx * J.xy - U.yx * J.xz + U.zy * J.yy - U.yz * J.zz + (U.zz - U.yy) * J.yz,
                       U.xy * J.yz - U.zy * J.xy + U.xz * J.zz - U.zx * J.xx + (U.xx - U.zz) * J.xz,
                       U.yz * J.xz - U.xz * J.yz + U.yx * J.xx - U.xy * J.yy + (U.yy - U.xx) * J.xy};
  return {moment + cross(h, a), lit<T>(l.m) * a + U * h};
}
template <class T>
SINEW_HD RigidInertia<T> to_inertia(const T& m, const SubtreeSum<T>& s) {
  const Sym3<T>& P = s.P;
  return {m, s.h, {P.yy + P.zz, -P.xy, -P.xz, P.xx + P.zz, -P.yz, P.xx + P.yy}};
}
}  // namespace detail

}  // namespace sinew
