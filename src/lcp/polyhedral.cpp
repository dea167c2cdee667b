// src/lcp/polyhedral.cpp
#include "sinew/lcp/polyhedral.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lcp/check.hpp"
#include "lcp/infinity.hpp"

namespace sinew::lcp {

RowLayout make_polyhedral_layout(const FrictionProblem& p, int directions) {
  RowLayout out = p.layout();
  out.rows_per_contact = directions + 2;
  return out;
}
int polyhedral_size(const FrictionProblem& p, int directions) { return make_polyhedral_layout(p, directions).rows(); }

void Polyhedral::build(const FrictionProblem& p, int directions) {
  check_pyramids(p, directions);
  cone_ = p.layout(), pyramid_ = make_polyhedral_layout(p, directions);
  const std::size_t nd = at(directions), first = at(cone_.first_contact());
  const std::size_t n = p.q.size(), N = at(pyramid_.rows());
  cos_.resize(nd), sin_.resize(nd);
  for (std::size_t k = 0; k < nd / 2; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(nd);
    cos_[k] = std::cos(angle), sin_[k] = std::sin(angle);
    if (2 * k * 2 == nd) cos_[k] = 0;
    cos_[k + nd / 2] = -cos_[k], sin_[k + nd / 2] = -sin_[k];
  }
  // columns first: half = W T, then M = T^T half; T repeats the tangents along the directions
  half_.assign(n * N, 0.0), M_.assign(N * N, 0.0), q_.assign(N, 0.0), lower_.assign(N, 0.0),
      upper_.assign(N, kInfinity);
  const auto fold_row = [&](const double* in, double* out) {
    std::copy_n(in, first, out);
    for (std::size_t c = 0; c < p.mu.size(); ++c) {
      const double* r = in + cone_.row_of_contact(c);
      double* o = out + pyramid_.row_of_contact(c);
      o[0] = r[0];
      for (std::size_t k = 0; k < nd; ++k) o[1 + k] = cos_[k] * r[1] + sin_[k] * r[2];  // [J14 6]
    }
  };
  for (std::size_t i = 0; i < n; ++i) fold_row(p.W.data() + i * p.W.stride(), half_.data() + i * N);
  const auto half = [&](std::size_t i) { return half_.data() + i * N; };
  for (std::size_t i = 0; i < first; ++i) std::copy_n(half(i), N, M_.data() + i * N);
  fold_row(p.q.data(), q_.data());
  for (std::size_t c = 0; c < p.mu.size(); ++c) {
    const std::size_t row = at(pyramid_.row_of_contact(c)), from = at(cone_.row_of_contact(c)), sigma = row + nd + 1;
    std::copy_n(half(from), N, M_.data() + row * N);
    for (std::size_t k = 0; k < nd; ++k) {
      double* out = M_.data() + (row + 1 + k) * N;
      for (std::size_t j = 0; j < N; ++j) out[j] = cos_[k] * half(from + 1)[j] + sin_[k] * half(from + 2)[j];
      out[sigma] = 1;                    // [J14 10b]
      M_[sigma * N + row + 1 + k] = -1;  // [J14 10c]
    }
    M_[sigma * N + row] = p.mu[c];  // [J14 10c]
    q_[sigma] = p.preload.size() ? p.mu[c] * p.preload[c] : 0;
  }
  std::fill_n(lower_.begin(), p.free, -kInfinity);
  std::copy(p.lower.begin(), p.lower.end(), lower_.begin() + p.free);
  std::copy(p.upper.begin(), p.upper.end(), upper_.begin() + p.free);
}

Problem Polyhedral::problem() const { return {{M_.data(), q_.size(), q_.size()}, q_, lower_, upper_}; }

void Polyhedral::fold(VectorView<const double> z_polyhedral, VectorView<double> z) const {
  check_size("Polyhedral", "z_polyhedral", z_polyhedral.size(), q_.size());
  check_size("Polyhedral", "z", z.size(), at(cone_.rows()));
  const std::size_t nd = cos_.size();
  std::copy_n(z_polyhedral.data(), cone_.first_contact(), z.data());
  for (int c = 0; c < cone_.contacts; ++c) {
    const double* in = z_polyhedral.data() + pyramid_.row_of_contact(c);
    double* out = z.data() + cone_.row_of_contact(c);
    out[0] = in[0], out[1] = out[2] = 0;
    for (std::size_t k = 0; k < nd; ++k) out[1] += cos_[k] * in[1 + k], out[2] += sin_[k] * in[1 + k];
  }
}

void Polyhedral::unfold(const FrictionProblem& p, VectorView<const double> z, VectorView<double> z_polyhedral) const {
  check_size("Polyhedral", "z", z.size(), at(cone_.rows()));
  check_size("Polyhedral", "the problem", p.q.size(), z.size());
  check_size("Polyhedral", "z_polyhedral", z_polyhedral.size(), q_.size());
  const std::size_t nd = cos_.size();
  std::copy_n(z.data(), cone_.first_contact(), z_polyhedral.data());
  for (int c = 0; c < cone_.contacts; ++c) {
    const double* r = z.data() + cone_.row_of_contact(c);
    double* out = z_polyhedral.data() + pyramid_.row_of_contact(c);
    std::fill_n(out, nd + 2, 0.0);
    out[0] = r[0];
    // the tangent in terms of the two nearest directions
    const double step = 2 * std::numbers::pi / static_cast<double>(nd), length = std::hypot(r[1], r[2]);
    double turns = std::atan2(r[2], r[1]) / step;
    if (turns < 0) turns += static_cast<double>(nd);
    const std::size_t k = static_cast<std::size_t>(turns) % nd;
    const double rest = (turns - std::floor(turns)) * step;
    out[1 + k] = length * std::sin(step - rest) / std::sin(step);
    out[1 + (k + 1) % nd] = length * std::sin(rest) / std::sin(step);
    double u[2] = {};
    for (std::size_t t = 0; t < 2; ++t) {
      const std::size_t row = at(cone_.row_of_contact(c)) + 1 + t;
      u[t] = p.q[row];
      for (std::size_t j = 0; j < z.size(); ++j) u[t] += p.W(row, j) * z[j];
    }
    for (std::size_t i = 0; i < nd; ++i) out[nd + 1] = std::max(out[nd + 1], -(cos_[i] * u[0] + sin_[i] * u[1]));
  }
}

}  // namespace sinew::lcp
