// src/lcp/proximal.cpp
#include "sinew/lcp/proximal.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/cascade.hpp"

namespace sinew::lcp {

using namespace cascade;

void Proximal::reserve(std::size_t n) {
  shifted_.M.reserve(n * n), shifted_.q.reserve(n), shifted_.upper.reserve(n), best_.reserve(n), w_.reserve(n);
}

int Proximal::solve(const BoxForm& f, Newton& newton, Lemke& lemke, double* y, int rounds, double tolerance,
                    double& natural) {
  const std::size_t n = static_cast<std::size_t>(f.size);
  shifted_.size = f.size, shifted_.boxed = f.boxed, shifted_.interrupt = f.interrupt;
  shifted_.M.assign(f.M.begin(), f.M.begin() + static_cast<std::ptrdiff_t>(n * n));
  shifted_.upper.assign(f.upper.begin(), f.upper.end());
  shifted_.q.resize(n), best_.resize(n), w_.resize(n);
  f.calc_w(y, w_.data());
  natural = calc_natural(f, y, w_.data());
  std::copy_n(y, n, best_.data());
  double shift = kLoopShift, inner_natural = 0;
  int steps = 0;
  for (int round = 0; round < rounds && natural > tolerance; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      shifted_.M[i * n + i] = f.M[i * n + i] + shift;
      shifted_.q[i] = f.q[i] - shift * y[i];
    }
    steps += newton.solve(shifted_, y, kLoopNewton, kLeastInnerGoal * tolerance, inner_natural);
    if (inner_natural > tolerance) {
      int pivots = 0;
      lemke.solve(shifted_, y, 0, pivots);
      steps += pivots;
    }
    f.calc_w(y, w_.data());
    const double now = calc_natural(f, y, w_.data());
    shift = now < kHalved * natural ? std::max(kLoopEasy * shift, kLeastLoopShift)
                                    : std::min(shift * kLoopHard, kLargestLoopShift);
    if (now < natural) natural = now, std::copy_n(y, n, best_.data());
    if (!std::isfinite(now)) std::copy_n(best_.data(), n, y);
  }
  std::copy_n(best_.data(), n, y);
  return steps;
}

}  // namespace sinew::lcp
