// src/lcp/qp.cpp
#include "sinew/lcp/qp.hpp"

#include <algorithm>
#include <cmath>

#include "linear/ldl.hpp"
#include "linear/rows.hpp"

namespace sinew::lcp {
void InteriorPoint::reserve(std::size_t n) {
  if (w_.size() >= n) return;
  H_.resize(n * static_cast<std::size_t>(linear::ldl_stride(static_cast<int>(n)))), work_.resize(2 * n);
  for (auto* x : {&w_, &v_, &rest_, &dy_, &dw_, &dv_, &cross_low_, &cross_high_}) x->resize(n);
}

// M + w / y + v / (upper - y)
bool InteriorPoint::factor(const BoxForm& f, const double* y) {
  const std::size_t stride = at(linear::ldl_stride(f.size));
  for (int i = 0; i < f.size; ++i) {
    double* row = H_.data() + at(i) * stride;
    std::copy_n(f.row(i) + i, f.size - i, row + i);
    row[i] += w_[i] / y[i];
    if (std::isfinite(f.upper[i])) row[i] += v_[i] / (f.upper[i] - y[i]);
  }
  return linear::factor_ldl(H_.data(), f.size, 0, work_.data(), work_.data() + f.size, f.interrupt).singular_row < 0;
}

// Newton on  M y + q - w + v = 0,  y w = target,  (upper - y) v = target,  with the second-order terms given.
void InteriorPoint::calc_direction(const BoxForm& f, const double* y, double target) {
  for (int i = 0; i < f.size; ++i) {
    const std::size_t k = at(i);
    const double low = (target - cross_low_[k]) / y[i] - w_[k];
    double rhs = -rest_[k] + low;
    if (std::isfinite(f.upper[k])) rhs -= (target - cross_high_[k]) / (f.upper[k] - y[i]) - v_[k];
    dy_[k] = rhs;
  }
  linear::solve_ldl(H_.data(), f.size, dy_.data());
  for (int i = 0; i < f.size; ++i) {
    const std::size_t k = at(i);
    dw_[k] = (target - cross_low_[k] - w_[k] * dy_[k]) / y[i] - w_[k];
    dv_[k] = std::isfinite(f.upper[k]) ? (target - cross_high_[k] + v_[k] * dy_[k]) / (f.upper[k] - y[i]) - v_[k] : 0;
  }
}

int InteriorPoint::solve(const BoxForm& f, double* y, int limit, double tolerance) {
  const int n = f.size;
  if (n == 0) return 0;
  reserve(at(n));
  int pairs = n;
  for (int i = 0; i < n; ++i) {
    const bool boxed = std::isfinite(f.upper[i]);
    pairs += boxed ? 1 : 0;
    y[i] = boxed ? std::min(1.0, 0.5 * f.upper[i]) : 1, w_[i] = 1, v_[i] = boxed ? 1 : 0;
  }
  // largest step that keeps y, w, upper - y and v positive
  const auto find_length = [&] {
    double t = 1;
    for (int i = 0; i < n; ++i) {
      const std::size_t k = at(i);
      if (dy_[k] < 0) t = std::min(t, -y[i] / dy_[k]);
      if (dw_[k] < 0) t = std::min(t, -w_[k] / dw_[k]);
      if (dy_[k] > 0) t = std::min(t, (f.upper[k] - y[i]) / dy_[k]);
      if (dv_[k] < 0) t = std::min(t, -v_[k] / dv_[k]);
    }
    return t;
  };
  const auto calc_gap = [&](double t) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const std::size_t k = at(i);
      sum += (y[i] + t * dy_[k]) * (w_[k] + t * dw_[k]);
      if (std::isfinite(f.upper[k])) sum += (f.upper[k] - y[i] - t * dy_[k]) * (v_[k] + t * dv_[k]);
    }
    return sum / pairs;
  };
  int steps = 0;
  while (steps < limit) {
    f.interrupt.check();
    double worst = 0;
    for (int i = 0; i < n; ++i) {
      rest_[i] = f.q[i] + linear::dot(f.row(i), y, n) - w_[i] + v_[i];
      worst = std::max(worst, std::abs(rest_[i]));
    }
    const double gap = calc_gap(0);
    if ((gap < tolerance && worst < std::sqrt(tolerance)) || !std::isfinite(gap)) break;
    ++steps;
    if (!factor(f, y)) break;
    std::fill_n(cross_low_.data(), n, 0.0), std::fill_n(cross_high_.data(), n, 0.0);
    calc_direction(f, y, 0);
    const double ahead = std::max(calc_gap(find_length()), 0.0), centring = std::pow(std::min(ahead / gap, 1.0), 3);
    for (int i = 0; i < n; ++i) cross_low_[i] = dy_[i] * dw_[i], cross_high_[i] = -dy_[i] * dv_[i];
    calc_direction(f, y, centring * gap);
    const double t = std::min(1.0, 0.995 * find_length());
    for (int i = 0; i < n; ++i) y[i] += t * dy_[i], w_[i] += t * dw_[i], v_[i] += t * dv_[i];
  }
  // an unknown smaller than its multiplier is on its bound
  for (int i = 0; i < n; ++i) {
    if (y[i] < w_[i]) y[i] = 0;
    if (std::isfinite(f.upper[i]) && f.upper[i] - y[i] < v_[i]) y[i] = f.upper[i];
  }
  return steps;
}

}  // namespace sinew::lcp
