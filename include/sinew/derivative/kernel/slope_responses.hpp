// sinew/derivative/kernel/slope_responses.hpp - da/dq, da/dv and M^-1 from the articulated bodies of a tree
// What articulated_slopes.hpp says of each freedom k, of node j, is carried to all others, i, a register of them at a
// time. f_i and g_i begin as k_i and w_i; alpha_i, the acceleration of a node by a unit force on freedom i, less than
// none, as -e_i:
//   (1) i below j:  da_i/dq_k = -f_i^T X_q - g_i^T psi,   da_i/dv_k = -f_i^T X_v - g_i^T s,   N_ki = -e_k^T f_i
//       tip to base, for each freedom crossed:  f_i - k (S^T f_i),  g_i - w (S^T f_i)
//   (2) others:     da_i/dq_k = alpha_i^T z_k - sum of t_hk N_ih,   da_i/dv_k = alpha_i^T y_k - ..
//       base to tip, for each freedom crossed:  N_ki = k^T alpha_i,  alpha_i - S N_ki
// N = M^-1, and h are the freedoms of k's joint. Each pair of freedoms costs about 40 operations below and 24
// elsewhere, so the whole is O(n^2) on any tree, without M and its factors. Vectors are those of the common frame, so
// that nothing turns. Columns lie on a fixed grid of registers: what one node wrote the next one reads as it was
// written.
#pragma once
#include "sinew/derivative/kernel/articulated_slopes.hpp"
#include "sinew/sweep/kernel/grid_columns.hpp"

namespace sinew {

template <class T>
struct SlopeResponses {
  ArticulatedSlopes<T> art;
  T* carried;                     // (9 x freedoms) f and g, rows of `stride`
  T* alpha;                       // (6 x freedoms) rows of `stride`
  T* slots;                       // (branch slots) of alpha
  const unsigned char* branches;  // (n) whether the subtree branches, there or below
  T *q, *v, *N;                   // da/dq and da/dv transposed, M^-1: rows of `stride`, in the order of the freedoms
  int stride;

  SINEW_HD T* row(T* matrix, int k) const { return matrix + static_cast<std::ptrdiff_t>(k) * stride; }
};

namespace detail {
// The entries of the freedoms of one joint among themselves.
template <class T, class R>
SINEW_HD void answer_joint(const SlopeResponses<T>& ws, int i, const Link<R>& l) {
  const int which = ws.art.torques_of[i];
  for (int k = 0; k < l.nv; ++k) {
    const ArticulatedFreedom<T>& f = ws.art.freedoms[l.dof + k];
    T *q = ws.row(ws.q, l.dof + k) + l.dof, *v = ws.row(ws.v, l.dof + k) + l.dof, *N = ws.row(ws.N, l.dof + k) + l.dof;
    for (int h = 0; h < l.nv; ++h) {
      const ArticulatedFreedom<T>& of = ws.art.freedoms[l.dof + h];
      q[h] = -dot_six(of.e, f.z), v[h] = -dot_six(of.e, f.y), N[h] = f.n[h];
      if (which < 0) continue;
      const JointTorques<T>& t = ws.art.torques[which];
      for (int j = 0; j < l.nv; ++j) q[h] = q[h] - t.q[j][k] * of.n[j], v[h] = v[h] - t.v[j][k] * of.n[j];
    }
  }
}
// The torques' part of (2), for columns begin .. end - 1.
template <class T, class R>
SINEW_HD void add_torques(const SlopeResponses<T>& ws, const JointTorques<T>& t, const Link<R>& l, int begin, int end) {
  for (int k = 0; k < l.nv; ++k)
    for (int h = 0; h < l.nv; ++h) {
      T *q = ws.row(ws.q, l.dof + k), *v = ws.row(ws.v, l.dof + k);
      const T* N = ws.row(ws.N, l.dof + h);
      for (int j = begin; j < end; ++j) q[j] = q[j] - t.q[h][k] * N[j], v[j] = v[j] - t.v[h][k] * N[j];
    }
}
}  // namespace detail

// (1) for all nodes.
SINEW_HD_CALLER
template <class P, class T, class R>
SINEW_HD void answer_inward(const Link<R>* links, int n, const SlopeResponses<T>& ws) {
  using V = typename P::Type;
  const int stride = ws.stride;
  T* const carried = ws.carried;
  for (int i = n - 1; i > 0; --i) {
    const Link<R>& l = links[i];
    const int below = l.dof + l.nv, end = l.dof_end;
    const auto answer = [&](int dof, int c, const V(&x)[9]) SINEW_INLINE_LAMBDA {
      const ArticulatedFreedom<T>& of = ws.art.freedoms[dof];
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(dof) * stride + c;
      P::store(detail::dot_columns<P>(of.Xq, x) - detail::dot_three<P>(of.psi, x + 6), ws.q + at);
      P::store(detail::dot_columns<P>(of.Xv, x) - detail::dot_three<P>(of.S, x + 6), ws.v + at);
      P::store(-detail::dot_columns<P>(of.e, x), ws.N + at);
    };
    // Across freedom `dof`, whose own column begins; others that are not below it are kept.
    const auto cross = [&](int dof, int c, auto edge, V(&x)[9]) SINEW_INLINE_LAMBDA {
      const ArticulatedFreedom<T>& of = ws.art.freedoms[dof];
      const V u = detail::dot_columns<P>(of.S, x);
      const auto own = P::lanes(dof - c, dof + 1 - c), inside = P::lanes(dof + 1 - c, end - c);
      const auto pass = [&](auto r, const T& by) SINEW_INLINE_LAMBDA {
        const V k = P::spread(by), y = x[r] - u * k;
        x[r] = edge ? P::choose(own, k, P::choose(inside, y, x[r])) : y;
      };
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { pass(r, of.k[r]); });
      unroll<3>([&](auto r) SINEW_INLINE_LAMBDA { pass(std::integral_constant<int, r + 6>{}, of.w[r]); });
      detail::store_columns<9, P>(x, carried + c, stride);
    };
    V x[9];
    if (l.nv == 1 && l.parent != 0) {
      detail::for_grid_from<P>(l.dof, end, [&](int c, auto edge) SINEW_INLINE_LAMBDA {
        detail::load_columns<9, P>(carried + c, stride, x);
        if (below < end) answer(l.dof, c, x);
        cross(l.dof, c, edge, x);
      });
    } else {
      for (int dof = l.dof; dof < below; ++dof)
        detail::for_grid<P>(below, end, [&](int c, auto) SINEW_INLINE_LAMBDA {
          detail::load_columns<9, P>(carried + c, stride, x), answer(dof, c, x);
        });
      for (int dof = below - 1; dof >= l.dof && l.parent != 0; --dof)
        detail::for_grid_from<P>(dof, end, [&](int c, auto edge) SINEW_INLINE_LAMBDA {
          detail::load_columns<9, P>(carried + c, stride, x), cross(dof, c, edge, x);
        });
    }
    detail::answer_joint(ws, i, l);
  }
}

// (2) for all nodes, after answer_inward.
SINEW_HD_CALLER
template <class P, class T, class R>
SINEW_HD void answer_outward(const Link<R>* links, int n, const SlopeResponses<T>& ws) {
  using V = typename P::Type;
  const int stride = ws.stride;
  T* const alpha = ws.alpha;
  int first = 0, last = 0;  // the columns of this tree
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int begin = l.dof, end = l.dof_end, own_end = l.dof + l.nv, which = ws.art.torques_of[i];
    const std::ptrdiff_t slot = 6 * static_cast<std::ptrdiff_t>(stride);
    const T* const from = l.from < 0 ? alpha : ws.slots + l.from * slot;
    T* const keep = l.keep < 0 ? nullptr : ws.slots + l.keep * slot;
    V x[6];
    if (l.parent == 0) {
      first = begin, last = end;
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = P::spread(lit<T>(0)); });
      detail::for_grid<P>(first, last,
                          [&](int c, auto) SINEW_INLINE_LAMBDA { detail::store_columns<6, P>(x, alpha + c, stride); });
    }
    // edge: some columns are those of the subtree, which (1) has answered.
    const auto cross = [&](int dof, int c, auto edge) SINEW_INLINE_LAMBDA {
      const ArticulatedFreedom<T>& of = ws.art.freedoms[dof];
      T* const N = ws.row(ws.N, dof) + c;
      V m = detail::dot_columns<P>(of.k, x);
      if (edge) m = P::choose(P::lanes(begin - c, end - c), P::load(N), m);
      P::store(m, N);
      unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = x[r] - P::spread(of.S[r]) * m; });
    };
    const auto answer = [&](int dof, int c, auto edge) SINEW_INLINE_LAMBDA {
      const ArticulatedFreedom<T>& of = ws.art.freedoms[dof];
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(dof) * stride + c;
      V q = detail::dot_columns<P>(of.z, x), v = detail::dot_columns<P>(of.y, x);
      if (edge) {
        const auto known = P::lanes(begin - c, end - c);
        q = P::choose(known, P::load(ws.q + at), q), v = P::choose(known, P::load(ws.v + at), v);
      }
      P::store(q, ws.q + at), P::store(v, ws.v + at);
    };
    const auto start = [&](int dof, int c) SINEW_INLINE_LAMBDA {
      const auto own = P::lanes(dof - c, dof + 1 - c);
      unroll<6>([&](auto r)
                    SINEW_INLINE_LAMBDA { x[r] = P::choose(own, P::spread(-ws.art.freedoms[dof].e[r]), x[r]); });
    };
    const auto work = [&](int c, auto edge) SINEW_INLINE_LAMBDA {
      detail::load_columns<6, P>(from + c, stride, x);
      if (l.nv == 1) {
        cross(begin, c, edge), answer(begin, c, edge);
        if (edge) start(begin, c);
      } else {
        for (int dof = begin; dof < own_end; ++dof) cross(dof, c, edge);
        for (int dof = begin; dof < own_end; ++dof) answer(dof, c, edge);
        for (int dof = begin; dof < own_end && edge; ++dof) start(dof, c);
      }
      detail::store_columns<6, P>(x, alpha + c, stride);
      if (keep) detail::store_columns<6, P>(x, keep + c, stride);
    };
    for (int c = first - first % P::kLanes; c < last; c += P::kLanes) {
      if (c + P::kLanes <= begin || c >= end) {
        work(c, std::false_type{});
      } else if (c < own_end || c + P::kLanes > end) {
        work(c, std::true_type{});
      } else if (ws.branches[i]) {  // inside the subtree alpha is asked for where that branches
        detail::load_columns<6, P>(from + c, stride, x);
        for (int dof = begin; dof < own_end; ++dof) {
          const V m = P::load(ws.row(ws.N, dof) + c);
          unroll<6>([&](auto r) SINEW_INLINE_LAMBDA { x[r] = x[r] - P::spread(ws.art.freedoms[dof].S[r]) * m; });
        }
        detail::store_columns<6, P>(x, alpha + c, stride);
        if (keep) detail::store_columns<6, P>(x, keep + c, stride);
      } else {
        c = end - end % P::kLanes - P::kLanes;
      }
    }
    if (which < 0) continue;
    detail::add_torques(ws, ws.art.torques[which], l, first, begin);
    detail::add_torques(ws, ws.art.torques[which], l, end, last);
  }
}

}  // namespace sinew
