// sinew/tree/kernel/mass_inverse_sweeps.hpp - the columns of M^-1 by the articulated-body algorithm, many at a time
// Column j answers a unit force on freedom j, at rest and without weight [F08 Table 7.1], with c = 0:
//   (1) tip to base, for j in the subtree of i:   u_ij = [i = j] - S_i^T F_j,   F_j = X^T (F_j + k_i u_ij)
//   (2) base to tip, for j from i on:             N_ij = u_ij / D_i - k_i^T A_j,   A_j = X A_j + S_i N_ij
// k and D are those of the articulated-body algorithm. F and A lie component by component, so that a register of
// columns crosses a link together; what is below the diagonal of N is known by symmetry.
#pragma once
#include "sinew/tree/kernel/articulated_sweep.hpp"

namespace sinew {

template <class T>
struct MassInverseScratch {
  ArticulatedScratch<T> inertias;
  SpatialColumns<T> F, A;           // 6 x nv
  SpatialColumns<T>* slot_columns;  // (branch slots) 6 x nv each
  T* N;                             // nv rows of `stride`, upper triangle
  int stride;
};

namespace detail {
// (1) for one freedom: its row of u / D, then cross(what its columns pass on).
SINEW_HD_CALLER
template <class T, class Joint, class Cross>
SINEW_HD void collect_columns(const MassInverseScratch<T>& ws, int i, int end, const Joint& joint, Cross&& cross) {
  using P = ColumnPack<T>;
  using V = PackOf<T>;
  T* row = ws.N + static_cast<std::ptrdiff_t>(i) * ws.stride;
  const Force<V> K = spread(ws.inertias.k[i]);
  const V Dinv = P::spread(ws.inertias.Dinv[i]);
  ws.F.set(i, Force<T>{});
  for_each_column<Force>(ws.F, i, end, [&](int j, const Force<V>& f) SINEW_INLINE_LAMBDA {
    V u = -joint.project(f);
    if (j == i) u = P::first(1, P::spread(lit<T>(1)), u);
    P::store(u * Dinv, row + j);
    return cross(joint.release(f, u, K));
  });
}
template <class T>
struct CollectColumns {
  static constexpr bool kTakesFree = false;
  const MassInverseScratch<T>& ws;
  template <class R>
  SINEW_HD void enter(int, const Link<R>&, const ArticulatedInertia<T>&) const {}
  SINEW_HD_CALLER
  template <class R, class Joint, class Cross>
  SINEW_HD void pass(int, const Link<R>& l, int dof, const Joint& joint, Cross&& cross) const {
    collect_columns(ws, dof, l.dof_end, joint, cross);
  }
  template <class R>
  SINEW_HD void shift(int, const Link<R>& l, const Transform<T>& X) const {
    const Transform<PackOf<T>> across = spread_transform<T>(X);
    for_each_column<Force>(ws.F, l.dof, l.dof_end, [&](int, const Force<PackOf<T>>& f) SINEW_INLINE_LAMBDA {
      return apply_inverse(across, f);
    });
  }
};
// (2) for one freedom: A_j = cross(A_j of the parent), then N_ij and the freedom's own motion.
SINEW_HD_CALLER
template <class T, class Joint, class Cross>
SINEW_HD void spread_columns(const MassInverseScratch<T>& ws, const SpatialColumns<T>& from, int i, int end, int last,
                             const Joint& joint, Cross&& cross) {
  using P = ColumnPack<T>;
  using V = PackOf<T>;
  T* row = ws.N + static_cast<std::ptrdiff_t>(i) * ws.stride;
  const Force<V> K = spread(ws.inertias.k[i]);
  for (int j = end; j < last; ++j) row[j] = lit<T>(0);  // u of freedoms that are not below
  move_columns<Motion>(from, ws.A, i, last, [&](int j, const Motion<V>& parent) SINEW_INLINE_LAMBDA {
    const Motion<V> a = cross(parent);
    const V n = P::load(row + j) - joint.pull(K, a);
    P::store(n, row + j);
    return joint.follow(a, n);
  });
}
}  // namespace detail

// N comes out in the order of the freedoms, velocity[k] is the coordinate of freedom k. Rows of N have room for one
// register more than they have columns.
SINEW_HD_CALLER
template <class T, class R, class Turns, class Shift>
SINEW_HD void mass_inverse_sweeps(const Link<R>* links, int n, const MassInverseScratch<T>& ws, const int* velocity,
                                  const double* armature, Turns&& turn, Shift&& d_of) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  const T o = lit<T>(0);
  const auto stay = [](const auto& x) SINEW_INLINE_LAMBDA { return x; };

  // (1)
  articulated_sweep<T>(links, n, ws.inertias, velocity, armature, turn, d_of, detail::CollectColumns<T>{ws});

  // (2)
  int last = 0;  // the columns of this tree end here
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const SpatialColumns<T>& from = l.from < 0 ? ws.A : ws.slot_columns[l.from];
    if (l.parent == 0) {
      last = l.dof_end;
      for (int c = 0; c < 6; ++c)
        for (int j = l.dof; j < last; ++j) ws.A.row(c)[j] = o;
    }
    if (l.step == Step::revolute || l.step == Step::axial) {
      const Turn<T> t = turn(i, l);
      const V c = P::spread(t.c), s = P::spread(t.s);
      const V d = P::spread(l.step == Step::revolute ? lit<T>(l.d) : d_of(l));
      dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA {
        const auto cross = [&](const Motion<V>& a) SINEW_INLINE_LAMBDA { return to_link<K.value>(l, c, s, d, a); };
        if (l.step == Step::revolute && l.armature == R(0))
          detail::spread_columns(ws, from, l.dof, l.dof_end, last, detail::AboutZ{}, cross);
        else
          detail::spread_columns(ws, from, l.dof, l.dof_end, last, detail::along(detail::axial_motion<T>(l)), cross);
      });
    } else if (l.step == Step::free) {
      detail::for_axes([&](auto k) SINEW_INLINE_LAMBDA {
        detail::spread_columns(ws, ws.A, l.dof + k.value, l.dof_end, last, detail::AlongAxis<k.value>{}, stay);
      });
    } else {
      const GeneralJoint<T>& g = ws.inertias.general[l.extra];
      const Transform<V> X = spread_transform<T>(g.X);
      if (l.parent != 0)
        move_columns<Motion>(from, ws.A, l.dof, last,
                             [&](int, const Motion<V>& a) SINEW_INLINE_LAMBDA { return apply(X, a); });
      for (int k = 0; k < l.nv; ++k)
        detail::spread_columns(ws, ws.A, l.dof + k, l.dof_end, last, detail::along(g.S[k]), stay);
    }
    if (l.keep >= 0)
      move_columns<Motion>(ws.A, ws.slot_columns[l.keep], l.dof, last,
                           [](int, const Motion<V>& a) SINEW_INLINE_LAMBDA { return a; });
  }
}

}  // namespace sinew
