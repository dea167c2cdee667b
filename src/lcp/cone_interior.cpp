// src/lcp/cone_interior.cpp
#include "sinew/lcp/cone_interior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lcp/room.hpp"
#include "lcp/sparse_cone.hpp"
#include "linear/envelope.hpp"
#include "linear/lu.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

constexpr double kLeastGap = 1e-24;
constexpr double kSparse = 0.1;      // part of size^3; a full elimination is a third of size^3
constexpr double kRefineGap = 1e-6;  // gap: H^-1 grows as it shrinks
constexpr double kFreeRow = 1e-9;    // H of a row without bounds where G is not built

double calc_length(const double* x) { return std::sqrt(x[1] * x[1] + x[2] * x[2]); }
// determinant of Jordan's algebra: positive inside the cone
double calc_determinant(const double* x) {
  const double length = calc_length(x);
  return (x[0] - length) * (x[0] + length);
}
double dot3(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
void multiply(const double (&A)[3][3], const double* x, double* out) {
  for (int i = 0; i < 3; ++i) out[i] = dot3(A[i], x);
}
// a o b
void calc_product(const double* a, const double* b, double* out) {
  out[0] = dot3(a, b);
  for (int i = 1; i < 3; ++i) out[i] = a[0] * b[i] + b[0] * a[i];
}
// x of  a o x = b
void divide(const double* a, const double* b, double* x) {
  x[0] = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / calc_determinant(a);
  for (int i = 1; i < 3; ++i) x[i] = (b[i] - x[0] * a[i]) / a[0];
}
// factor (2 w w^T - J) with J = diag(1, -1, -1)
void reflect(const double* w, double factor, double (&out)[3][3]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[i][j] = factor * (2 * w[i] * w[j] - (i != j ? 0 : i == 0 ? 1 : -1));
}
// The scaling of Nesterov and Todd: root x = inverse y, root^2 = H takes x to y.
bool calc_scaling(const double* x, const double* y, double (&root)[3][3], double (&inverse)[3][3]) {
  const double dx = std::sqrt(calc_determinant(x)), dy = std::sqrt(calc_determinant(y));
  if (!(dx > 0) || !(dy > 0)) return false;
  const double twice = std::sqrt(2 * (1 + dot3(x, y) / (dx * dy)));
  double w[3];
  for (int i = 0; i < 3; ++i) w[i] = (y[i] / dy + (i == 0 ? 1 : -1) * x[i] / dx) / twice;
  const double half = std::sqrt(2 * (1 + w[0])), stretch = std::sqrt(dy / dx);
  w[0] = (1 + w[0]) / half, w[1] /= half, w[2] /= half;  // the root of w
  reflect(w, stretch, root);
  w[1] = -w[1], w[2] = -w[2];
  reflect(w, 1 / stretch, inverse);
  return true;
}
// The largest t for which x + t dx lies in the cone.
double calc_way_out(const double* x, const double* dx) {
  double t = dx[0] < 0 ? -x[0] / dx[0] : std::numeric_limits<double>::infinity();
  // a t^2 + 2 b t + c = 0, the roots written without cancellation
  const double a = dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2], b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2],
               c = calc_determinant(x), under = b * b - a * c;
  if (under < 0) return t;
  const double q = -(b + std::copysign(std::sqrt(under), b));
  for (const double root : {q / a, c / q})
    if (root > 0) t = std::min(t, root);
  return t;
}

// The first unknown of the first block that block k touches.
int find_first(const ConeForm& f, int k) {
  const int n = f.start(k);
  int first = n;
  for (int i = n; i < n + f.width(k); ++i)
    first = static_cast<int>(std::find_if(f.row(i), f.row(i) + first, [](double g) { return g != 0; }) - f.row(i));
  return first < f.unilateral ? first : first - f.layout().axis_of(first);
}

}  // namespace

template <class Do>
void ConeInterior::for_each_array(std::size_t n, Do apply, bool dense) {
  apply(blocks_, n);
  if (dense)
    apply(A_, n * n), apply(B_, n * n), apply(order_, n), apply(first_, n);
  else
    apply(D_, 9 * n);
  for (auto* v : {&x_, &y_, &dx_, &dy_, &h_, &excess_, &velocity_, &work_, &unit_}) apply(*v, n);
}
void ConeInterior::reserve(std::size_t n) { for_each_array(n, make_room); }
void ConeInterior::reserve_sparse(std::size_t n) { for_each_array(n, make_room, false); }

bool ConeInterior::start(const ConeForm& f, const InteriorOptions& options, const double* r, const double* u) {
  options_ = options;
  for_each_array(at(f.size), grow, !f.sparse);
  degree_ = 0;
  std::fill_n(x_.data(), f.size, 0.0), std::fill_n(y_.data(), f.size, 0.0), std::fill_n(unit_.data(), f.size, 1.0);
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k);
    for (int i = n; i < n + f.width(k) && !f.sparse; ++i) first_[i] = find_first(f, k);
    Block& block = blocks_[k];
    block = {};
    block.lower = k < f.unilateral ? f.lower[k] : 0;
    block.upper = k < f.unilateral ? f.upper[k] : std::numeric_limits<double>::infinity();
    const bool low = std::isfinite(block.lower), high = std::isfinite(block.upper);
    if (low && high && !(block.upper > block.lower)) {
      x_[n] = block.lower;
      continue;
    }
    block.part = Part::interval;
    const double room = low && high ? std::min(1.0, 0.5 * (block.upper - block.lower)) : 1;
    x_[n] = low ? block.lower + room : high ? block.upper - room : 0;
    block.push[0] = low, block.push[1] = high;
    degree_ += low + high;
    const double mu = k < f.unilateral ? 0 : f.mu[k - f.unilateral];
    if (mu == 0) continue;
    block.part = Part::cone;
    unit_[n] = std::min(1.0, 1 / mu), unit_[n + 1] = unit_[n + 2] = std::min(1.0, mu);
    block.offset = f.preload[k - f.unilateral] / unit_[n];
    y_[n] = 1, ++degree_;
  }
  if (degree_ == 0) return false;
  if (options.warm > 0) move_near(f, r, u);
  gap_ = calc_gap(f);
  return true;
}

// Impulses and pushes of a similar problem, kept away from the boundary so that products are about warm^2.
void ConeInterior::move_near(const ConeForm& f, const double* r, const double* u) {
  const double warm = options_.warm, aim = warm * warm;
  for (int k = 0; k < f.blocks(); ++k) {
    Block& block = blocks_[k];
    const int n = f.start(k);
    if (block.part == Part::fixed) continue;
    double* x = x_.data() + n;
    const double wanted = r[n] / unit_[n], speed = unit_[n] * u[n];
    if (block.part == Part::interval) {
      const bool low = block.push[0] > 0, high = block.push[1] > 0;
      const double margin = low && high ? std::min(warm, 0.5 * (block.upper - block.lower)) : warm;
      x[0] = wanted;
      if (low) x[0] = std::max(x[0], block.lower + margin);
      if (high) x[0] = std::min(x[0], block.upper - margin);
      if (low) block.push[0] = std::max(speed, aim / (x[0] - block.lower));
      if (high) block.push[1] = std::max(-speed, aim / (block.upper - x[0]));
      continue;
    }
    x[0] = std::max(wanted, warm), block.push[0] = std::max(speed, aim / x[0]);
    if (speed > wanted && block.push[0] * x[0] > aim) x[0] = std::max(aim / block.push[0], 0.1 * warm);
    const double reach = x[0] + block.offset;
    const double x1 = r[n + 1] / unit_[n + 1], x2 = r[n + 2] / unit_[n + 2], length = std::sqrt(x1 * x1 + x2 * x2);
    const double y1 = unit_[n + 1] * u[n + 1], y2 = unit_[n + 2] * u[n + 2], slip = std::sqrt(y1 * y1 + y2 * y2);
    const double most = reach - std::min(0.5 * reach, slip > 0 ? aim / slip : reach);
    const double fit = length > most ? most / length : 1;
    x[1] = fit * x1, x[2] = fit * x2;
    y_[n] = slip + std::max(aim / reach, 1e-8), y_[n + 1] = y1, y_[n + 2] = y2;
  }
}

double ConeInterior::calc_gap(const ConeForm& f) const {
  double sum = 0;
  for (int k = 0; k < f.blocks(); ++k) {
    const Block& block = blocks_[k];
    const double *x = x_.data() + f.start(k), *y = y_.data() + f.start(k);
    if (block.push[0] > 0) sum += block.push[0] * (x[0] - block.lower);
    if (block.push[1] > 0) sum += block.push[1] * (block.upper - x[0]);
    if (block.part == Part::cone) sum += dot3(x, y) + block.offset * y[0];
  }
  return sum / degree_;
}

bool ConeInterior::calc_scalings(const ConeForm& f) {
  for (int k = 0; k < f.blocks(); ++k) {
    Block& block = blocks_[k];
    if (block.part != Part::cone) continue;
    const double *entry = x_.data() + f.start(k), x[3] = {entry[0] + block.offset, entry[1], entry[2]};
    if (!calc_scaling(x, y_.data() + f.start(k), block.root, block.inverse)) return false;
    multiply(block.root, x, block.middle);
  }
  return true;
}

// Difference between (pushes, y) and the velocities of x.
void ConeInterior::calc_excess(const ConeForm& f) {
  for (int i = 0; i < f.size; ++i) work_[i] = unit_[i] * x_[i];
  f.calc_velocity(work_.data(), velocity_.data());
  for (int i = 0; i < f.size; ++i) excess_[i] = y_[i] - unit_[i] * velocity_[i];
  for (int k = 0; k < f.blocks(); ++k) {
    const Block& block = blocks_[k];
    const int n = f.start(k);
    excess_[n] = block.push[0] - block.push[1] - unit_[n] * velocity_[n];
    std::fill_n(excess_.data() + n + block.moving(), f.width(k) - block.moving(), 0.0);
  }
}

// W + H in the units of x; entries that do not move get a row of the identity.
void ConeInterior::build_matrix(const ConeForm& f) {
  for (int k = 0; k < f.blocks(); ++k) {
    const Block& block = blocks_[k];
    const int n = f.start(k), moving = block.moving();
    double* rows = A_.data() + at(n) * at(f.size);
    for (int i = 0; i < f.width(k); ++i) {
      double* row = rows + at(i) * at(f.size);
      const double *g = f.row(n + i), unit = unit_[n + i];
      for (int j = 0; j < f.size; ++j) row[j] = i < moving ? unit * g[j] * unit_[j] : 0;
      if (i >= moving) row[n + i] = 1;
    }
    if (block.push[0] > 0) rows[n] += block.push[0] / (x_[n] - block.lower);
    if (block.push[1] > 0) rows[n] += block.push[1] / (block.upper - x_[n]);
    if (block.part != Part::cone) continue;
    for (int i = 1; i < 3; ++i)
      for (int j = 0; j < 3; ++j) rows[at(i) * at(f.size) + at(n + j)] += dot3(block.root[i], block.root[j]);
  }
}

// H^-1 of each block: H is a number above two rows, whose own 2 x 2 part is symmetric. Softness adds to H.
bool ConeInterior::factor_sparse(const ConeForm& f) {
  for (int k = 0; k < f.blocks(); ++k) {
    const Block& block = blocks_[k];
    const int n = f.start(k);
    double* D = D_.data() + 9 * at(k);
    std::fill_n(D, 9, 0.0);
    if (block.part == Part::fixed) continue;
    double normal = 0;
    if (block.push[0] > 0) normal += block.push[0] / (x_[n] - block.lower);
    if (block.push[1] > 0) normal += block.push[1] / (block.upper - x_[n]);
    normal /= unit_[n] * unit_[n];
    if (f.width(k) == 1) normal += f.sparse->softness(k);
    D[0] = 1 / std::max(normal, kFreeRow);
    if (block.part != Part::cone) continue;
    double H[2][3];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 3; ++j) H[i][j] = dot3(block.root[i + 1], block.root[j]) / (unit_[n + 1 + i] * unit_[n + j]);
    const double determinant = H[0][1] * H[1][2] - H[0][2] * H[1][1];
    if (!(std::abs(determinant) > 0)) return false;
    D[4] = H[1][2] / determinant, D[8] = H[0][1] / determinant;
    D[5] = -H[0][2] / determinant, D[7] = -H[1][1] / determinant;
    D[3] = -(D[4] * H[0][0] + D[5] * H[1][0]) * D[0], D[6] = -(D[7] * H[0][0] + D[8] * H[1][0]) * D[0];
  }
  return f.sparse->factor(D_.data(), f.interrupt);
}

// Within the envelope where that is much cheaper; with pivoting where a factor without is inaccurate.
bool ConeInterior::factor(const ConeForm& f) {
  if (f.sparse) return factor_sparse(f);
  const MatrixView<double> A = linear::square(A_.data(), f.size), B = linear::square(B_.data(), f.size);
  build_matrix(f);
  double within = 0;
  for (int i = 0; i < f.size; ++i) within += (i - first_[i]) * (i - first_[i]);
  if (within > kSparse * f.size * f.size * f.size) {
    factor_ = Factor::plain;
    if (linear::factor_plain(A, work_.data(), f.interrupt) > linear::kSingular) return true;
  } else {
    factor_ = Factor::envelope;
    for (int i = 0; i < f.size; ++i)
      for (int j = first_[i]; j <= i; ++j) B_[at(i) * at(f.size) + at(j)] = A_[at(j) * at(f.size) + at(i)];
    if (linear::factor_envelope(A, B, first_.data(), f.interrupt) > linear::kSingular) return true;
  }
  factor_ = Factor::pivoted;
  build_matrix(f);
  return linear::factor_lu(A, order_.data(), 0, f.interrupt) > 0;
}

// h: the right side that aims at products of `aim`; `second`: with the second-order terms of the step in dx and dy.
void ConeInterior::calc_target(const ConeForm& f, bool second, double aim) {
  std::fill_n(h_.data(), f.size, 0.0);
  for (int k = 0; k < f.blocks(); ++k) {
    Block& block = blocks_[k];
    const int n = f.start(k);
    const double room[2] = {x_[n] - block.lower, block.upper - x_[n]}, change[2] = {dx_[n], -dx_[n]};
    for (int end = 0; end < 2; ++end) {
      if (block.push[end] == 0) continue;
      block.d_push[end] =
          aim / room[end] - block.push[end] - (second ? change[end] * block.d_push[end] / room[end] : 0);
      h_[n] += end == 0 ? block.d_push[end] : -block.d_push[end];
    }
    if (block.part != Part::cone) continue;
    double a[3], b[3], square[3] = {}, wanted[3];
    if (second) {
      multiply(block.root, dx_.data() + n, a), multiply(block.inverse, dy_.data() + n, b);
      calc_product(a, b, square);
    }
    calc_product(block.middle, block.middle, wanted);
    for (int i = 0; i < 3; ++i) wanted[i] = (i == 0 ? aim : 0) - wanted[i] - square[i];
    divide(block.middle, wanted, a);
    multiply(block.root, a, b);
    block.target = b[0], h_[n + 1] = b[1], h_[n + 2] = b[2];
  }
}

// (G + H) dr = g  as  (1 + D G) dr = D g
void ConeInterior::solve_sparse(const ConeForm& f) {
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k), rows = f.width(k);
    const double* D = D_.data() + 9 * at(k);
    for (int i = 0; i < rows; ++i) {
      work_[n + i] = 0;
      for (int j = 0; j < rows; ++j) work_[n + i] += D[rows * i + j] * dx_[n + j] / unit_[n + j];
    }
  }
  f.sparse->solve(work_.data(), dx_.data(), gap_ < kRefineGap);
  for (int i = 0; i < f.size; ++i) dx_[i] /= unit_[i];
}

void ConeInterior::solve_step(const ConeForm& f) {
  for (int i = 0; i < f.size; ++i) dx_[i] = h_[i] + excess_[i];
  if (f.sparse)
    solve_sparse(f);
  else if (factor_ == Factor::plain)
    linear::solve_plain(linear::square<const double>(A_.data(), f.size), dx_.data());
  else if (factor_ == Factor::pivoted)
    linear::solve_lu(linear::square<const double>(A_.data(), f.size), order_.data(), dx_.data(), work_.data());
  else
    linear::solve_envelope(linear::square<const double>(A_.data(), f.size),
                           linear::square<const double>(B_.data(), f.size), first_.data(), dx_.data());
  for (int k = 0; k < f.blocks(); ++k) {
    Block& block = blocks_[k];
    const int n = f.start(k);
    std::fill_n(dx_.data() + n + block.moving(), f.width(k) - block.moving(), 0.0);  // zero up to rounding
    const double* dx = dx_.data() + n;
    if (block.push[0] > 0) block.d_push[0] -= block.push[0] / (x_[n] - block.lower) * dx[0];
    if (block.push[1] > 0) block.d_push[1] += block.push[1] / (block.upper - x_[n]) * dx[0];
    if (block.part != Part::cone) continue;
    double a[3], b[3];
    multiply(block.root, dx, a), multiply(block.root, a, b);
    dy_[n] = block.target - b[0];
    for (int i = 1; i < 3; ++i) dy_[n + i] = h_[n + i] - b[i];
  }
}

double ConeInterior::calc_longest(const ConeForm& f) const {
  double t = std::numeric_limits<double>::infinity();
  const auto keep = [&](double room, double change) {
    if (change < 0) t = std::min(t, -room / change);
  };
  for (int k = 0; k < f.blocks(); ++k) {
    const Block& block = blocks_[k];
    const double *x = x_.data() + f.start(k), *dx = dx_.data() + f.start(k);
    if (block.push[0] > 0) keep(x[0] - block.lower, dx[0]), keep(block.push[0], block.d_push[0]);
    if (block.push[1] > 0) keep(block.upper - x[0], -dx[0]), keep(block.push[1], block.d_push[1]);
    if (block.part != Part::cone) continue;
    const double high[3] = {x[0] + block.offset, x[1], x[2]};
    t = std::min(t, calc_way_out(high, dx));
    t = std::min(t, calc_way_out(y_.data() + f.start(k), dy_.data() + f.start(k)));
  }
  return t;
}

bool ConeInterior::step(const ConeForm& f, double* r) {
  f.interrupt.check();
  if (!(gap_ > kLeastGap) || !calc_scalings(f)) return false;
  calc_excess(f);
  if (!factor(f)) return false;
  calc_target(f, false, 0), solve_step(f);
  const double short_by = options_.centring ? 1 - std::min(1.0, calc_longest(f)) : 0;
  calc_target(f, true, short_by * short_by * short_by * gap_), solve_step(f);
  const double t = std::min(1.0, options_.share * calc_longest(f));
  if (!linear::is_finite(dx_.data(), at(f.size)) || !(t > 0)) return false;
  for (int k = 0; k < f.blocks(); ++k) {
    Block& block = blocks_[k];
    for (int end = 0; end < 2; ++end) block.push[end] += t * block.d_push[end];
    if (block.part == Part::cone)
      for (int i = f.start(k); i < f.start(k) + 3; ++i) y_[i] += t * dy_[i];
  }
  for (int i = 0; i < f.size; ++i) x_[i] += t * dx_[i], r[i] = unit_[i] * x_[i];
  gap_ = calc_gap(f);
  return true;
}

}  // namespace sinew::lcp
