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

constexpr int kLeastEnvelope = 24;  // with fewer unknowns it does not pay
constexpr double kFull = 0.1;       // part of n^3 within the envelope, which is a third of n^3 for a full matrix

}  // namespace

// Which of the smooth pieces each block is on; returns the unknowns of the step.
int AlartCurnier::classify(const ConeForm& f, const double* r, const double* u) {
  int unknowns = 0;
  sliding_ = false, same_states_ = true;
  const auto note = [&](const Map& map, std::size_t k) {
    const int state = (map.normal ? 1 : 0) + (map.tangents ? 2 : 0) + (map.across ? 4 : 0);
    same_states_ = same_states_ && states_[k] == state;
    states_[k] = state;
  };
  for (int k = 0; k < f.blocks(); ++k) {
    Map& map = maps_[k];
    const int n = f.start(k);
    const double normal = r[n] - weight_ * u[n];
    map = {};
    map.first = unknowns;
    if (f.width(k) == 1) {
      map.fixed = f.clamp(k, normal), map.normal = map.fixed == normal;
      unknowns += map.count = map.normal ? 1 : 0;
      note(map, at(k));
      continue;
    }
    map.normal = normal > 0;
    unknowns += map.count = map.normal ? 1 : 0;
    const double mu = f.mu[k - f.unilateral], preload = f.preload[k - f.unilateral];
    const double radius = mu * (std::max(0.0, normal) + preload);
    if (radius <= 0) {
      note(map, at(k));
      continue;
    }
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
    note(map, at(k));
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

// What the unknowns of the step are, in columns of G.
void AlartCurnier::find_columns(const ConeForm& f) {
  Column* next = columns_.data();
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[k];
    const int n = f.start(k);
    const double mu = map.across ? f.mu[k - f.unilateral] : 0;
    if (map.normal) *next++ = {n, {1, mu * map.d[0], mu * map.d[1]}};
    if (map.tangents) *next++ = {n, {0, 1, 0}}, *next++ = {n, {0, 0, 1}};
    if (map.across) *next++ = {n, {0, map.e[0], map.e[1]}};
  }
}

// Derivatives of the equations with respect to the unknowns: rows of G, or for the equation across a slip their sum,
// then their columns.
void AlartCurnier::build_matrix(const ConeForm& f, double shift, int n) {
  find_columns(f);
  int single = 0;  // unknowns of blocks of one row
  for (int k = 0; k < f.unilateral; ++k) single += maps_[k].count;
  const auto map_columns = [&](const double* g, double* out) {
    for (int c = 0; c < single; ++c) out[c] = g[columns_[at(c)].start];
    for (int k = f.unilateral; k < f.blocks(); ++k) {
      const Map& map = maps_[k];
      const double* x = g + f.start(k);
      double* to = out + map.first;
      if (map.sticks()) {
        to[0] = x[0], to[1] = x[1], to[2] = x[2];
        continue;
      }
      for (int c = 0; c < map.count; ++c) {
        const Column& column = columns_[at(map.first + c)];
        to[c] = column.share[0] * x[0] + column.share[1] * x[1] + column.share[2] * x[2];
      }
    }
  };
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[k];
    if (map.count == 0) continue;
    double* out = A_.data() + at(map.first) * at(n);
    const int end = map.first + map.count;
    const auto add_row = [&](int axis) {
      map_columns(f.row(f.start(k) + axis), out);
      for (int c = map.first; c < end; ++c) out[c] += shift * columns_[at(c)].share[axis];
      out += n;
    };
    if (map.normal) add_row(0);
    if (map.tangents) add_row(1), add_row(2);
    if (!map.across) continue;
    const double x = weight_ * map.k * map.e[0], y = weight_ * map.k * map.e[1];
    const double *g1 = f.row(f.start(k) + 1), *g2 = f.row(f.start(k) + 2);
    for (int i = 0; i < f.size; ++i) mapped_[at(i)] = x * g1[i] + y * g2[i];
    map_columns(mapped_.data(), out);
    for (int c = map.first; c < end; ++c)
      out[c] += shift * (x * columns_[at(c)].share[1] + y * columns_[at(c)].share[2]);
    out[end - 1] += 1 - map.k;
  }
}

// Where the rows of each block begin, without leading zeros of the rows and of their columns.
void AlartCurnier::find_envelope(const ConeForm& f, int n) {
  const auto entry = [&](int i, int j) { return A_[at(i) * at(n) + at(j)]; };
  for (int k = 0; k < f.blocks(); ++k) {
    const Map& map = maps_[k];
    int begin = map.first;
    for (int i = map.first; i < map.first + map.count; ++i)
      for (int j = 0; j < begin; ++j)
        if (entry(i, j) != 0 || entry(j, i) != 0) begin = j;
    std::fill_n(first_.data() + map.first, map.count, begin);
  }
}

// Within the envelope where that is much cheaper, else without pivoting, and with it where that is inaccurate.
AlartCurnier::Factor AlartCurnier::factor(const ConeForm& f, double shift, int n) {
  const MatrixView<double> A = linear::square(A_.data(), n), B = linear::square(B_.data(), n);
  build_matrix(f, shift, n);
  double within = 0;
  if (n >= kLeastEnvelope) {
    find_envelope(f, n);
    for (int i = 0; i < n; ++i) within += (i - first_[i]) * (i - first_[i]);
  }
  if (n >= kLeastEnvelope && within < kFull * n * n * n) {
    if (!sliding_) return linear::factor_envelope(A, first_.data(), f.interrupt) ? Factor::symmetric : Factor::none;
    for (int i = 0; i < n; ++i)
      for (int j = first_[i]; j <= i; ++j) B_[at(i) * at(n) + at(j)] = A_[at(j) * at(n) + at(i)];
    if (linear::factor_envelope(A, B, first_.data(), f.interrupt) > linear::kSingular) return Factor::envelope;
  } else if (linear::factor_plain(A, work_.data(), f.interrupt) > linear::kSingular) {
    return Factor::plain;
  }
  build_matrix(f, shift, n);
  if (linear::factor_lu(A, first_.data(), linear::kPivotFloor, f.interrupt) == 0 && n > 0) return Factor::none;
  return Factor::pivoted;
}

// rhs becomes the change of the unknowns.
void AlartCurnier::solve_factored(int n) {
  const MatrixView<const double> A = linear::square<const double>(A_.data(), n),
                                 B = linear::square<const double>(B_.data(), n);
  if (factor_ == Factor::symmetric)
    linear::solve_envelope(A, first_.data(), rhs_.data());
  else if (factor_ == Factor::envelope)
    linear::solve_envelope(A, B, first_.data(), rhs_.data());
  else if (factor_ == Factor::plain)
    linear::solve_plain(A, rhs_.data());
  else
    linear::solve_lu(A, first_.data(), rhs_.data(), work_.data());
}

// Solves for the change of r, so that a step from a good point refines it. `again`: by the last step's factors, as long
// as the contacts are on the pieces they were on.
bool AlartCurnier::step(const ConeForm& f, const double* r, const double* u, double shift, const double* centre,
                        double* next, bool again) {
  f.interrupt.check();
  if (f.sparse) return step_sparse(f, r, u, shift, next);
  const int n = classify(f, r, u);
  again_ = again && same_states_ && factor_ != Factor::none;
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
  if (!again_) factor_ = factor(f, shift, n);
  if (factor_ == Factor::none) return false;
  solve_factored(n);
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
