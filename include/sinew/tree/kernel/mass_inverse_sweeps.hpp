// sinew/tree/kernel/mass_inverse_sweeps.hpp - the columns of M^-1 by the articulated-body algorithm, many at a time
// Column i answers a unit force on freedom i, at rest and without weight [F08 Table 7.1], with c = 0:
//   (1) tip to base, for i in the subtree of j:  u_ji = [i = j] - S_j^T f_i,   f_i + k_j u_ji to the parent
//   (2) base to tip, for i from j on:            N_ji = u_ji / D_j - k_j^T alpha_i,   alpha_i + S_j N_ji
// k and D are those of the articulated-body algorithm. All vectors are in one frame for each tree, that of its first
// node, so that nothing turns on the way. f and alpha lie component by component, on a fixed grid of registers. What is
// below the diagonal of N is known by symmetry.
#pragma once
#include "sinew/sweep/kernel/grid_columns.hpp"
#include "sinew/tree/kernel/articulated_sweep.hpp"
#include "sinew/tree/kernel/placed_freedoms.hpp"

namespace sinew {

// Of a freedom, in the common frame.
template <class T>
struct PlacedFreedom {
  T S[6], k[6], Dinv;
};

template <class T>
struct MassInverseScratch {
  ArticulatedScratch<T> inertias;
  Transform<T>* X;             // (nodes) node <- common frame
  PlacedFreedom<T>* freedoms;  // (freedoms)
  T *f, *alpha;                // (6 x freedoms) each
  T* slots;                    // (branch slots) of alpha
  T* N;                        // (freedoms) upper triangle, within each tree
  int stride;                  // numbers from one row to the next, of all these

  SINEW_HD T* row(int k) const { return N + static_cast<std::ptrdiff_t>(k) * stride; }
};

// After articulated_sweep: S and k in the common frame.
SINEW_HD_CALLER
template <class T, class R, class Turns, class Shift>
SINEW_HD void place_freedoms(const Link<R>* links, int n, const MassInverseScratch<T>& ws, Turns&& turn, Shift&& d_of) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const GeneralJoint<T>* general = ws.inertias.general;
    Transform<T>& X = ws.X[i];
    X = pose_in_tree(
        l, ws.X[l.parent], general, [&]() SINEW_INLINE_LAMBDA { return turn(i, l); }, d_of);
    place_freedoms_of(l, X, general, [&](int k, const Motion<T>& S) SINEW_INLINE_LAMBDA {
      PlacedFreedom<T>& f = ws.freedoms[l.dof + k];
      detail::put_six(S, f.S);
      detail::put_six(apply_inverse(X, ws.inertias.k[l.dof + k]), f.k);
      f.Dinv = ws.inertias.Dinv[l.dof + k];
    });
  }
}

// (1) for all nodes.
SINEW_HD_CALLER
template <class P, class T, class R>
SINEW_HD void collect_columns(const Link<R>* links, int n, const MassInverseScratch<T>& ws) {
  using V = typename P::Type;
  const int stride = ws.stride;
  T* const f = ws.f;
  for (int i = n - 1; i > 0; --i) {
    const Link<R>& l = links[i];
    const int end = l.dof_end;
    for (int dof = l.dof + l.nv - 1; dof >= l.dof; --dof) {
      const PlacedFreedom<T>& of = ws.freedoms[dof];
      T* const N = ws.row(dof);
      const bool last = l.parent == 0 && dof == l.dof;  // nothing is above it
      detail::for_grid_from<P>(dof, end, [&](int c, auto edge) SINEW_INLINE_LAMBDA {
        V x[6];
        detail::load_columns<6, P>(f + c, stride, x);
        const auto own = P::lanes(dof - c, dof + 1 - c), inside = P::lanes(dof - c, end - c);
        V u = -detail::dot_columns<P>(of.S, x);
        if (edge) u = P::choose(own, P::spread(lit<T>(1)), u);
        P::store(u * P::spread(of.Dinv), N + c);
        if (last) return;
        unroll<6>([&](auto r) SINEW_INLINE_LAMBDA {
          const V k = P::spread(of.k[r]), y = x[r] + u * k;
          x[r] = edge ? P::choose(own, k, P::choose(inside, y, x[r])) : y;
        });
        detail::store_columns<6, P>(x, f + c, stride);
      });
    }
  }
}

// (2) for all nodes.
SINEW_HD_CALLER
template <class P, class T, class R>
SINEW_HD void spread_columns(const Link<R>* links, int n, const MassInverseScratch<T>& ws) {
  using V = typename P::Type;
  const int stride = ws.stride;
  const std::ptrdiff_t slot = 6 * static_cast<std::ptrdiff_t>(stride);
  T* const alpha = ws.alpha;
  const V zero = P::spread(lit<T>(0));
  int last = 0;  // the columns of this tree end here
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int begin = l.dof, end = l.dof_end;
    const T* const from = l.from < 0 ? alpha : ws.slots + l.from * slot;
    T* const keep = l.keep < 0 ? nullptr : ws.slots + l.keep * slot;
    const bool first = l.parent == 0;
    if (first) last = end;
    detail::for_grid<P>(begin, last, [&](int c, auto) SINEW_INLINE_LAMBDA {
      V x[6];
      if (first)
        unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = zero; });
      else
        detail::load_columns<6, P>(from + c, stride, x);
      const auto below = P::lanes(begin - c, end - c);
      for (int dof = begin; dof < begin + l.nv; ++dof) {
        const PlacedFreedom<T>& of = ws.freedoms[dof];
        T* const N = ws.row(dof) + c;
        V u = zero;
        if (c < end) u = c + P::kLanes <= end ? P::load(N) : P::choose(below, P::load(N), zero);
        const V y = u - detail::dot_columns<P>(of.k, x);
        P::store(y, N);
        unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = x[r] + P::spread(of.S[r]) * y; });
      }
      detail::store_columns<6, P>(x, alpha + c, stride);
      if (keep) detail::store_columns<6, P>(x, keep + c, stride);
    });
  }
}

// All of them. N comes out in the order of the freedoms, velocity[k] is the coordinate of freedom k. Rows fill whole
// registers of P.
SINEW_HD_CALLER
template <class P, class T, class R, class Turns, class Shift>
SINEW_HD void mass_inverse_sweeps(const Link<R>* links, int n, const MassInverseScratch<T>& ws, const int* velocity,
                                  const double* armature, Turns&& turn, Shift&& d_of) {
  articulated_sweep<T>(links, n, ws.inertias, velocity, armature, turn, d_of, CarryNothing{});
  place_freedoms<T>(links, n, ws, turn, d_of);
  collect_columns<P>(links, n, ws);
  spread_columns<P>(links, n, ws);
}

}  // namespace sinew
