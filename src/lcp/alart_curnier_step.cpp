// src/lcp/alart_curnier_step.cpp - one step: which piece each contact is on, and the linear equations there
#include <algorithm>
#include <cmath>

#include "lcp/dense_kernels.hpp"
#include "sinew/lcp/alart_curnier.hpp"

namespace sinew::lcp {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

// Which of the smooth pieces each block is on; returns the unknowns of the step.
int AlartCurnier::classify(const ConeForm& f, const double* r, const double* u) {
  int unknowns = 0;
  for (int k = 0; k < f.blocks(); ++k) {
    Map& map = maps_[at(k)];
    const int n = f.start(k);
    const double normal = r[n] - weight_ * u[n];
    map = {};
    map.first = unknowns;
    if (f.width(k) == 1) {
      map.fixed = f.clamp(k, normal), map.normal = map.fixed == normal;
      unknowns += map.count = map.normal ? 1 : 0;
      continue;
    }
    map.normal = normal > 0;
    unknowns += map.count = map.normal ? 1 : 0;
    const double mu = f.mu[at(k - f.unilateral)], preload = f.preload[at(k - f.unilateral)];
    const double radius = mu * (std::max(0.0, normal) + preload);
    if (radius <= 0) continue;
    const double x = r[n + 1] - weight_ * u[n + 1], y = r[n + 2] - weight_ * u[n + 2],
                 length = std::sqrt(x * x + y * y);
    map.tangents = length <= radius, map.across = !map.tangents;
    if (map.across) {
      map.d[0] = x / length, map.d[1] = y / length, map.e[0] = -map.d[1], map.e[1] = map.d[0];
      map.k = radius / length, map.offset = mu * preload;
    }
    const int more = map.tangents ? 2 : 1;
    map.count += more, unknowns += more;
  }
  return unknowns;
}

// The point of the linear piece that is nearest in its own unknowns: what the step starts from.
void AlartCurnier::settle(const ConeForm& f, const double* r, double* next) const {
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[at(k)];
    const double* x = r + f.start(k);
    double* y = next + f.start(k);
    std::fill_n(y, f.width(k), 0.0);
    y[0] = map.normal ? x[0] : map.fixed;
    if (map.tangents) y[1] = x[1], y[2] = x[2];
    if (!map.across) continue;
    const double along = f.mu[at(k - f.unilateral)] * y[0] + map.offset, side = map.e[0] * x[1] + map.e[1] * x[2];
    for (int i = 0; i < 2; ++i) y[1 + i] = map.d[i] * along + map.e[i] * side;
  }
}

// The rows of block k, one for each of its unknowns, over the unknowns of all blocks.
void AlartCurnier::build_rows(const ConeForm& f, int k, double shift, int n) {
  const Map& mine = maps_[at(k)];
  const int start = f.start(k), width = f.width(k);
  double* out[3] = {};
  for (int i = 0; i < mine.count; ++i) out[i] = A_.data() + at(mine.first + i) * at(n);
  for (int j = 0; j < f.blocks(); ++j) {
    const Map& other = maps_[at(j)];
    if (other.count == 0) continue;
    double mapped[3][3] = {};
    for (int a = 0; a < width; ++a) {
      // unknowns to impulses: the columns of block j in terms of its own unknowns
      double g[3] = {};
      std::copy_n(f.row(start + a) + f.start(j), f.width(j), g);
      if (j == k) g[a] += shift;
      int c = 0;
      if (other.normal) {
        const double mu = other.across ? f.mu[at(j - f.unilateral)] : 0;
        mapped[a][c++] = g[0] + mu * (other.d[0] * g[1] + other.d[1] * g[2]);
      }
      if (other.tangents) mapped[a][c++] = g[1], mapped[a][c++] = g[2];
      if (other.across) mapped[a][c++] = other.e[0] * g[1] + other.e[1] * g[2];
    }
    for (int c = 0; c < other.count; ++c) {
      int i = 0;
      const int column = other.first + c;
      if (mine.normal) out[i++][column] = mapped[0][c];
      if (mine.tangents) out[i++][column] = mapped[1][c], out[i++][column] = mapped[2][c];
      if (mine.across) out[i++][column] = weight_ * mine.k * (mine.e[0] * mapped[1][c] + mine.e[1] * mapped[2][c]);
    }
  }
  if (mine.across) out[mine.count - 1][mine.first + mine.count - 1] += 1 - mine.k;
}

// Solves for the change, so that steps from a good point refine it.
bool AlartCurnier::step(const ConeForm& f, const double* r, const double* u, double shift, const double* centre,
                        double* next) {
  const int n = classify(f, r, u);
  settle(f, r, next);
  f.calc_velocity(next, u_next_.data());
  for (int i = 0; i < f.size; ++i) u_next_[at(i)] += shift * (next[i] - centre[i]);
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[at(k)];
    if (map.count == 0) continue;
    build_rows(f, k, shift, n);
    const double *x = next + f.start(k), *v = u_next_.data() + f.start(k);
    double* rhs = rhs_.data() + map.first;
    if (map.normal) *rhs++ = -v[0];
    if (map.tangents) *rhs++ = -v[1], *rhs++ = -v[2];
    if (map.across) {
      const double side = map.e[0] * x[1] + map.e[1] * x[2], slip = map.e[0] * v[1] + map.e[1] * v[2];
      *rhs = -(1 - map.k) * side - weight_ * map.k * slip;
    }
  }
  if (factor_lu(A_.data(), n, n, order_.data(), 1e-14) == 0 && n > 0) return false;
  solve_lu(A_.data(), n, n, order_.data(), rhs_.data(), work_.data());
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[at(k)];
    const double* dy = rhs_.data() + map.first;
    double* x = next + f.start(k);
    const double dn = map.normal ? *dy++ : 0;
    x[0] += dn;
    if (map.tangents) x[1] += dy[0], x[2] += dy[1];
    if (map.across)
      for (int i = 0; i < 2; ++i) x[1 + i] += map.d[i] * f.mu[at(k - f.unilateral)] * dn + map.e[i] * dy[0];
  }
  return true;
}

}  // namespace sinew::lcp
