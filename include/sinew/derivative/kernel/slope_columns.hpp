// sinew/derivative/kernel/slope_columns.hpp - chi, z, y and w of every freedom, a register of freedoms at a time
// (2) and (5) of dynamics_slopes.hpp. What the nodes of these freedoms know is set side by side first, number by
// number.
#pragma once
#include "sinew/derivative/kernel/dynamics_slopes.hpp"

namespace sinew {
namespace detail {

// What a freedom's columns depend on, besides its motions.
template <class V>
struct ColumnTerms {
  Motion<V> v, a;     // of the parent
  RigidInertia<V> I;  // of the subtree, as is the rest
  Mat3<V> N;          // twice the subtree's
  Vec3<V> l;          // twice
  Force<V> f;
};
// The same of several freedoms, each a lane.
template <class T>
struct ColumnLanes {
  using P = ColumnPack<T>;
  using V = PackOf<T>;
  T x[40][P::kLanes];

  SINEW_HD void set(int lane, const T& m, const Motion<T>& v, const Motion<T>& a, const SubtreeSum<T>& s) {
    int r = 0;
    const auto put = [&](const auto&... e) SINEW_INLINE_LAMBDA { ((x[r++][lane] = e), ...); };
    put(v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z, a.ang.x, a.ang.y, a.ang.z, a.lin.x, a.lin.y, a.lin.z);
    put(m, s.h.x, s.h.y, s.h.z, s.P.xx, s.P.xy, s.P.xz, s.P.yy, s.P.yz, s.P.zz);
    put(s.N.xx, s.N.xy, s.N.xz, s.N.yx, s.N.yy, s.N.yz, s.N.zx, s.N.zy, s.N.zz, s.l.x, s.l.y, s.l.z);
    put(s.f.ang.x, s.f.ang.y, s.f.ang.z, s.f.lin.x, s.f.lin.y, s.f.lin.z);
  }
  SINEW_HD ColumnTerms<V> get() const {
    const auto number = [&](int r) SINEW_INLINE_LAMBDA { return P::load(x[r]); };
    const auto vec = [&](int r) SINEW_INLINE_LAMBDA { return Vec3<V>{number(r), number(r + 1), number(r + 2)}; };
    const V xx = number(16), yy = number(19), zz = number(21);
    const Mat3<V> N{number(22), number(23), number(24), number(25), number(26),
                    number(27), number(28), number(29), number(30)};
    const Vec3<V> l = vec(31);
    return {{vec(0), vec(3)},
            {vec(6), vec(9)},
            {number(12), vec(13), {yy + zz, -number(17), -number(18), xx + zz, -number(20), xx + yy}},
            N + N,
            l + l,
            {vec(34), vec(37)}};
  }
};
template <class V>
struct SlopeColumn {
  Motion<V> chi;
  Force<V> z, y;
  Vec3<V> w;
};
// (2), v and a those of the parent; without what a joint adds whose S changes.
template <class V>
SINEW_HD Motion<V> calc_chi(const Motion<V>& v, const Motion<V>& a, const Motion<V>& s, const Motion<V>& psi) {
  return cross(a, s) + cross(v, psi);
}
// What freedom k of that joint adds. acc(k): acceleration of coordinate k.
SINEW_HD_CALLER
template <class T, class R, class V, class A>
SINEW_HD Motion<T> calc_more_chi(const Link<R>& l, const SlopeNode<T>& node, const JointSlopes<T>& d, int k, const V& v,
                                 A&& acc) {
  const T o = lit<T>(0);
  Motion<T> along{{o, o, o}, {o, o, o}}, faster = d.c[k];
  for (int j = 0; j < l.nv; ++j) {
    along += v[l.v + j] * d.S[k][j];
    faster += acc(l.v + j) * d.S[k][j];
  }
  return cross(node.v, to_common(node, along)) + to_common(node, faster);
}
template <class V>
SINEW_HD SlopeColumn<V> calc_column(const ColumnTerms<V>& of, const Motion<V>& s, const Motion<V>& psi,
                                    const Motion<V>& phi, const Motion<V>& chi) {
  const Force<V> turned = cross(s, of.f), i_chi = of.I * chi, i_phi = of.I * phi;
  return {chi,
          {turned.ang + i_chi.ang - of.N * psi.ang, turned.lin + i_chi.lin - cross(of.l, psi.ang)},
          {i_phi.ang - of.N * s.ang, i_phi.lin - cross(of.l, s.ang)},
          cross(of.l, s.lin) - transpose_times(of.N, s.ang)};
}
}  // namespace detail

// (2) and (5): chi, z, y and w of every freedom. acc(k): acceleration of coordinate k.
SINEW_HD_CALLER
template <class T, class R, class V, class A>
SINEW_HD void calc_slope_columns(const Link<R>* links, int n, const SlopeScratch<T>& ws, const V& v, A&& acc) {
  using P = ColumnPack<T>;
  constexpr int kLanes = P::kLanes;
  const T o = lit<T>(0);
  detail::ColumnLanes<T> lanes{};
  int lane = 0, first = 0;
  const auto finish = [&]() SINEW_INLINE_LAMBDA {
    const auto of = lanes.get();
    const auto s = ws.S.template load<Motion>(first), psi = ws.psi.template load<Motion>(first);
    const auto phi = ws.phi.template load<Motion>(first);
    const auto to = detail::calc_column(of, s, psi, phi, detail::calc_chi(of.v, of.a, s, psi));
    ws.chi.store(first, to.chi), ws.z.store(first, to.z), ws.y.store(first, to.y);
    P::store(to.w.x, ws.w.row(0) + first), P::store(to.w.y, ws.w.row(1) + first), P::store(to.w.z, ws.w.row(2) + first);
    first += kLanes, lane = 0;
  };
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const SlopeNode<T>&node = ws.nodes[i], &p = ws.nodes[l.parent];
    const Motion<T> a = l.parent == 0 ? Motion<T>{{o, o, o}, node.up} : p.a;
    for (int k = 0; k < l.nv; ++k) {
      lanes.set(lane++, lit<T>(l.mc), p.v, a, node.sum);
      if (lane == kLanes) finish();
    }
  }
  if (lane > 0) finish();

  // Joints whose S changes: chi has more terms, and so has z.
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int which = l.extra >= 0 ? ws.slopes_of[i] : -1;
    if (which < 0) continue;
    const SlopeNode<T>& node = ws.nodes[i];
    const JointSlopes<T>& d = ws.slopes[which];
    const RigidInertia<T> I = detail::to_inertia(lit<T>(l.mc), node.sum);
    for (int k = 0; k < l.nv; ++k) {
      const Motion<T> more = detail::calc_more_chi(l, node, d, k, v, acc);
      const int dof = l.dof + k;
      detail::set_motion(ws.chi, dof, detail::get_motion(ws.chi, dof) + more);
      ws.z.set(dof, detail::get_force(ws.z, dof) + I * more);
    }
  }
}

}  // namespace sinew
