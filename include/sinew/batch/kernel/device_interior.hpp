// sinew/batch/kernel/device_interior.hpp - Coulomb's law from inside its cones, as lcp::ConeInterior
// In units where the diagonal of W is about 1, with  x = (mu z_n, z_t)  and  y = (s, u_t)  the law reads
//   z_n >= 0,  u_n >= 0,  z_n u_n = 0;      x and y in the cone  x_0 >= |(x_1, x_2)|,  x . y = 0
// and with  z_n u_n = gap,  x o y = gap (1, 0, 0)  in place of 0 it is smooth. A step is Newton's towards a part of the
// gap there is, in the scaling H of Nesterov and Todd (H x = y), most of the way to the boundary:
//   (W + H) dx = aim x^-1 - u,      dy = aim x^-1 - y - H dx
// where H has the tangents' rows only: the path seldom fails, but no theorem says so. It ends near an answer, where
// Newton's method on the map takes over. Differs from lcp::ConeInterior: no second-order terms, so that one elimination
// per step is enough.
#pragma once
#include "sinew/batch/kernel/device_law.hpp"

namespace sinew::device {

template <class R, class Team>
struct LawInterior {
  const Law<R, Team>& law;
  R share = R(0.9);   // of the way to the boundary that a step goes
  R toward = R(0.2);  // of the gap, that it aims at

  // The middle of all cones; returns the gap. Impulses are `size` times as large as in its units.
  SINEW_HD R start(R& size) const {
    using std::abs;
    const LawData<R>& d = law.d;
    size = law.team.template max<R>(law.blocks(), [&](int b) {
      const int k = law.row_of(b);
      R most = abs(d.q[k]);
      if (b >= d.singles) most = max(most, max(abs(d.q[k + 1]), abs(d.q[k + 2])));
      return d.block[b].scale * most;
    });
    if (!(size > 0)) size = 1;
    law.team.each(law.blocks(), [&](int b) {
      const int k = law.row_of(b);
      const LawBlock<R>& c = d.block[b];
      InteriorBlock<R> in;
      const bool single = b < d.singles, ends = single && d.upper[k] < Numbers<R>::kLargest;
      const R over = 1 / (c.scale * size);
      in.lower = single ? d.lower[k] * over : R(0), in.upper = ends ? d.upper[k] * over : Numbers<R>::kLargest;
      const R room = ends ? min(R(1), (in.upper - in.lower) / 2) : R(1);
      in.moving = !(c.inverse > 0) || !(room > 0) ? 0 : single || c.mu == 0 ? 1 : 3;
      in.push[0] = in.moving > 0 ? R(1) : R(0), in.push[1] = in.moving > 0 && ends ? R(1) : R(0);
      d.x[k] = in.moving > 0 ? in.lower + room : in.lower, d.y[k] = 1, d.unit[k] = c.scale;
      d.inside[b] = in;
      if (single) return;
      const R mu = c.mu > 0 ? c.mu : R(1);
      d.unit[k] = c.scale * min(R(1), 1 / mu), d.unit[k + 1] = d.unit[k + 2] = c.scale * min(R(1), mu);
      d.x[k + 1] = d.x[k + 2] = d.y[k + 1] = d.y[k + 2] = 0;
    });
    return calc_gap();
  }

  // One step; `other` are the impulses. False: no further step is possible.
  SINEW_HD bool step(const R& size, R& gap) const {
    const LawData<R>& d = law.d;
    if (!(gap > Numbers<R>::kEpsilon * Numbers<R>::kEpsilon)) return false;
    const R aim = toward * gap;
    law.team.each(law.blocks(), [&](int b) { calc_scaling(b); });
    law.team.each(d.rows, [&](int r) { write_equation(r, size, aim); });
    if (!law.eliminate(d.rows)) return false;
    const R hurry = law.team.template max<R>(law.blocks(), [&](int b) { return calc_hurry(b, aim); });
    if (!(hurry < Numbers<R>::kLargest)) return false;
    const R t = hurry > share ? share / hurry : R(1);
    law.team.each(law.blocks(), [&](int b) { move(b, aim, t, size); });
    gap = calc_gap();
    return true;
  }

 private:
  SINEW_HD static R calc_determinant(const R* x) {
    using std::sqrt;
    const R length = sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - length) * (x[0] + length);
  }
  SINEW_HD R calc_gap(int b) const {
    const LawData<R>& d = law.d;
    const InteriorBlock<R>& in = d.inside[b];
    const R *x = d.x + law.row_of(b), *y = d.y + law.row_of(b);
    R sum = in.push[0] * (x[0] - in.lower);
    if (in.push[1] > 0) sum += in.push[1] * (in.upper - x[0]);
    return in.moving < 3 ? sum : sum + (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]);
  }
  SINEW_HD R calc_gap() const {  // the mean over complementary pairs
    const R sum = law.team.template sum<R>(law.blocks(), [&](int b) { return calc_gap(b); });
    const R pairs = law.team.template sum<R>(law.blocks(), [&](int b) {
      const InteriorBlock<R>& in = law.d.inside[b];
      return R((in.push[0] > 0) + (in.push[1] > 0) + (in.moving == 3));
    });
    return pairs > 0 ? sum / pairs : R(0);
  }

  SINEW_HD void calc_scaling(int b) const {
    using std::sqrt;
    const LawData<R>& d = law.d;
    InteriorBlock<R>& in = d.inside[b];
    if (in.moving < 3) return;
    const R *x = d.x + law.row_of(b), *y = d.y + law.row_of(b);
    const R of_x = 1 / sqrt(calc_determinant(x)), of_y = 1 / sqrt(calc_determinant(y));
    const R product = (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) * of_x * of_y, over = 1 / sqrt(2 * (1 + product));
    for (int i = 0; i < 3; ++i) in.w[i] = (y[i] * of_y + (i == 0 ? x[i] : -x[i]) * of_x) * over;
    in.factor = of_x / of_y;
  }

  // A row of W + H, with its right-hand side. What does not move has a row of the identity.
  SINEW_HD void write_equation(int r, const R& size, const R& aim) const {
    const LawData<R>& d = law.d;
    const int b = r < d.singles ? r : d.singles + (r - d.singles) / 3, k = law.row_of(b), axis = r - k;
    const InteriorBlock<R>& in = d.inside[b];
    const auto A = law.line(d.A, r, d.stride_of_A), W = law.line(d.W, r, d.stride);
    const R unit = d.unit[r], x = d.x[k];
    const bool moves = axis < in.moving;
    R u = unit * d.q[r] / size;
    for (int c = 0; c < d.rows; ++c) {
      const R entry = unit * W[c] * d.unit[c];
      u += entry * d.x[c];
      A[c] = moves ? entry : R(0);
    }
    R wanted = 0;
    if (!moves) {
      A[r] = 1;
    } else if (axis == 0) {
      const R low = x - in.lower;
      wanted = aim / low - u, A[r] += in.push[0] / low;
      if (in.push[1] > 0) wanted -= aim / (in.upper - x), A[r] += in.push[1] / (in.upper - x);
    } else {
      for (int j = 0; j < 3; ++j) A[k + j] += in.factor * 2 * in.w[axis] * in.w[j];
      A[r] += in.factor;
      wanted = -aim * d.x[r] / calc_determinant(d.x + k) - u;
    }
    A[d.rows] = wanted;
  }

  // The changes of a block; those of x are in u after the elimination.
  struct Change {
    R x[3] = {}, y[3] = {}, push[2] = {};
  };
  SINEW_HD Change calc_change(int b, const R& aim) const {
    const LawData<R>& d = law.d;
    const InteriorBlock<R>& in = d.inside[b];
    const int k = law.row_of(b);
    Change out;
    if (in.moving == 0) return out;
    out.x[0] = d.u[k];
    const R low = d.x[k] - in.lower, high = in.upper - d.x[k];
    out.push[0] = (aim - in.push[0] * out.x[0]) / low - in.push[0];
    if (in.push[1] > 0) out.push[1] = (aim + in.push[1] * out.x[0]) / high - in.push[1];
    if (in.moving < 3) return out;
    out.x[1] = d.u[k + 1], out.x[2] = d.u[k + 2];
    const R *x = d.x + k, *y = d.y + k, over = aim / calc_determinant(x);
    const R along = 2 * (in.w[0] * out.x[0] + in.w[1] * out.x[1] + in.w[2] * out.x[2]);
    out.y[0] = over * x[0] - y[0] - in.factor * (along * in.w[0] - out.x[0]);
    for (int i = 1; i < 3; ++i) out.y[i] = -over * x[i] - y[i] - in.factor * (along * in.w[i] + out.x[i]);
    return out;
  }

  // 1 / t where x + t dx leaves its cone; 0: never.
  SINEW_HD static R calc_hurry_of_cone(const R* x, const R* dx) {
    using std::sqrt;
    R most = max(R(0), -dx[0] / x[0]);
    // a t^2 + 2 b t + c = 0, for 1 / t: the roots are written without cancellation.
    const R a = dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2], c = calc_determinant(x);
    const R b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2], under = b * b - a * c;
    if (under < 0) return most;
    const R root = sqrt(under), q = -(b + (b < 0 ? -root : root));
    if (q / c > most) most = q / c;
    if (a / q > most) most = a / q;
    return most;
  }
  SINEW_HD R calc_hurry(int b, const R& aim) const {
    const LawData<R>& d = law.d;
    const InteriorBlock<R>& in = d.inside[b];
    if (in.moving == 0) return 0;
    const int k = law.row_of(b);
    const Change by = calc_change(b, aim);
    const R *x = d.x + k, sum = by.x[0] + by.x[1] + by.x[2] + by.y[0] + by.y[1] + by.y[2];
    if (!(sum == sum)) return Numbers<R>::kInfinity;
    R most = max(-by.x[0] / (x[0] - in.lower), -by.push[0] / in.push[0]);
    if (in.push[1] > 0) most = max(most, max(by.x[0] / (in.upper - x[0]), -by.push[1] / in.push[1]));
    if (in.moving == 3) most = max(most, max(calc_hurry_of_cone(x, by.x), calc_hurry_of_cone(d.y + k, by.y)));
    return max(most, R(0));
  }
  SINEW_HD void move(int b, const R& aim, const R& t, const R& size) const {
    const LawData<R>& d = law.d;
    InteriorBlock<R>& in = d.inside[b];
    const int k = law.row_of(b);
    const Change by = calc_change(b, aim);
    for (int i = 0; i < 2; ++i) in.push[i] += t * by.push[i];
    for (int i = 0; i < (b < d.singles ? 1 : 3); ++i) {
      d.x[k + i] += t * by.x[i], d.y[k + i] += t * by.y[i];
      d.other[k + i] = size * d.unit[k + i] * d.x[k + i];
    }
  }
};

}  // namespace sinew::device
