// sinew/batch/kernel/device_law.hpp - a friction problem of one world, solved by a team
// Find z with u = W z + q and
//   singles     lower <= z <= upper,   u >= 0 at the lower, u <= 0 at the upper bound, u = 0 between
//   contacts    three rows n t t: Coulomb's exact law, |z_t| <= mu z_n, as in lcp::FrictionProblem
// Newton's method on the natural map of the active rows: a contact is open, sticks (3 unknowns) or slides (2: the
// normal impulse and the direction), a single is at a bound or free. The step solves  (A + shift) y = -r  where A has
// the rows of W in the coordinates of the unknowns. A round of sweeps of exact one-contact solutions comes before the
// next try where it does not arrive; the best iterate is the answer. The residual is the natural map over the largest
// free velocity: 0 for an exact answer.
#pragma once
#include <cmath>

#include "sinew/batch/kernel/device_one_contact.hpp"

namespace sinew::device {

struct LawOutcome {
  int newtons = 0, sweeps = 0;
};

inline constexpr int kNewtonSteps = 12;  // in a round
inline constexpr int kRounds = 8;        // with 0, 1, 2, 4, ... sweeps before them

template <class R, class Team>
struct Law {
  const Team& team;
  const LawData<R>& d;

  // A block is a single row or a contact.
  SINEW_HD int blocks() const { return d.singles + d.contacts; }
  SINEW_HD int row_of(int b) const { return b < d.singles ? b : d.singles + 3 * (b - d.singles); }
  SINEW_HD R entry(int r, int c) const { return d.W[r * d.stride + c]; }
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
      const R* W = d.W + r * d.stride;
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

  // One Newton step from z, with u of it; z is then the next iterate, u is not of it. False if the matrix is singular.
  SINEW_HD bool step(R* z, const R& shift) const {
    team.each(blocks(), [&](int b) { classify(b, z); });
    const int n = team.place(
        blocks(), [&](int b) { return d.block[b].kind; }, [&](int b, int first) { d.block[b].first = first; });
    renew(z);
    team.each(blocks(), [&](int b) { write_equations(b, z, n); });
    team.each(n, [&](int i) {
      const LawUnknown<R> line = d.unknown[i];
      const LawUnknown<R>* __restrict__ columns = d.unknown;
      const R* __restrict__ W0 = d.W + line.row * d.stride, * __restrict__ W1 = line.l1 != 0 ? W0 + d.stride : W0;
      R* __restrict__ A = d.A + i * d.stride_of_A;
      for (int j = 0; j < n; ++j) {
        const LawUnknown<R>& c = columns[j];
        const int k = c.row;
        R sum = c.c0 * (line.l0 * W0[k] + line.l1 * W1[k]);
        if (c.c1 != 0 || c.c2 != 0) sum += c.c1 * (line.l0 * W0[k + 1] + line.l1 * W1[k + 1]);
        if (c.c2 != 0) sum += c.c2 * (line.l0 * W0[k + 2] + line.l1 * W1[k + 2]);
        A[j] = sum + (i == j ? line.more + shift : R(0));
      }
    });
    if (!eliminate(n)) return false;
    team.each(blocks(), [&](int b) { move(b, z); });
    return true;
  }

  // The answer in z, with u of it; the residual. Rounds of sweeps (none at first) and then Newton steps; each begins
  // with the best answer so far.
  SINEW_HD R solve(const R& tolerance, LawOutcome& cost) const {
    R best = Numbers<R>::kInfinity, shift = LawNumbers<R>::kShift;
    int round = 0, sweeps = 0, steps = 0;
    bool newton = false;
    begin();
    for (;;) {
      R* z = newton ? d.other : d.z;
      renew(z);
      if (round == kRounds) return best;
      const R now = measure(z);
      if (now < best || !newton) {
        best = now;
        R* to = newton ? d.z : d.other;
        team.each(d.rows, [&](int r) { to[r] = z[r]; });
        if (best <= tolerance) return best;
      } else if (!(now < 10)) {
        steps = kNewtonSteps;  // it runs away
      }
      if (!newton && sweeps > 0) {
        --sweeps, ++cost.sweeps;
        sweep();
        continue;
      }
      newton = true;
      if (steps < kNewtonSteps) {
        ++steps, ++cost.newtons;
        if (step(d.other, shift)) continue;
      }
      newton = false, steps = 0, shift *= 10;
      sweeps = 1 << round++;
    }
  }

 private:
  // Unknowns of a block: none at a bound, the normal impulse, with the direction of sliding, or all three.
  enum Kind { at_bound = 0, normal_only = 1, sliding = 2, sticking = 3 };

  SINEW_HD static R sqrt_of(const R& x) {
    using std::sqrt;
    return sqrt(max(x, Numbers<R>::kSmallest));
  }

  // What a block does at z and u. There, z is set to its bound, and friction that slides to its cone.
  SINEW_HD void classify(int b, R* z) const {
    using std::sqrt;
    const int k = row_of(b);
    LawBlock<R>& c = d.block[b];
    const R weight = c.scale * c.scale, t = z[k] - weight * d.u[k];
    c.kind = at_bound;
    if (b < d.singles) {
      if (c.inverse > 0 && t > d.lower[k] && t < d.upper[k])
        c.kind = normal_only;
      else
        z[k] = clamp(c.inverse > 0 ? t : R(0), d.lower[k], d.upper[k]);
      return;
    }
    if (!(t > 0) || !(c.inverse > 0)) {
      z[k] = z[k + 1] = z[k + 2] = 0;
      return;
    }
    c.kind = normal_only;
    if (c.mu == 0) {
      z[k + 1] = z[k + 2] = 0;
      return;
    }
    const R a1 = z[k + 1] - weight * d.u[k + 1], a2 = z[k + 2] - weight * d.u[k + 2];
    const R radius = c.mu * t, length = sqrt(a1 * a1 + a2 * a2);
    c.kind = sticking;
    if (length <= radius) return;
    c.kind = sliding, c.d1 = a1 / length, c.d2 = a2 / length, c.share = radius / length;
    const R side = c.d1 * z[k + 2] - c.d2 * z[k + 1], along = c.mu * z[k];
    z[k + 1] = c.d1 * along - c.d2 * side, z[k + 2] = c.d2 * along + c.d1 * side;
  }

  // With e across the direction d of sliding, its unknowns are z_n, which takes friction with it, and z_t along e:
  //   u_n = 0       share (e . u_t) + (1 - share) e . z_t / weight = 0
  SINEW_HD void write_equations(int b, const R* z, int n) const {
    const LawBlock<R>& c = d.block[b];
    const int k = row_of(b), i = c.first;
    const R s = c.scale, *u = d.u;
    const auto set = [&](int at, const LawUnknown<R>& x, const R& rhs) {
      d.unknown[i + at] = x;
      d.A[(i + at) * d.stride_of_A + n] = rhs;
    };
    if (c.kind == at_bound) return;
    if (c.kind == sliding) {
      const R e1 = -c.d2, e2 = c.d1, m = s * c.mu, f = s * c.share;
      set(0, {k, s, m * c.d1, m * c.d2, s, 0, 0}, -s * u[k]);
      set(1, {k + 1, s * e1, s * e2, 0, f * e1, f * e2, 1 - c.share},
          -f * (e1 * u[k + 1] + e2 * u[k + 2]) - (1 - c.share) * (e1 * z[k + 1] + e2 * z[k + 2]) / s);
      return;
    }
    for (int t = 0; t < c.kind; ++t) set(t, {k + t, s, 0, 0, s, 0, 0}, -s * u[k + t]);
  }

  // A y = rhs, by the largest entry of each column; y is then in u.
  SINEW_HD bool eliminate(int n) const {
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

  SINEW_HD void move(int b, R* z) const {
    const LawBlock<R>& c = d.block[b];
    const int k = row_of(b);
    const auto y = [&](int t) { return c.scale * d.u[c.first + t]; };
    if (c.kind == at_bound) return;
    z[k] += y(0);
    if (c.kind == sticking) z[k + 1] += y(1), z[k + 2] += y(2);
    if (c.kind != sliding) return;
    const R along = c.mu * y(0), side = y(1);
    z[k + 1] += c.d1 * along - c.d2 * side, z[k + 2] += c.d2 * along + c.d1 * side;
  }
};

}  // namespace sinew::device
