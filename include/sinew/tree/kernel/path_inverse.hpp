// sinew/tree/kernel/path_inverse.hpp - M^-1 of trees without branches, in one pass over its columns
// After articulated_sweep, in the frame of the first node. Base to tip, the responses e and n of every freedom
// (node_responses.hpp): Omega passes from node to node in registers. Then, tip to base, f_i from a unit force on each
// freedom i, less than none, as in derivative/kernel/slope_responses.hpp (1):
//   N_ki = -e_k^T f_i of all i below;   f_i - k (S^T f_i) to the parent
// 18 multiplications for a pair of freedoms, and each column is loaded and stored once; mass_inverse_sweeps.hpp takes
// 24 and two passes, for trees of any shape.
#pragma once
#include "sinew/sweep/kernel/grid_columns.hpp"
#include "sinew/tree/kernel/articulated_sweep.hpp"
#include "sinew/tree/kernel/node_responses.hpp"
#include "sinew/tree/kernel/placed_freedoms.hpp"

namespace sinew {

template <class T>
struct PathInverseScratch {
  ArticulatedScratch<T> inertias;
  FreedomResponse<T>* freedoms;  // (freedoms) what lies beyond six numbers is zero
  T* f;                          // (6 x freedoms)
  T* N;                          // (freedoms) upper triangle, within each tree
  int stride;                    // numbers from one row to the next, of both

  SINEW_HD T* row(int k) const { return N + static_cast<std::ptrdiff_t>(k) * stride; }
};

// Base to tip: S, k and D in the common frame, then e and n.
SINEW_HD_CALLER
template <class T, class R, class Turns, class Shift>
SINEW_HD void respond_along_path(const Link<R>* links, int n, const PathInverseScratch<T>& ws, Turns&& turn,
                                 Shift&& d_of) {
  using P = AlignedPack<T>;
  const GeneralJoint<T>* general = ws.inertias.general;
  Transform<T> X{};
  SixNumbers<T> W[6];
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    X = pose_in_tree(
        l, X, general, [&]() SINEW_INLINE_LAMBDA { return turn(i, l); }, d_of);
    if (l.parent == 0)
      for (SixNumbers<T>& w : W)
        for (auto& part : w.part) part = P::spread(lit<T>(0));
    place_freedoms_of(l, X, general, [&](int k, const Motion<T>& S) SINEW_INLINE_LAMBDA {
      FreedomResponse<T>& f = ws.freedoms[l.dof + k];
      detail::put_six(S, f.S);
      detail::put_six(apply_inverse(X, ws.inertias.k[l.dof + k]), f.k);
      f.Dinv = ws.inertias.Dinv[l.dof + k];
    });
    for (int k = 0; k < l.nv; ++k) respond(ws.freedoms + l.dof, k, W);
  }
}

// Tip to base.
SINEW_HD_CALLER
template <class P, class T, class R>
SINEW_HD void answer_along_path(const Link<R>* links, int n, const PathInverseScratch<T>& ws) {
  using V = typename P::Type;
  const int stride = ws.stride;
  T* const carried = ws.f;
  for (int i = n - 1; i > 0; --i) {
    const Link<R>& l = links[i];
    const int below = l.dof + l.nv, end = l.dof_end;
    const auto answer = [&](int dof, int c, const V(&x)[6]) SINEW_INLINE_LAMBDA {
      P::store(-detail::dot_columns<P>(ws.freedoms[dof].e, x), ws.row(dof) + c);
    };
    const auto cross = [&](int dof, int c, auto edge, V(&x)[6]) SINEW_INLINE_LAMBDA {
      const FreedomResponse<T>& of = ws.freedoms[dof];
      const V u = detail::dot_columns<P>(of.S, x);
      const auto own = P::lanes(dof - c, dof + 1 - c), inside = P::lanes(dof + 1 - c, end - c);
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA {
        const V k = P::spread(of.k[r]), y = x[r] - u * k;
        x[r] = edge ? P::choose(own, k, P::choose(inside, y, x[r])) : y;
      });
      detail::store_columns<6, P>(x, carried + c, stride);
    };
    V x[6];
    if (l.nv == 1) {
      detail::for_grid_from<P>(l.dof, end, [&](int c, auto edge) SINEW_INLINE_LAMBDA {
        detail::load_columns<6, P>(carried + c, stride, x);
        answer(l.dof, c, x);
        if (l.parent != 0) cross(l.dof, c, edge, x);
      });
    } else {
      for (int dof = l.dof; dof < below; ++dof)
        detail::for_grid<P>(below, end, [&](int c, auto) SINEW_INLINE_LAMBDA {
          detail::load_columns<6, P>(carried + c, stride, x), answer(dof, c, x);
        });
      for (int dof = below - 1; dof >= l.dof && l.parent != 0; --dof)
        detail::for_grid_from<P>(dof, end, [&](int c, auto edge) SINEW_INLINE_LAMBDA {
          detail::load_columns<6, P>(carried + c, stride, x), cross(dof, c, edge, x);
        });
    }
    for (int k = 0; k < l.nv; ++k)
      for (int h = k; h < l.nv; ++h) ws.row(l.dof + k)[l.dof + h] = ws.freedoms[l.dof + k].n[h];
  }
}

// All of it. N comes out in the order of the freedoms, velocity[k] is the coordinate of freedom k. Rows fill whole
// registers of P.
SINEW_HD_CALLER
template <class P, class T, class R, class Turns, class Shift>
SINEW_HD void path_inverse_sweeps(const Link<R>* links, int n, const PathInverseScratch<T>& ws, const int* velocity,
                                  const double* armature, Turns&& turn, Shift&& d_of) {
  articulated_sweep<T>(links, n, ws.inertias, velocity, armature, turn, d_of, CarryNothing{});
  respond_along_path<T>(links, n, ws, turn, d_of);
  answer_along_path<P>(links, n, ws);
}

}  // namespace sinew
