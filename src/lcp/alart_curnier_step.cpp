// src/lcp/alart_curnier_step.cpp - one step: which piece each contact is on, and the linear equations there
#include <algorithm>
#include <cmath>

#include "linear/envelope.hpp"
#include "linear/lu.hpp"
#include "linear/rows.hpp"
#include "sinew/lcp/alart_curnier.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

constexpr int kLeastEnvelope = 24;  // with fewer unknowns elimination without pivoting does not pay

}  // namespace

// Which of the smooth pieces each block is on; returns the unknowns of the step.
int AlartCurnier::classify(const ConeForm& f, const double* r, const double* u) {
  int unknowns = 0;
  sliding_ = false;
  for (int k = 0; k < f.blocks(); ++k) {
    Map& map = maps_[k];
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
    const double mu = f.mu[k - f.unilateral], preload = f.preload[k - f.unilateral];
    const double radius = mu * (std::max(0.0, normal) + preload);
    if (radius <= 0) continue;
    const double x = r[n + 1] - weight_ * u[n + 1], y = r[n + 2] - weight_ * u[n + 2],
                 length = std::sqrt(x * x + y * y);
    map.tangents = length <= radius, map.across = !map.tangents;
    if (map.across) {
      sliding_ = true;
      map.d[0] = x / length, map.d[1] = y / length, map.e[0] = -map.d[1], map.e[1] = map.d[0];
      map.k = radius / length, map.offset = mu * preload;
    }
    const int more = map.tangents ? 2 : 1;
    map.count += more, unknowns += more;
  }
  return unknowns;
}

// The point of the linear piece with the same unknowns as r: the start of the step.
void AlartCurnier::settle(const ConeForm& f, const double* r, double* next) const {
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[k];
    const double* x = r + f.start(k);
    double* y = next + f.start(k);
    std::fill_n(y, f.width(k), 0.0);
    y[0] = map.normal ? x[0] : map.fixed;
    if (map.tangents) y[1] = x[1], y[2] = x[2];
    if (!map.across) continue;
    const double along = f.mu[k - f.unilateral] * y[0] + map.offset, side = map.e[0] * x[1] + map.e[1] * x[2];
    for (int i = 0; i < 2; ++i) y[1 + i] = map.d[i] * along + map.e[i] * side;
  }
}

// Derivative of block k's equations with respect to block j's unknowns.
void AlartCurnier::calc_block(const ConeForm& f, int k, int j, double shift, double (&out)[3][3]) const {
  const Map &mine = maps_[k], &other = maps_[j];
  if (mine.sticks() && other.sticks()) {
    for (int a = 0; a < 3; ++a) std::copy_n(f.row(f.start(k) + a) + f.start(j), 3, out[a]);
    if (j == k) out[0][0] += shift, out[1][1] += shift, out[2][2] += shift;
    return;
  }
  double mapped[3][3] = {};
  for (int a = 0; a < f.width(k); ++a) {
    // unknowns to impulses: the columns of block j in terms of its own unknowns
    double g[3] = {};
    std::copy_n(f.row(f.start(k) + a) + f.start(j), f.width(j), g);
    if (j == k) g[a] += shift;
    int c = 0;
    if (other.normal) {
      const double mu = other.across ? f.mu[j - f.unilateral] : 0;
      mapped[a][c++] = g[0] + mu * (other.d[0] * g[1] + other.d[1] * g[2]);
    }
    if (other.tangents) mapped[a][c++] = g[1], mapped[a][c++] = g[2];
    if (other.across) mapped[a][c++] = other.e[0] * g[1] + other.e[1] * g[2];
  }
  for (int c = 0; c < other.count; ++c) {
    int i = 0;
    if (mine.normal) out[i++][c] = mapped[0][c];
    if (mine.tangents) out[i++][c] = mapped[1][c], out[i++][c] = mapped[2][c];
    if (mine.across) out[i++][c] = weight_ * mine.k * (mine.e[0] * mapped[1][c] + mine.e[1] * mapped[2][c]);
  }
  if (j == k && mine.across) out[mine.count - 1][mine.count - 1] += 1 - mine.k;
}

bool AlartCurnier::touch(const ConeForm& f, int k, int j) const {
  for (int a = 0; a < f.width(k); ++a)
    for (int b = 0; b < f.width(j); ++b)
      if (f.row(f.start(k) + a)[f.start(j) + b] != 0) return true;
  return false;
}

// The rows of block k up to the diagonal, without their leading zeros; where contacts slide, its columns too.
void AlartCurnier::build_envelope(const ConeForm& f, int k, double shift, int n) {
  const Map& mine = maps_[k];
  int begin = -1;
  double block[3][3];
  for (int j = 0; j <= k; ++j) {
    const Map& other = maps_[j];
    if (other.count == 0 || (begin < 0 && j != k && !touch(f, k, j))) continue;
    if (begin < 0) begin = other.first;
    calc_block(f, k, j, shift, block);
    for (int i = 0; i < mine.count; ++i)
      std::copy_n(block[i], other.count, A_.data() + at(mine.first + i) * at(n) + other.first);
    if (!sliding_) continue;
    if (j != k) calc_block(f, j, k, shift, block);
    for (int i = 0; i < mine.count; ++i)
      for (int c = 0; c < other.count; ++c) B_[at(mine.first + i) * at(n) + at(other.first + c)] = block[c][i];
  }
  for (int i = 0; i < mine.count; ++i) order_[mine.first + i] = begin;
}

// All rows and columns, for pivoting.
void AlartCurnier::build_all(const ConeForm& f, double shift, int n) {
  double block[3][3];
  for (int k = 0; k < f.blocks(); ++k)
    for (int j = 0; j < f.blocks(); ++j) {
      if (maps_[k].count == 0 || maps_[j].count == 0) continue;
      calc_block(f, k, j, shift, block);
      for (int i = 0; i < maps_[k].count; ++i)
        std::copy_n(block[i], maps_[j].count, A_.data() + at(maps_[k].first + i) * at(n) + maps_[j].first);
    }
}

// rhs becomes the change of the unknowns.
bool AlartCurnier::solve_linear(const ConeForm& f, double shift, int n) {
  const MatrixView<double> A = linear::square(A_.data(), n), B = linear::square(B_.data(), n);
  if (!sliding_ || n >= kLeastEnvelope) {
    for (int k = 0; k < f.blocks(); ++k)
      if (maps_[k].count > 0) build_envelope(f, k, shift, n);
    if (!sliding_) {
      if (!linear::factor_envelope(A, order_.data(), f.interrupt)) return false;
      linear::solve_envelope(linear::constant(A), order_.data(), rhs_.data());
      return true;
    }
    if (linear::factor_envelope(A, B, order_.data(), f.interrupt) > linear::kSingular) {
      linear::solve_envelope(linear::constant(A), linear::constant(B), order_.data(), rhs_.data());
      return true;
    }
  }
  build_all(f, shift, n);
  if (linear::factor_lu(A, order_.data(), linear::kPivotFloor, f.interrupt) == 0 && n > 0) return false;
  linear::solve_lu(linear::constant(A), order_.data(), rhs_.data(), work_.data());
  return true;
}

// Solves for the change of r, so that a step from a good point refines it.
bool AlartCurnier::step(const ConeForm& f, const double* r, const double* u, double shift, const double* centre,
                        double* next) {
  f.interrupt.check();
  if (f.sparse) return step_sparse(f, r, u, shift, next);
  const int n = classify(f, r, u);
  settle(f, r, next);
  if (std::equal(r, r + f.size, next)) {
    std::copy_n(u, f.size, u_next_.data());
  } else {
    f.calc_velocity(next, u_next_.data());
    for (int i = 0; i < f.size; ++i) u_next_[i] += shift * (next[i] - centre[i]);
  }
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[k];
    if (map.count == 0) continue;
    const double *x = next + f.start(k), *v = u_next_.data() + f.start(k);
    double* rhs = rhs_.data() + map.first;
    if (map.normal) *rhs++ = -v[0];
    if (map.tangents) *rhs++ = -v[1], *rhs++ = -v[2];
    if (map.across) {
      const double side = map.e[0] * x[1] + map.e[1] * x[2], slip = map.e[0] * v[1] + map.e[1] * v[2];
      *rhs = -(1 - map.k) * side - weight_ * map.k * slip;
    }
  }
  if (!solve_linear(f, shift, n)) return false;
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[k];
    const double* dy = rhs_.data() + map.first;
    double* x = next + f.start(k);
    const double dn = map.normal ? *dy++ : 0;
    x[0] += dn;
    if (map.tangents) x[1] += dy[0], x[2] += dy[1];
    if (map.across)
      for (int i = 0; i < 2; ++i) x[1 + i] += map.d[i] * f.mu[k - f.unilateral] * dn + map.e[i] * dy[0];
  }
  return true;
}

}  // namespace sinew::lcp
