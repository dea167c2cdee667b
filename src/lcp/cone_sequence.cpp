// src/lcp/cone_sequence.cpp
#include "sinew/lcp/cone_sequence.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/room.hpp"
#include "lcp/sparse_cone.hpp"
#include "linear/ldl.hpp"
#include "linear/rows.hpp"
#include "linear/semidefinite.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {
constexpr double kNoise = 1e-22;  // rounding relative to the objective

}  // namespace

template <class Do>
void ConeSequence::for_each_array(std::size_t n, std::size_t motions, bool dense, Do apply) {
  for (auto* x : {&centre_, &b_, &u_trial_, &du_, &weight_}) apply(*x, n);
  for (auto* x : {&v_, &dv_, &gradient_, &error_, &momentum_, &dmomentum_}) apply(*x, motions);
  apply(turned_, 3 * n);
  if (!dense) return apply(D_, 9 * n);
  apply(diagonal_, n), apply(L_, n * n), apply(order_, n), apply(work_, 2 * n), apply(rows_, 4 * n);
  apply(H_, n * at(linear::ldl_stride(static_cast<int>(n))));
}
void ConeSequence::reserve(std::size_t n) { for_each_array(n, n, true, make_room); }
void ConeSequence::reserve_sparse(std::size_t n, std::size_t velocities) {
  for_each_array(n, velocities, false, make_room);
}

// G = L L^T up to its rank.
void ConeSequence::prepare(const ConeForm& f) {
  const int m = f.size;
  if (f.sparse) {
    rank_ = f.sparse->velocities();
    return for_each_array(at(m), at(rank_), false, grow);
  }
  for_each_array(at(m), at(m), true, grow);
  std::fill_n(L_.data(), at(m) * at(m), 0.0);
  for (int i = 0; i < m; ++i) diagonal_[i] = f.row(i)[i];
  const MatrixView<double> L = linear::square(L_.data(), m);
  rank_ = linear::factor_semidefinite(
      L, diagonal_.data(), order_.data(), linear::kSemidefinite,
      [&](int i, int p, int k) {
        return diagonal_[i] < 0 ? 0 : f.row(i)[p] - linear::dot(&L(at(i), 0), &L(at(p), 0), k);
      },
      f.interrupt);
  stride_ = m;
}

void ConeSequence::calc_motion_of(const ConeForm& f, const double* r, double* v) const {
  if (f.sparse) return f.sparse->calc_motion(r, v);
  std::fill_n(v, rank_, 0.0);
  for (int i = 0; i < f.size; ++i) {
    const double* row = L_.data() + at(i) * at(stride_);
    if (r[i] != 0)
      for (int j = 0; j < rank_; ++j) v[j] += row[j] * r[i];
  }
}
void ConeSequence::calc_velocity_of(const ConeForm& f, const double* v, double* u) const {
  if (f.sparse) return f.sparse->calc_rows(v, u);
  for (int i = 0; i < f.size; ++i) u[i] = linear::dot(L_.data() + at(i) * at(stride_), v, rank_);
}

void ConeSequence::calc_momentum_of(const ConeForm& f, const double* v, double* p) const {
  if (f.sparse) return f.sparse->calc_momentum(v, p);
  std::copy_n(v, rank_, p);
}

// r = P(centre - u / shift), and the pieces of its derivative: weights along turned directions.
void ConeSequence::project(const ConeForm& f, const double* u, double* r) {
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k);
    // Softness of a row is part of u: r = P(centre - (u + soft r) / shift).
    const double share = f.sparse && f.width(k) == 1 ? shift_ / (shift_ + f.sparse->softness(k)) : 1;
    const auto pull = [&](int i) { return share * (centre_[i] - u[i] / shift_); };
    const double mu = f.width(k) == 1 ? 0 : f.mu[k - f.unilateral];
    const double x = pull(n);
    if (mu == 0) {
      r[n] = f.width(k) == 1 ? f.clamp(k, x) : std::max(0.0, x), weight_[n] = r[n] == x ? 1 : 0;
      for (int i = 1; i < f.width(k); ++i) r[n + i] = 0, weight_[n + i] = 0;
      if (f.width(k) == 3) std::fill_n(turned_.data() + 3 * at(n), 9, 0.0), turned_[3 * at(n)] = 1;
      continue;
    }
    const double y1 = pull(n + 1), y2 = pull(n + 2), length = std::sqrt(y1 * y1 + y2 * y2);
    double* axes = turned_.data() + 3 * at(n);
    double* weight = weight_.data() + n;
    std::fill_n(axes, 9, 0.0), axes[0] = axes[4] = axes[8] = 1;
    if (length <= mu * x) {
      r[n] = x, r[n + 1] = y1, r[n + 2] = y2;
      weight[0] = weight[1] = weight[2] = 1;
    } else if (mu * length <= -x) {
      r[n] = r[n + 1] = r[n + 2] = 0;
      weight[0] = weight[1] = weight[2] = 0;
    } else {
      const double c = 1 / std::sqrt(1 + mu * mu), d1 = y1 / length, d2 = y2 / length;
      const double along = c * c * (x + mu * length);
      r[n] = along, r[n + 1] = mu * along * d1, r[n + 2] = mu * along * d2;
      axes[0] = c, axes[1] = c * mu * d1, axes[2] = c * mu * d2;  // along the cone
      axes[3] = 0, axes[4] = -d2, axes[5] = d1;                   // around it
      weight[0] = 1, weight[1] = mu * along / length, weight[2] = 0;
    }
  }
}

// H = I + (rows of L, turned)^T weights (the same) / shift, upper triangle
void ConeSequence::build_hessian(const ConeForm& f) {
  const std::size_t stride = at(linear::ldl_stride(rank_));
  std::fill_n(H_.data(), at(rank_) * stride, 0.0);
  for (int i = 0; i < rank_; ++i) H_[at(i) * stride + at(i)] = 1;
  int held = 0;
  const auto flush = [&] {
    f.interrupt.check();
    const double *a = rows_.data(), *b = a + rank_, *c = b + rank_, *d = c + rank_;
    for (int k = held; k < 4; ++k) std::fill_n(rows_.data() + at(k) * at(rank_), rank_, 0.0);
    for (int i = 0; i < rank_; ++i) {
      const double ai = a[i], bi = b[i], ci = c[i], di = d[i];
      if (ai == 0 && bi == 0 && ci == 0 && di == 0) continue;
      double* __restrict h = H_.data() + at(i) * stride;
      for (int j = i; j < rank_; ++j) h[j] += (ai * a[j] + bi * b[j]) + (ci * c[j] + di * d[j]);
    }
    held = 0;
  };
  for (int k = 0; k < f.blocks(); ++k)
    for (int i = 0; i < f.width(k); ++i) {
      const int n = f.start(k);
      if (weight_[n + i] == 0) continue;
      const double root = std::sqrt(weight_[n + i] / shift_);
      const double* axis = turned_.data() + 3 * at(n + i);
      double* out = rows_.data() + at(held) * at(rank_);
      const double* l = L_.data() + at(n) * at(stride_);
      if (f.width(k) == 1) {
        for (int j = 0; j < rank_; ++j) out[j] = root * l[j];
      } else {
        const double *l1 = l + stride_, *l2 = l1 + stride_;
        for (int j = 0; j < rank_; ++j) out[j] = root * (axis[0] * l[j] + axis[1] * l1[j] + axis[2] * l2[j]);
      }
      if (++held == 4) flush();
    }
  if (held > 0) flush();
}

bool ConeSequence::find_step(const ConeForm& f, const double* gradient, double* dv) {
  build_hessian(f);
  std::copy_n(gradient, rank_, dv);
  if (linear::factor_ldl(H_.data(), rank_, 0, work_.data(), work_.data() + rank_, f.interrupt).singular_row >= 0)
    return false;
  linear::solve_ldl(H_.data(), rank_, dv);
  return true;
}

// M + J^T D J, D = (directions, turned)^T weights (the same) / shift
bool ConeSequence::find_step_sparse(const ConeForm& f, const double* gradient, double* dv) {
  for (int k = 0; k < f.blocks(); ++k) {
    const int n = f.start(k);
    double* D = D_.data() + 9 * at(k);
    if (f.width(k) == 1) {
      D[0] = weight_[n] / (shift_ + f.sparse->softness(k));
      continue;
    }
    std::fill_n(D, 9, 0.0);
    for (int i = 0; i < 3; ++i) {
      if (weight_[n + i] == 0) continue;
      const double *axis = turned_.data() + 3 * at(n + i), weight = weight_[n + i] / shift_;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) D[3 * a + b] += weight * axis[a] * axis[b];
    }
  }
  if (!f.sparse->factor(D_.data(), f.interrupt)) return false;
  f.sparse->solve_motion(gradient, dv);
  return true;
}

// The slope of the objective at v + t dv, and the impulses there.
double ConeSequence::calc_slope(const ConeForm& f, double t, const double* u, double* r_out) {
  for (int i = 0; i < f.size; ++i) u_trial_[i] = u[i] + t * du_[i];
  project(f, u_trial_.data(), r_out);
  double slope = 0;
  for (int j = 0; j < rank_; ++j) slope += (momentum_[j] + t * dmomentum_[j]) * dv_[j];
  return slope - linear::dot(r_out, du_.data(), f.size);
}

// v less that of r; returns its size, in the units of u.
double ConeSequence::calc_error(const ConeForm& f, const double* r) {
  calc_motion_of(f, r, error_.data());
  for (int j = 0; j < rank_; ++j) error_[j] = v_[j] - error_[j];
  if (!f.sparse) return linear::largest_entry(error_.data(), rank_);
  f.sparse->calc_rows(error_.data(), du_.data());
  return linear::largest_entry(du_.data(), f.size);
}

int ConeSequence::round(const ConeForm& f, const double* centre, const double* slip, double* r, double* u, double shift,
                        double goal, int limit, const double* start) {
  shift_ = shift;
  goal = std::max(goal, 1e-15 / shift);  // no less than rounding allows
  std::copy_n(centre, f.size, centre_.data());
  for (int i = 0; i < f.size; ++i) b_[i] = f.b[i];
  for (int c = 0; c < f.contacts; ++c) b_[f.layout().row_of_contact(c)] += f.mu[c] * slip[c];
  if (!start)
    calc_motion_of(f, centre, v_.data());
  else if (start != v_.data())
    std::copy_n(start, rank_, v_.data());
  int steps = 0;
  for (; steps < limit; ++steps) {
    f.interrupt.check();
    calc_velocity_of(f, v_.data(), u);
    for (int i = 0; i < f.size; ++i) u[i] += b_[i];
    project(f, u, r);
    if (!(calc_error(f, r) > goal)) break;
    calc_momentum_of(f, error_.data(), gradient_.data());
    for (int j = 0; j < rank_; ++j) gradient_[j] = -gradient_[j];
    if (!(f.sparse ? find_step_sparse(f, gradient_.data(), dv_.data()) : find_step(f, gradient_.data(), dv_.data())))
      break;
    calc_momentum_of(f, v_.data(), momentum_.data()), calc_momentum_of(f, dv_.data(), dmomentum_.data());
    calc_velocity_of(f, dv_.data(), du_.data());
    const double steep = std::abs(linear::dot(gradient_.data(), dv_.data(), rank_));
    if (!(steep > kNoise)) break;
    // the slope rises along the line: bracket its root, then false position and halving
    double low = 0, high = 1, slope_low = -steep, slope_high = calc_slope(f, 1, u, r), t = 1;
    for (int i = 0; i < 12 && std::abs(slope_high) > 0.1 * steep; ++i) {
      if (slope_high < 0) {
        if (high > 4) break;
        low = high, slope_low = slope_high, high *= 2;
        slope_high = calc_slope(f, high, u, r), t = high;
        continue;
      }
      t = i % 3 == 2 ? 0.5 * (low + high) : low - slope_low * (high - low) / (slope_high - slope_low);
      const double slope = calc_slope(f, t, u, r);
      if (std::abs(slope) <= 0.1 * steep) break;
      if (slope < 0)
        low = t, slope_low = slope;
      else
        high = t, slope_high = slope;
    }
    for (int j = 0; j < rank_; ++j) v_[j] += t * dv_[j];
  }
  f.calc_velocity(r, u);
  return steps;
}

}  // namespace sinew::lcp
