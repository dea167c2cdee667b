// sinew/sim/crossing.hpp - when a function of one variable first changes its sign
// find_root      within a bracket, by interpolation, truncation and projection (ITP, Oliveira and Takahashi 2020):
//                at most a few evaluations more than bisection, also for functions that jump
// find_crossing  the first in (0, 1], looked for at samples. Each dip of the samples is followed to its bottom, so a
//                function that goes below zero and comes back between two samples is found too
#pragma once
#include <algorithm>
#include <cmath>

namespace sinew {

// Needs opposite signs of f(a) and f(b), or f(b) = 0. Returns a point within `tolerance` of the change, on b's side.
template <class F>
double find_root(F&& f, double a, double fa, double b, double fb, double tolerance) {
  const double sign = fa > 0 ? 1 : -1;  // of f on the side of a
  const double span = std::abs(b - a);
  int left = static_cast<int>(std::ceil(std::log2(std::max(1.0, span / tolerance)))) + 2;
  while (std::abs(b - a) > tolerance) {
    const double middle = (a + b) / 2;
    if (middle == a || middle == b) break;
    // Interpolation, moved towards the middle by a share of the width, and kept near enough to it to be done in time.
    const double width = std::abs(b - a), towards = middle > a ? 1.0 : -1.0;
    const double secant = (fb * a - fa * b) / (fb - fa);
    const double shift = std::min(0.2 / span * width * width + tolerance / 4, std::abs(middle - secant));
    double x = secant + std::copysign(shift, middle - secant);
    const double room = tolerance * std::ldexp(0.5, left) - width / 2;
    if (!(std::abs(x - middle) <= room)) x = middle - std::copysign(std::max(room, 0.0), middle - x);
    if (!((x - a) * towards > 0 && (b - x) * towards > 0)) x = middle;
    const double fx = f(x);
    if (fx * sign > 0)
      a = x, fa = fx;
    else
      b = x, fb = fx;
    --left;
  }
  return b;
}

struct CrossingOptions {
  int samples = 4;           // in (0, 1], including the end
  double tolerance = 1e-15;  // of the answer
};

// Returns the first place in (start, 1] where f reaches or passes zero; 2 if there is none. sign: that of f just after
// the start, +1 or -1. at_start: f(start), used only to see dips; its sign is ignored.
template <class F>
double find_crossing(F&& f, double at_start, double sign, const CrossingOptions& options = {}, double start = 0) {
  double x0 = start, f0 = std::max(sign * at_start, 0.0), x1 = start, f1 = f0;
  const auto g = [&](double x) { return sign * f(x); };
  for (int i = 1; i <= options.samples; ++i) {
    const double x2 = i == options.samples ? 1 : start + (1 - start) * i / options.samples, f2 = g(x2);
    if (!(f2 > 0)) return find_root(g, x1, f1 > 0 ? f1 : 1.0, x2, f2, options.tolerance);
    // A dip between x0 and x2: golden section to its bottom, ended early where f is not positive.
    if (i > 1 && f1 < f0 && f1 <= f2) {
      constexpr double kGolden = 0.3819660112501051;
      double a = x0, x = x1, fx = f1, b = x2;
      while (b - a > 1e-6 / options.samples) {
        const double y = x - a > b - x ? x - kGolden * (x - a) : x + kGolden * (b - x), fy = g(y);
        if (!(fy > 0)) return find_root(g, y < x ? a : x, y < x ? g(a) : fx, y, fy, options.tolerance);
        if (fy < fx)
          (y < x ? b : a) = x, x = y, fx = fy;
        else
          (y < x ? a : b) = y;
      }
    }
    x0 = x1, f0 = f1, x1 = x2, f1 = f2;
  }
  return 2;
}

}  // namespace sinew
