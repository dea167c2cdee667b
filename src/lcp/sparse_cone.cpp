// src/lcp/sparse_cone.cpp
#include "lcp/sparse_cone.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/infinity.hpp"
#include "linear/rows.hpp"
#include "linear/wide.hpp"

namespace sinew::lcp {
namespace {

constexpr int kRefinements = 2;     // of a step, at most: the matrix is as ill-conditioned as 1 / shift
constexpr double kRefined = 1e-10;  // of the right side: Newton corrects what is left

// u += J v of one block and tree, and f += J^T r. Most trees are single bodies: six numbers, unrolled.
template <int Rows, int N>
[[gnu::always_inline]] inline void add_rows(const double* j, const double* v, int n, double* u) {
  const int count = N > 0 ? N : n;
  for (int r = 0; r < Rows; ++r) {
    double even = 0, odd = 0;
    int i = 0;
    for (; i + 1 < count; i += 2) even += j[r * count + i] * v[i], odd += j[r * count + i + 1] * v[i + 1];
    if (i < count) even += j[r * count + i] * v[i];
    u[r] += even + odd;
  }
}
template <int Rows, int N>
[[gnu::always_inline]] inline void add_columns(const double* __restrict j, const double* r, int n,
                                               double* __restrict f) {
  const int count = N > 0 ? N : n;
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int row = 0; row < Rows; ++row) sum += r[row] * j[row * count + i];
    f[i] += sum;
  }
}
// work<rows, velocities or 0>(numbers of J, velocities) for each tree of block k
template <class Work>
[[gnu::always_inline]] inline void for_each_term(const SparseProblem& p, int k, const double* J, Work work) {
  const bool contact = k >= p.ones();
  for (int e = p.first_term[at(k)]; e < p.first_term[at(k) + 1]; ++e) {
    const SparseProblem::Term& t = p.terms[at(e)];
    const int n = p.sizes[at(t.tree)], first = p.first_velocity[at(t.tree)];
    const double* j = J + t.first;
    if (contact && n == 6)
      work.template operator()<3, 6>(j, first, n);
    else if (contact)
      work.template operator()<3, 0>(j, first, n);
    else
      work.template operator()<1, 0>(j, first, n);
  }
}
[[gnu::always_inline]] inline void find_block(const SparseProblem& p, const double* J, int k, const double* v,
                                              double* u) {
  std::fill_n(u, p.width(k), 0.0);
  for_each_term(p, k, J,
                [&]<int Rows, int N>(const double* j, int first, int n) { add_rows<Rows, N>(j, v + first, n, u); });
}
[[gnu::always_inline]] inline void push_block(const SparseProblem& p, const double* J, int k, const double* r,
                                              double* f) {
  for_each_term(p, k, J,
                [&]<int Rows, int N>(const double* j, int first, int n) { add_columns<Rows, N>(j, r, n, f + first); });
}
SINEW_WIDE void find_all(const SparseProblem& p, const double* J, const double* v, double* u) {
  for (int k = 0; k < p.blocks(); ++k) find_block(p, J, k, v, u + p.start(k));
}
SINEW_WIDE void push_all(const SparseProblem& p, const double* J, const double* r, double* f) {
  for (int k = 0; k < p.blocks(); ++k) {
    const double* own = r + p.start(k);
    if (own[0] != 0 || (k >= p.ones() && (own[1] != 0 || own[2] != 0))) push_block(p, J, k, own, f);
  }
}

// to += a^T b: rows of J, each a factor; n x m
[[gnu::always_inline]] inline void add_outer(double* __restrict to, const double* __restrict a,
                                             const double* __restrict b, int rows, int n, int m) {
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < n; ++i) {
      const double x = a[r * n + i];
      for (int j = 0; j < m; ++j) to[i * m + j] += x * b[r * m + j];
    }
}
SINEW_WIDE void add_product(double* to, const double* a, const double* b, int rows, int n, int m) {
  if (rows == 3 && n == 6 && m == 6)
    add_outer(to, a, b, 3, 6, 6);
  else
    add_outer(to, a, b, rows, n, m);
}

}  // namespace

void SparseCone::reserve(const SparseRoom& room, ConeForm& f) {
  const std::size_t n = at(room.rows.rows()), blocks = at(room.blocks());
  for (auto* x : {&f.b, &f.scale, &f.mu, &f.preload, &f.lower, &f.upper, &u_, &left_, &moved_}) x->reserve(n);
  for (auto* x : {&J_, &response_}) x->reserve(room.jacobian());
  for (auto* x : {&own_, &D_}) x->reserve(9 * blocks);
  for (auto* x : {&v_, &f_, &dv_}) x->reserve(at(room.velocities));
  softness_.reserve(blocks), part_.reserve(3 * at(room.widest));
  edges_.reserve(blocks), sorted_.reserve(blocks), edge_of_.reserve(blocks);
  const std::size_t edges = std::min(blocks, at(room.trees) * at(room.trees) / 2);
  fronts_.reserve(room.trees, room.velocities, static_cast<int>(edges), room.widest);
}

void SparseCone::scale(const SparseProblem& p, ConeForm& f) {
  p_ = &p;
  const int blocks = p.blocks(), ones = p.ones();
  f.size = p.size(), f.unilateral = ones, f.contacts = p.contacts(), f.sparse = this;
  f.b.resize(at(f.size)), f.scale.resize(at(f.size));
  f.lower.assign(at(ones), -kInfinity), f.upper.assign(at(ones), kInfinity);
  std::copy(p.lower.begin(), p.lower.end(), f.lower.begin() + p.free);
  std::copy(p.upper.begin(), p.upper.end(), f.upper.begin() + p.free);
  f.mu.assign(p.mu.begin(), p.mu.end()), f.preload.assign(p.preload.begin(), p.preload.end());
  J_.resize(p.J.size()), response_.resize(p.J.size()), own_.resize(p.diagonal.size()), softness_.assign(at(ones), 0.0);

  // Impulses scaled so that the mean diagonal of every block is one; then the largest velocity is one.
  double largest = 0;
  for (int k = 0; k < blocks; ++k) {
    const int rows = p.width(k);
    const double* W = p.diagonal.data() + 9 * at(k);
    double trace = 0;
    for (int r = 0; r < rows; ++r) trace += W[r * (rows + 1)];
    const double mean = trace / rows, scale = mean > 0 ? 1 / std::sqrt(mean) : 1;
    for (int i = 0; i < rows * rows; ++i) own_[9 * at(k) + at(i)] = scale * scale * W[i];
    for (int r = 0; r < rows; ++r) {
      const int row = p.start(k) + r;
      f.scale[row] = scale, f.b[row] = scale * p.q[at(row)];
      largest = std::max(largest, std::abs(f.b[row]));
      for (int e = p.first_term[at(k)]; e < p.first_term[at(k) + 1]; ++e) {
        const int n = p.sizes[at(p.terms[at(e)].tree)];
        const std::size_t first = p.terms[at(e)].first + at(r * n);
        for (std::size_t i = first; i < first + at(n); ++i)
          J_[i] = scale * p.J[i], response_[i] = scale * p.response[i];
      }
    }
    if (k >= p.free && k < ones) softness_[at(k)] = scale * scale * p.softness[at(k - p.free)];
  }
  f.unit = largest > 0 ? largest : 1;
  for (int i = 0; i < f.size; ++i) f.b[i] /= f.unit, f.scale[i] *= f.unit;
  for (int k = 0; k < ones; ++k) f.lower[k] /= f.scale[k], f.upper[k] /= f.scale[k];
  for (int c = 0; c < f.contacts; ++c) f.preload[c] /= f.scale[p.start(ones + c)];

  // Trees that a block connects.
  edges_.clear();
  for (int k = 0; k < blocks; ++k)
    for (int a = p.first_term[at(k)]; a < p.first_term[at(k) + 1]; ++a)
      for (int b = p.first_term[at(k)]; b < a; ++b) {
        const int x = p.terms[at(a)].tree, y = p.terms[at(b)].tree;
        edges_.push_back({std::max(x, y), std::min(x, y)});
      }
  sorted_ = edges_;
  std::sort(sorted_.begin(), sorted_.end());
  sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  edge_of_.resize(edges_.size());
  for (std::size_t i = 0; i < edges_.size(); ++i)
    edge_of_[i] = static_cast<int>(std::lower_bound(sorted_.begin(), sorted_.end(), edges_[i]) - sorted_.begin());
  fronts_.analyse(p.sizes, sorted_);
  for (auto* x : {&v_, &f_, &dv_}) x->resize(at(p.velocities()));
  for (auto* x : {&u_, &left_, &moved_}) x->resize(at(f.size));
}

void SparseCone::calc_motion(const double* r, double* v) const {
  std::fill_n(v, velocities(), 0.0);
  push_all(*p_, response_.data(), r, v);
}
void SparseCone::calc_momentum(const double* v, double* p) const {
  for (int t = 0; t < p_->trees(); ++t) {
    const int n = p_->sizes[at(t)], first = p_->first_velocity[at(t)];
    for (int i = 0; i < n; ++i) p[first + i] = linear::dot(p_->mass(t) + i * n, v + first, n);
  }
}
void SparseCone::add_impulses(const double* r, double* f) const { push_all(*p_, J_.data(), r, f); }
void SparseCone::calc_rows(const double* v, double* u) const { find_all(*p_, J_.data(), v, u); }
void SparseCone::get_velocity(int k, double* u) const { find_block(*p_, J_.data(), k, v_.data(), u); }

void SparseCone::multiply(const double* r, double* u) {
  calc_motion(r, v_.data());
  calc_rows(v_.data(), u);
  for (std::size_t k = 0; k < softness_.size(); ++k) u[k] += softness_[k] * r[k];
}

// M + J^T D J
bool SparseCone::factor(const double* D, Interrupt interrupt) {
  const SparseProblem& p = *p_;
  D_.assign(D, D + 9 * at(p.blocks()));
  fronts_.clear();
  for (int t = 0; t < p.trees(); ++t) std::copy_n(p.mass(t), p.sizes[at(t)] * p.sizes[at(t)], fronts_.diagonal(t));
  std::size_t first_pair = 0;
  for (int k = 0; k < p.blocks(); ++k) {
    const double* d = D_.data() + 9 * at(k);
    const int rows = p.width(k), first = p.first_term[at(k)], count = p.first_term[at(k) + 1] - first;
    const std::size_t pairs = first_pair;
    first_pair += at(count * (count - 1) / 2);
    if (std::all_of(d, d + rows * rows, [](double x) { return x == 0; })) continue;
    for (int b = 0; b < count; ++b) {
      const SparseProblem::Term& right = p.terms[at(first + b)];
      const int m = p.sizes[at(right.tree)];
      const double* j = J_.data() + right.first;
      part_.resize(at(3 * m));
      for (int r = 0; r < rows; ++r)
        for (int i = 0; i < m; ++i) {
          double sum = 0;
          for (int c = 0; c < rows; ++c) sum += d[rows * r + c] * j[c * m + i];
          part_[at(r * m + i)] = sum;
        }
      for (int a = 0; a < count; ++a) {
        const SparseProblem::Term& left = p.terms[at(first + a)];
        const int high = std::max(a, b), low = std::min(a, b);
        const int edge = a == b ? -1 : edge_of_[pairs + at(high * (high - 1) / 2 + low)];
        double* to = a == b                   ? fronts_.diagonal(left.tree)
                     : left.tree > right.tree ? fronts_.high_low(edge)
                                              : fronts_.low_high(edge);
        add_product(to, J_.data() + left.first, part_.data(), rows, p.sizes[at(left.tree)], m);
      }
    }
  }
  return fronts_.factor(interrupt);
}

void SparseCone::apply_blocks(const double* u, double* out) const {
  for (int k = 0; k < p_->blocks(); ++k) {
    const int rows = p_->width(k), start = p_->start(k);
    const double* d = D_.data() + 9 * at(k);
    for (int r = 0; r < rows; ++r) {
      double sum = 0;
      for (int c = 0; c < rows; ++c) sum += d[rows * r + c] * u[start + c];
      out[start + r] = sum;
    }
  }
}

void SparseCone::solve(const double* e, double* dr, bool refined) {
  const std::size_t n = left_.size();
  std::copy_n(e, n, left_.data()), std::fill_n(dr, n, 0.0);
  const double size = linear::largest_entry(e, static_cast<int>(n));
  for (int round = 0;; ++round) {
    std::fill(f_.begin(), f_.end(), 0.0);
    add_impulses(left_.data(), f_.data());
    fronts_.solve(f_.data(), dv_.data());
    calc_rows(dv_.data(), u_.data());
    apply_blocks(u_.data(), moved_.data());
    for (std::size_t i = 0; i < n; ++i) dr[i] += left_[i] - moved_[i];
    if (!refined || round == kRefinements) return;
    // what is left of the equations
    calc_motion(dr, v_.data());
    calc_rows(v_.data(), u_.data());
    apply_blocks(u_.data(), moved_.data());
    for (std::size_t i = 0; i < n; ++i) left_[i] = e[i] - dr[i] - moved_[i];
    if (!(linear::largest_entry(left_.data(), static_cast<int>(n)) > kRefined * size)) return;
  }
}

void SparseCone::begin_sweeps(const double* r) { calc_motion(r, v_.data()); }
void SparseCone::push(int k, const double* change) { push_block(*p_, response_.data(), k, change, v_.data()); }

}  // namespace sinew::lcp
