// src/lcp/pivoting.cpp
#include "sinew/lcp/pivoting.hpp"

#include <algorithm>
#include <cmath>

#include "linear/lu.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

constexpr double kViolated = 1e-12, kSlope = 1e-12;

}  // namespace

void Pivoting::reserve(std::size_t n) {
  if (w_.size() >= n) return;
  side_.resize(n), basic_.resize(n), order_.resize(n), A_.resize(n * n);
  for (auto* v : {&x_, &work_, &dy_, &dw_, &w_}) v->resize(n);
}

// The driven unknown moves by `sign`, basic ones so that their w do not change.
bool Pivoting::calc_direction(const BoxForm& f, int driven, double sign) {
  int k = 0;
  for (int i = 0; i < f.size; ++i)
    if (side_[i] == Side::basic) basic_[k++] = i;
  for (int a = 0; a < k; ++a) {
    const double* row = f.row(basic_[a]);
    for (int b = 0; b < k; ++b) A_[at(a) * at(k) + at(b)] = row[basic_[b]];
    x_[a] = -sign * row[driven];
  }
  const MatrixView<double> A = linear::square(A_.data(), k);
  if (k > 0 && linear::factor_lu(A, order_.data(), linear::kPivotFloor, f.interrupt) == 0) return false;
  linear::solve_lu(linear::constant(A), order_.data(), x_.data(), work_.data());
  std::fill_n(dy_.data(), f.size, 0.0);
  for (int a = 0; a < k; ++a) dy_[basic_[a]] = x_[a];
  dy_[driven] = sign;
  for (int i = 0; i < f.size; ++i) dw_[i] = side_[i] == Side::basic ? 0 : linear::dot(f.row(i), dy_.data(), f.size);
  return true;
}

Pivoting::Event Pivoting::find_event(const BoxForm& f, const double* y, int driven, double sign) const {
  Event out{INFINITY, -1, Side::lower};
  const auto see = [&](double length, int row, Side side) {
    if (length < out.length) out = {std::max(length, 0.0), row, side};
  };
  const std::size_t d = at(driven);
  if (sign * dw_[d] > kSlope) see(-w_[d] / dw_[d], driven, Side::basic);
  see(sign > 0 ? f.upper[d] - y[driven] : y[driven], driven, sign > 0 ? Side::upper : Side::lower);
  for (int i = 0; i < f.size; ++i) {
    const double slope = dy_[i], rise = dw_[i], w = w_[i];
    if (i == driven) continue;
    if (side_[i] == Side::basic) {
      if (slope < -kSlope) see(-y[i] / slope, i, Side::lower);
      if (slope > kSlope) see((f.upper[i] - y[i]) / slope, i, Side::upper);
    } else if (side_[i] == Side::lower ? rise < -kSlope && w >= -kViolated : rise > kSlope && w <= kViolated) {
      see(-w / rise, i, Side::basic);
    }
  }
  return out;
}

Status Pivoting::solve(const BoxForm& f, double* y, int limit, int& pivots) {
  reserve(at(f.size));
  pivots = 0;
  if (limit <= 0) limit = std::max(20 * f.size, 100);
  std::fill_n(y, f.size, 0.0);
  std::fill_n(side_.begin(), f.size, Side::lower);
  for (int driven = 0; driven < f.size;) {
    f.interrupt.check();
    f.calc_w(y, w_.data());
    const double sign = side_[driven] == Side::upper ? -1 : 1;
    if (side_[driven] == Side::basic || sign * w_[driven] >= -kViolated) {
      ++driven;
      continue;
    }
    // move until the driven row fulfils its condition
    while (side_[driven] != Side::basic) {
      f.interrupt.check();
      if (pivots++ >= limit || !calc_direction(f, driven, sign)) return Status::limit;
      const Event event = find_event(f, y, driven, sign);
      if (event.row < 0) return Status::ray;
      for (int i = 0; i < f.size; ++i) y[i] += event.length * dy_[i];
      const Side before = side_[event.row];
      side_[event.row] = event.side;
      if (event.side == Side::lower) y[event.row] = 0;
      if (event.side == Side::upper) y[event.row] = f.upper[event.row];
      f.calc_w(y, w_.data());
      if (event.row == driven && (event.side != Side::basic || before == event.side)) break;
    }
    driven = 0;  // start again: rounding may have disturbed rows that were done
  }
  for (int i = 0; i < f.size; ++i) y[i] = std::min(std::max(y[i], 0.0), f.upper[i]);
  return Status::solved;
}

}  // namespace sinew::lcp
