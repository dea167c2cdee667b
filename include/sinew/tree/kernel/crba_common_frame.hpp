// sinew/tree/kernel/crba_common_frame.hpp - the joint-space inertia matrix of deep trees, all vectors in one frame
// The frame is that of the first node of each tree, so that no force turns on the way:
//   (1) base to tip: poses X of the nodes, and their freedoms S, placed there
//   (2) for all nodes side by side: inertias I, placed there
//   (3) tip to base: Ic = I + sum over children of Ic              [F08 6.17]
//   (4) for all freedoms side by side: F = Ic S                    [F08 6.19]
//   (5) M_ij = S_i^T F_j for j in the subtree of i, by the caller  [F08 6.20]
// (5) costs 11 operations an entry, all else is linear. Moments are taken about the base, which costs digits at the
// tips of long chains: tree/crba.hpp.
#pragma once
#include "sinew/sweep/kernel/inertia_crossing.hpp"
#include "sinew/sweep/kernel/six_numbers.hpp"
#include "sinew/sweep/sweep.hpp"
#include "sinew/tree/kernel/placed_freedoms.hpp"

namespace sinew {

// Rows of numbers, `stride` apart, with room for one register more.
template <class T>
struct NumberRows {
  T* data = nullptr;
  int stride = 0;
  SINEW_HD T* row(int k) const { return data + k * stride; }
  SINEW_HD T& at(int k, int column) const { return data[k * stride + column]; }
  SINEW_HD auto load(int k, int column) const { return ColumnPack<T>::load(row(k) + column); }
  SINEW_HD void store(int k, int column, const typename ColumnPack<T>::Type& x) const {
    ColumnPack<T>::store(x, row(k) + column);
  }
};

template <class T>
struct CommonFrameScratch {
  const Turn<T>* turns;             // (nodes)
  const GeneralJoint<T>* general;   // (general joints)
  NumberRows<T> own;                // 10 x nodes: mass, h and I of each, in its frame: constant
  const T* mass;                    // (freedoms) of all that they move: constant
  NumberRows<T> X;                  // 12 x nodes: E and r, node <- common frame
  NumberRows<T> placed;             // 9 x nodes: h and I there
  Transform<T>* branches;           // (branch slots) X
  CompositeInertia<T>* slot_loads;  // (branch slots)
  T* S;                             // (freedoms x 6) there
  NumberRows<T> motions;            // 6 x freedoms: S again
  NumberRows<T> composites;         // 9 x freedoms: h and I of all that they move
  SpatialColumns<T> F;              // 6 x freedoms
};

namespace detail {
template <class V, class Row>
SINEW_HD Vec3<V> get_three(Row&& row, int k) {
  return {row(k), row(k + 1), row(k + 2)};
}
template <class V, class Row>
SINEW_HD Sym3<V> get_symmetric(Row&& row, int k) {
  return {row(k), row(k + 1), row(k + 2), row(k + 3), row(k + 4), row(k + 5)};
}
template <class V, class Put>
SINEW_HD void put_inertia(const Vec3<V>& h, const Sym3<V>& I, Put&& put) {
  put(0, h.x), put(1, h.y), put(2, h.z);
  put(3, I.xx), put(4, I.xy), put(5, I.xz), put(6, I.yy), put(7, I.yz), put(8, I.zz);
}
}  // namespace detail

// (1)
SINEW_HD_CALLER
template <class T, class R, class Shift>
SINEW_HD void place_nodes(const Link<R>* links, int n, const CommonFrameScratch<T>& ws, Shift&& d_of) {
  base_to_tip(
      links, n, Transform<T>{}, [&](int k) SINEW_INLINE_LAMBDA -> Transform<T>& { return ws.branches[k]; },
      [&](int i, const Link<R>& l, const Transform<T>& p) SINEW_INLINE_LAMBDA -> Transform<T> {
        const auto turn = [&]() SINEW_INLINE_LAMBDA -> const Turn<T>& { return ws.turns[i]; };
        const Transform<T> X = pose_in_tree(l, p, ws.general, turn, d_of);
        place_freedoms_of(l, X, ws.general, [&](int k, const Motion<T>& S) SINEW_INLINE_LAMBDA {
          detail::put_six(S, ws.S + 6 * (l.dof + k));
          detail::for_axes([&](auto r)
                               SINEW_INLINE_LAMBDA { ws.motions.at(r, l.dof + k) = detail::component<r.value>(S); });
        });
        const Mat3<T>& E = X.E.m;
        const T numbers[] = {E.xx, E.xy, E.xz, E.yx, E.yy, E.yz, E.zx, E.zy, E.zz, X.r.x, X.r.y, X.r.z};
        unroll<12>([&](auto r) SINEW_INLINE_LAMBDA { ws.X.at(r, i) = numbers[r]; });
        return X;
      });
}

// (2)
SINEW_HD_CALLER
template <class T>
SINEW_HD void place_inertias(int n, const CommonFrameScratch<T>& ws) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  for (int i = 1; i < n; i += P::kLanes) {
    const auto own = [&](int k) SINEW_INLINE_LAMBDA { return ws.own.load(k, i); };
    const auto x = [&](int k) SINEW_INLINE_LAMBDA { return ws.X.load(k, i); };
    const Transform<V> X{{{x(0), x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8)}}, {x(9), x(10), x(11)}};
    const RigidInertia<V> I =
        apply_inverse(X, RigidInertia<V>{own(0), detail::get_three<V>(own, 1), detail::get_symmetric<V>(own, 4)});
    detail::put_inertia(I.h, I.I, [&](int k, const V& y) SINEW_INLINE_LAMBDA { ws.placed.store(k, i, y); });
  }
}

// (3)
SINEW_HD_CALLER
template <class T, class R>
SINEW_HD void add_inertias(const Link<R>* links, int n, const CommonFrameScratch<T>& ws) {
  using Load = CompositeInertia<T>;
  tip_to_base<Load>(
      links, n, [&](int k) SINEW_INLINE_LAMBDA -> Load& { return ws.slot_loads[k]; },
      [&](int i, const Link<R>& l, const Children<Load>& children) SINEW_INLINE_LAMBDA -> Load {
        const auto own = [&](int k) SINEW_INLINE_LAMBDA { return ws.placed.at(k, i); };
        Load Ic{detail::get_three<T>(own, 0), detail::get_symmetric<T>(own, 3)};
        children.add_to(Ic);
        for (int dof = l.dof; dof < l.dof + l.nv; ++dof)
          detail::put_inertia(Ic.h, Ic.I, [&](int k, const T& y) SINEW_INLINE_LAMBDA { ws.composites.at(k, dof) = y; });
        return Ic;
      });
}

// (4)
SINEW_HD_CALLER
template <class T>
SINEW_HD void push_freedoms(int nv, const CommonFrameScratch<T>& ws) {
  using P = ColumnPack<T>;
  using V = typename P::Type;
  for (int j = 0; j < nv; j += P::kLanes) {
    const auto Ic = [&](int k) SINEW_INLINE_LAMBDA { return ws.composites.load(k, j); };
    const auto S = [&](int k) SINEW_INLINE_LAMBDA { return ws.motions.load(k, j); };
    const RigidInertia<V> I{P::load(ws.mass + j), detail::get_three<V>(Ic, 0), detail::get_symmetric<V>(Ic, 3)};
    ws.F.store(j, I * Motion<V>{detail::get_three<V>(S, 0), detail::get_three<V>(S, 3)});
  }
}

}  // namespace sinew
