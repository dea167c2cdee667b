// src/sim/impulse_slopes.cpp
#include "impulse_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/dense_system.hpp"
#include "linear/rows.hpp"
#include "linear/strided_product.hpp"
#include "sinew/tree/kernel/factor_inverse.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"
#include "tree/aligned_rows.hpp"
#include "tree/symmetric.hpp"

namespace sinew::stepping {
namespace {

constexpr double kFullRank = 1e-9;       // of the first pivot: smaller ones are rows that depend on others
constexpr double kMovesNothing = 1e-24;  // of the largest T_ii of a contact: a row that is zero but for rounding
constexpr double kNothing = 1e-6;        // of the largest change of u by an impulse: less is none

int padded_width(int n) { return static_cast<int>(linear::pad_columns(n)); }
linear::StridedRows rows_of(const linear::Matrix& m) { return {m.data(), m.cols(), 1}; }
linear::StridedRows columns_of(const linear::Matrix& m) { return {m.data(), 1, m.cols()}; }

void grow(linear::Matrix& m, int rows, int cols) {
  if (m.rows() < rows || m.cols() != cols) m.resize(std::max(rows, m.rows()), cols);
}
void set_zero(linear::Matrix& m, int rows) { std::fill_n(m.data(), at(rows) * at(m.cols()), 0.0); }

}  // namespace

ImpulseSlopes::ImpulseSlopes(const DofTree& tree)
    : tree_(tree),
      chains_(make_freedom_chains(tree)),
      blocks_(make_freedom_blocks(tree, above_)),
      nv_(tree.size()),
      width_(padded_width(nv_)),
      stride_(aligned_stride(nv_, 1)),
      packed_(tree.packed_size() + kRegister),
      Z_(at(stride_) * at(nv_ + 1)),
      N_(Z_.size()) {
  for (int k = 0; k < nv_; ++k) Z_[at(k) * at(stride_ + 1)] = 1;
  for (Matrix* m : {&inverse_, &u_by_q, &u_by_v, &u_by_force}) m->resize(nv_, width_);
}

void ImpulseSlopes::clear(int most) {
  grow(J, most, width_), grow(Uq, most, width_);
  set_zero(J, most), set_zero(Uq, most);
  rows_ = 0, laws.clear(), groups_.clear(), coordinates_.clear();
}

void ImpulseSlopes::add_rows(int count, std::span<const int> coordinates) {
  const std::size_t begin = coordinates_.size();
  coordinates_.insert(coordinates_.end(), coordinates.begin(), coordinates.end());
  groups_.push_back({rows_, count, begin, coordinates_.size()});
  rows_ += count;
}

bool ImpulseSlopes::invert(const Matrix& mass) {
  double* L = packed_.data();
  for (int k = 0; k < nv_; ++k) {
    const double* row = mass.row(tree_.velocity(k));
    double* to = L + tree_.row(k) + tree_.depth(k);
    for (int i = k; i >= 0; i = tree_.parent(i)) *to-- = row[tree_.velocity(i)];
  }
  kernel::factor_ltdl_reciprocal(tree_, L);
  for (int k = 0; k < nv_; ++k)
    if (!(L[tree_.row(k) + at(tree_.depth(k))] > 0)) return false;
  const FactorInverse<double> inverse{tree_, L, Z_.data(), N_.data(), stride_};
  invert_from_factor(inverse, chains_, blocks_, above_);
  const SymmetricRows<double> out(tree_, MatrixView<double>(inverse_.data(), at(nv_), at(nv_), at(width_)));
  for (int root = 0; root < nv_; root = tree_.end(root))
    for (int k = root; k < tree_.end(root); ++k) {
      const double* row = inverse.row(N_.data(), k);
      out.set_row(k, row[k], row, tree_.end(root));
    }
  out.finish();
  return true;
}

// T = J mass^-1 J^T and B, with impulses in units of 1 / sqrt(T_ii) and velocities of sqrt(T_ii). Rows of J have few
// entries: those of the freedoms that carry their bodies.
void ImpulseSlopes::build() {
  const int wide = padded_width(rows_);
  grow(C_, rows_, width_), grow(turned_, nv_, wide), grow(T_, rows_, wide), grow(B_, rows_, 2 * width_);
  set_zero(C_, rows_), set_zero(T_, rows_), set_zero(turned_, nv_);
  const auto inner = [&](const RowGroup& g) {
    return std::span<const int>(coordinates_).subspan(g.begin, g.end - g.begin);
  };
  for (const RowGroup& g : groups_)
    linear::add_product(1, {J.row(g.first), J.cols(), 1}, inverse_.data(), width_, C_.row(g.first), width_, g.count,
                        nv_, inner(g));
  for (int i = 0; i < rows_; ++i)
    for (int k = 0; k < nv_; ++k) turned_(k, i) = C_(i, k);
  for (const RowGroup& g : groups_)
    linear::add_product(1, {J.row(g.first), J.cols(), 1}, turned_.data(), wide, T_.row(g.first), wide, g.count, rows_,
                        inner(g));
  unit_.resize(at(rows_));
  for (const RowGroup& g : groups_) {
    double most = 0;
    for (int i = g.first; i < g.first + g.count; ++i) most = std::max(most, T_(i, i));
    for (int i = g.first; i < g.first + g.count; ++i)
      unit_[at(i)] = most > 0 ? 1 / std::sqrt(T_(i, i) > kMovesNothing * most ? T_(i, i) : most) : 1;
  }
  for (int i = 0; i < rows_; ++i) {
    const double unit = unit_[at(i)];
    double *t = T_.row(i), *b = B_.row(i);
    const double *c = C_.row(i), *u = Uq.row(i);
    for (int j = 0; j < rows_; ++j) t[j] *= unit * unit_[at(j)];
    for (int k = 0; k < width_; ++k) b[k] = unit * c[k], b[width_ + k] = unit * u[k];
  }
}

// Tangents of contacts that slide. Along s:  s . dp_t + mu dp_n = 0.  Across it, r:  r . dp_t + gain r . du_t = 0  with
// du_t = T dp + B in these units.
void ImpulseSlopes::let_slide() {
  for (int i = 0; i + 1 < rows_; ++i) {
    const Row& law = laws[at(i)];
    if (law.law != Row::Law::slides) continue;
    const double s[2] = {law.s1, law.s2}, r[2] = {-law.s2, law.s1};
    const double unit = unit_[at(i)], stiff = law.gain / (unit * unit);
    const double share = std::isinf(law.gain) ? 1 : stiff / (1 + stiff);
    tangents_.assign(T_.row(i), T_.row(i) + 2 * T_.cols()), right_.assign(B_.row(i), B_.row(i) + 2 * B_.cols());
    std::fill_n(T_.row(i), 2 * T_.cols(), 0.0), std::fill_n(B_.row(i), 2 * B_.cols(), 0.0);
    T_(i, i - 1) = law.mu * unit_[at(i - 1)] / unit;
    for (int k = 0; k < 2; ++k) {
      const double here = unit_[at(i + k)], by = share * r[k] * unit / here;
      for (int j = 0; j < T_.cols(); ++j) T_(i + 1, j) += by * tangents_[at(k * T_.cols() + j)];
      for (int j = 0; j < B_.cols(); ++j) B_(i + 1, j) += by * right_[at(k * B_.cols() + j)];
      T_(i, i + k) += s[k] * here / unit;
      T_(i + 1, i + k) += (1 - share) * r[k] * here / unit;
    }
    ++i;
  }
}

// Rows of relaxed laws:  A_p dp + A_w dw = 0,  dw = T dp + B,  each divided by its largest slope.
void ImpulseSlopes::relax() {
  for (const RowGroup& g : groups_) {
    if (laws[at(g.first)].law != Row::Law::relaxed) continue;
    tangents_.assign(T_.row(g.first), T_.row(g.first) + g.count * T_.cols());
    right_.assign(B_.row(g.first), B_.row(g.first) + g.count * B_.cols());
    for (int i = g.first; i < g.first + g.count; ++i) {
      const Row& law = laws[at(i)];
      double most = 0;
      for (int k = 0; k < g.count; ++k) {
        const double unit = unit_[at(g.first + k)];
        most = std::max({most, std::abs(law.by_impulse[at(k)]) * unit, std::abs(law.by_velocity[at(k)]) / unit});
      }
      double *t = T_.row(i), *b = B_.row(i);
      std::fill_n(t, T_.cols(), 0.0), std::fill_n(b, B_.cols(), 0.0);
      for (int k = 0; k < g.count; ++k) {
        const double unit = unit_[at(g.first + k)], by = law.by_velocity[at(k)] / unit / most;
        for (int j = 0; j < T_.cols(); ++j) t[j] += by * tangents_[at(k * T_.cols() + j)];
        for (int j = 0; j < B_.cols(); ++j) b[j] += by * right_[at(k * B_.cols() + j)];
        t[g.first + k] += law.by_impulse[at(k)] * unit / most;
      }
    }
  }
}

bool ImpulseSlopes::calc_response(const Matrix& mass, Matrix& W) {
  if (!invert(mass)) return false;
  build();
  W.resize(rows_, rows_);
  for (int i = 0; i < rows_; ++i)
    for (int j = 0; j < rows_; ++j) W(i, j) = T_(i, j) / (unit_[at(i)] * unit_[at(j)]);
  return true;
}
void ImpulseSlopes::add_by_impulses(In<double> impulses, Out<double> u) const {
  for (int i = 0; i < rows_; ++i)
    for (int k = 0; k < nv_; ++k) u[at(k)] += C_(i, k) * impulses[at(i)];
}

// The first `rank` rows of B become the answers. Impulses that change nothing in the rows must change nothing in u.
void ImpulseSlopes::eliminate() {
  const std::size_t n = at(rows_);
  const MatrixView<double> T{T_.data(), n, n, at(T_.cols())}, B{B_.data(), n, at(B_.cols())};
  const auto largest = [](const Matrix& m, int from, int to) {
    return linear::largest_entry(m.data() + at(from) * at(m.cols()), (to - from) * m.cols());
  };
  const double scale = largest(B_, 0, rows_);
  rank = linear::eliminate(T, B, order_, kFullRank);
  const int left = rows_ - rank;
  if (left > 0 && scale > 0) inconsistency = largest(B_, rank, rows_) / scale;
  linear::divide_by_upper(linear::constant(T), rank, B);
  grow(pivots_, rank, width_);
  for (int k = 0; k < rank; ++k) {
    const int i = order_[at(k)];
    const double *c = C_.row(i), unit = unit_[at(i)];
    for (int j = 0; j < width_; ++j) pivots_(k, j) = unit * c[j];
  }
  if (left == 0) return;
  const int wide = padded_width(left);
  grow(free_, rank, wide), grow(idle_, rows_, wide), grow(moves_, nv_, wide);
  set_zero(free_, rank), set_zero(idle_, rows_), set_zero(moves_, nv_);
  for (int k = 0; k < rank; ++k)
    for (int j = 0; j < left; ++j) free_(k, j) = -T_(k, rank + j);
  linear::divide_by_upper(linear::constant(T), rank, {free_.data(), at(rank), at(wide)});
  double moves = 0;
  for (int k = 0; k < rows_; ++k) {
    const int i = order_[at(k)];
    const double unit = unit_[at(i)];
    moves = std::max(moves, unit * linear::largest_entry(C_.row(i), nv_));
    if (k < rank)
      for (int j = 0; j < left; ++j) idle_(i, j) = unit * free_(k, j);
    else
      idle_(i, k - rank) = unit;
  }
  some_.resize(n), std::iota(some_.begin(), some_.end(), 0);
  linear::add_product(1, columns_of(C_), idle_.data(), wide, moves_.data(), wide, nv_, left, some_);
  unique = largest(moves_, 0, nv_) <= kNothing * moves;
}

// out -= A F, for eight columns of F at a time those rows of it that are not zero there.
void ImpulseSlopes::subtract_product(const Matrix& A, const Matrix& F, Matrix& out) {
  constexpr int kBlock = static_cast<int>(linear::kColumnBlock);
  for (int j = 0; j < width_; j += kBlock) {
    some_.clear();
    for (int k = 0; k < nv_; ++k) {
      const double* f = F.row(k) + j;
      bool any = false;
      for (int c = 0; c < kBlock; ++c) any |= f[c] != 0;
      if (any) some_.push_back(k);
    }
    linear::add_product(-1, rows_of(A), F.data() + j, width_, out.data() + j, width_, nv_, kBlock, some_);
  }
}

bool ImpulseSlopes::solve(const Matrix& mass, const Matrix& Fq, const Matrix& Fv) {
  if (!invert(mass)) return false;
  rank = rows_, unique = true, inconsistency = 0;
  u_by_force = inverse_;
  set_zero(u_by_q, nv_), set_zero(u_by_v, nv_);
  if (rows_ > 0) {
    build(), let_slide(), relax(), eliminate();
    some_.resize(at(rank)), std::iota(some_.begin(), some_.end(), 0);
    linear::add_product(-1, columns_of(pivots_), B_.data(), B_.cols(), u_by_force.data(), width_, nv_, nv_, some_);
    linear::add_product(-1, columns_of(pivots_), B_.data() + width_, B_.cols(), u_by_q.data(), width_, nv_, nv_, some_);
  }
  subtract_product(u_by_force, Fq, u_by_q);
  subtract_product(u_by_force, Fv, u_by_v);
  return true;
}

// The system again, with other right-hand sides.
void ImpulseSlopes::add_by_offsets(const Matrix& offsets, Matrix& u) {
  if (rows_ == 0) return;
  const Matrix by_q = Uq;
  const bool was_unique = unique;
  const double was_inconsistent = inconsistency;
  set_zero(Uq, rows_);
  for (int i = 0; i < rows_; ++i) std::copy_n(offsets.row(i), offsets.cols(), Uq.row(i));
  build(), let_slide(), relax(), eliminate();
  some_.resize(at(rank)), std::iota(some_.begin(), some_.end(), 0);
  linear::add_product(-1, columns_of(pivots_), B_.data() + width_, B_.cols(), u.data(), u.cols(), nv_, u.cols(), some_);
  Uq = by_q, unique = was_unique, inconsistency = was_inconsistent;
}

}  // namespace sinew::stepping
