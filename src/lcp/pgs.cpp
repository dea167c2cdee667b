// src/lcp/pgs.cpp
#include "sinew/lcp/pgs.hpp"

#include <algorithm>
#include <cmath>

#include "linear/rows.hpp"

namespace sinew::lcp {

int solve_pgs(const BoxForm& f, double* y, int limit, double tolerance) {
  int sweeps = 0;
  double change = INFINITY;
  while (sweeps < limit && change > tolerance) {
    change = 0, ++sweeps;
    f.interrupt.check();
    for (int i = 0; i < f.size; ++i) {
      const double* row = f.row(i);
      const double w = f.q[i] + linear::dot(row, y, f.size), diagonal = row[i] > 1e-12 ? row[i] : 1;
      const double next = std::min(std::max(y[i] - w / diagonal, 0.0), f.upper[i]);
      change = std::max(change, std::abs(next - y[i]));
      y[i] = next;
    }
    if (!std::isfinite(change)) break;
  }
  return sweeps;
}

}  // namespace sinew::lcp
