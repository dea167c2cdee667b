// sinew/derivative/kernel/slope_rows.hpp - rows of the derivatives of inverse dynamics, and of M, from their columns
// (6) to (8) of dynamics_slopes.hpp. The freedoms above one lie in a few runs of consecutive numbers, those below in
// one run: a register of them is worked on together. The last register of a run goes beyond its end, so rows are filled
// from left to right, and have room for one register more.
#pragma once
#include "sinew/derivative/kernel/dynamics_slopes.hpp"

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
// f(j) for the columns from begin on, a register at a time, until `end` is passed.
SINEW_HD_CALLER
template <class T, class F>
SINEW_HD void for_columns(int begin, int end, F&& f) {
  for (int j = begin; j < end; j += ColumnPack<T>::kLanes) f(j);
}
// a^T x_j, and its first three components alone.
template <class V, class T, class P = ColumnPack<T>>
SINEW_HD typename P::Type dot_column(const V& a, const SpatialColumns<T>& x, int j) {
  return P::spread(a.ang.x) * P::load(x.row(0) + j) + P::spread(a.ang.y) * P::load(x.row(1) + j) +
         P::spread(a.ang.z) * P::load(x.row(2) + j) + P::spread(a.lin.x) * P::load(x.row(3) + j) +
         P::spread(a.lin.y) * P::load(x.row(4) + j) + P::spread(a.lin.z) * P::load(x.row(5) + j);
}
template <class T, class P = ColumnPack<T>>
SINEW_HD typename P::Type dot_column(const Vec3<T>& a, const SpatialColumns<T>& x, int j) {
  return P::spread(a.x) * P::load(x.row(0) + j) + P::spread(a.y) * P::load(x.row(1) + j) +
         P::spread(a.z) * P::load(x.row(2) + j);
}
template <class T>
SINEW_HD void fill_zeros(T* row, int begin, int end) {
  for (int j = begin; j < end; ++j) row[j] = lit<T>(0);
}
}  // namespace detail

// M of the tree's freedoms in packed rows (model/dof_tree.hpp), armature not added. row_of(k): where row k begins.
SINEW_HD_CALLER
template <class T, class RowFn>
SINEW_HD void pack_mass_rows(int freedoms, const SlopeScratch<T>& ws, const FreedomRuns& runs, RowFn&& row_of) {
  for (int k = 0; k < freedoms; ++k) {
    const Force<T> u = detail::get_force(ws.u, k);
    T* to = row_of(k);
    for (int r = runs.first[k]; r < runs.first[k + 1]; ++r) {
      const FreedomRun& run = runs.runs[r];
      detail::for_columns<T>(run.begin, run.end, [&](int j) SINEW_INLINE_LAMBDA {
        ColumnPack<T>::store(detail::dot_column(u, ws.S, j), to + (j - run.begin));
      });
      to += run.end - run.begin;
    }
  }
}

// All entries of dtau/dq and dtau/dv, and of M where M.data is not null, without what armature adds.
SINEW_HD_CALLER
template <class T, class R>
SINEW_HD void fill_slope_rows(const Link<R>* links, int n, int freedoms, const SlopeScratch<T>& ws,
                              const FreedomRuns& runs, const SlopeMatrix<T>& dq, const SlopeMatrix<T>& dv,
                              const SlopeMatrix<T>& M) {
  using P = ColumnPack<T>;
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int own_end = l.dof + l.nv;
    for (int k = l.dof; k < own_end; ++k) {
      T *qk = dq.row(k), *vk = dv.row(k), *mk = M.data ? M.row(k) : nullptr;
      const auto fill_zeros = [&](int begin, int end) SINEW_INLINE_LAMBDA {
        detail::fill_zeros(qk, begin, end);
        detail::fill_zeros(vk, begin, end);
        if (mk) detail::fill_zeros(mk, begin, end);
      };
      // columns of the freedoms above, and of the joint's own
      const Force<T> u = detail::get_force(ws.u, k);
      const Vec3<T> w{ws.w.row(0)[k], ws.w.row(1)[k], ws.w.row(2)[k]};
      int done = 0;
      for (int r = runs.first[k]; r < runs.first[k + 1]; ++r) {
        fill_zeros(done, runs.runs[r].begin);
        done = r + 1 < runs.first[k + 1] ? runs.runs[r].end : own_end;
        detail::for_columns<T>(runs.runs[r].begin, done, [&](int j) SINEW_INLINE_LAMBDA {
          P::store(detail::dot_column(u, ws.chi, j) + detail::dot_column(w, ws.psi, j), qk + j);  // (6)
          P::store(detail::dot_column(u, ws.phi, j) + detail::dot_column(w, ws.S, j), vk + j);    // (7)
          if (mk) P::store(detail::dot_column(u, ws.S, j), mk + j);                               // (8)
        });
      }
      // columns of the freedoms below
      const Motion<T> s = detail::get_motion(ws.S, k);
      detail::for_columns<T>(own_end, l.dof_end, [&](int j) SINEW_INLINE_LAMBDA {
        P::store(detail::dot_column(s, ws.z, j), qk + j);
        P::store(detail::dot_column(s, ws.y, j), vk + j);
        if (mk) P::store(detail::dot_column(s, ws.u, j), mk + j);
      });
      fill_zeros(l.dof_end, freedoms + P::kLanes);
    }
    // d_h S_k^T F within a joint whose S changes
    const int which = l.extra >= 0 ? ws.slopes_of[i] : -1;
    if (which >= 0) {
      const Force<T> F = detail::to_node(ws.nodes[i], ws.nodes[i].sum.f);
      for (int k = 0; k < l.nv; ++k)
        for (int h = 0; h < l.nv; ++h) {
          T& x = dq.row(l.dof + k)[l.dof + h];
          x = x + dot(ws.slopes[which].S[h][k], F);
        }
    }
  }
}

}  // namespace sinew
