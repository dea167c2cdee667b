// sinew/derivative/kernel/slope_rows.hpp - rows of the derivatives of inverse dynamics, and of M, from their columns
// (6) to (8) of dynamics_slopes.hpp. The freedoms above one lie in a few runs of consecutive numbers, those below in
// one run: a register of them is worked on together. The last register of a run goes beyond its end, so rows are filled
// from left to right, and have room for one register more.
#pragma once
#include "sinew/derivative/kernel/slope_columns.hpp"

namespace sinew {

// Consecutive freedoms begin .. end - 1.
struct FreedomRun {
  int begin, end;
};
// The runs on the way from the root to freedom k, itself included: those from first[k] to first[k + 1] - 1.
struct FreedomRuns {
  const int* first;
  const FreedomRun* runs;
};

// Rows of a matrix, freedoms in the order of the tree.
template <class T>
struct SlopeMatrix {
  T* data;
  std::ptrdiff_t stride;
  SINEW_HD T* row(int k) const { return data + k * stride; }
};

namespace detail {
// f(P, j) for the columns from begin on, a register P at a time: whole ones while a narrow one would not hold the rest.
SINEW_HD_CALLER
template <class T, class F>
SINEW_HD void for_columns(int begin, int end, F&& f) {
  using Narrow = ColumnPack<T>;
  using Wide = AlignedPack<T>;
  int j = begin;
  if constexpr (Wide::kLanes > Narrow::kLanes)
    for (; end - j > Narrow::kLanes; j += Wide::kLanes) f(Wide{}, j);
  for (; j < end; j += Narrow::kLanes) f(Narrow{}, j);
}
// a^T x_j, and its first three components alone.
template <class P, class V, class T>
SINEW_HD typename P::Type dot_column(const V& a, const SpatialColumns<T>& x, int j) {
  return P::spread(a.ang.x) * P::load(x.row(0) + j) + P::spread(a.ang.y) * P::load(x.row(1) + j) +
         P::spread(a.ang.z) * P::load(x.row(2) + j) + P::spread(a.lin.x) * P::load(x.row(3) + j) +
         P::spread(a.lin.y) * P::load(x.row(4) + j) + P::spread(a.lin.z) * P::load(x.row(5) + j);
}
template <class P, class T>
SINEW_HD typename P::Type dot_column(const Vec3<T>& a, const SpatialColumns<T>& x, int j) {
  return P::spread(a.x) * P::load(x.row(0) + j) + P::spread(a.y) * P::load(x.row(1) + j) +
         P::spread(a.z) * P::load(x.row(2) + j);
}
// Zeros from begin on, until `end` is passed.
template <class T>
SINEW_HD void fill_zeros(T* row, int begin, int end) {
  for_columns<T>(begin, end, [&](auto of, int j) SINEW_INLINE_LAMBDA {
    using P = decltype(of);
    P::store(P::spread(lit<T>(0)), row + j);
  });
}
}  // namespace detail

// Where one row of dtau/dq, dtau/dv and M goes; null: nowhere, for what is not asked for.
template <class T>
struct SlopeRow {
  T *dq, *dv, *M;
};

// All entries of dtau/dq, dtau/dv and M, row by row, without what armature adds: row(k) says where row k goes, and
// done(k) is called when it is there.
SINEW_HD_CALLER
template <class T, class R, class RowFn, class DoneFn>
SINEW_HD void fill_slope_rows(const Link<R>* links, int n, int freedoms, const SlopeScratch<T>& ws,
                              const FreedomRuns& runs, RowFn&& row, DoneFn&& done) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int own_end = l.dof + l.nv, which = l.extra >= 0 ? ws.slopes_of[i] : -1;
    for (int k = l.dof; k < own_end; ++k) {
      const SlopeRow<T> to = row(k);
      const auto fill_zeros = [&](int begin, int end) SINEW_INLINE_LAMBDA {
        if (to.dq) detail::fill_zeros(to.dq, begin, end);
        if (to.dv) detail::fill_zeros(to.dv, begin, end);
        if (to.M) detail::fill_zeros(to.M, begin, end);
      };
      // (6) to (8): columns of the freedoms above, and of the joint's own
      const Force<T> u = detail::get_force(ws.u, k);
      const Vec3<T> w{ws.w.row(0)[k], ws.w.row(1)[k], ws.w.row(2)[k]};
      int filled = 0;
      for (int r = runs.first[k]; r < runs.first[k + 1]; ++r) {
        fill_zeros(filled, runs.runs[r].begin);
        filled = r + 1 < runs.first[k + 1] ? runs.runs[r].end : own_end;
        detail::for_columns<T>(runs.runs[r].begin, filled, [&](auto of, int j) SINEW_INLINE_LAMBDA {
          using P = decltype(of);
          if (to.dq) P::store(detail::dot_column<P>(u, ws.chi, j) + detail::dot_column<P>(w, ws.psi, j), to.dq + j);
          if (to.dv) P::store(detail::dot_column<P>(u, ws.phi, j) + detail::dot_column<P>(w, ws.S, j), to.dv + j);
          if (to.M) P::store(detail::dot_column<P>(u, ws.S, j), to.M + j);
        });
      }
      // columns of the freedoms below
      const Motion<T> s = detail::get_motion(ws.S, k);
      detail::for_columns<T>(own_end, l.dof_end, [&](auto of, int j) SINEW_INLINE_LAMBDA {
        using P = decltype(of);
        if (to.dq) P::store(detail::dot_column<P>(s, ws.z, j), to.dq + j);
        if (to.dv) P::store(detail::dot_column<P>(s, ws.y, j), to.dv + j);
        if (to.M) P::store(detail::dot_column<P>(s, ws.u, j), to.M + j);
      });
      fill_zeros(l.dof_end, freedoms + 1);
      // d_h S_k^T F within a joint whose S changes
      if (which >= 0 && to.dq) {
        const Force<T> F = detail::to_node(ws.nodes[i], ws.nodes[i].sum.f);
        for (int h = l.dof; h < own_end; ++h) to.dq[h] = to.dq[h] + dot(ws.slopes[which].S[h - l.dof][k - l.dof], F);
      }
      done(k);
    }
  }
}

}  // namespace sinew
