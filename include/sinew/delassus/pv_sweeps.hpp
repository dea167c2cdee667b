// sinew/delassus/pv_sweeps.hpp - the Delassus matrix of a plan: forces travel, stations settle their couplings
//   (1) tip to base, for the columns that pass a freedom:  u = S^T F,  L_ab += u_a u_b / D,  F = X^T (F - k u)
//                                                          [S23 Alg. 1 lines 4-7], [S23 Alg. 3 lines 8-10]
//   (2) stations, tip to base:  K_s, the rows as forces on the station             [S23 Alg. 3 line 16]
//   (3) stations, base to tip:  Omega_s = L_s + F_s^T Omega_above F_s              [S23 Alg. 3 line 13]
//       rows p, q whose paths meet at s:  Lambda_pq = L_pq + K_p^T Omega_s K_q     [S23 Alg. 3 line 18]
// Columns lie component by component, a register of them is worked on together. Only p <= q is made.
// A body that is free in the world has Omega^-1 = I^A = sum of D k k^T over its six freedoms, the last first; with
// u = S^T F as in (1),  K_p^T Omega K_q = sum of u_p u_q / D.
#pragma once
#include "sinew/delassus/plan.hpp"
#include "sinew/tree/articulated_sweep.hpp"

namespace sinew::delassus {

inline constexpr int kOmegaStride = 8;
inline constexpr int kOmegaSize = 6 * kOmegaStride;

// A station, as the kernel reads it.
template <class T>
struct StationScratch {
  int begin, end, above;
  bool free, couples, reached;
  const int *skip, *direct;       // (columns) plan.skip; (columns) 1 where the column came by itself
  SpatialColumns<T> basis;        // six travelling columns
  T* Omega;                       // 6 x kOmegaStride; free: k of freedom c in column c, 1 / D on the diagonal
  SpatialColumns<T> left, right;  // 6 x columns: K and Omega K; free: u and u / D; zero behind them
};

template <class T>
struct PvScratch {
  const Force<T>* K;            // one an entry of the problem
  const int *begin, *end;       // (nodes) the columns that pass a node's joint
  const int *first, *last;      // (nodes) the columns that set out from a node
  const int* entry_of;          // (columns)
  const int* station_on;        // (nodes) -1: none
  int columns;                  // of the problem
  SpatialColumns<T> F;          // travelling
  T* Lambda;                    // (columns) rows, zero at first
  int stride;                   // between them
  T* Omega;                     // six rows of kOmegaStride a station, zero at first
  T* u;                         // (travelling) one row
  const Force<T>* k;            // (freedoms)
  const T* Dinv;                // (freedoms)
  StationScratch<T>* stations;  // parents first
  int station_count;
};

namespace detail {
using sinew::detail::PackOf;
using sinew::detail::spread;

// L += u u^T / D, upper triangle; u is zero behind its n numbers.
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

// right = Omega left for one register of columns; of a free body: left = C^-1 left first, right = E^-1 left.
template <class T>
SINEW_HD void respond(const StationScratch<T>& s, const SpatialColumns<T>& left, const SpatialColumns<T>& right,
                      int j) {
  using P = ColumnPack<T>;
  using V = PackOf<T>;
  V x[6];
  for (int c = 0; c < 6; ++c) x[c] = P::load(left.row(c) + j);
  if (s.free) {
    for (int r = 4; r >= 0; --r)
      for (int c = r + 1; c < 6; ++c) x[r] = x[r] - P::spread(s.Omega[r * kOmegaStride + c]) * x[c];
    for (int r = 0; r < 6; ++r) {
      P::store(x[r], left.row(r) + j);
      P::store(P::spread(s.Omega[r * (kOmegaStride + 1)]) * x[r], right.row(r) + j);
    }
    return;
  }
  for (int r = 0; r < 6; ++r) {
    V sum = P::spread(s.Omega[r * kOmegaStride]) * x[0];
    for (int c = 1; c < 6; ++c) sum = sum + P::spread(s.Omega[r * kOmegaStride + c]) * x[c];
    P::store(sum, right.row(r) + j);
  }
}
// L_pq += left_p . right_q for q .. end - 1, of `rows` rows p, `stride` apart.
template <int rows, class T>
SINEW_HD void add_products(T* L, int stride, const SpatialColumns<T>& left, const SpatialColumns<T>& right, int p,
                           int q, int end) {
  using P = ColumnPack<T>;
  using V = PackOf<T>;
  V a[rows][6];
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < 6; ++c) a[r][c] = P::spread(left.row(c)[p + r]);
  for (; q < end; q += P::kLanes) {
    V sum[rows];
    for (int r = 0; r < rows; ++r) sum[r] = P::load(L + r * stride + q);
    for (int c = 0; c < 6; ++c) {
      const V x = P::load(right.row(c) + q);
      for (int r = 0; r < rows; ++r) sum[r] = sum[r] + a[r][c] * x;
    }
    for (int r = 0; r < rows; ++r) P::store(sum[r], L + r * stride + q);
  }
}

// (2): K of station s is complete; it is handed on to the station above.
template <class T>
__attribute__((noinline)) void hand_on(const PvScratch<T>& ws, int index) {
  using P = ColumnPack<T>;
  using V = PackOf<T>;
  const StationScratch<T>& s = ws.stations[index];
  const int n = s.end - s.begin;
  for (int j = 0; j < n; ++j)
    if (s.direct[j])
      for (int c = 0; c < 6; ++c) s.left.row(c)[j] = ws.F.row(c)[s.begin + j];
  if (s.above < 0 || !ws.stations[s.above].reached) return;
  const StationScratch<T>& above = ws.stations[s.above];
  const int offset = s.begin - above.begin;
  for (int j = 0; j < n; j += P::kLanes) {
    V x[6];
    for (int c = 0; c < 6; ++c) x[c] = P::load(s.left.row(c) + j);
    for (int r = 0; r < 6; ++r) {
      V sum = P::spread(s.basis.row(r)[0]) * x[0];
      for (int c = 1; c < 6; ++c) sum = sum + P::spread(s.basis.row(r)[c]) * x[c];
      T* to = above.left.row(r) + offset + j;  // what lies behind is another station's
      P::store(P::first(n - j, sum, P::load(to)), to);
    }
  }
}
// (3)
template <class T>
__attribute__((noinline)) void settle(const PvScratch<T>& ws, int index) {
  using P = ColumnPack<T>;
  // Two rows at a time; what the second has left of its diagonal is not read. Counted one by one.
  constexpr int kTogether = P::kLanes > 1 ? 2 : 1;
  const StationScratch<T>& s = ws.stations[index];
  if (!s.free) {
    if (s.above >= 0) {  // basis^T Omega basis
      constexpr int kRoom = 6 + ColumnPack<T>::kLanes;
      T numbers[2 * 6 * kRoom] = {};
      const SpatialColumns<T> left{numbers, kRoom}, right{numbers + 6 * kRoom, kRoom};
      for (int c = 0; c < 6; ++c)
        for (int j = 0; j < 6; ++j) left.row(c)[j] = s.basis.row(c)[j];
      for (int j = 0; j < 6; j += P::kLanes) respond(ws.stations[s.above], left, right, j);
      for (int p = 0; p < 6; p += 2) add_products<2>(s.Omega + p * kOmegaStride, kOmegaStride, left, right, p, p, 6);
    }
    for (int r = 1; r < 6; ++r)
      for (int c = 0; c < r; ++c) s.Omega[r * kOmegaStride + c] = s.Omega[c * kOmegaStride + r];
  }
  if (!s.couples) return;
  const int n = s.end - s.begin;
  for (int j = 0; j < n; j += P::kLanes) respond(s, s.left, s.right, j);
  T* L = ws.Lambda + static_cast<std::ptrdiff_t>(s.begin) * ws.stride + s.begin;
  int p = 0;
  for (; kTogether == 2 && p + 1 < n; p += 2) {
    T* row = L + static_cast<std::ptrdiff_t>(p) * ws.stride;
    if (s.skip[p + 1] - s.skip[p] <= 1)
      add_products<2>(row, ws.stride, s.left, s.right, p, s.skip[p], n);
    else
      add_products<1>(row, ws.stride, s.left, s.right, p, s.skip[p], n),
          add_products<1>(row + ws.stride, ws.stride, s.left, s.right, p + 1, s.skip[p + 1], n);
  }
  for (; p < n; ++p)
    add_products<1>(L + static_cast<std::ptrdiff_t>(p) * ws.stride, ws.stride, s.left, s.right, p, s.skip[p], n);
}
}  // namespace detail

template <class T, class R, class Turns, class Shift>
void pv_sweeps(const Link<R>* links, int n, const ArticulatedScratch<T>& inertias, const PvScratch<T>& ws,
               const int* velocity, const double* armature, Turns&& turn, Shift&& d_of) {
  articulated_sweep<T>(links, n, inertias, velocity, armature, turn, d_of, detail::CarryRows<T>{ws});
  for (int s = ws.station_count - 1; s >= 0; --s) detail::hand_on(ws, s);
  for (int s = 0; s < ws.station_count; ++s) detail::settle(ws, s);
}

}  // namespace sinew::delassus
