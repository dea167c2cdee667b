// src/lcp/wedge.cpp
#include "lcp/wedge.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/cascade.hpp"
#include "linear/lu.hpp"
#include "linear/rows.hpp"

namespace sinew::lcp {

using namespace cascade;

void Wedge::reserve(std::size_t rows) {
  for (auto* x : {&d_, &x_, &work_}) x->reserve(rows);
  for (auto* x : {&rows_, &order_}) x->reserve(rows);
  A_.reserve(rows * rows);
}

// Onto the directions in which impulses may grow without end; `share` of the friction.
void Wedge::project(const ConeForm& f, double share) {
  for (int k = 0; k < f.blocks(); ++k) {
    double* d = d_.data() + f.start(k);
    if (f.width(k) == 1) {
      if (std::isfinite(f.lower[at(k)])) d[0] = std::max(d[0], 0.0);
      if (std::isfinite(f.upper[at(k)])) d[0] = std::min(d[0], 0.0);
      continue;
    }
    d[0] = std::max(d[0], 0.0);
    const double radius = share * f.mu[at(k - f.unilateral)] * d[0], length = std::sqrt(d[1] * d[1] + d[2] * d[2]);
    if (length > radius) d[1] *= radius / length, d[2] *= radius / length;
  }
}

// Scales d to 1 and leaves out blocks that hardly take part; their rows are then known.
bool Wedge::keep_largest(const ConeForm& f) {
  double largest = 0;
  for (const double x : d_) largest = std::max(largest, std::abs(x));
  if (!(largest > 0) || !std::isfinite(largest)) return false;
  rows_.clear();
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k), end = n + f.width(k);
    double here = 0;
    for (int i = n; i < end; ++i) d_[at(i)] /= largest, here = std::max(here, std::abs(d_[at(i)]));
    for (int i = n; i < end; ++i)
      if (here < kWedgePart)
        d_[at(i)] = 0;
      else
        rows_.push_back(i);
  }
  return true;
}

// G of these rows with a small shift, for inverse iteration.
bool Wedge::factor(const ConeForm& f) {
  const std::size_t n = rows_.size();
  A_.resize(n * n), x_.resize(n), work_.resize(n), order_.resize(n);
  const MatrixView<double> A(A_.data(), n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) A(i, j) = f.row(rows_[i])[rows_[j]] + (i == j ? kWedgeShift : 0.0);
  return linear::factor_lu(A, order_.data()) > 0;
}

// What is left of d changes no velocity of its rows. G is positive semidefinite, so that it changes none of the others
// either.
bool Wedge::settle() {
  const std::size_t n = rows_.size();
  for (std::size_t i = 0; i < n; ++i) x_[i] = d_[at(rows_[i])];
  for (int round = 0; round < kWedgeRounds; ++round) {
    linear::solve_lu(MatrixView<const double>(A_.data(), n, n), order_.data(), x_.data(), work_.data());
    double largest = 0;
    for (const double x : x_) largest = std::max(largest, std::abs(x));
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    for (double& x : x_) x /= largest;
  }
  for (std::size_t i = 0; i < n; ++i) d_[at(rows_[i])] = x_[i];
  return true;
}

// d, forced into its laws. Inside already, it changes by rounding only.
bool Wedge::proves(const ConeForm& f) {
  project(f, 1);
  double change = 0, asked = 0;
  for (int i = 0; i < f.size; ++i) {
    change = std::max(change, std::abs(linear::dot(f.row(i), d_.data(), f.size)));
    asked += f.b[at(i)] * d_[at(i)];
  }
  // d . u >= 0 and u = G r + b:  -(b . d) <= (G d) . r
  least_impulse_ = -asked / std::max(change, 1e-300) / std::max(f.size, 1);
  return asked < 0 && least_impulse_ > kWedgeImpulse;
}

// In turn onto what changes no velocity and a little inside the cones: contacts that slide while they are wedged have
// impulses on the edge.
bool Wedge::find(const ConeForm& f, const double* near) {
  d_.assign(near, near + f.size);
  project(f, 1);
  if (!keep_largest(f) || !factor(f)) return false;
  for (int turn = 0; turn < kWedgeTurns; ++turn) {
    if (!settle()) return false;
    if (proves(f)) return true;
    project(f, kWedgeShare);
  }
  return false;
}

}  // namespace sinew::lcp
