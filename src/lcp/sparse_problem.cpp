// src/lcp/sparse_problem.cpp
#include "sinew/lcp/sparse_problem.hpp"

#include <algorithm>
#include <cmath>

#include "lcp/body_rows.hpp"
#include "lcp/infinity.hpp"
#include "linear/rows.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew::lcp {
namespace {

constexpr int kInverted = 12;  // mass matrices up to this size are inverted; of larger ones the factor is kept

// a . b. For few numbers a call costs more than the sum.
[[gnu::always_inline]] inline double dot(const double* a, const double* b, int n) {
  if (n > kInverted) return linear::dot(a, b, n);
  double even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) even += a[i] * b[i], odd += a[i + 1] * b[i + 1];
  return i < n ? even + odd + a[i] * b[i] : even + odd;
}

// A = L L^T in the lower triangle, 1 / L_ii on the diagonal.
bool factor_cholesky(const double* A, double* L, int n) {
  for (int i = 0; i < n; ++i) {
    double* row = L + at(i) * at(n);
    for (int j = 0; j < i; ++j) {
      const double* other = L + at(j) * at(n);
      row[j] = (A[at(i) * at(n) + at(j)] - dot(row, other, j)) * other[j];
    }
    const double pivot = A[at(i) * at(n) + at(i)] - dot(row, row, i);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    row[i] = 1 / std::sqrt(pivot);
  }
  return true;
}
// The first `zeros` numbers of x are zero.
void solve_cholesky(const double* L, int n, double* x, int zeros = 0) {
  for (int i = zeros; i < n; ++i) {
    const double* row = L + at(i) * at(n);
    x[i] = (x[i] - dot(row + zeros, x + zeros, i - zeros)) * row[i];
  }
  for (int i = n; i-- > 0;) {
    const double* row = L + at(i) * at(n);
    const double value = x[i] *= row[i];
    for (int j = 0; j < i; ++j) x[j] -= row[j] * value;
  }
}

// A contact's rows on a single body: most of a heap.
bool is_of_body(const SparseProblem& p, int block, const SparseProblem::Term& t) {
  return block >= p.ones() && p.sizes[at(t.tree)] == 6;
}
// work(block, term)
template <class Work>
[[gnu::always_inline]] inline void for_each_term(const SparseProblem& p, Work work) {
  for (int k = 0; k < p.blocks(); ++k)
    for (int e = p.first_term[at(k)]; e < p.first_term[at(k) + 1]; ++e) work(k, p.terms[at(e)]);
}

// u = J v
SINEW_WIDE void find_rows(const SparseProblem& p, const double* v, double* u) {
  std::fill_n(u, p.size(), 0.0);
  for_each_term(p, [&](int k, const SparseProblem::Term& t) SINEW_INLINE_LAMBDA {
    const double *j = p.J.data() + t.first, *own = v + p.first_velocity[at(t.tree)];
    double* to = u + p.start(k);
    const int n = p.sizes[at(t.tree)];
    if (is_of_body(p, k, t)) {
      double three[3];
      BodyRows<1>::multiply(j, 3, own, nullptr, three);
      for (int r = 0; r < 3; ++r) to[r] += three[r];
    } else {
      for (int r = 0; r < p.width(k); ++r) to[r] += linear::wide::sum_products(j + r * n, own, n);
    }
  });
}
// f += rows^T z; rows: J or the response
SINEW_WIDE void push(const SparseProblem& p, const double* rows, const double* z, double* f) {
  for_each_term(p, [&](int k, const SparseProblem::Term& t) SINEW_INLINE_LAMBDA {
    const double *row = rows + t.first, *own = z + p.start(k);
    double* to = f + p.first_velocity[at(t.tree)];
    const int n = p.sizes[at(t.tree)];
    if (is_of_body(p, k, t)) return BodyRows<1>::push(row, 3, own, to, nullptr);
    for (int r = 0; r < p.width(k); ++r)
      for (int i = 0; i < n; ++i) to[i] += own[r] * row[r * n + i];
  });
}
// The same with absolute values.
SINEW_WIDE void push_sizes(const SparseProblem& p, const double* rows, const double* z, double* f) {
  for_each_term(p, [&](int k, const SparseProblem::Term& t) SINEW_INLINE_LAMBDA {
    const double *row = rows + t.first, *own = z + p.start(k);
    double* to = f + p.first_velocity[at(t.tree)];
    const int n = p.sizes[at(t.tree)];
    for (int r = 0; r < p.width(k); ++r)
      for (int i = 0; i < n; ++i) to[i] += std::abs(own[r] * row[r * n + i]);
  });
}
// Of a contact and a body: response = J M^-1, and its part of the diagonal block of W.
SINEW_WIDE void respond(const double* J, const double* inverse, double* response, double* block) {
  for (int r = 0; r < 3; ++r) {
    std::fill_n(response + 6 * r, 6, 0.0);
    BodyRows<1>::push(inverse, 6, J + 6 * r, response + 6 * r, nullptr);
  }
  for (int c = 0; c < 3; ++c) {
    double column[3];
    BodyRows<1>::multiply(J, 3, response + 6 * c, nullptr, column);
    for (int r = 0; r < 3; ++r) block[3 * r + c] += column[r];
  }
}

}  // namespace

void SparseProblem::reserve(const SparseRoom& room) {
  const std::size_t n = at(room.rows.rows()), blocks = at(room.blocks()), trees = at(room.trees);
  for (auto* x : {&q, &w_}) x->reserve(n);
  for (auto* x : {&mu, &preload}) x->reserve(at(room.rows.contacts));
  for (auto* x : {&lower, &upper, &softness}) x->reserve(at(room.rows.unilateral));
  for (auto* x : {&J, &response}) x->reserve(room.jacobian());
  terms.reserve(2 * blocks), first_term.reserve(blocks + 1), diagonal.reserve(9 * blocks);
  sizes.reserve(trees), first_velocity.reserve(trees), mass_first_.reserve(trees);
  mass_.reserve(room.mass), factor_.reserve(room.mass), v_.reserve(at(room.velocities)),
      expected.reserve(at(room.velocities));
}

void SparseProblem::begin(const RowLayout& rows) {
  free = rows.free, unilateral = rows.unilateral, velocities_ = 0;
  q.assign(at(rows.rows()), 0.0), mu.assign(at(rows.contacts), 0.0), preload.assign(at(rows.contacts), 0.0);
  lower.assign(at(unilateral), 0.0), upper.assign(at(unilateral), kInfinity), softness.assign(at(unilateral), 0.0);
  expected.clear(), terms.clear(), J.clear(), sizes.clear(), first_velocity.clear(), mass_.clear(), mass_first_.clear();
  first_term.assign(1, 0);
}

int SparseProblem::add_tree(int velocities) {
  sizes.push_back(velocities), first_velocity.push_back(velocities_), mass_first_.push_back(mass_.size());
  mass_.resize(mass_.size() + at(velocities) * at(velocities), 0.0), velocities_ += velocities;
  return trees() - 1;
}
MatrixView<double> SparseProblem::mass_of(int tree) {
  return {mass_.data() + mass_first_[at(tree)], at(sizes[at(tree)]), at(sizes[at(tree)])};
}

double* SparseProblem::add_term(int block, int tree) {
  while (static_cast<int>(first_term.size()) <= block) first_term.push_back(static_cast<int>(terms.size()));
  terms.push_back({tree, J.size()});
  J.resize(J.size() + at(width(block)) * at(sizes[at(tree)]), 0.0);
  return J.data() + terms.back().first;
}

double* SparseProblem::find_term(int block, int tree) {
  if (static_cast<int>(first_term.size()) == block + 1)
    for (std::size_t e = at(first_term.back()); e < terms.size(); ++e)
      if (terms[e].tree == tree) return J.data() + terms[e].first;
  return add_term(block, tree);
}

bool SparseProblem::finish() {
  while (static_cast<int>(first_term.size()) <= blocks()) first_term.push_back(static_cast<int>(terms.size()));
  factor_.resize(mass_.size());
  for (int t = 0; t < trees(); ++t) {
    const int n = sizes[at(t)];
    const std::size_t first = mass_first_[at(t)];
    if (n > kInverted) {
      if (!factor_cholesky(mass_.data() + first, factor_.data() + first, n)) return false;
      continue;
    }
    double L[kInverted * kInverted], column[kInverted];
    if (!factor_cholesky(mass_.data() + first, L, n)) return false;
    for (int c = 0; c < n; ++c) {
      std::fill_n(column, n, 0.0), column[c] = 1;
      solve_cholesky(L, n, column, c);
      for (int r = 0; r < n; ++r) factor_[first + at(r) * at(n) + at(c)] = column[r];
    }
  }
  response.resize(J.size()), diagonal.assign(9 * at(blocks()), 0.0);
  for (int k = 0; k < blocks(); ++k) {
    const int rows = width(k);
    double* own = diagonal.data() + 9 * at(k);
    for (int e = first_term[at(k)]; e < first_term[at(k) + 1]; ++e) {
      const int n = sizes[at(terms[at(e)].tree)];
      const double* j = J.data() + terms[at(e)].first;
      double* y = response.data() + terms[at(e)].first;
      if (is_of_body(*this, k, terms[at(e)])) {
        respond(j, factor_.data() + mass_first_[at(terms[at(e)].tree)], y, own);
        continue;
      }
      for (int r = 0; r < rows; ++r) solve_mass(terms[at(e)].tree, j + r * n, y + r * n);
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < rows; ++c) own[rows * r + c] += dot(j + r * n, y + c * n, n);
    }
    if (k >= free && k < ones()) own[0] += softness[at(k - free)];
  }
  clear_immovable_rows();
  return true;
}

double SparseProblem::diagonal_of(int row) const {
  check_index("SparseProblem::diagonal_of", "row", row, q.size());
  return get_diagonal(row);
}

// Rows of contacts and loops along which nothing can move hold rounding errors, which a solver's scaling would amplify.
void SparseProblem::clear_immovable_rows() {
  double most = 0;
  for (int i = 0; i < size(); ++i) most = std::max(most, get_diagonal(i));
  for (int k = 0; k < blocks(); ++k)
    for (int r = 0; r < width(k); ++r) {
      if ((k >= free && k < ones()) || get_diagonal(start(k) + r) > linear::kCancelled * most) continue;
      for (int c = 0; c < width(k); ++c)
        diagonal[9 * at(k) + at(width(k) * r + c)] = diagonal[9 * at(k) + at(width(k) * c + r)] = 0;
      for (int e = first_term[at(k)]; e < first_term[at(k) + 1]; ++e) {
        const int n = sizes[at(terms[at(e)].tree)];
        const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(terms[at(e)].first) + r * n;
        std::fill_n(J.begin() + first, n, 0.0), std::fill_n(response.begin() + first, n, 0.0);
      }
    }
}

void SparseProblem::solve_mass(int tree, const double* f, double* v) const {
  const int n = sizes[at(tree)];
  const double* factor = factor_.data() + mass_first_[at(tree)];
  if (n <= kInverted) {
    for (int i = 0; i < n; ++i) v[i] = dot(factor + i * n, f, n);
    return;
  }
  std::copy_n(f, n, v);
  solve_cholesky(factor, n, v);
}

void SparseProblem::add_impulses(VectorView<const double> z, VectorView<double> f) const {
  check_size("SparseProblem::add_impulses", "z", z.size(), q.size());
  check_size("SparseProblem::add_impulses", "f", f.size(), at(velocities_));
  push(*this, J.data(), z.data(), f.data());
}
void SparseProblem::solve_mass(VectorView<double> f) const {
  check_size("SparseProblem::solve_mass", "f", f.size(), at(velocities_));
  v_.resize(at(velocities_));
  for (int t = 0; t < trees(); ++t) solve_mass(t, f.data() + first_velocity[at(t)], v_.data() + first_velocity[at(t)]);
  std::copy_n(v_.data(), f.size(), f.data());
}
void SparseProblem::calc_rows(VectorView<const double> v, VectorView<double> u) const {
  check_size("SparseProblem::calc_rows", "v", v.size(), at(velocities_));
  check_size("SparseProblem::calc_rows", "u", u.size(), q.size());
  find_rows(*this, v.data(), u.data());
}

VectorView<const double> SparseProblem::calc_velocity(VectorView<const double> z) const {
  check_size("SparseProblem::calc_velocity", "z", z.size(), q.size());
  v_.assign(at(velocities_), 0.0), w_.resize(q.size());
  push(*this, response.data(), z.data(), v_.data());
  calc_rows(v_, w_);
  for (std::size_t r = 0; r < w_.size(); ++r) w_[r] += q[r];
  for (std::size_t j = 0; j < softness.size(); ++j) w_[at(free) + j] += softness[j] * z[at(free) + j];
  return w_;
}

void SparseProblem::calc_motion_terms(VectorView<const double> z, VectorView<double> out) const {
  check_size("SparseProblem::calc_motion_terms", "z", z.size(), q.size());
  check_size("SparseProblem::calc_motion_terms", "out", out.size(), at(velocities_));
  std::fill(out.begin(), out.end(), 0.0);
  push_sizes(*this, response.data(), z.data(), out.data());
}

void SparseProblem::calc_matrix(MatrixView<double> W) const {
  check_size("SparseProblem::calc_matrix", "rows of W", W.rows(), q.size());
  check_size("SparseProblem::calc_matrix", "columns of W", W.cols(), q.size());
  std::vector<double> unit(q.size(), 0.0);
  for (std::size_t column = 0; column < q.size(); ++column) {
    unit[column] = 1;
    const VectorView<const double> w = calc_velocity(unit);
    for (std::size_t row = 0; row < q.size(); ++row) W(row, column) = w[row] - q[row];
    unit[column] = 0;
  }
}

}  // namespace sinew::lcp
