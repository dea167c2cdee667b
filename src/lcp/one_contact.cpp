// src/lcp/one_contact.cpp
#include "sinew/lcp/one_contact.hpp"

#include <algorithm>
#include <cmath>

namespace sinew::lcp {
namespace {

constexpr int kMostSteps = 100;

// Axes and eigenvalues of [xx xy; xy yy]; the smaller one is at least a tiny part of the larger.
void find_axes(double xx, double xy, double yy, double* axis, double* values) {
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy), c = std::cos(angle), s = std::sin(angle);
  axis[0] = c, axis[1] = s;
  values[0] = c * c * xx + 2 * c * s * xy + s * s * yy;
  values[1] = s * s * xx - 2 * c * s * xy + c * c * yy;
  const double least = 1e-15 * std::max(std::abs(values[0]), std::abs(values[1]));
  for (int i = 0; i < 2; ++i) values[i] = std::max(values[i], least);
}
void invert(const double* A, double* out) {
  const double c0 = A[4] * A[8] - A[5] * A[7], c1 = A[5] * A[6] - A[3] * A[8], c2 = A[3] * A[7] - A[4] * A[6];
  const double d = 1 / (A[0] * c0 + A[1] * c1 + A[2] * c2);
  const double m[9] = {c0, A[2] * A[7] - A[1] * A[8], A[1] * A[5] - A[2] * A[4],
                       c1, A[0] * A[8] - A[2] * A[6], A[2] * A[3] - A[0] * A[5],
                       c2, A[1] * A[6] - A[0] * A[7], A[0] * A[4] - A[1] * A[3]};
  for (int i = 0; i < 9; ++i) out[i] = m[i] * d;
}

// The root of  1 / |x(ratio)| = 1 / radius(ratio)  in ratio > 0, where x = -c / (stiffness + ratio) is outside the disc
// at ratio 0. `radius` and its slope come from x and its slope.
template <class Radius>
void find_ratio(const double* stiffness, const double* c, Radius radius, double* x) {
  double low = 0, high = INFINITY, ratio = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    double dx[2], length2 = 0, slope = 0;
    for (int i = 0; i < 2; ++i) {
      const double inverse = 1 / (stiffness[i] + ratio);
      x[i] = -c[i] * inverse, dx[i] = -x[i] * inverse;
      length2 += x[i] * x[i], slope += x[i] * dx[i];
    }
    const double length = std::sqrt(length2), allowed = radius(x), d_allowed = radius.slope(dx);
    if (length == 0) return;
    (length > allowed ? low : high) = ratio;
    double next = -1;
    if (allowed > 0) {
      // Newton on the difference of reciprocals, which is nearly a straight line
      const double f = 1 / length - 1 / allowed, df = -slope / (length2 * length) + d_allowed / (allowed * allowed);
      if (std::abs(length - allowed) <= 4e-16 * length) return;
      next = ratio - f / df;
    }
    const bool inside = next > low && next < high;
    if (!inside) {
      const double step_out = std::max(stiffness[0], stiffness[1]);
      next = high == INFINITY ? 4 * std::max(low, 0.25 * step_out) : low > 0 ? std::sqrt(low * high) : 0.1 * high;
      if (low == 0 && high < 1e-18 * step_out) return;
    }
    if (std::abs(next - ratio) <= 1e-16 * std::abs(next)) return;
    ratio = next;
  }
}

}  // namespace

OneContact::OneContact(const double* A, double mu, double preload) : mu_(mu), preload_(preload) {
  std::copy_n(A, 9, A_);
  invert(A_, inverse_);
  const double g1 = A[1], g2 = A[2], n = A[0];
  find_axes(A[4] - g1 * g1 / n, A[5] - g1 * g2 / n, A[8] - g2 * g2 / n, axis_, stiffness_);
  coupling_[0] = axis_[0] * g1 + axis_[1] * g2, coupling_[1] = -axis_[1] * g1 + axis_[0] * g2;
  if (preload > 0) find_axes(A[4], A[5], A[8], disc_axis_, disc_stiffness_);
}

ContactState OneContact::solve(const double* b, double* r) const {
  if (preload_ > 0 && mu_ > 0) return solve_preloaded(b, r);
  r[0] = r[1] = r[2] = 0;
  if (b[0] >= 0) return ContactState::open;
  if (mu_ == 0) {
    r[0] = -b[0] / A_[0];
    return ContactState::sliding;
  }
  for (int i = 0; i < 3; ++i)
    r[i] = -(inverse_[3 * i] * b[0] + inverse_[3 * i + 1] * b[1] + inverse_[3 * i + 2] * b[2]);
  const double radius = mu_ * r[0];
  if (radius >= 0 && r[1] * r[1] + r[2] * r[2] <= radius * radius) return ContactState::sticking;
  return slide(b, r);
}

// Closed and sliding: the normal row gives r_n = -(b_n + coupling . r_t) / A_nn.
ContactState OneContact::slide(const double* b, double* r) const {
  const double n = A_[0], c1 = b[1] - A_[1] * b[0] / n, c2 = b[2] - A_[2] * b[0] / n;
  const double c[2] = {axis_[0] * c1 + axis_[1] * c2, -axis_[1] * c1 + axis_[0] * c2};
  struct Radius {
    double mu, preload, bn, inverse, g0, g1;
    double operator()(const double* x) const { return mu * (preload - (bn + g0 * x[0] + g1 * x[1]) * inverse); }
    double slope(const double* dx) const { return -mu * (g0 * dx[0] + g1 * dx[1]) * inverse; }
  };
  double x[2] = {};
  const Radius radius{mu_, preload_, b[0], 1 / n, coupling_[0], coupling_[1]};
  find_ratio(stiffness_, c, radius, x);
  r[0] = std::max(0.0, radius(x) / mu_ - preload_);
  // put it exactly on the cone
  const double length = std::hypot(x[0], x[1]), fit = length > 0 ? mu_ * (r[0] + preload_) / length : 0;
  r[1] = fit * (axis_[0] * x[0] - axis_[1] * x[1]), r[2] = fit * (axis_[1] * x[0] + axis_[0] * x[1]);
  return ContactState::sliding;
}

// Friction acts without a normal impulse: r_t in a disc that grows with r_n, and u_n(r_n) crosses zero somewhere.
ContactState OneContact::solve_preloaded(const double* b, double* r) const {
  const auto solve_disc = [&](double rn) {
    const double b1 = b[1] + A_[3] * rn, b2 = b[2] + A_[6] * rn, limit = mu_ * (rn + preload_);
    const double* a = disc_axis_;
    const double c[2] = {a[0] * b1 + a[1] * b2, -a[1] * b1 + a[0] * b2};
    double x[2] = {-c[0] / disc_stiffness_[0], -c[1] / disc_stiffness_[1]};
    const bool slides = std::hypot(x[0], x[1]) > limit;
    if (slides) {
      struct Fixed {
        double limit;
        double operator()(const double*) const { return limit; }
        double slope(const double*) const { return 0; }
      };
      find_ratio(disc_stiffness_, c, Fixed{limit}, x);
      const double fit = limit / std::hypot(x[0], x[1]);
      x[0] *= fit, x[1] *= fit;
    }
    r[0] = rn, r[1] = a[0] * x[0] - a[1] * x[1], r[2] = a[1] * x[0] + a[0] * x[1];
    return slides;
  };
  const auto normal_speed = [&] { return b[0] + A_[0] * r[0] + A_[1] * r[1] + A_[2] * r[2]; };
  solve_disc(0);
  if (normal_speed() >= 0) return ContactState::open;
  double low = 0, high = std::max(preload_, std::abs(b[0]) / A_[0]);
  for (int i = 0; i < kMostSteps && (solve_disc(high), normal_speed() < 0); ++i) low = high, high *= 2;
  bool slides = false;
  for (int i = 0; i < 200 && high - low > 1e-16 * high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    slides = solve_disc(middle);
    (normal_speed() < 0 ? low : high) = middle;
  }
  slides = solve_disc(high);
  return slides ? ContactState::sliding : ContactState::sticking;
}

}  // namespace sinew::lcp
