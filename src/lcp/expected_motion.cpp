// src/lcp/expected_motion.cpp
#include "lcp/expected_motion.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/cascade.hpp"
#include "lcp/sparse_cone.hpp"

namespace sinew::lcp {
namespace {

// Whether friction is at its bound, or there is none.
bool slides(const ConeForm& f, int block, const double* r) {
  const double most = f.mu[at(block - f.unilateral)] * r[0];
  return std::sqrt(r[1] * r[1] + r[2] * r[2]) >= cascade::kEdge * most;
}

bool mostly_sticks(const ConeForm& f, const double* r) {
  int pressing = 0, sliding = 0;
  for (int k = f.unilateral; k < f.blocks(); ++k) {
    const double* own = r + f.start(k);
    if (own[0] > 0) ++pressing, sliding += slides(f, k, own);
  }
  return sliding <= cascade::kFewSlide * pressing;
}

}  // namespace

void ExpectedMotion::reserve(std::size_t rows, std::size_t velocities) { u_.reserve(rows), v_.reserve(velocities); }

// What presses should not move along its normal, what is open should not approach, what sticks should not slip: the
// mean of the squares, its root.
double ExpectedMotion::calc_error(const ConeForm& f, const double* r, const double* u) const {
  double sum = 0;
  for (int k = 0; k < f.blocks(); ++k) {
    const double *p = r + f.start(k), *w = u + f.start(k);
    double own = p[0] > 0 ? std::abs(w[0]) : std::max(0.0, -w[0]);
    if (f.width(k) == 3 && !slides(f, k, p)) own = std::max(own, std::sqrt(w[1] * w[1] + w[2] * w[2]));
    sum += own * own;
  }
  return std::sqrt(sum / f.blocks());
}

bool ExpectedMotion::is_better(const ConeForm& f, const double* r, const double* u_r) {
  const std::vector<double>& expected = f.sparse->expected();
  if (expected.empty() || !mostly_sticks(f, r)) return false;
  v_.resize(expected.size()), u_.resize(at(f.size));
  for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = expected[i] / f.unit;
  f.sparse->calc_rows(v_.data(), u_.data());
  for (int i = 0; i < f.size; ++i) u_[at(i)] += f.b[at(i)];
  error_ = calc_error(f, r, u_.data());
  return error_ < cascade::kExpectedGain * calc_error(f, r, u_r);
}

}  // namespace sinew::lcp
