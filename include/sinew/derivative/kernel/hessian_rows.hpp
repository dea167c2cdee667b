// sinew/derivative/kernel/hessian_rows.hpp - second derivatives of lambda^T tau, for joints with constant S
// Let mu_i = sum of s_l lambda_l over the freedoms l above and of node i. Then lambda^T tau = sum of mu_i^T f_i, and
// along freedom k of node j, p its parent, with the letters of dynamics_slopes.hpp:
//   (1) dmu_i/dq = s x mu_i + nu,   nu = mu_p x s
//   (2) d/dq_k = nu^T F + chi^T P + psi^T Q,   d/dv_k = phi^T P + s^T Q,   d/da_k = s^T P
//       P = sum of I mu and Q = sum of 2 B^T mu over the subtree of j
// For h above k, what is fixed in the bodies is carried along by s_h, which changes no product. The rest of the change
// is
//   psi_k by psi_h x s_k,   chi_k by chi_h x s_k + 2 psi_h x psi_k,   nu_k by nu_h x s_k,   phi_k by 2 psi_h x s_k,
//   F by I^c chi_h + 2 B^c psi_h,   P by I^c nu_h,   Q by 2 B^c^T nu_h - 2 B_mu^T psi_h
// where B_mu is B^c with mu_i in place of v_i. Collected by freedoms:
//   (3) A = I^c nu + s x* P,   D = 2 s x* P - 2 B_mu s,   C = 2 B^c^T nu + 2 psi x* P + s x* Q - 2 B_mu psi
//   (4) d2/dq_k dq_h = chi_h^T A_k + psi_h^T C_k + nu_h^T z_k
//   (5) d2/dq_k dv_h = phi_h^T A_k + s_h^T C_k      d2/dv_k dq_h = nu_h^T y_k + psi_h^T D_k
//   (6) d2/dv_k dv_h = s_h^T D_k
//   (7) d2/dq_k da_h = s_h^T A_k                    d2/da_k dq_h = nu_h^T u_k
// Within one joint v_p does not depend on v_h, so that there the terms s x* P, 2 psi x* P and s x* Q of (5) and (7) are
// missing and that of (6) counts once; (4) holds as it is, as the derivative along h of the derivative along k.
// Checked against dual numbers over the first derivatives. O(n d): six products of six numbers for each pair.
#pragma once
#include "sinew/derivative/kernel/slope_rows.hpp"

namespace sinew {

// Sums over a subtree, or those of one body: with B_mu as in SubtreeSum.
template <class T>
struct HessianSum {
  Mat3<T> N;   // of B_mu: mu_w x P + h x mu_v x
  Vec3<T> l;   // of B_mu
  Force<T> P;  // I mu
  Force<T> Q;  // 2 B^T mu
};
template <class T>
SINEW_HD HessianSum<T>& operator+=(HessianSum<T>& a, const HessianSum<T>& b) {
  a.N = a.N + b.N;
  a.l += b.l;
  a.P += b.P;
  a.Q += b.Q;
  return a;
}

template <class T>
struct HessianScratch {
  Motion<T>* mu;         // (n)
  HessianSum<T>* sums;   // (n)
  SpatialColumns<T> nu;  // (6 x freedoms) each
  SpatialColumns<T> A, C, D;
};
// The four matrices: of q and q, q and v, v and v, q and a.
template <class T>
struct HessianMatrices {
  SlopeMatrix<T> qq, qv, vv, qa;
};

namespace detail {
// 2 B x and 2 B^T x from N and l of B.
template <class T>
SINEW_HD Force<T> twice_factor(const Mat3<T>& N, const Vec3<T>& l, const Motion<T>& x) {
  const Vec3<T> n = N * x.ang, f = cross(l, x.ang);
  return {-(n + n), -(f + f)};
}
template <class T>
SINEW_HD Force<T> twice_factor_transpose(const Mat3<T>& N, const Vec3<T>& l, const Motion<T>& x) {
  const Vec3<T> n = cross(l, x.lin) - transpose_times(N, x.ang);
  const T o = lit<T>(0);
  return {n + n, {o, o, o}};
}
}  // namespace detail

// Base to tip, then back: mu, nu and the sums. Between place_slope_nodes and sum_slope_nodes, for it needs the inertias
// of single bodies. lambda(k): of coordinate k.
SINEW_HD_CALLER
template <class T, class R, class Lambda>
SINEW_HD void sum_hessian_nodes(const Link<R>* links, int n, const SlopeScratch<T>& ws, const HessianScratch<T>& hs,
                                Lambda&& lambda) {
  const T o = lit<T>(0);
  hs.mu[0] = {{o, o, o}, {o, o, o}};
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const Motion<T>& p = hs.mu[l.parent];
    Motion<T> mu = p;
    for (int k = 0; k < l.nv; ++k) {
      const Motion<T> s = detail::get_motion(ws.S, l.dof + k);
      detail::set_motion(hs.nu, l.dof + k, cross(p, s));  // (1)
      mu += lambda(l.v + k) * s;
    }
    hs.mu[i] = mu;
    const SubtreeSum<T>& body = ws.nodes[i].sum;
    HessianSum<T>& sum = hs.sums[i];
    sum.P = detail::to_inertia(lit<T>(l.m), body) * mu;
    sum.Q = detail::twice_factor_transpose(body.N, body.l, mu);
    sum.N = cross(mu.ang, body.P) + skew(body.h) * skew(mu.lin);
    sum.l = sum.P.lin;
  }
  for (int i = n - 1; i > 0; --i)
    if (links[i].parent != 0) hs.sums[links[i].parent] += hs.sums[i];
}

// (3), after calc_slope_momenta and calc_slope_columns.
template <class T, class R>
SINEW_HD void calc_hessian_columns(const Link<R>* links, int n, const SlopeScratch<T>& ws,
                                   const HessianScratch<T>& hs) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const SubtreeSum<T>& all = ws.nodes[i].sum;
    const HessianSum<T>& sum = hs.sums[i];
    const RigidInertia<T> I = detail::to_inertia(lit<T>(l.mc), all);
    for (int k = l.dof; k < l.dof + l.nv; ++k) {
      const Motion<T> s = detail::get_motion(ws.S, k), psi = detail::get_motion(ws.psi, k);
      const Motion<T> nu = detail::get_motion(hs.nu, k);
      const Force<T> sP = cross(s, sum.P), psi_P = cross(psi, sum.P);
      hs.A.set(k, I * nu + sP);
      hs.D.set(k, sP + sP - detail::twice_factor(sum.N, sum.l, s));
      hs.C.set(k, detail::twice_factor_transpose(all.N, all.l, nu) + psi_P + psi_P + cross(s, sum.Q) -
                      detail::twice_factor(sum.N, sum.l, psi));
    }
  }
}

// (4) to (7), all entries.
template <class T, class R>
SINEW_HD void fill_hessian_rows(const Link<R>* links, int n, int freedoms, const SlopeScratch<T>& ws,
                                const HessianScratch<T>& hs, const FreedomRuns& runs, const HessianMatrices<T>& out) {
  for (int i = 1; i < n; ++i) {
    const Link<R>& l = links[i];
    const int own_end = l.dof + l.nv;
    for (int k = l.dof; k < own_end; ++k) {
      T *qq = out.qq.row(k), *qv = out.qv.row(k), *vv = out.vv.row(k), *qa = out.qa.row(k);
      const auto fill_zeros = [&](int begin, int end) SINEW_INLINE_LAMBDA {
        for (T* row : {qq, qv, vv, qa}) detail::fill_zeros(row, begin, end);
      };
      // columns of the freedoms above, and of the joint's own
      const Force<T> A = detail::get_force(hs.A, k), C = detail::get_force(hs.C, k), D = detail::get_force(hs.D, k);
      const Force<T> z = detail::get_force(ws.z, k);
      int done = 0;
      for (int r = runs.first[k]; r < runs.first[k + 1]; ++r) {
        fill_zeros(done, runs.runs[r].begin);
        done = r + 1 < runs.first[k + 1] ? runs.runs[r].end : own_end;
        detail::for_columns<T>(runs.runs[r].begin, done, [&](auto of, int h) SINEW_INLINE_LAMBDA {
          using P = decltype(of);
          P::store(detail::dot_column<P>(A, ws.chi, h) + detail::dot_column<P>(C, ws.psi, h) +
                       detail::dot_column<P>(z, hs.nu, h),
                   qq + h);                                                                           // (4)
          P::store(detail::dot_column<P>(A, ws.phi, h) + detail::dot_column<P>(C, ws.S, h), qv + h);  // (5)
          P::store(detail::dot_column<P>(D, ws.S, h), vv + h);                                        // (6)
          P::store(detail::dot_column<P>(A, ws.S, h), qa + h);                                        // (7)
        });
      }
      // columns of the freedoms below
      const Motion<T> s = detail::get_motion(ws.S, k), psi = detail::get_motion(ws.psi, k);
      const Motion<T> chi = detail::get_motion(ws.chi, k), nu = detail::get_motion(hs.nu, k);
      detail::for_columns<T>(own_end, l.dof_end, [&](auto of, int j) SINEW_INLINE_LAMBDA {
        using P = decltype(of);
        P::store(detail::dot_column<P>(chi, hs.A, j) + detail::dot_column<P>(psi, hs.C, j) +
                     detail::dot_column<P>(nu, ws.z, j),
                 qq + j);
        P::store(detail::dot_column<P>(nu, ws.y, j) + detail::dot_column<P>(psi, hs.D, j), qv + j);
        P::store(detail::dot_column<P>(s, hs.D, j), vv + j);
        P::store(detail::dot_column<P>(nu, ws.u, j), qa + j);
      });
      fill_zeros(l.dof_end, freedoms);
    }
    // within the joint
    const SubtreeSum<T>& all = ws.nodes[i].sum;
    const HessianSum<T>& sum = hs.sums[i];
    const RigidInertia<T> I = detail::to_inertia(lit<T>(l.mc), all);
    for (int k = l.dof; k < own_end; ++k) {
      const Motion<T> s = detail::get_motion(ws.S, k), psi = detail::get_motion(ws.psi, k);
      const Motion<T> nu = detail::get_motion(hs.nu, k);
      const Force<T> A = I * nu, D = cross(s, sum.P) - detail::twice_factor(sum.N, sum.l, s);
      const Force<T> C = detail::twice_factor_transpose(all.N, all.l, nu) - detail::twice_factor(sum.N, sum.l, psi);
      for (int h = l.dof; h < own_end; ++h) {
        const Motion<T> s_h = detail::get_motion(ws.S, h);
        out.qv.row(k)[h] = dot(detail::get_motion(ws.phi, h), A) + dot(s_h, C);
        out.vv.row(k)[h] = dot(s_h, D);
        out.qa.row(k)[h] = dot(s_h, A);
      }
    }
  }
}

}  // namespace sinew
