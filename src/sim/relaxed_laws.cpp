// src/sim/relaxed_laws.cpp
#include "relaxed_laws.hpp"

#include <algorithm>
#include <cmath>

#include "linear/lu.hpp"

namespace sinew::stepping {
namespace {

constexpr int kMostIterations = 200;
constexpr double kWithinBounds = 0.9;  // of the way to the end of a cone, at most
constexpr double kConverged = 1e-9;    // relative change of an iteration; the next one squares it

// p with  p (c + W p) = kappa,  p > 0.
double find_impulse(double c, double W, double kappa) {
  const double root = std::sqrt(c * c + 4 * W * kappa);
  return c > 0 ? 2 * kappa / (c + root) : (root - c) / (2 * W);
}
double find_h(double x, double slip) { return (x + std::hypot(x, 2 * slip)) / 2; }

}  // namespace

void RelaxedLaws::add(Kind kind, double bound) {
  laws_.push_back({kind, rows_, bound});
  rows_ += laws_.back().count();
}

// As if the row were alone.
void RelaxedLaws::start(const Law& law, const Matrix& W, double kappa, double* p, double* w) const {
  const double stiff = std::max(W(law.row, law.row), 1e-300);
  if (law.kind == Kind::dry_friction) {
    const double room = 1e-3;
    p[0] = std::clamp(p[0], -(1 - room) * law.bound, (1 - room) * law.bound);
    w[0] = -kappa * p[0] / (law.bound * law.bound - p[0] * p[0]);
    return;
  }
  const double normal = find_impulse(w[0] - stiff * p[0], stiff, kappa);
  const double before = p[0];
  p[0] = normal, w[0] = kappa / normal;
  if (law.kind == Kind::presses) return;
  const double slip = std::hypot(w[1], w[2]), friction = std::hypot(p[1], p[2]);
  const double most = law.bound * before, x = w[0] / law.bound;
  if (before > 0 && friction < most && law.bound * before - friction > stiff * slip) {
    // It sticks: |w_t| = r h,  h (1 - r^2) = w_n / mu.
    const double r = std::min(friction / most, 0.999), h = x / (1 - r * r);
    for (int k = 1; k < 3; ++k) {
      p[k] *= friction > 0 ? r * law.bound * normal / friction : 0;
      w[k] = -h / (law.bound * normal) * p[k];
    }
  } else {
    const double h = find_h(x, slip);
    for (int k = 1; k < 3; ++k) p[k] = -law.bound * normal / h * w[k];
  }
}

void RelaxedLaws::linearize(const Law& law, double kappa, const double* p, const double* w) {
  Slope* out = slopes_.data() + law.row;
  double* value = values_.data() + law.row;
  if (law.kind == Kind::dry_friction) {
    const double room = law.bound * law.bound - p[0] * p[0];
    out[0] = {{kappa - 2 * w[0] * p[0], 0, 0}, {room, 0, 0}, 2 * law.bound * w[0]};
    value[0] = w[0] * room + kappa * p[0];
    return;
  }
  out[0] = {{w[0], 0, 0}, {p[0], 0, 0}, 0};
  value[0] = p[0] * w[0] - kappa;
  if (law.kind == Kind::presses) return;
  const double mu = law.bound, x = w[0] / mu, root = std::hypot(x, 2 * std::hypot(w[1], w[2])), h = (x + root) / 2;
  const double by_x = (1 + x / root) / 2, by_w1 = 2 * w[1] / root, by_w2 = 2 * w[2] / root;
  for (int k = 1; k < 3; ++k) {
    out[k] = {{mu * w[k], 0, 0}, {p[k] * by_x / mu, p[k] * by_w1, p[k] * by_w2}, p[0] * w[k] - p[k] * by_x * x / mu};
    out[k].by_impulse[static_cast<std::size_t>(k)] = h, out[k].by_velocity[static_cast<std::size_t>(k)] += mu * p[0];
    value[k] = h * p[k] + mu * p[0] * w[k];
  }
}

// How far one may go along the change, 1 at most.
double RelaxedLaws::calc_step(const Law& law, const double* p, const double* w, const double* dp,
                              const double* dw) const {
  const auto within = [](double x, double dx) {
    return x + dx > (1 - kWithinBounds) * x ? 1 : -kWithinBounds * x / dx;
  };
  if (law.kind == Kind::dry_friction)
    return std::min(within(law.bound - p[0], -dp[0]), within(law.bound + p[0], dp[0]));
  return std::min(within(p[0], dp[0]), within(w[0], dw[0]));
}

// The largest change, relative to the numbers or to how far they are from the end of their cone.
double RelaxedLaws::calc_change(const Law& law, const double* p, const double* w, const double* dp,
                                const double* dw) const {
  if (law.kind == Kind::dry_friction) return std::abs(dp[0]) / (law.bound - std::abs(p[0]));
  double most = std::max(std::abs(dp[0]) / p[0], std::abs(dw[0]) / w[0]);
  if (law.kind == Kind::presses) return most;
  const double h = find_h(w[0] / law.bound, std::hypot(w[1], w[2]));
  for (int k = 1; k < 3; ++k) most = std::max({most, std::abs(dp[k]) / (law.bound * p[0]), std::abs(dw[k]) / h});
  return most;
}

// A_p dp + A_w dw = -value,  dw = W dp + off;  false where that has no solution.
bool RelaxedLaws::find_change(const Matrix& W, const std::vector<double>& p, const std::vector<double>& w) {
  for (int i = 0; i < rows_; ++i) {
    off_[at(i)] = b_[at(i)] - w[at(i)];
    for (int k = 0; k < rows_; ++k) off_[at(i)] += W(i, k) * p[at(k)];
  }
  for (const Law& l : laws_)
    for (int i = l.row; i < l.row + l.count(); ++i) {
      const Slope& s = slopes_[at(i)];
      double *a = A_.row(i), most = 0;
      std::fill_n(a, rows_, 0.0);
      dp_[at(i)] = -values_[at(i)];
      for (int k = 0; k < l.count(); ++k) {
        const double by = s.by_velocity[at(k)];
        a[l.row + k] += s.by_impulse[at(k)];
        for (int j = 0; j < rows_; ++j) a[j] += by * W(l.row + k, j);
        dp_[at(i)] -= by * off_[at(l.row + k)];
      }
      for (int j = 0; j < rows_; ++j) a[j] *= unit_[at(j)], most = std::max(most, std::abs(a[j]));
      if (!(most > 0)) return false;
      for (int j = 0; j < rows_; ++j) a[j] /= most;
      dp_[at(i)] /= most;
    }
  if (linear::factor_lu(A_, order_.data()) == 0) return false;
  linear::solve_lu(A_, order_.data(), dp_.data(), work_.data());
  for (int i = 0; i < rows_; ++i) dp_[at(i)] *= unit_[at(i)];
  for (int i = 0; i < rows_; ++i) {
    dw_[at(i)] = off_[at(i)];
    for (int k = 0; k < rows_; ++k) dw_[at(i)] += W(i, k) * dp_[at(k)];
  }
  return true;
}

bool RelaxedLaws::iterate(const Matrix& W, std::vector<double>& p, std::vector<double>& w, double kappa) {
  bool last = false;
  for (int i = 0; i < kMostIterations; ++i) {
    for (const Law& l : laws_) linearize(l, kappa, p.data() + l.row, w.data() + l.row);
    if (last) return true;
    if (!find_change(W, p, w)) return false;
    double step = 1, change = 0;
    for (const Law& l : laws_) {
      const double *p0 = p.data() + l.row, *w0 = w.data() + l.row, *p1 = dp_.data() + l.row, *w1 = dw_.data() + l.row;
      step = std::min(step, calc_step(l, p0, w0, p1, w1)), change = std::max(change, calc_change(l, p0, w0, p1, w1));
    }
    if (!std::isfinite(change)) return false;
    for (std::size_t k = 0; k < p.size(); ++k) p[k] += step * dp_[k], w[k] += step * dw_[k];
    last = change <= kConverged;
  }
  return false;
}

bool RelaxedLaws::solve(const Matrix& W, std::vector<double>& p, std::vector<double>& w, double kappa) {
  const std::size_t n = at(rows_);
  for (auto* x : {&dp_, &dw_, &off_, &work_, &unit_, &values_}) x->assign(n, 0.0);
  slopes_.assign(n, {}), order_.resize(n), A_.resize(rows_, rows_), b_ = w;
  for (int i = 0; i < rows_; ++i)
    for (int k = 0; k < rows_; ++k) b_[at(i)] -= W(i, k) * p[at(k)];
  for (const Law& l : laws_) {
    double most = 0;
    for (int i = l.row; i < l.row + l.count(); ++i) most = std::max(most, W(i, i));
    std::fill_n(unit_.begin() + l.row, l.count(), 1 / std::sqrt(most > 0 ? most : 1));
  }
  // Where the start beside the exact solution leads nowhere, one from farther inside the cones, along the path.
  const std::vector<double> exact_p = p, exact_w = w;
  for (const double farther : {1.0, 1e2, 1e4}) {
    p = exact_p, w = exact_w;
    for (const Law& l : laws_) start(l, W, farther * kappa, p.data() + l.row, w.data() + l.row);
    bool solved = true;
    for (double by = farther; by >= 1 && solved; by /= 10) solved = iterate(W, p, w, by * kappa);
    if (solved) return true;
  }
  return false;
}

}  // namespace sinew::stepping
