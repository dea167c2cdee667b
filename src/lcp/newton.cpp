// src/lcp/newton.cpp
#include "sinew/lcp/newton.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/cascade.hpp"
#include "linear/lu.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {

using namespace cascade;

void Newton::reserve(std::size_t n) {
  if (w_.size() >= n) return;
  A_.resize(n * n), basic_.resize(n), order_.resize(n);
  for (auto* x : {&rhs_, &work_, &w_, &next_, &w_next_, &trial_, &w_trial_, &centre_, &best_}) x->resize(n);
}

bool Newton::step(const BoxForm& f, const double* y, const double* w, double shift, const double* centre,
                  double* next) {
  f.interrupt.check();
  int k = 0;
  for (int i = 0; i < f.size; ++i) {
    const double x = y[i] - w[i];
    next[i] = x <= 0 ? 0 : f.upper[i];
    if (x > 0 && x < f.upper[i]) basic_[k++] = i, next[i] = 0;
  }
  for (int a = 0; a < k; ++a) {
    const int i = basic_[a];
    for (int b = 0; b < k; ++b) A_[at(a) * at(k) + at(b)] = f.row(i)[basic_[b]];
    A_[at(a) * at(k) + at(a)] += shift;
    // unknowns at their upper bound are known
    rhs_[a] = -f.q[i] + shift * centre[i];
    if (f.boxed) rhs_[a] -= linear::dot(f.row(i), next, f.size);
  }
  const MatrixView<double> A = linear::square(A_.data(), k);
  if (k > 0 && linear::factor_lu(A, order_.data(), linear::kPivotFloor, f.interrupt) == 0) return false;
  linear::solve_lu(linear::constant(A), order_.data(), rhs_.data(), work_.data());
  for (int a = 0; a < k; ++a) next[basic_[a]] = rhs_[a];
  return true;
}

double Newton::calc_merit(const BoxForm& f, const double* y, const double* w, double shift,
                          const double* centre) const {
  double sum = 0;
  for (int i = 0; i < f.size; ++i) {
    const double x = y[i] - w[i] - shift * (y[i] - centre[i]);
    const double r = y[i] - std::min(std::max(x, 0.0), f.upper[i]);
    sum += r * r;
  }
  return 0.5 * sum;
}

int Newton::solve_shifted(const BoxForm& f, double* y, double* w, double shift, double goal, int limit) {
  int steps = 0;
  const double* centre = centre_.data();
  double merit = calc_merit(f, y, w, shift, centre);
  while (steps < limit && std::sqrt(2 * merit) > goal) {
    ++steps;
    for (int i = 0; i < f.size; ++i) w_trial_[i] = w[i] + shift * (y[i] - centre[i]);
    if (!step(f, y, w_trial_.data(), shift, centre, next_.data())) break;
    f.calc_w(next_.data(), w_next_.data());
    double t = 1, best = INFINITY, best_t = 1;
    for (int half = 0; half < kHalvings; ++half, t *= 0.5) {
      for (int i = 0; i < f.size; ++i) {
        trial_[i] = y[i] + t * (next_[i] - y[i]);
        w_trial_[i] = w[i] + t * (w_next_[i] - w[i]);
      }
      const double m = calc_merit(f, trial_.data(), w_trial_.data(), shift, centre);
      if (m < best) best = m, best_t = t;
      if (m < (1 - kDecrease * t) * merit) break;
    }
    if (!std::isfinite(best)) break;
    // take the best step even if it is worse than the start: it may lead out of a local minimum
    for (int i = 0; i < f.size; ++i) {
      w[i] += best_t * (w_next_[i] - w[i]);
      y[i] += best_t * (next_[i] - y[i]);
    }
    merit = best;
  }
  return steps;
}

int Newton::solve(const BoxForm& f, double* y, int limit, double tolerance, double& natural) {
  reserve(at(f.size));
  f.calc_w(y, w_.data());
  std::copy_n(y, f.size, best_.data());
  natural = calc_natural(f, y, w_.data());
  double shift = kBoxNewton.first_shift, last = natural;
  int steps = 0;
  while (steps < limit && natural > tolerance) {
    std::copy_n(y, f.size, centre_.data());
    const double goal = find_inner_goal(tolerance, last);
    const int inner = solve_shifted(f, y, w_.data(), shift, goal, std::min(kBoxNewton.inner_steps, limit - steps));
    steps += std::max(inner, 1);
    f.calc_w(y, w_.data());
    const double now = calc_natural(f, y, w_.data());
    if (now < natural) natural = now, std::copy_n(y, f.size, best_.data());
    if (!std::isfinite(now)) std::copy_n(best_.data(), f.size, y), f.calc_w(y, w_.data());
    shift = find_next_shift(kBoxNewton, shift, inner, now, last);
    last = std::isfinite(now) ? now : natural;
  }
  std::copy_n(best_.data(), f.size, y);
  return steps;
}

int Newton::polish(const BoxForm& f, double* y, int limit, double& natural) {
  reserve(at(f.size));
  f.calc_w(y, w_.data());
  natural = calc_natural(f, y, w_.data());
  int steps = 0;
  while (steps < limit) {
    ++steps;
    std::copy_n(y, f.size, centre_.data());
    if (!step(f, y, w_.data(), kBoxNewton.least_shift, centre_.data(), next_.data())) break;
    f.calc_w(next_.data(), w_next_.data());
    const double now = calc_natural(f, next_.data(), w_next_.data());
    if (!(now < natural)) break;
    std::copy_n(next_.data(), f.size, y), std::swap(w_, w_next_);
    const bool slow = now > kHalved * natural;
    natural = now;
    if (slow) break;
  }
  return steps;
}

}  // namespace sinew::lcp
