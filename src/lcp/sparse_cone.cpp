// src/lcp/sparse_cone.cpp
#include "lcp/sparse_cone.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/body_rows.hpp"
#include "lcp/infinity.hpp"
#include "linear/rows.hpp"
#include "linear/wide.hpp"

namespace sinew::lcp {
namespace {

constexpr int kRefinements = 2;     // of a step, at most: the matrix is as ill-conditioned as 1 / shift
constexpr double kRefined = 1e-10;  // of the right side: Newton corrects what is left

// u += J v and f += J^T r of one block and tree
[[gnu::always_inline]] inline void add_rows(const double* j, const double* v, int rows, int n, double* u) {
  for (int r = 0; r < rows; ++r) u[r] += linear::wide::sum_products(j + r * n, v, n);
}
[[gnu::always_inline]] inline void add_columns(const double* __restrict j, const double* r, int rows, int n,
                                               double* __restrict f) {
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < n; ++i) f[i] += r[row] * j[row * n + i];
}
// to += a^T b: rows of J, each a factor; n x m
SINEW_WIDE void add_product(double* __restrict to, const double* __restrict a, const double* __restrict b, int rows,
                            int n, int m) {
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < n; ++i) {
      const double x = a[r * n + i];
      for (int j = 0; j < m; ++j) to[i * m + j] += x * b[r * m + j];
    }
}
[[gnu::always_inline]] inline void add(double* to, const double* from, int n) {
  for (int i = 0; i < n; ++i) to[i] += from[i];
}
bool is_zero(const double* d, int n) {
  return std::all_of(d, d + n, [](double x) { return x == 0; });
}

// Three rows for one body, then three for the other, become rows of both.
void join_rows(double* J) {
  double apart[36];
  std::copy_n(J, 36, apart);
  for (int r = 0; r < 3; ++r)
    std::copy_n(apart + 6 * r, 6, J + 12 * r), std::copy_n(apart + 18 + 6 * r, 6, J + 12 * r + 6);
}

// D A of contacts whose D is not zero. A: their rows, copied to `kept` where some are left out. Returns how many rows.
template <int Bodies>
[[gnu::always_inline]] inline int multiply_blocks(const double* D, const double*& A, int contacts, double* kept,
                                                  double* DA) {
  using Rows = BodyRows<Bodies>;
  constexpr int kBlock = 3 * Rows::kWidth, kApart = 3 * Rows::kApart;
  int met = 0;
  for (int c = 0; c < contacts; ++c) met += !is_zero(D + 9 * c, 9);
  const bool all = met == contacts;
  met = 0;
  for (int c = 0; c < contacts; ++c) {
    if (!all && is_zero(D + 9 * c, 9)) continue;
    Rows::multiply_block(D + 9 * c, A + c * kBlock, DA + met * kApart);
    if (!all) std::copy_n(A + c * kBlock, kBlock, kept + met * kBlock);
    ++met;
  }
  if (!all) A = kept;
  return 3 * met;
}
// A^T D A of a run; false where D is zero.
SINEW_WIDE bool sum_run_of_one(const double* D, const double* A, int contacts, double* rows, double* DA, double* out) {
  const int n = multiply_blocks<1>(D, A, contacts, rows, DA);
  if (n > 0) BodyRows<1>::multiply_transposed(A, DA, n, out);
  return n > 0;
}
SINEW_WIDE bool sum_run_of_two(const double* D, const double* A, int contacts, double* rows, double* DA, double* out) {
  const int n = multiply_blocks<2>(D, A, contacts, rows, DA);
  if (n > 0) BodyRows<2>::multiply_transposed(A, DA, n, out);
  return n > 0;
}

}  // namespace

void SparseCone::reserve(const SparseRoom& room, ConeForm& f) {
  const std::size_t n = at(room.rows.rows()), blocks = at(room.blocks());
  for (auto* x : {&f.b, &f.scale, &f.mu, &f.preload, &f.lower, &f.upper, &u_, &left_, &moved_}) x->reserve(n);
  for (auto* x : {&J_, &response_}) x->reserve(room.jacobian());
  for (auto* x : {&own_, &D_}) x->reserve(9 * blocks);
  for (auto* x : {&v_, &f_, &dv_}) x->reserve(at(room.velocities));
  softness_.reserve(blocks), part_.reserve(2 * room.jacobian()), rows_.reserve(room.jacobian());
  runs_.reserve(blocks), run_of_.reserve(blocks), first_pair_.reserve(blocks);
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
  find_runs();
  fronts_.analyse(p.sizes, sorted_);
  for (auto* x : {&v_, &f_, &dv_}) x->resize(at(p.velocities()));
  for (auto* x : {&u_, &left_, &moved_}) x->resize(at(f.size));
}

// Contacts of the same bodies, and their rows side by side.
void SparseCone::find_runs() {
  const SparseProblem& p = *p_;
  runs_.clear(), run_of_.resize(at(p.blocks())), first_pair_.resize(at(p.blocks()));
  int pairs = 0;
  for (int k = 0; k < p.blocks(); ++k) {
    const SparseProblem::Term* terms = p.terms.data() + p.first_term[at(k)];
    const int count = p.first_term[at(k) + 1] - p.first_term[at(k)];
    Run run{.block = k};
    const bool bodies = k >= p.ones() && (count == 1 || (count == 2 && terms[1].first == terms[0].first + 18)) &&
                        std::all_of(terms, terms + count, [&](const auto& t) { return p.sizes[at(t.tree)] == 6; });
    if (bodies) {
      run.bodies = count, run.first = terms[0].first;
      for (int e = 0; e < count; ++e) run.tree[e] = terms[e].tree, run.v[e] = p.first_velocity[at(terms[e].tree)];
      if (count == 2) run.edge = edge_of_[at(pairs)];
      if (count == 2) join_rows(J_.data() + run.first), join_rows(response_.data() + run.first);
    }
    first_pair_[at(k)] = pairs, pairs += count * (count - 1) / 2;
    const auto follows = [&](const Run& r) {
      return r.bodies == run.bodies && std::equal(run.tree, run.tree + 2, r.tree) &&
             run.first == r.first + at(18 * r.bodies * r.count);
    };
    const bool goes_on = bodies && !runs_.empty() && follows(runs_.back());
    goes_on ? void(++runs_.back().count) : runs_.push_back(run);
    run_of_[at(k)] = static_cast<int>(runs_.size()) - 1;
  }
}

// f += J^T r and u = J v of `count` blocks of a run from `block` on; J: J_ or response_
[[gnu::always_inline]] inline void SparseCone::push_run(const Run& run, int block, int count, const double* J,
                                                        const double* r, double* f) const {
  const double* A = J + run.first + at(18 * run.bodies * (block - run.block));
  if (run.bodies == 2) return BodyRows<2>::push(A, 3 * count, r, f + run.v[0], f + run.v[1]);
  if (run.bodies == 1) return BodyRows<1>::push(A, 3 * count, r, f + run.v[0], nullptr);
  const int rows = p_->width(block);
  for (int e = p_->first_term[at(block)]; e < p_->first_term[at(block) + 1]; ++e) {
    const SparseProblem::Term& t = p_->terms[at(e)];
    add_columns(J + t.first, r, rows, p_->sizes[at(t.tree)], f + p_->first_velocity[at(t.tree)]);
  }
}
[[gnu::always_inline]] inline void SparseCone::find_run(const Run& run, int block, int count, const double* v,
                                                        double* u) const {
  const double* A = J_.data() + run.first + at(18 * run.bodies * (block - run.block));
  if (run.bodies == 2) return BodyRows<2>::multiply(A, 3 * count, v + run.v[0], v + run.v[1], u);
  if (run.bodies == 1) return BodyRows<1>::multiply(A, 3 * count, v + run.v[0], nullptr, u);
  const int rows = p_->width(block);
  std::fill_n(u, rows, 0.0);
  for (int e = p_->first_term[at(block)]; e < p_->first_term[at(block) + 1]; ++e) {
    const SparseProblem::Term& t = p_->terms[at(e)];
    add_rows(J_.data() + t.first, v + p_->first_velocity[at(t.tree)], rows, p_->sizes[at(t.tree)], u);
  }
}
SINEW_WIDE void SparseCone::push_all(const double* J, const double* r, double* f) const {
  for (const Run& run : runs_) push_run(run, run.block, run.count, J, r + p_->start(run.block), f);
}

void SparseCone::calc_motion(const double* r, double* v) const {
  std::fill_n(v, velocities(), 0.0);
  push_all(response_.data(), r, v);
}
void SparseCone::calc_momentum(const double* v, double* p) const {
  for (int t = 0; t < p_->trees(); ++t) {
    const int n = p_->sizes[at(t)], first = p_->first_velocity[at(t)];
    for (int i = 0; i < n; ++i) p[first + i] = linear::dot(p_->mass(t) + i * n, v + first, n);
  }
}
void SparseCone::add_impulses(const double* r, double* f) const { push_all(J_.data(), r, f); }
SINEW_WIDE void SparseCone::calc_rows(const double* v, double* u) const {
  for (const Run& run : runs_) find_run(run, run.block, run.count, v, u + p_->start(run.block));
}
SINEW_WIDE void SparseCone::get_velocity(int k, double* u) const { find_run(run_with(k), k, 1, v_.data(), u); }

void SparseCone::multiply(const double* r, double* u) {
  calc_motion(r, v_.data());
  calc_rows(v_.data(), u);
  for (std::size_t k = 0; k < softness_.size(); ++k) u[k] += softness_[k] * r[k];
}

// The part of a run in M + J^T D J.
void SparseCone::add_run(const Run& run) {
  const double *D = D_.data() + 9 * at(run.block), *A = J_.data() + run.first;
  double sum[144];
  if (run.bodies == 1) {
    if (!sum_run_of_one(D, A, run.count, rows_.data(), part_.data(), sum)) return;
    double* to = fronts_.diagonal(run.tree[0]);
    for (int i = 0; i < 6; ++i) {
      const double* row = sum + BodyRows<1>::kApart * i;
      for (int j = 0; j < 6; ++j) to[6 * i + j] += row[BodyRows<1>::apart(j)];
    }
    return;
  }
  if (!sum_run_of_two(D, A, run.count, rows_.data(), part_.data(), sum)) return;
  const bool falls = run.tree[0] > run.tree[1];
  double* to[2][2] = {{fronts_.diagonal(run.tree[0]), falls ? fronts_.high_low(run.edge) : fronts_.low_high(run.edge)},
                      {falls ? fronts_.low_high(run.edge) : fronts_.high_low(run.edge), fronts_.diagonal(run.tree[1])}};
  for (int i = 0; i < 12; ++i)
    for (int b = 0; b < 2; ++b) add(to[i / 6][b] + 6 * (i % 6), sum + 12 * i + 6 * b, 6);
}

// That of a block on any trees.
void SparseCone::add_terms(int k) {
  const SparseProblem& p = *p_;
  const double* d = D_.data() + 9 * at(k);
  const int rows = p.width(k), first = p.first_term[at(k)], count = p.first_term[at(k) + 1] - first;
  if (is_zero(d, rows * rows)) return;
  for (int b = 0; b < count; ++b) {
    const SparseProblem::Term& right = p.terms[at(first + b)];
    const int m = p.sizes[at(right.tree)];
    const double* j = J_.data() + right.first;
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int c = 0; c < rows; ++c) sum += d[rows * r + c] * j[c * m + i];
        part_[at(r * m + i)] = sum;
      }
    for (int a = 0; a < count; ++a) {
      const SparseProblem::Term& left = p.terms[at(first + a)];
      const int high = std::max(a, b), low = std::min(a, b);
      const int edge = a == b ? -1 : edge_of_[at(first_pair_[at(k)] + high * (high - 1) / 2 + low)];
      double* to = a == b                   ? fronts_.diagonal(left.tree)
                   : left.tree > right.tree ? fronts_.high_low(edge)
                                            : fronts_.low_high(edge);
      add_product(to, J_.data() + left.first, part_.data(), rows, p.sizes[at(left.tree)], m);
    }
  }
}

// M + J^T D J
bool SparseCone::factor(const double* D, Interrupt interrupt) {
  const SparseProblem& p = *p_;
  D_.assign(D, D + 9 * at(p.blocks()));
  part_.resize(2 * J_.size()), rows_.resize(J_.size());
  fronts_.clear();
  for (int t = 0; t < p.trees(); ++t) std::copy_n(p.mass(t), p.sizes[at(t)] * p.sizes[at(t)], fronts_.diagonal(t));
  for (const Run& run : runs_) run.bodies > 0 ? add_run(run) : add_terms(run.block);
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
SINEW_WIDE void SparseCone::push(int k, const double* change) {
  push_run(run_with(k), k, 1, response_.data(), change, v_.data());
}

}  // namespace sinew::lcp
