// sinew/derivative/kernel/slope_rows.hpp - rows of the derivatives of inverse dynamics, and of M, from their columns
// (6) to (8) of dynamics_slopes.hpp. A row is made of segments: the freedoms above one, those below, and others, whose
// entries are zero. Each lies in consecutive columns here and there, so a register of them is worked on together. The
// last register of a segment goes beyond its end, so rows are filled from left to right, and have room for more.
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

// Freedoms from .. from + count - 1 are the entries to .. to + count - 1 of a row. above: the joint's own too.
enum class RowPart : char { zero, above, below };
struct RowSegment {
  int from, to, count;
  RowPart part;
};
// Those of row k, from left to right, without a gap: from first[k] to first[k + 1] - 1.
struct RowSegments {
  const int* first;
  const RowSegment* segments;
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

// Where one row of dtau/dq, dtau/dv and M goes.
template <class T>
struct SlopeRow {
  T *dq, *dv, *M;
};

// All entries of dtau/dq, dtau/dv and M, row by row, without what armature adds: row(k) says where the row of freedom k
// goes, and done(k) is called when it is there.
SINEW_HD_CALLER
template <class T, class R, class RowFn, class DoneFn>
SINEW_HD void fill_slope_rows(const Link<R>* links, int n, const SlopeScratch<T>& ws, const RowSegments& all,
                              RowFn&& row, DoneFn&& done) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int own_end = l.dof + l.nv, which = l.extra >= 0 ? ws.slopes_of[i] : -1;
    for (int k = l.dof; k < own_end; ++k) {
      const SlopeRow<T> to = row(k);
      const Force<T> u = detail::get_force(ws.u, k);
      const Vec3<T> w{ws.w.row(0)[k], ws.w.row(1)[k], ws.w.row(2)[k]};
      const Motion<T> s = detail::get_motion(ws.S, k);
      for (int r = all.first[k]; r < all.first[k + 1]; ++r) {
        const RowSegment g = all.segments[r];
        T *const dq = to.dq + g.to, *const dv = to.dv + g.to, *const M = to.M + g.to;
        if (g.part == RowPart::zero) {
          detail::for_columns<T>(0, g.count, [&](auto of, int j) SINEW_INLINE_LAMBDA {
            using P = decltype(of);
            const auto zero = P::spread(lit<T>(0));
            P::store(zero, dq + j), P::store(zero, dv + j), P::store(zero, M + j);
          });
        } else if (g.part == RowPart::above) {  // (6) to (8), of the freedom k farther from the root
          detail::for_columns<T>(0, g.count, [&](auto of, int j) SINEW_INLINE_LAMBDA {
            using P = decltype(of);
            const int h = g.from + j;
            P::store(detail::dot_column<P>(u, ws.chi, h) + detail::dot_column<P>(w, ws.psi, h), dq + j);
            P::store(detail::dot_column<P>(u, ws.phi, h) + detail::dot_column<P>(w, ws.S, h), dv + j);
            P::store(detail::dot_column<P>(u, ws.S, h), M + j);
          });
        } else {
          detail::for_columns<T>(0, g.count, [&](auto of, int j) SINEW_INLINE_LAMBDA {
            using P = decltype(of);
            const int h = g.from + j;
            P::store(detail::dot_column<P>(s, ws.z, h), dq + j);
            P::store(detail::dot_column<P>(s, ws.y, h), dv + j);
            P::store(detail::dot_column<P>(s, ws.u, h), M + j);
          });
        }
      }
      // d_h S_k^T F within a joint whose S changes
      if (which >= 0) {
        const Force<T> F = detail::to_node(ws.nodes[i], ws.nodes[i].sum.f);
        for (int h = 0; h < l.nv; ++h) to.dq[l.v + h] = to.dq[l.v + h] + dot(ws.slopes[which].S[h][k - l.dof], F);
      }
      done(k);
    }
  }
}

}  // namespace sinew
