// sinew/delassus/kernel/pv_sweeps.hpp - the Delassus matrix of a plan: forces travel, stations couple them
//   (1) tip to base, for the columns that pass a freedom:  u = S^T F,  L_ab += u_a u_b / D,  F = X^T (F - k u)
//                                                          [S23 Alg. 1 lines 4-7], [S23 Alg. 3 lines 8-10]
//   (2) stations, tip to base:  K_s, the rows as forces on the station             [S23 Alg. 3 line 16]
//   (3) stations, base to tip:  Omega_s = L_s + F_s^T Omega_above F_s              [S23 Alg. 3 line 13]
//       rows p, q whose paths meet at s:  Lambda_pq = L_pq + K_p^T Omega_s K_q     [S23 Alg. 3 line 18]
// Columns lie component by component, so that a register holds several of them. Only p <= q is calculated.
// A body that is free in the world has Omega^-1 = I^A = sum of D k k^T over its six freedoms, the last first; with
// u = S^T F as in (1),  K_p^T Omega K_q = sum of u_p u_q / D.
#pragma once
#include "sinew/delassus/kernel/pv_stations.hpp"
#include "sinew/tree/kernel/articulated_sweep.hpp"

namespace sinew::delassus {

namespace detail {
// L += u u^T / D, upper triangle; u is padded with zeros.
template <class T>
__attribute__((noinline)) void add_dyad(T* L, int stride, const T* u, int n, const T& Dinv) {
  using P = ColumnPack<T>;
  for (int a = 0; a < n; ++a, L += stride) {
    const PackOf<T> ua = P::spread(u[a] * Dinv);
    for (int j = a; j < n; j += P::kLanes) P::store(P::load(L + j) + ua * P::load(u + j), L + j);
  }
}

// (1)
template <class T>
struct CarryRows {
  static constexpr bool kTakesFree = true;
  const PvScratch<T>& ws;

  template <class R>
  SINEW_HD void enter(int i, const Link<R>&, const ArticulatedInertia<T>&) const {
    for (int c = ws.first[i]; c < ws.last[i]; ++c) ws.F.set(c, ws.K[ws.entry_of[c]]);
    const int s = ws.station_on[i];
    if (s < 0 || ws.stations[s].free) return;
    for (int c = 0; c < 6; ++c)
      for (int j = 0; j < 6; ++j) ws.stations[s].basis.row(c)[j] = lit<T>(c == j ? 1 : 0);
  }
  SINEW_HD_CALLER
  template <class R, class Joint, class Cross>
  SINEW_HD void pass(int i, const Link<R>&, int dof, const Joint& joint, Cross&& cross) const {
    using P = ColumnPack<T>;
    using V = PackOf<T>;
    const int b = ws.begin[i], e = ws.end[i];
    if (b == e) return;
    const Force<V> k = spread(ws.k[dof]);
    for_each_column<Force>(ws.F, b, e, [&](int j, const Force<V>& f) SINEW_INLINE_LAMBDA {
      const V u = joint.project(f);
      P::store(u, ws.u + (j - b));
      return cross(joint.give_way(f, u, k));
    });
    P::store(P::spread(lit<T>(0)), ws.u + (e - b));
    if (b < ws.columns)
      add_dyad(ws.Lambda + static_cast<std::ptrdiff_t>(b) * ws.stride + b, ws.stride, ws.u, e - b, ws.Dinv[dof]);
    else
      add_dyad(ws.Omega + static_cast<std::ptrdiff_t>(b - ws.columns) * kOmegaStride, kOmegaStride, ws.u, 6,
               ws.Dinv[dof]);
  }
  template <class R>
  SINEW_HD void shift(int i, const Link<R>&, const Transform<T>& X) const {
    const Transform<PackOf<T>> across = spread_transform<T>(X);
    for_each_column<Force>(ws.F, ws.begin[i], ws.end[i], [&](int, const Force<PackOf<T>>& f) SINEW_INLINE_LAMBDA {
      return apply_inverse(across, f);
    });
  }
  template <class R>
  SINEW_HD void free(int i, const Link<R>& l) const {
    const int s = ws.station_on[i];
    if (s < 0) return;
    T* to = ws.stations[s].Omega;
    for (int c = 0; c < 6; ++c) {
      const Force<T>& k = ws.k[l.dof + c];
      const T numbers[6] = {k.ang.x, k.ang.y, k.ang.z, k.lin.x, k.lin.y, k.lin.z};
      for (int r = 0; r < c; ++r) to[r * kOmegaStride + c] = numbers[r];
      to[c * (kOmegaStride + 1)] = ws.Dinv[l.dof + c];
    }
  }
};
}  // namespace detail

// carry: a CarryRows, or more.
template <class T, class R, class Turns, class Shift, class Carry>
void pv_sweeps(const Link<R>* links, int n, const ArticulatedScratch<T>& inertias, const PvScratch<T>& ws,
               const int* velocity, const double* armature, Turns&& turn, Shift&& d_of, Carry&& carry) {
  articulated_sweep<T>(links, n, inertias, velocity, armature, turn, d_of, carry);
  for (int s = ws.station_count - 1; s >= 0; --s) detail::hand_on(ws, s);
  for (int s = 0; s < ws.station_count; ++s) detail::settle(ws, s);
}

}  // namespace sinew::delassus
