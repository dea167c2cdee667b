// src/lcp/check.cpp
#include "lcp/check.hpp"

#include <cmath>

#include "lcp/infinity.hpp"
#include "linear/rows.hpp"
#include "sinew/lcp/polyhedral.hpp"

namespace sinew::lcp {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("lcp: " + what); }

void need(const char* name, std::size_t got, std::size_t size) {
  if (got != size)
    refuse(std::string(name) + " has " + std::to_string(got) + " entries, the problem needs " + std::to_string(size));
}
void need_square(const char* name, MatrixView<const double> M, std::size_t n) {
  if (M.rows() != n || M.cols() != n)
    refuse(std::string(name) + " is " + std::to_string(M.rows()) + " x " + std::to_string(M.cols()) +
           ", the problem needs " + std::to_string(n) + " x " + std::to_string(n));
}
void need_not_negative(const char* name, VectorView<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] < 0) refuse(std::string(name) + "[" + std::to_string(i) + "] is negative: " + std::to_string(x[i]));
}
bool has_nan(VectorView<const double> x) {
  for (const double v : x)
    if (std::isnan(v)) return true;
  return false;
}

}  // namespace

void check(const Problem& p, std::size_t z_size) {
  const std::size_t n = p.q.size();
  need_square("M", p.M, n);
  if (p.lower.size()) need("lower", p.lower.size(), n);
  if (p.upper.size()) need("upper", p.upper.size(), n);
  need("z", z_size, n);
}

// Of a FrictionProblem or a SparseProblem.
template <class Contacts>
static void check_laws(const Contacts& p) {
  if (p.preload.size()) need("preload", p.preload.size(), p.mu.size());
  if (p.lower.size()) need("lower", p.lower.size(), static_cast<std::size_t>(p.unilateral));
  if (p.upper.size()) need("upper", p.upper.size(), static_cast<std::size_t>(p.unilateral));
  for (std::size_t i = 0; i < p.lower.size() || i < p.upper.size(); ++i) {
    const double low = p.lower.size() ? p.lower[i] : 0, high = p.upper.size() ? p.upper[i] : INFINITY;
    if (!(low <= high) || low == INFINITY || high == -INFINITY)
      refuse("the bounds of unilateral row " + std::to_string(i) + " allow no impulse: " + std::to_string(low) +
             " to " + std::to_string(high));
  }
  need_not_negative("mu", p.mu);
  need_not_negative("preload", p.preload);
}

void check(const FrictionProblem& p, std::size_t z_size) {
  const std::size_t n = p.q.size();
  if (p.free < 0) refuse("free is negative: " + std::to_string(p.free));
  if (p.unilateral < 0) refuse("unilateral is negative: " + std::to_string(p.unilateral));
  const std::size_t rows = at(p.free) + at(p.unilateral) + 3 * p.mu.size();  // std::size_t: no overflow
  if (n != rows)
    refuse("q has " + std::to_string(n) + " entries, the problem needs " + std::to_string(rows) +
           " (free + unilateral + 3 contacts)");
  need_square("W", p.W, n);
  check_laws(p);
  need("z", z_size, n);
}

void check(const SparseProblem& p, std::size_t z_size) {
  if (p.first_term.size() != at(p.blocks()) + 1 || p.response.size() != p.J.size())
    refuse("a sparse problem is complete after finish()");
  need("q", p.q.size(), at(p.layout().rows()));
  need("softness", p.softness.size(), at(p.unilateral));
  need_not_negative("softness", p.softness);
  check_laws(p);
  need("z", z_size, p.q.size());
}

void check_pyramids(const FrictionProblem& p, int directions) {
  if (directions < 4 || directions % 2 != 0 || directions > kMostDirections)
    refuse("directions must be even, at least 4 and at most " + std::to_string(kMostDirections) +
           ", or 0 for the cone itself; it is " + std::to_string(directions));
  const int size = polyhedral_size(p, directions);
  if (size > kMostPyramidRows)
    refuse("pyramids of " + std::to_string(directions) + " directions make " + std::to_string(size) +
           " unknowns, the limit is " + std::to_string(kMostPyramidRows) + "; use fewer, or 0 for the cone itself");
}

bool is_finite(MatrixView<const double> M) {
  for (std::size_t i = 0; i < M.rows(); ++i)
    if (!linear::is_finite(M.data() + i * M.stride(), M.cols())) return false;
  return true;
}
bool is_finite(const Problem& p) {
  return is_finite(p.M) && linear::is_finite(p.q.data(), p.q.size()) && !has_nan(p.lower) && !has_nan(p.upper);
}
bool is_finite(const FrictionProblem& p) { return is_finite(p.W) && has_finite_vectors(p); }
bool is_finite(const SparseProblem& p) {
  return linear::is_finite(p.q.data(), p.q.size()) && linear::is_finite(p.J.data(), p.J.size()) &&
         linear::is_finite(p.response.data(), p.response.size()) && linear::is_finite(p.mu.data(), p.mu.size()) &&
         linear::is_finite(p.preload.data(), p.preload.size()) &&
         linear::is_finite(p.softness.data(), p.softness.size());
}
bool has_finite_vectors(const FrictionProblem& p) {
  return linear::is_finite(p.q.data(), p.q.size()) && linear::is_finite(p.mu.data(), p.mu.size()) &&
         linear::is_finite(p.preload.data(), p.preload.size());
}

int find_crossed_bounds(const Problem& p) {
  for (std::size_t i = 0; i < p.q.size(); ++i) {
    const double low = p.lower.size() ? p.lower[i] : 0, high = p.upper.size() ? p.upper[i] : kInfinity;
    if (low > high || low == kInfinity || high == -kInfinity) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace sinew::lcp
