// src/lcp/residual.cpp
#include "sinew/lcp/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lcp/check.hpp"
#include "lcp/infinity.hpp"
#include "lcp/units.hpp"

namespace sinew::lcp {
namespace {

// w of a row: of a matrix, or known already.
struct RowsOfMatrix {
  MatrixView<const double> M;
  VectorView<const double> q, z;
  double operator()(std::size_t i) const {
    return q[i] + linear::dot(M.data() + i * M.stride(), z.data(), static_cast<int>(z.size()));
  }
};
struct KnownRows {
  VectorView<const double> known;
  double operator()(std::size_t i) const { return known[i]; }
};

constexpr double kCertain = 1e-12;  // relative residual: rounding errors of less are left out

// Common part of all problems: the largest entries so far.
struct Measure {
  VectorView<const double> q, z;
  double* of_block = nullptr;  // where somebody asks for the largest of each block
  double absolute = 0, weighed = 0, scale = 0, answer = 0;

  void see(std::size_t i, const Units& s) {
    scale = std::max(scale, s.row * std::abs(q[i]));
    answer = std::max(answer, s.column * std::abs(z[i]));
  }
  void add(double plain, double scaled) {
    // written so that NaN stays
    if (!(std::abs(plain) <= absolute)) absolute = std::abs(plain);
    if (!(std::abs(scaled) <= weighed)) weighed = std::abs(scaled);
    if (of_block) *of_block = std::max(*of_block, std::abs(scaled));
  }
  void next_block() {
    if (of_block) ++of_block;
  }
  Residual result() const {
    const double unit = scale > 0 ? scale : answer > 0 ? answer : 1;
    const bool finite = std::isfinite(absolute) && std::isfinite(weighed) && linear::is_finite(z.data(), z.size());
    if (!finite) return {kInfinity, kInfinity, false};
    // Impulses so large that rounding hides the velocities certify nothing.
    const double rounding = std::numeric_limits<double>::epsilon() / 2 * answer / unit;
    return {rounding > kCertain ? std::max(weighed / unit, rounding) : weighed / unit, absolute, true};
  }
};

// z - P(z - w) onto [lower, upper]
double natural(double z, double w, double lower, double upper) {
  if (lower == -kInfinity && upper == kInfinity) return w;
  return z - std::min(std::max(z - w, lower), upper);
}
// std::hypot only where squares would overflow or underflow: it is slow.
double calc_length(double x, double y) {
  const double square = x * x + y * y;
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(x, y);
}
// The same onto a disc, two entries; the larger one.
double natural_disc(double z1, double z2, double w1, double w2, double radius) {
  double x1 = z1 - w1, x2 = z2 - w2;
  const double length = calc_length(x1, x2);
  if (length > radius) x1 *= radius / length, x2 *= radius / length;
  const double f1 = std::abs(z1 - x1), f2 = std::abs(z2 - x2);
  return f1 > f2 || std::isnan(f1) ? f1 : f2;
}

template <class UnitsOf>
Residual measure(const Problem& p, VectorView<const double> z, UnitsOf units_of) {
  Measure m{p.q, z};
  const RowsOfMatrix w_of{p.M, p.q, z};
  for (std::size_t i = 0; i < z.size(); ++i) {
    const Units s = units_of(i);
    const double low = p.lower.size() ? p.lower[i] : 0, high = p.upper.size() ? p.upper[i] : kInfinity, w = w_of(i);
    m.see(i, s);
    m.add(natural(z[i], w, low, high), natural(s.column * z[i], s.row * w, s.column * low, s.column * high));
  }
  return m.result();
}

// Of a FrictionProblem or a SparseProblem.
template <class Contacts, class UnitsOf, class RowsOf>
Residual measure(const Contacts& p, VectorView<const double> z, UnitsOf units_of, RowsOf w_of,
                 double* of_blocks = nullptr) {
  Measure m{p.q, z, of_blocks};
  const RowLayout layout = p.layout();
  const std::size_t free = at(p.free);
  for (std::size_t i = 0; i < at(layout.first_contact()); ++i) {
    const Units s = units_of(i);
    const double low = i < free ? -kInfinity : p.lower.size() ? p.lower[i - free] : 0, w = w_of(i);
    const double high = i < free || p.upper.size() == 0 ? kInfinity : p.upper[i - free];
    m.see(i, s);
    m.add(natural(z[i], w, low, high), natural(s.column * z[i], s.row * w, s.column * low, s.column * high));
    m.next_block();
  }
  for (std::size_t c = 0; c < p.mu.size(); ++c) {
    const std::size_t n = at(layout.row_of_contact(c)), t1 = n + 1, t2 = n + 2;
    // a disc stays round: one weight for both tangents
    const Units s = units_of(n), s1 = units_of(t1), s2 = units_of(t2);
    const Units t = s1.diagonal != s2.diagonal ? (s1.diagonal ? s1 : s2)
                                               : Units{std::min(s1.row, s2.row), std::max(s1.column, s2.column)};
    const double wn = w_of(n), w1 = w_of(t1), w2 = w_of(t2);
    const double radius = p.mu[c] * (std::max(z[n], 0.0) + (p.preload.size() ? p.preload[c] : 0));
    m.see(n, s), m.see(t1, t), m.see(t2, t);
    m.add(natural(z[n], wn, 0, kInfinity), natural(s.column * z[n], s.row * wn, 0, kInfinity));
    m.add(natural_disc(z[t1], z[t2], w1, w2, radius),
          natural_disc(t.column * z[t1], t.column * z[t2], t.row * w1, t.row * w2, t.column * radius));
    m.next_block();
  }
  return m.result();
}

}  // namespace

Residual calc_residual(const Problem& p, VectorView<const double> z) {
  check(p, z.size());
  return measure(p, z, units_of(p));
}
Residual calc_residual(const FrictionProblem& p, VectorView<const double> z) {
  check(p, z.size());
  return measure(p, z, units_of(p), RowsOfMatrix{p.W, p.q, z});
}
Residual calc_residual(const SparseProblem& p, VectorView<const double> z) {
  check(p, z.size());
  return measure(p, z, units_of(p), KnownRows{p.calc_velocity(z)});
}
void calc_block_residuals(const SparseProblem& p, VectorView<const double> z, std::vector<double>& of_blocks) {
  of_blocks.assign(at(p.blocks()), 0.0);
  measure(p, z, units_of(p), KnownRows{p.calc_velocity(z)}, of_blocks.data());
}
Residual calc_residual(const Problem& p, VectorView<const double> z, const std::vector<Units>& units) {
  return measure(p, z, [&](std::size_t i) { return units[i]; });
}
Residual calc_residual(const FrictionProblem& p, VectorView<const double> z, const std::vector<Units>& units) {
  return measure(
      p, z, [&](std::size_t i) { return units[i]; }, RowsOfMatrix{p.W, p.q, z});
}
Residual calc_residual(const SparseProblem& p, VectorView<const double> z, const std::vector<Units>& units) {
  return measure(
      p, z, [&](std::size_t i) { return units[i]; }, KnownRows{p.calc_velocity(z)});
}

}  // namespace sinew::lcp
