// src/lcp/lemke.cpp
#include "sinew/lcp/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/lu.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

constexpr double kPivot = 1e-10;  // relative to the largest entry of the direction: smaller ones do not block
constexpr double kTie = 1e-13;
constexpr double kDrift = 1e-11;

}  // namespace

void Lemke::reserve(std::size_t n) {
  if (x_.size() >= n) return;
  M_.resize(n * n), inverse_.resize(n * n), factor_.resize(n * n), basis_.resize(n), order_.resize(n);
  for (auto* x : {&q_, &x_, &direction_, &work_, &column_}) x->resize(n);
}

// [M I; -I 0] where there are upper bounds: a second unknown for w below zero
void Lemke::expand(const BoxForm& f) {
  n_ = f.size;
  for (const double u : f.upper) n_ += std::isfinite(u) ? 1 : 0;
  const std::size_t n = at(n_);
  reserve(n);
  std::fill_n(M_.data(), n * n, 0.0);
  int extra = f.size;
  for (int i = 0; i < f.size; ++i) {
    for (int j = 0; j < f.size; ++j) M_[at(j) * n + at(i)] = f.row(i)[j];
    q_[i] = f.q[i];
    if (!std::isfinite(f.upper[i])) continue;
    M_[at(extra) * n + at(i)] = 1, M_[at(i) * n + at(extra)] = -1;
    q_[extra++] = f.upper[i];
  }
}

void Lemke::calc_column(int variable, double* out) const {
  if (variable < n_) {
    std::fill_n(out, n_, 0.0), out[variable] = 1;
  } else {
    const double* column = M_.data() + at(variable - n_) * at(n_);
    for (int i = 0; i < n_; ++i) out[i] = variable == 2 * n_ ? -1 : -column[i];
  }
}

// The inverse from the basis itself, and x = inverse q.
bool Lemke::refresh() {
  const std::size_t n = at(n_);
  const MatrixView<double> basis = linear::square(factor_.data(), n_);
  since_ = 0;
  for (int j = 0; j < n_; ++j) {
    calc_column(basis_[j], column_.data());
    for (int i = 0; i < n_; ++i) factor_[at(i) * n + at(j)] = column_[i];
  }
  if (linear::factor_lu(basis, order_.data(), 0, interrupt_) <= linear::kSingularBasis) return false;
  for (int j = 0; j < n_; ++j) {
    interrupt_.check();
    std::fill(column_.begin(), column_.begin() + n_, 0.0);
    column_[j] = 1;
    linear::solve_lu(linear::constant(basis), order_.data(), column_.data(), work_.data());
    for (int i = 0; i < n_; ++i) inverse_[at(i) * n + at(j)] = column_[i];
  }
  std::copy_n(q_.data(), n_, x_.data());
  linear::solve_lu(linear::constant(basis), order_.data(), x_.data(), work_.data());
  return true;
}

// Does the basis times x still give q?
bool Lemke::has_drifted() const {
  double size = 1, worst = 0;
  std::vector<double>& sum = column_;
  for (int i = 0; i < n_; ++i) sum[i] = -q_[i];
  for (int j = 0; j < n_; ++j) {
    const int v = basis_[j];
    const double x = x_[j];
    size = std::max(size, std::abs(x));
    if (v < n_) {
      sum[v] += x;
      continue;
    }
    const double* column = v == 2 * n_ ? nullptr : M_.data() + at(v - n_) * at(n_);
    for (int i = 0; i < n_; ++i) sum[i] -= column ? column[i] * x : x;
  }
  for (int i = 0; i < n_; ++i) worst = std::max(worst, std::abs(sum[i]));
  return !(worst <= kDrift * size);
}

// Of two rows with the same ratio, the one whose row of [inverse] / direction is lexicographically first.
int Lemke::least_lexicographic(int a, int b) const {
  const double da = direction_[a], db = direction_[b];
  const double *ra = inverse_.data() + at(a) * at(n_), *rb = inverse_.data() + at(b) * at(n_);
  for (int j = 0; j < n_; ++j) {
    const double difference = ra[j] / da - rb[j] / db;
    if (std::abs(difference) > kTie * (std::abs(ra[j] / da) + std::abs(rb[j] / db))) return difference < 0 ? a : b;
  }
  return a;
}

int Lemke::find_leaving(bool& has_artificial) const {
  double largest = 0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(direction_[i]));
  const double least = kPivot * std::max(largest, 1e-3);
  const auto ratio = [&](int i) { return std::max(x_[i], 0.0) / direction_[i]; };
  double smallest = INFINITY;
  for (int i = 0; i < n_; ++i)
    if (direction_[i] > least) smallest = std::min(smallest, ratio(i));
  int best = -1;
  has_artificial = false;
  for (int i = 0; i < n_; ++i) {
    if (!(direction_[i] > least) || ratio(i) > smallest + kTie * (1 + smallest)) continue;
    if (basis_[i] == 2 * n_) {
      has_artificial = true;
      return i;
    }
    best = best < 0 ? i : least_lexicographic(best, i);
  }
  return best;
}

void Lemke::pivot(int row, int entering) {
  double* mine = inverse_.data() + at(row) * at(n_);
  const double scale = 1 / direction_[row];
  for (int j = 0; j < n_; ++j) mine[j] *= scale;
  x_[row] *= scale;
  for (int i = 0; i < n_; ++i) {
    const double d = direction_[i];
    if (i == row || d == 0) continue;
    double* other = inverse_.data() + at(i) * at(n_);
    for (int j = 0; j < n_; ++j) other[j] -= d * mine[j];
    x_[i] -= d * x_[row];
  }
  basis_[row] = entering;
  ++since_;
}

Status Lemke::solve(const BoxForm& f, double* y, int limit, int& pivots) {
  expand(f);
  interrupt_ = f.interrupt;
  pivots = 0;
  if (limit <= 0) limit = std::max(10 * n_, 100);
  std::fill_n(y, f.size, 0.0);
  if (std::all_of(q_.begin(), q_.begin() + n_, [](double q) { return q >= 0; })) return Status::solved;
  std::fill_n(inverse_.data(), at(n_) * at(n_), 0.0);
  for (int i = 0; i < n_; ++i) basis_[i] = i, inverse_[at(i) * at(n_) + at(i)] = 1, x_[i] = q_[i];
  since_ = 0;

  // z0 enters where q is most negative; of equal ones the last, as the lexicographic rule says
  int leaving = 0;
  for (int i = 1; i < n_; ++i)
    if (q_[i] <= q_[leaving]) leaving = i;
  std::fill_n(direction_.data(), n_, -1.0);
  int left = basis_[leaving];
  pivot(leaving, 2 * n_);
  Status status = Status::limit;
  while (pivots < limit) {
    ++pivots;
    interrupt_.check();
    const int entering = left < n_ ? left + n_ : left - n_;
    if (since_ > 20 && (since_ > 100 + n_ / 2 || (since_ % 16 == 0 && has_drifted()))) refresh();
    bool has_artificial = false;
    const auto look = [&] {
      calc_column(entering, column_.data());
      for (int i = 0; i < n_; ++i) direction_[i] = linear::dot(inverse_.data() + at(i) * at(n_), column_.data(), n_);
      return find_leaving(has_artificial);
    };
    leaving = look();
    if (leaving < 0 && since_ > 0 && refresh()) leaving = look();
    if (leaving < 0) {
      status = Status::ray;
      break;
    }
    left = basis_[leaving];
    pivot(leaving, entering);
    if (has_artificial) {
      status = Status::solved;
      break;
    }
  }
  refresh();
  for (int i = 0; i < n_; ++i) {
    const int v = basis_[i] - n_;
    if (v >= 0 && v < f.size) y[v] = std::min(std::max(x_[i], 0.0), f.upper[v]);
  }
  return status;
}

}  // namespace sinew::lcp
