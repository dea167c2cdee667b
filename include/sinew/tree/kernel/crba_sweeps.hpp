// sinew/tree/kernel/crba_sweeps.hpp - composite inertias and rows of the joint-space inertia matrix, tip to base
//   (1) Ic = I + sum over children of X^T Ic X                        [F08 6.17]
//   (2) F  = Ic S, a column for each freedom                          [F08 6.19]
//   (3) M_ij = S_i^T F_j for j in the subtree of i                    [F08 6.20]
//   (4) F_j = X^T F_j for j in the subtree: to the parent's frame     [F08 6.19]
#pragma once
#include "sinew/sweep/kernel/columns.hpp"
#include "sinew/sweep/kernel/general_joint.hpp"
#include "sinew/sweep/kernel/inertia_crossing.hpp"
#include "sinew/sweep/kernel/turns.hpp"
#include "sinew/sweep/sweep.hpp"

namespace sinew {

template <class T>
struct CrbaScratch {
  Turn<T>* turns;                   // (n)
  CompositeInertia<T>* slot_loads;  // (branch slots)
  GeneralJoint<T>* general;         // (general joints)
  SpatialColumns<T> F;              // 6 x nv
  T* row;                           // (nv) of a general joint
};

// row(i, entries): freedom i, entries[j] = M_ij for j = i .. end of its subtree, armature not added; i decreases. The
// caller must not change the entries.
SINEW_HD_CALLER
template <class T, class R, class Shift, class RowFn>
SINEW_HD void crba_sweep(const Link<R>* links, int n, const CrbaScratch<T>& ws, Shift&& d_of, RowFn&& row) {
  using P = ColumnPack<T>;
  const T o = lit<T>(0);
  const SpatialColumns<T>& F = ws.F;
  tip_to_base<CompositeInertia<T>>(
      links, n, [&](int k) SINEW_INLINE_LAMBDA -> CompositeInertia<T>& { return ws.slot_loads[k]; },
      [&](int i, const Link<R>& l,
          const Children<CompositeInertia<T>>& children) SINEW_INLINE_LAMBDA -> CompositeInertia<T> {
        CompositeInertia<T> Ic{cast<T>(l.h), cast<T>(l.I)};
        children.add_to(Ic);  // (1)
        const Turn<T>& t = ws.turns[i];
        if (l.step == Step::revolute) {
          F.set(l.dof, {{Ic.I.xz, Ic.I.yz, Ic.I.zz}, {-Ic.h.y, Ic.h.x, o}});  // (2)
          row(l.dof, F.row(2));                                               // (3)
          if (l.parent == 0) return Ic;
          return dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA {
            const auto c = P::spread(t.c), s = P::spread(t.s), d = P::spread(lit<T>(l.d));
            for_each_column<Force>(F, l.dof, l.dof_end, [&](int, const Force<typename P::Type>& f) SINEW_INLINE_LAMBDA {
              return to_parent<K.value>(l, c, s, d, f);  // (4)
            });
            return to_parent<K.value>(l, t.c, t.s, lit<T>(l.d), lit<T>(l.mc_d), Ic);
          });
        }
        const RigidInertia<T> I{lit<T>(l.mc), Ic.h, Ic.I};
        if (l.step == Step::axial) {
          const Motion<T> S{{o, o, lit<T>(l.turns)}, {o, o, lit<T>(l.slides)}};
          F.set(l.dof, I * S);
          for (int j = l.dof; j < l.dof_end; ++j) ws.row[j] = S.ang.z * F.row(2)[j] + S.lin.z * F.row(5)[j];
          row(l.dof, ws.row);
          if (l.parent == 0) return Ic;
          const T shift = d_of(l);
          const auto c = P::spread(t.c), s = P::spread(t.s), d = P::spread(shift);
          for_each_column<Force>(F, l.dof, l.dof_end, [&](int, const Force<typename P::Type>& f) SINEW_INLINE_LAMBDA {
            return to_parent<Twist::any>(l, c, s, d, f);
          });
          return to_parent<Twist::any>(l, t.c, t.s, shift, lit<T>(l.mc) * shift, Ic);
        }
        if (l.step == Step::free) {  // S is the identity: the columns are the inertia, the rows are the columns'
          const Sym3<T>& J = Ic.I;
          const Vec3<T>& h = Ic.h;
          F.set(l.dof, {{J.xx, J.xy, J.xz}, {o, -h.z, h.y}});
          F.set(l.dof + 1, {{J.xy, J.yy, J.yz}, {h.z, o, -h.x}});
          F.set(l.dof + 2, {{J.xz, J.yz, J.zz}, {-h.y, h.x, o}});
          F.set(l.dof + 3, {{o, h.z, -h.y}, {I.m, o, o}});
          F.set(l.dof + 4, {{-h.z, o, h.x}, {o, I.m, o}});
          F.set(l.dof + 5, {{h.y, -h.x, o}, {o, o, I.m}});
          for (int k = 5; k >= 0; --k) row(l.dof + k, F.row(k));
          return Ic;
        }
        const GeneralJoint<T>& g = ws.general[l.extra];
        for (int k = 0; k < l.nv; ++k) F.set(l.dof + k, I * g.S[k]);
        for (int k = l.nv - 1; k >= 0; --k) {
          const Motion<T>& S = g.S[k];
          for (int j = l.dof + k; j < l.dof_end; ++j)
            ws.row[j] =
                dot(S, Force<T>{{F.row(0)[j], F.row(1)[j], F.row(2)[j]}, {F.row(3)[j], F.row(4)[j], F.row(5)[j]}});
          row(l.dof + k, ws.row);
        }
        if (l.parent == 0) return Ic;
        const auto X = spread_transform(g.X);
        for_each_column<Force>(F, l.dof, l.dof_end, [&](int, const Force<typename P::Type>& f) SINEW_INLINE_LAMBDA {
          return apply_inverse(X, f);
        });
        const RigidInertia<T> up = apply_inverse(g.X, I);
        return {up.h, up.I};
      });
}

}  // namespace sinew
