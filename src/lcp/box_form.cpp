// src/lcp/box_form.cpp
#include "sinew/lcp/box_form.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/infinity.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

// Factors that scale rows and columns to a unit diagonal; those without a diagonal by their largest entries.
void find_scales(const BoxForm& f, std::vector<double>& rows, std::vector<double>& cols) {
  const auto diagonal = [&](int i) {
    double largest = 0;
    for (int j = 0; j < f.size; ++j) largest = std::max(largest, std::abs(f.row(i)[j]));
    const double d = std::abs(f.row(i)[i]);
    return d > linear::kNoDiagonal * largest ? d : 0;
  };
  for (int i = 0; i < f.size; ++i) {
    const double d = diagonal(i);
    rows[i] = cols[i] = d > 0 ? 1 / std::sqrt(d) : 0;
  }
  for (int i = 0; i < f.size; ++i) {
    if (rows[i] > 0) continue;
    double down = 0, across = 0, any_down = 0, any_across = 0;
    for (int j = 0; j < f.size; ++j) {
      const double a = std::abs(f.row(j)[i]), b = std::abs(f.row(i)[j]);
      any_down = std::max(any_down, a), any_across = std::max(any_across, b);
      const bool plain = f.row(j)[j] != 0;
      if (plain) down = std::max(down, a * std::max(rows[j], 0.0));
      if (plain) across = std::max(across, b * std::max(cols[j], 0.0));
    }
    cols[i] = down > 0 ? -1 / down : any_down > 0 ? -1 / any_down : -1;
    rows[i] = across > 0 ? -1 / across : any_across > 0 ? -1 / any_across : -1;
  }
  for (int i = 0; i < f.size; ++i) rows[i] = std::abs(rows[i]), cols[i] = std::abs(cols[i]);
}

}  // namespace

void BoxForm::calc_w(const double* y, double* w) const {
  for (int i = 0; i < size; ++i) w[i] = q[i] + linear::dot(row(i), y, size);
}

double calc_natural(const BoxForm& f, const double* y, const double* w) {
  double worst = 0;
  for (int i = 0; i < f.size; ++i) {
    const double r = std::abs(y[i] - std::min(std::max(y[i] - w[i], 0.0), f.upper[i]));
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

bool is_symmetric(const BoxForm& f) {
  for (int i = 0; i < f.size; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(f.row(i)[j] - f.row(j)[i]) > 1e-9 * (1 + std::abs(f.row(i)[j]))) return false;
  return true;
}

bool BoxReduction::reduce(const Problem& p, BoxForm& f, bool& contradiction, double shift, const double* centre) {
  const int n = p.size();
  free_.clear(), rest_.clear();
  free_.reserve(at(n)), rest_.reserve(at(n));
  base_.assign(at(n), 0.0), sign_.assign(at(n), 1.0);
  f.upper.clear(), f.upper.reserve(at(n));
  for (int i = 0; i < n; ++i) {
    const double low = p.lower.size() ? p.lower[i] : 0, high = p.upper.size() ? p.upper[i] : kInfinity;
    if (low == -kInfinity && high == kInfinity) {
      free_.push_back(i);
      continue;
    }
    // from the lower bound up, or from the upper one down
    base_[i] = low > -kInfinity ? low : high, sign_[i] = low > -kInfinity ? 1 : -1;
    if (low == high) continue;
    rest_.push_back(i), f.upper.push_back(high - low);
  }
  q_.resize(at(n));
  for (int i = 0; i < n; ++i) {
    double sum = p.q[i];
    for (int j = 0; j < n; ++j)
      if (base_[j] != 0) sum += p.M(at(i), at(j)) * base_[j];
    q_[i] = sum;
  }
  const int m = f.size = static_cast<int>(rest_.size());
  f.M.reserve(at(n) * at(n)), f.q.reserve(at(n)), row_scale_.reserve(at(n)), col_scale_.reserve(at(n));
  f.M.resize(at(m) * at(m)), f.q.resize(at(m)), row_scale_.resize(at(m)), col_scale_.resize(at(m));
  free_rows_.reserve(at(n));
  free_rows_.interrupt = f.interrupt;
  const FreeRows::Outcome outcome = free_rows_.eliminate(p.M, q_, free_, rest_, shift, centre);
  contradiction = outcome == FreeRows::Outcome::contradictory;
  if (contradiction || outcome == FreeRows::Outcome::not_eliminated) return false;
  free_rows_.calc_rest(p.M, q_, f.M.data(), f.q.data());

  find_scales(f, row_scale_, col_scale_);
  double largest = 0;
  for (int i = 0; i < m; ++i) {
    const double s = sign_[rest_[i]] * row_scale_[i];
    double* row = f.M.data() + at(i) * at(m);
    for (int j = 0; j < m; ++j) row[j] *= s * sign_[rest_[j]] * col_scale_[j];
    largest = std::max(largest, std::abs(f.q[i] *= s));
  }
  unit_ = largest > 0 ? largest : 1;
  f.boxed = false;
  for (int i = 0; i < m; ++i) {
    f.q[i] /= unit_;
    f.upper[i] /= unit_ * col_scale_[i];
    f.boxed = f.boxed || f.upper[i] < kInfinity;
  }
  return true;
}

void BoxReduction::scale_start(const BoxForm& f, VectorView<const double> z, double* y) const {
  for (int i = 0; i < f.size; ++i) {
    const std::size_t k = at(rest_[i]);
    const double value = sign_[k] * (z[k] - base_[k]) / (unit_ * col_scale_[i]);
    y[i] = std::isfinite(value) ? std::min(std::max(value, 0.0), f.upper[i]) : 0;
  }
}

void BoxReduction::recover(const Problem& p, const BoxForm& f, const double* y, VectorView<double> z) {
  std::fill(z.begin(), z.end(), 0.0);
  for (int i = 0; i < f.size; ++i) {
    const std::size_t k = at(rest_[i]);
    z[k] = sign_[k] * y[i] * unit_ * col_scale_[i];
  }
  if (!free_.empty()) free_rows_.recover(p.M, q_, z);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] += base_[i];
  // a shifted bound is met exactly
  for (int i = 0; i < f.size; ++i)
    if (y[i] == f.upper[i] && p.upper.size()) {
      const std::size_t k = at(rest_[i]);
      z[k] = sign_[k] > 0 ? p.upper[k] : p.lower[k];
    }
}

}  // namespace sinew::lcp
