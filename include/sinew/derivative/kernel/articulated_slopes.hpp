// sinew/derivative/kernel/articulated_slopes.hpp - forward dynamics and what its derivatives need, one node at a time
// In the frame and with the letters of dynamics_slopes.hpp. All freedoms give way, so q_k moves the bodies with and
// below node j as (2) there says, and freedoms follow. Tip to base, for each freedom, with IA = I + sum of what the
// children pass on, BA = 2 B + .., p = f + .. with f the force on each body where no freedom is accelerated:
//   (1) U = IA S,  D = S^T U + armature,  k = U / D,  w = BA^T S / D,  u = (tau - S^T p) / D  [F08 7.43, 7.44, 7.45]
//       to the parent:  IA - k U^T,  BA - U w^T,  p + U u                                      [F08 7.47, 7.48]
// Base to tip, A and Omega of the parent first; Omega is the acceleration of a node by forces on it:
//   (2) dv/dt = u - k^T A,  A + S dv/dt                                                        [F08 7.49, 7.50]
//   (3) Omega, e and n of node_responses.hpp
//   (4) F = IA A + p: the force on the subtree. The force that the change of q or v asks of node j:
//       z = s x* F + IA chi + BA psi,   y = IA phi + BA s
//   (5) X_q = chi - Omega z,   X_v = phi - Omega y: the accelerations of node j that follow
// What the freedoms below and elsewhere do: slope_responses.hpp. Where a joint has several freedoms, the forces on its
// own freedoms are not those of z: they are carried along, t_hk = -S_h^T (s_k x* F) more. A joint on the world leaves
// s x* F out instead, for nothing is above it. Joints whose S changes add (d_k S_h)^T F, and armature adds to t too.
#pragma once
#include "sinew/derivative/kernel/slope_columns.hpp"
#include "sinew/tree/kernel/node_responses.hpp"

namespace sinew {

// Of a node; rows and columns of matrices are followed by zeros.
template <class T>
struct alignas(SINEW_PACK_BYTES) ArticulatedSlopeNode {
  PaddedSix<T> I[6];  // IA, row by row
  PaddedSix<T> B[3];  // BA, column by column: it is asked for the angular part of a motion
  PaddedSix<T> W[6];  // Omega, row by row
  PaddedSix<T> p, A;
};
// Of a freedom.
template <class T>
struct ArticulatedFreedom : FreedomResponse<T> {
  T w[3], u;
  PaddedSix<T> z, y;
  T Xq[6], Xv[6], psi[3];  // less than none: -X_q, -X_v; the angular part of psi
};
// Forces on the freedoms of one joint that z and y do not have: [h][k] on h, by q_k or v_k.
template <class T>
struct JointTorques {
  T q[kMaxJointDofs][kMaxJointDofs], v[kMaxJointDofs][kMaxJointDofs];
};

template <class T>
struct ArticulatedSlopes {
  ArticulatedSlopeNode<T>* nodes;   // (n)
  ArticulatedFreedom<T>* freedoms;  // (freedoms)
  JointTorques<T>* torques;         // (joints that have some)
  const int* torques_of;            // (n) which of these; -1: none
};

namespace detail {
// I and 2 B of one body.
template <class T, class R>
SINEW_HD void start_articulated(const Link<R>& l, const SubtreeSum<T>& s, ArticulatedSlopeNode<T>& out) {
  const T m = lit<T>(l.m), o = lit<T>(0), two = lit<T>(2);
  const Vec3<T>& h = s.h;
  const Sym3<T> I = to_inertia(m, s).I;
  const Vec3<T> L = two * s.l;
  const T rows[6][6] = {{I.xx, I.xy, I.xz, o, -h.z, h.y}, {I.xy, I.yy, I.yz, h.z, o, -h.x},
                        {I.xz, I.yz, I.zz, -h.y, h.x, o}, {o, h.z, -h.y, m, o, o},
                        {-h.z, o, h.x, o, m, o},          {h.y, -h.x, o, o, o, m}};
  const T columns[3][6] = {{-(two * s.N.xx), -(two * s.N.yx), -(two * s.N.zx), o, -L.z, L.y},
                           {-(two * s.N.xy), -(two * s.N.yy), -(two * s.N.zy), L.z, o, -L.x},
                           {-(two * s.N.xz), -(two * s.N.yz), -(two * s.N.zz), -L.y, L.x, o}};
  unroll<6>([&](auto r)
                SINEW_INLINE_LAMBDA { unroll<6>([&](auto c) SINEW_INLINE_LAMBDA { out.I[r][c] = rows[r][c]; }); });
  unroll<3>([&](auto r)
                SINEW_INLINE_LAMBDA { unroll<6>([&](auto c) SINEW_INLINE_LAMBDA { out.B[r][c] = columns[r][c]; }); });
}
}  // namespace detail

// (1), after place_slope_nodes and move_slope_nodes with no acceleration. tau(l, k): the force of freedom k of the
// link; armature(l, k).
SINEW_HD_CALLER
template <class T, class R, class Tau, class Armature>
SINEW_HD void eliminate_slope_nodes(const Link<R>* links, int n, const SlopeScratch<T>& ws,
                                    const ArticulatedSlopes<T>& art, Tau&& tau, Armature&& armature) {
  using Six = SixNumbers<T>;
  for (int i = 1; i < n; ++i) {
    detail::start_articulated(links[i], ws.nodes[i].sum, art.nodes[i]);
    detail::put_six(ws.nodes[i].sum.f, art.nodes[i].p);
  }
  for (int i = n - 1; i > 0; --i) {
    const Link<R>& l = links[i];
    const ArticulatedSlopeNode<T>& node = art.nodes[i];
    Six I[6], B[3];
    detail::load_rows<T>(node.I, I);
    unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { B[c] = Six::load(node.B[c]); });
    Six p = Six::load(node.p);
    PaddedSix<T> left[4];
    const PaddedSix<T>* columns = node.B;
    const T* force = node.p;
    for (int k = l.nv - 1; k >= 0; --k) {
      ArticulatedFreedom<T>& f = art.freedoms[l.dof + k];
      const Motion<T> s = detail::get_motion(ws.S, l.dof + k);
      detail::put_six(s, f.S);
      const Six U = detail::sum_rows(I, f.S);
      PaddedSix<T> u;
      U.store(u);
      f.Dinv = lit<T>(1) / (detail::dot_six(f.S, u) + armature(l, k));
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { f.k[r] = u[r] * f.Dinv; });
      unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { f.w[c] = detail::dot_six(f.S, columns[c]) * f.Dinv; });
      f.u = (tau(l, k) - detail::dot_six(f.S, force)) * f.Dinv;
      if (k == 0 && l.parent == 0) break;
      p = p + f.u * U;
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { I[r] = I[r] - f.k[r] * U; });
      unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { B[c] = B[c] - f.w[c] * U; });
      if (k == 0) break;
      unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { B[c].store(left[c]); });
      p.store(left[3]);
      columns = left, force = left[3];
    }
    if (l.parent == 0) continue;
    ArticulatedSlopeNode<T>& parent = art.nodes[l.parent];
    unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { (Six::load(parent.I[r]) + I[r]).store(parent.I[r]); });
    unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { (Six::load(parent.B[c]) + B[c]).store(parent.B[c]); });
    (Six::load(parent.p) + p).store(parent.p);
  }
}

namespace detail {
// (2) and (3) for the freedoms of one node. acc(k): where the acceleration of coordinate k goes.
SINEW_HD_CALLER
template <class T, class R, class Acc>
SINEW_HD void accelerate_freedoms(const Link<R>& l, const ArticulatedSlopes<T>& art, ArticulatedSlopeNode<T>& node,
                                  Acc&& acc) {
  const ArticulatedSlopeNode<T>& parent = art.nodes[l.parent];
  SixNumbers<T> W[6], A = SixNumbers<T>::load(parent.A);
  load_rows<T>(parent.W, W);
  const T* above = parent.A;
  for (int k = 0; k < l.nv; ++k) {
    ArticulatedFreedom<T>& f = art.freedoms[l.dof + k];
    const T x = f.u - dot_six(f.k, above);
    acc(l.v + k) = x;
    A = A + x * SixNumbers<T>::load(f.S);
    A.store(node.A);
    above = node.A;
    respond(art.freedoms + l.dof, k, W);
  }
  unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { W[r].store(node.W[r]); });
  if (l.nv == 0) A.store(node.A);
}
}  // namespace detail

// (2) to (5). acc(k): where the acceleration of coordinate k goes; torque(i, l, F, t) fills the torques that joints
// have by themselves, by F on node i.
SINEW_HD_CALLER
template <class T, class R, class V, class A, class Torque>
SINEW_HD void accelerate_slope_nodes(const Link<R>* links, int n, const SlopeScratch<T>& ws,
                                     const ArticulatedSlopes<T>& art, const V& v, A&& acc, Torque&& torque) {
  using Six = SixNumbers<T>;
  const T o = lit<T>(0);
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    ArticulatedSlopeNode<T>& node = art.nodes[i];
    SlopeNode<T>& body = ws.nodes[i];
    const SlopeNode<T>& p = ws.nodes[l.parent];
    detail::accelerate_freedoms(l, art, node, acc);
    body.a += detail::to_motion(node.A);
    const bool first = l.parent == 0;
    const Motion<T> a = first ? Motion<T>{{o, o, o}, body.up} : p.a;
    Six I[6], B[3], W[6];
    detail::load_rows<T>(node.I, I);
    unroll<3>([&](auto c) SINEW_INLINE_LAMBDA { B[c] = Six::load(node.B[c]); });
    detail::load_rows<T>(node.W, W);
    PaddedSix<T> force;
    (detail::sum_rows(I, node.A) + Six::load(node.p)).store(force);
    const Force<T> F = body.sum.f = detail::to_force(force);
    for (int k = 0; k < l.nv; ++k) {
      const int dof = l.dof + k;
      ArticulatedFreedom<T>& f = art.freedoms[dof];
      const Motion<T> s = detail::to_motion(f.S), psi = detail::get_motion(ws.psi, dof);
      const Motion<T> phi = detail::get_motion(ws.phi, dof);
      Motion<T> chi = detail::calc_chi(p.v, a, s, psi);
      if (l.extra >= 0 && ws.slopes_of[i] >= 0)
        chi += detail::calc_more_chi(l, body, ws.slopes[ws.slopes_of[i]], k, v, acc);
      T of_chi[6], of_phi[6];
      detail::put_six(chi, of_chi), detail::put_six(phi, of_phi);
      PaddedSix<T> x;
      const auto by_spin = [&](const Vec3<T>& w) SINEW_INLINE_LAMBDA { return (w.x * B[0] + w.y * B[1]) + w.z * B[2]; };
      (detail::sum_rows(I, of_chi) + by_spin(psi.ang)).store(f.z);
      (detail::sum_rows(I, of_phi) + by_spin(s.ang)).store(f.y);
      if (!first) detail::put_six(detail::to_force(f.z) + cross(s, F), f.z);
      detail::sum_rows(W, f.z).store(x);
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { f.Xq[r] = x[r] - of_chi[r]; });
      detail::sum_rows(W, f.y).store(x);
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { f.Xv[r] = x[r] - of_phi[r]; });
      f.psi[0] = psi.ang.x, f.psi[1] = psi.ang.y, f.psi[2] = psi.ang.z;
    }
    const int which = art.torques_of[i];
    if (which < 0) continue;
    JointTorques<T>& t = art.torques[which];
    torque(i, l, F, t);
    for (int k = 0; k < l.nv; ++k)
      for (int h = 0; h < l.nv; ++h) {
        ArticulatedFreedom<T>& f = art.freedoms[l.dof + k];
        const ArticulatedFreedom<T>& of = art.freedoms[l.dof + h];
        if (!first) t.q[h][k] = t.q[h][k] - dot(detail::to_motion(of.S), cross(detail::to_motion(f.S), F));
        for (int r = 0; r < 6; ++r) f.Xq[r] = f.Xq[r] + t.q[h][k] * of.e[r], f.Xv[r] = f.Xv[r] + t.v[h][k] * of.e[r];
      }
  }
}

}  // namespace sinew
