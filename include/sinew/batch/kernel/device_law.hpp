// sinew/batch/kernel/device_law.hpp - a friction problem of one world: what its methods share
// Find z with u = W z + q and
//   singles     lower <= z <= upper,   u >= 0 at the lower, u <= 0 at the upper bound, u = 0 between
//   contacts    three rows n t t: Coulomb's exact law, |z_t| <= mu z_n, as in lcp::FrictionProblem
// The residual is the natural map over the largest free velocity: 0 for an exact answer.
// Methods: sweeps of exact one-contact solutions (here), Newton's method (device_newton.hpp), an interior point
// (device_interior.hpp); device_answer.hpp says which comes when.
#pragma once
#include <cmath>

#include "sinew/batch/kernel/device_large.hpp"

namespace sinew::device {

template <class R, class Team>
struct Law {
  const Team& team;
  const LawData<R>& d;

  // A block is a single row or a contact.
  SINEW_HD int blocks() const { return d.singles + d.contacts; }
  SINEW_HD int row_of(int b) const { return b < d.singles ? b : d.singles + 3 * (b - d.singles); }
  SINEW_HD R entry(int r, int c) const { return line(d.W, r, d.stride)[c]; }
  // Row r of a matrix. Large ones lie column by column; W is symmetric.
  SINEW_HD static auto line(R* matrix, int r, int stride) {
    if constexpr (Team::kBlock)
      return Strided<R>{matrix + r, stride};
    else
      return matrix + r * stride;
  }
  SINEW_HD static R clamp(const R& x, const R& lower, const R& upper) {
    return x < lower ? lower : upper < x ? upper : x;
  }

  SINEW_HD void begin() const {
    const R most = team.template max<R>(d.rows, [&](int r) { return entry(r, r); });
    team.each(blocks(), [&](int b) {
      const int k = row_of(b);
      LawBlock<R>& c = d.block[b];
      const R W = entry(k, k);
      c.inverse = W > LawNumbers<R>::kLeastMotion * most ? 1 / W : R(0);
      c.scale = 1 / sqrt_of(W);
      if (b < d.singles) return;
      c.mu = d.mu[b - d.singles];
      const R w1 = entry(k + 1, k), w2 = entry(k + 2, k), t1 = entry(k + 1, k + 1), t2 = entry(k + 2, k + 2);
      const R least = LawNumbers<R>::kProximal * (t1 + t2) + Numbers<R>::kSmallest;
      c.g1 = w1 * c.inverse, c.g2 = w2 * c.inverse, c.ratio = 0;
      c.s11 = t1 - w1 * c.g1 + least, c.s12 = entry(k + 2, k + 1) - w2 * c.g1, c.s22 = t2 - w2 * c.g2 + least;
      c.scale = 1 / sqrt_of((W + t1 + t2) / 3);
    });
  }
  // u of these impulses.
  SINEW_HD void renew(const R* z) const {
    team.each(d.rows, [&](int r) {
      const auto W = line(d.W, r, d.stride);
      R sum = d.q[r];
      for (int c = 0; c < d.rows; ++c) sum += W[c] * z[c];
      d.u[r] = sum;
    });
  }
  // Each block in turn, with u kept up to date. The change goes through A.
  SINEW_HD void sweep() const {
    for (int b = 0; b < blocks(); ++b) {
      const int k = row_of(b), width = b < d.singles ? 1 : 3;
      team.one([&] {
        R z[3] = {d.z[k], width == 3 ? d.z[k + 1] : R(0), width == 3 ? d.z[k + 2] : R(0)};
        if (width == 1)
          z[0] = clamp(z[0] - d.u[k] * d.block[b].inverse, d.lower[k], d.upper[k]);
        else
          solve_one_contact(d.u + k, d.block[b], z);
        for (int i = 0; i < width; ++i) d.A[i] = z[i] - d.z[k + i], d.z[k + i] = z[i];
      });
      team.each(d.rows, [&](int r) {
        for (int i = 0; i < width; ++i) d.u[r] += entry(r, k + i) * d.A[i];
      });
    }
  }
  // The natural map of z and u over the scale.
  SINEW_HD R measure(const R* z) const {
    return team.template max<R>(blocks(), [&](int b) { return calc_violation(b, z); }) / d.scale;
  }
  SINEW_HD R calc_violation(int b, const R* z) const {
    using std::abs, std::sqrt;
    const int k = row_of(b);
    const R W = entry(k, k), x = W * z[k], *u = d.u;
    if (b < d.singles) return abs(x - clamp(x - u[k], W * d.lower[k], W * d.upper[k]));
    const R t = max(entry(k + 1, k + 1), entry(k + 2, k + 2)), radius = t * d.mu[b - d.singles] * max(z[k], R(0));
    const R y1 = t * z[k + 1], y2 = t * z[k + 2];
    R x1 = y1 - u[k + 1], x2 = y2 - u[k + 2];
    const R length = sqrt(x1 * x1 + x2 * x2);
    if (length > radius) x1 *= radius / length, x2 *= radius / length;
    const R normal = abs(x - max(x - u[k], R(0))), e1 = abs(y1 - x1), e2 = abs(y2 - x2), sum = normal + e1 + e2;
    return sum == sum ? max(normal, max(e1, e2)) : sum;
  }

  // A y = rhs, by the largest entry of each column; y is then in u.
  SINEW_HD bool eliminate(int n) const {
    if constexpr (Team::kBlock)
      return eliminate_by_panels(team, n, d);
    else
      return eliminate_by_columns(n);
  }

  SINEW_HD static R sqrt_of(const R& x) {
    using std::sqrt;
    return sqrt(max(x, Numbers<R>::kSmallest));
  }

 private:
  SINEW_HD bool eliminate_by_columns(int n) const {
    using std::abs;
    const int stride = d.stride_of_A;
    if (bool regular = false; team.eliminate(n, d.A, stride, d.line, d.u, LawNumbers<R>::kLeastPivot, regular))
      return regular;
    team.each(n, [&](int i) { d.used[i] = 0; });
    for (int j = 0; j < n; ++j) {
      const int p = team.find_largest(n, [&](int i) { return d.used[i] != 0 ? R(-1) : abs(d.A[i * stride + j]); });
      const R* from = d.A + p * stride;
      const R size = abs(from[j]);
      if (!(size > LawNumbers<R>::kLeastPivot) || !(size < Numbers<R>::kLargest)) return false;
      const R inverse = 1 / from[j];
      team.each(n, [&](int i) {
        if (i == p) return;
        R* __restrict__ to = d.A + i * stride;
        const R* __restrict__ pivot = from;
        const R f = to[j] * inverse;
        for (int c = j + 1; c <= n; ++c) to[c] -= f * pivot[c];
      });
      team.one([&] { d.used[p] = 1, d.pivot[j] = p; });
    }
    team.each(n, [&](int j) { d.u[j] = d.A[d.pivot[j] * stride + n] / d.A[d.pivot[j] * stride + j]; });
    return true;
  }
};

}  // namespace sinew::device
