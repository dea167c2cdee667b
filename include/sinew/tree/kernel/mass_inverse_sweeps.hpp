// sinew/tree/kernel/mass_inverse_sweeps.hpp - M^-1 by articulated bodies, a register of its columns at a time
// Vectors are in one frame for each tree, that of its first node, so that nothing turns on the way. With k, D, S, e and
// n of tree/kernel/node_responses.hpp, and freedoms i > j:
//   (1) i below j:   N_ji = -e_j^T f_i;  f_i begins as k_i, and is f_i - k_j (S_j^T f_i) above j: tip to base
//   (2) i elsewhere: N_ji = -k_j^T alpha_i;  alpha_i is zero at the world, and alpha_i + S_j N_ji below j: base to tip
// f_i is the force that reaches a node from a unit force on freedom i below it [F08 Table 7.1], alpha_i the
// acceleration of a node by one anywhere. (2) is for trees that branch. The rest of N is known by symmetry.
#pragma once
#include "sinew/sweep/kernel/grid_columns.hpp"
#include "sinew/tree/kernel/articulated_sweep.hpp"
#include "sinew/tree/kernel/kinematics_sweep.hpp"
#include "sinew/tree/kernel/node_responses.hpp"

namespace sinew {

// Of a node.
template <class T>
struct alignas(SINEW_PACK_BYTES) ResponseNode {
  PaddedSix<T> W[6];  // Omega, row by row
  Transform<T> X;     // node <- common frame
};

template <class T>
struct MassInverseScratch {
  ArticulatedScratch<T> inertias;
  ResponseNode<T>* nodes;         // (n)
  FreedomResponse<T>* freedoms;   // (freedoms)
  const unsigned char* branches;  // (n) whether the subtree branches, there or below
  T *f, *alpha;                   // (6 x freedoms) each
  T* slots;                       // (branch slots) of alpha
  T* N;                           // (freedoms) upper triangle, within each tree
  int stride;                     // numbers from one row to the next, of all these

  SINEW_HD T* row(int k) const { return N + static_cast<std::ptrdiff_t>(k) * stride; }
};

// After articulated_sweep: places, S and k in the common frame, Omega, e and n.
SINEW_HD_CALLER
template <class T, class R, class Turns, class Shift>
SINEW_HD void respond_nodes(const Link<R>* links, int n, const MassInverseScratch<T>& ws, Turns&& turn, Shift&& d_of) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const ResponseNode<T>& p = ws.nodes[l.parent];
    ResponseNode<T>& node = ws.nodes[i];
    const bool axial = l.step == Step::revolute || l.step == Step::axial;
    if (l.parent == 0)
      node.X = Transform<T>{};
    else if (axial)
      node.X = dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA {
        return pose_of<K.value>(l, turn(i, l), l.step == Step::revolute ? lit<T>(l.d) : d_of(l), p.X);
      });
    else
      node.X = ws.inertias.general[l.extra].X * p.X;
    const auto place = [&](int k, const Motion<T>& S) SINEW_INLINE_LAMBDA {
      FreedomResponse<T>& f = ws.freedoms[l.dof + k];
      detail::put_six(apply_inverse(node.X, S), f.S);
      detail::put_six(apply_inverse(node.X, ws.inertias.k[l.dof + k]), f.k);
      f.Dinv = ws.inertias.Dinv[l.dof + k];
    };
    if (axial)
      place(0, detail::axial_motion<T>(l));
    else if (l.step == Step::free)
      detail::for_axes([&](auto k) SINEW_INLINE_LAMBDA {
        Motion<T> S{};
        detail::component<k.value>(S) = lit<T>(1);
        place(k, S);
      });
    else
      for (int k = 0; k < l.nv; ++k) place(k, ws.inertias.general[l.extra].S[k]);
    SixNumbers<T> W[6];
    detail::load_rows<T>(p.W, W);
    for (int k = 0; k < l.nv; ++k) respond(ws.freedoms + l.dof, k, W);
    unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { W[r].store(node.W[r]); });
  }
}

// (1) for all nodes.
SINEW_HD_CALLER
template <class P, class T, class R>
SINEW_HD void invert_inward(const Link<R>* links, int n, const MassInverseScratch<T>& ws) {
  using V = typename P::Type;
  const int stride = ws.stride;
  T* const f = ws.f;
  for (int i = n - 1; i > 0; --i) {
    const Link<R>& l = links[i];
    const int below = l.dof + l.nv, end = l.dof_end;
    const auto answer = [&](int dof, int c, const V(&x)[6]) SINEW_INLINE_LAMBDA {
      P::store(-detail::dot_columns<P>(ws.freedoms[dof].e, x), ws.row(dof) + c);
    };
    // Across freedom `dof`, whose own column begins; others that are not below it are kept.
    const auto cross = [&](int dof, int c, auto edge, V(&x)[6]) SINEW_INLINE_LAMBDA {
      const FreedomResponse<T>& of = ws.freedoms[dof];
      const V u = detail::dot_columns<P>(of.S, x);
      const auto own = P::lanes(dof - c, dof + 1 - c), inside = P::lanes(dof + 1 - c, end - c);
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA {
        const V k = P::spread(of.k[r]), y = x[r] - u * k;
        x[r] = edge ? P::choose(own, k, P::choose(inside, y, x[r])) : y;
      });
      detail::store_columns<6, P>(x, f + c, stride);
    };
    V x[6];
    if (l.nv == 1 && l.parent != 0) {
      const auto both = [&](int c, auto edge) SINEW_INLINE_LAMBDA {
        detail::load_columns<6, P>(f + c, stride, x);
        answer(l.dof, c, x), cross(l.dof, c, edge, x);
      };
      detail::for_grid_from<P>(l.dof, end, both);
    } else {
      for (int dof = l.dof; dof < below; ++dof)
        detail::for_grid<P>(below, end, [&](int c, auto) SINEW_INLINE_LAMBDA {
          detail::load_columns<6, P>(f + c, stride, x), answer(dof, c, x);
        });
      for (int dof = below - 1; dof >= l.dof && l.parent != 0; --dof)
        detail::for_grid_from<P>(dof, end, [&](int c, auto edge) SINEW_INLINE_LAMBDA {
          detail::load_columns<6, P>(f + c, stride, x), cross(dof, c, edge, x);
        });
    }
    for (int k = 0; k < l.nv; ++k)
      for (int h = 0; h < l.nv; ++h) ws.row(l.dof + k)[l.dof + h] = ws.freedoms[l.dof + k].n[h];
  }
}

// (2) for all nodes, after invert_inward.
SINEW_HD_CALLER
template <class P, class T, class R>
SINEW_HD void invert_outward(const Link<R>* links, int n, const MassInverseScratch<T>& ws) {
  using V = typename P::Type;
  const int stride = ws.stride;
  T* const alpha = ws.alpha;
  int last = 0;  // the columns of this tree end here
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int begin = l.dof, end = l.dof_end;
    const std::ptrdiff_t slot = 6 * static_cast<std::ptrdiff_t>(stride);
    const T* const from = l.from < 0 ? alpha : ws.slots + l.from * slot;
    T* const keep = l.keep < 0 ? nullptr : ws.slots + l.keep * slot;
    V x[6];
    if (l.parent == 0) {
      last = end;
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = P::spread(lit<T>(0)); });
      if (ws.branches[i])
        detail::for_grid<P>(
            begin, last, [&](int c, auto) SINEW_INLINE_LAMBDA { detail::store_columns<6, P>(x, alpha + c, stride); });
    }
    const auto cross = [&](int c, bool known) SINEW_INLINE_LAMBDA {
      detail::load_columns<6, P>(from + c, stride, x);
      for (int dof = begin; dof < begin + l.nv; ++dof) {
        const FreedomResponse<T>& of = ws.freedoms[dof];
        T* N = ws.row(dof) + c;
        V m = -detail::dot_columns<P>(of.k, x);
        if (known) m = P::choose(P::lanes(begin - c, end - c), P::load(N), m);
        P::store(m, N);
        unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = x[r] + P::spread(of.S[r]) * m; });
      }
      detail::store_columns<6, P>(x, alpha + c, stride);
      if (keep) detail::store_columns<6, P>(x, keep + c, stride);
    };
    // Below the node alpha is asked for only where the subtree branches.
    detail::for_grid<P>(ws.branches[i] ? begin : end, last,
                        [&](int c, auto) SINEW_INLINE_LAMBDA { cross(c, c < end); });
  }
}

}  // namespace sinew
