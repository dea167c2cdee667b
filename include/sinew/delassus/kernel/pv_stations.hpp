// sinew/delassus/kernel/pv_stations.hpp - what the stations of a plan do after all columns have arrived
// Steps (2) and (3) of pv_sweeps.hpp.
#pragma once
#include "sinew/delassus/plan.hpp"
#include "sinew/sweep/kernel/joint_axes.hpp"

namespace sinew::delassus {

inline constexpr int kOmegaStride = 8;
inline constexpr int kOmegaSize = 6 * kOmegaStride;

// A station, as the kernel reads it.
template <class T>
struct StationScratch {
  int begin, end, above;
  bool free, couples, reached;
  const int *skip, *direct;       // (columns) plan.skip; (columns) 1 where no station lies between
  SpatialColumns<T> basis;        // six travelling columns
  T* Omega;                       // 6 x kOmegaStride; free: k of freedom c in column c, 1 / D on the diagonal
  SpatialColumns<T> left, right;  // 6 x columns: K and Omega K; free: u and u / D; padded with zeros
};

template <class T>
struct PvScratch {
  const Force<T>* K;            // one per entry of the problem
  const int *begin, *end;       // (nodes) the columns that pass a node's joint
  const int *first, *last;      // (nodes) the columns that start at a node
  const int* entry_of;          // (columns)
  const int* station_on;        // (nodes) -1: none
  int columns;                  // of the problem
  SpatialColumns<T> F;          // travelling
  T* Lambda;                    // (columns) rows, zero at first
  int stride;                   // between them
  T* Omega;                     // six rows of kOmegaStride per station, zero at first
  T* u;                         // (travelling) one row
  const Force<T>* k;            // (freedoms)
  const T* Dinv;                // (freedoms)
  StationScratch<T>* stations;  // parents first
  int station_count;
};

namespace detail {
using sinew::detail::PackOf;
using sinew::detail::spread;

// right = Omega left for one register of columns; of a free body: left becomes u, right = u / D.
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

// (2): K of station s is complete; passes it to the station above.
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
      T* to = above.left.row(r) + offset + j;  // the numbers after these belong to another station
      P::store(P::first(n - j, sum, P::load(to)), to);
    }
  }
}
// (3)
template <class T>
__attribute__((noinline)) void settle(const PvScratch<T>& ws, int index) {
  using P = ColumnPack<T>;
  // Two rows at a time; the second one's entry left of its diagonal is not read. Counting scalars: one by one.
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
      for (int p = 0; p < 6; p += kTogether)
        add_products<kTogether>(s.Omega + p * kOmegaStride, kOmegaStride, left, right, p, p, 6);
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
    if (s.skip[p + 1] - s.skip[p] <= 1) {
      add_products<2>(row, ws.stride, s.left, s.right, p, s.skip[p], n);
    } else {
      add_products<1>(row, ws.stride, s.left, s.right, p, s.skip[p], n);
      add_products<1>(row + ws.stride, ws.stride, s.left, s.right, p + 1, s.skip[p + 1], n);
    }
  }
  for (; p < n; ++p)
    add_products<1>(L + static_cast<std::ptrdiff_t>(p) * ws.stride, ws.stride, s.left, s.right, p, s.skip[p], n);
}
}  // namespace detail
}  // namespace sinew::delassus
