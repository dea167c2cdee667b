// sinew/batch/kernel/device_newton.hpp - Newton's method on the natural map of a friction problem
// Of the active rows: a contact is open, sticks (3 unknowns) or slides (2: the normal impulse and the direction), a
// single is at a bound or free. A step solves  (A + shift) y = -r  where A has the rows of W in the coordinates of the
// unknowns. A weight multiplies u in the map: it changes the path to an answer, not the answers. A contact slides in
// the map where mu z_n - |z_t| is less than the weight times |u_t|.
#pragma once
#include "sinew/batch/kernel/device_law.hpp"

namespace sinew::device {

template <class R, class Team>
struct LawNewton {
  const Law<R, Team>& law;

  // One Newton step from z, with u of it; z is then the next iterate, u is not of it. False if the matrix is singular.
  SINEW_HD bool step(R* z, const R& shift, const R& weight) const {
    const Team& team = law.team;
    const LawData<R>& d = law.d;
    team.each(law.blocks(), [&](int b) { classify(b, z, weight); });
    const int n = team.place(
        law.blocks(), [&](int b) { return d.block[b].kind; }, [&](int b, int first) { d.block[b].first = first; });
    law.renew(z);
    team.each(law.blocks(), [&](int b) { write_equations(b, z, n, weight); });
    if constexpr (Team::kBlock)
      write_newton_matrix(team, d, n, shift);
    else
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
    if (!law.eliminate(n)) return false;
    team.each(law.blocks(), [&](int b) { move(b, z); });
    return true;
  }

  // Steps from `other`, halved until the square of the map falls; the best iterate goes to z if it is better than
  // `best`. A step that is cut short raises the shift of the next one. Returns how many steps there were.
  SINEW_HD int descend(int limit, const R& weight, R shift, const R& tolerance, R& best) const {
    const LawData<R>& d = law.d;
    for (int steps = 0;; ++steps) {
      law.renew(d.other);
      const R now = law.measure(d.other);
      if (now < best) {
        best = now;
        law.team.each(d.rows, [&](int r) { d.z[r] = d.other[r]; });
      }
      if (best <= tolerance || steps == limit) return steps;
      law.team.each(d.rows, [&](int r) { d.held[r] = d.u[r], d.next[r] = d.other[r]; });
      const R before = calc_merit(0, weight);
      if (!step(d.next, shift, weight)) return steps;
      law.renew(d.next);
      R t = 1, chosen = 1, least = Numbers<R>::kInfinity;
      for (int half = 0; half < kHalvings; ++half, t /= 2) {
        const R m = calc_merit(t, weight);
        if (m < least) least = m, chosen = t;
        if (m < (1 - kDecrease * t) * before) break;
      }
      // The best step, even if it is worse than the start: it may lead out of a local minimum.
      law.team.each(d.rows, [&](int r) { d.other[r] += chosen * (d.next[r] - d.other[r]); });
      shift = chosen == 1 ? max(shift / 10, LawNumbers<R>::kShift) : chosen < kShort ? min(10 * shift, R(1)) : shift;
    }
  }

 private:
  static constexpr R kDecrease = R(0.1), kShort = R(0.2);
  static constexpr int kHalvings = 8;

  // Unknowns of a block: none at a bound, the normal impulse, with the direction of sliding, or all three.
  enum Kind { at_bound = 0, normal_only = 1, sliding = 2, sticking = 3 };

  // What a block does at z and u. There, z is set to its bound, and friction that slides to its cone.
  SINEW_HD void classify(int b, R* z, const R& of_u) const {
    using std::sqrt;
    const LawData<R>& d = law.d;
    const int k = law.row_of(b);
    LawBlock<R>& c = d.block[b];
    const R weight = of_u * c.scale * c.scale, t = z[k] - weight * d.u[k];
    c.kind = at_bound;
    if (b < d.singles) {
      if (c.inverse > 0 && t > d.lower[k] && t < d.upper[k])
        c.kind = normal_only;
      else
        z[k] = law.clamp(c.inverse > 0 ? t : R(0), d.lower[k], d.upper[k]);
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
  SINEW_HD void write_equations(int b, const R* z, int n, const R& of_u) const {
    const LawData<R>& d = law.d;
    const LawBlock<R>& c = d.block[b];
    const int k = law.row_of(b), i = c.first;
    const R s = c.scale, *u = d.u;
    const auto set = [&](int at, const LawUnknown<R>& x, const R& rhs) {
      d.unknown[i + at] = x;
      law.line(d.A, i + at, d.stride_of_A)[n] = rhs;
    };
    if (c.kind == at_bound) return;
    if (c.kind == sliding) {
      const R e1 = -c.d2, e2 = c.d1, m = s * c.mu, f = of_u * s * c.share;
      set(0, {k, s, m * c.d1, m * c.d2, s, 0, 0}, -s * u[k]);
      set(1, {k + 1, s * e1, s * e2, 0, f * e1, f * e2, 1 - c.share},
          -f * (e1 * u[k + 1] + e2 * u[k + 2]) - (1 - c.share) * (e1 * z[k + 1] + e2 * z[k + 2]) / s);
      return;
    }
    for (int t = 0; t < c.kind; ++t) set(t, {k + t, s, 0, 0, s, 0, 0}, -s * u[k + t]);
  }

  SINEW_HD void move(int b, R* z) const {
    const LawData<R>& d = law.d;
    const LawBlock<R>& c = d.block[b];
    const int k = law.row_of(b);
    const auto y = [&](int t) { return c.scale * d.u[c.first + t]; };
    if (c.kind == at_bound) return;
    z[k] += y(0);
    if (c.kind == sticking) z[k + 1] += y(1), z[k + 2] += y(2);
    if (c.kind != sliding) return;
    const R along = c.mu * y(0), side = y(1);
    z[k + 1] += c.d1 * along - c.d2 * side, z[k + 2] += c.d2 * along + c.d1 * side;
  }

  // The square of the map at t of the way from `other`, where velocities are `held`, to `next`, where they are u.
  SINEW_HD R calc_merit(const R& t, const R& of_u) const {
    using std::sqrt;
    const LawData<R>& d = law.d;
    return law.team.template sum<R>(law.blocks(), [&](int b) {
      const int k = law.row_of(b);
      const LawBlock<R>& c = d.block[b];
      const R weight = of_u * c.scale * c.scale;
      const auto z = [&](int i) { return d.other[k + i] + t * (d.next[k + i] - d.other[k + i]); };
      const auto before = [&](int i) { return z(i) - weight * (d.held[k + i] + t * (d.u[k + i] - d.held[k + i])); };
      const R normal = before(0);
      if (b < d.singles) {
        const R e = z(0) - law.clamp(normal, d.lower[k], d.upper[k]);
        return e * e / weight;
      }
      const R radius = c.mu * max(normal, R(0));
      R x1 = before(1), x2 = before(2);
      const R length = sqrt(x1 * x1 + x2 * x2);
      if (length > radius) x1 *= radius / length, x2 *= radius / length;
      const R e0 = z(0) - max(normal, R(0)), e1 = z(1) - x1, e2 = z(2) - x2;
      return (e0 * e0 + e1 * e1 + e2 * e2) / weight;
    });
  }
};

}  // namespace sinew::device
