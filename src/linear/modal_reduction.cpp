// src/linear/modal_reduction.cpp
#include "linear/modal_reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/rows.hpp"
#include "linear/sparse_ldl.hpp"
#include "linear/symmetric_eigenvalues.hpp"

namespace sinew::linear {
namespace {

// Vectors are rows here, one after the other in memory.
// The part of a symmetric matrix between freedoms that have a place; -1: none.
SparseSymmetric make_part(const std::vector<SparseEntry>& entries, const std::vector<int>& place, int size) {
  std::vector<SparseSymmetric::Entry> list;
  list.reserve(at(size) + entries.size());
  for (int i = 0; i < size; ++i) list.push_back({i, i, 0});  // every column begins with its diagonal
  for (const SparseEntry& e : entries)
    if (const int row = place[at(e.row)], col = place[at(e.col)]; col >= 0 && row >= col)
      list.push_back({row, col, e.value});
  SparseSymmetric out;
  out.assign(size, list);
  return out;
}

// Rows of X times the matrix.
Matrix multiply(const Matrix& X, const SparseSymmetric& A) {
  Matrix out(X.rows(), X.cols());
  const std::size_t n = at(X.cols());
  for (int i = 0; i < X.rows(); ++i) A.subtract_product({X.row(i), n}, {out.row(i), n});
  for (double* x = out.data(); x != out.data() + out.size(); ++x) *x = -*x;
  return out;
}
Matrix solve_rows(const SparseLdl& A, const Matrix& B) {
  Matrix out(B.rows(), B.cols());
  const std::size_t n = at(B.cols());
  for (int i = 0; i < B.rows(); ++i) A.add_solution({B.row(i), n}, {out.row(i), n});
  return out;
}
Matrix first_rows(const Matrix& A, int count) {
  Matrix out(count, A.cols());
  std::copy_n(A.data(), out.size(), out.data());
  return out;
}
// X A X^T
Matrix reduce(const Matrix& X, const SparseSymmetric& A) { return multiply(X, transpose(multiply(X, A))); }

// The `count` lowest modes of the inner freedoms: inverse iteration on a block, with Rayleigh and Ritz. In the metric
// of K, M x = mu K x: the modes of lowest frequency are those of largest mu, which are the most accurate.
// `fault` says why there is no answer.
Matrix find_inner_modes(const SparseLdl& solver, const SparseSymmetric& K, const SparseSymmetric& M, int count,
                        std::string& fault) {
  const int n = K.size(), block = std::min(n, count + std::max(8, count));
  Matrix X(block, n);
  for (int j = 0; j < block; ++j)  // any start that lacks no mode; the same at every run
    for (int i = 0; i < n; ++i) X(j, i) = std::cos((j + 1.0) * (i + 1.0) * 0.7390851332 + j);
  std::vector<double> before(at(count), 0.0), now(at(count));
  constexpr int kMostRounds = 400;
  constexpr double kConverged = 1e-12, kRounding = 8 * std::numeric_limits<double>::epsilon();
  for (int round = 0; round < kMostRounds; ++round) {
    const SymmetricEigen pair = symmetric_eigenvectors(reduce(X, M), reduce(X, K));
    if (pair.values.empty()) {
      fault = "the inner freedoms have fewer modes with mass than the " + std::to_string(count) + " asked for";
      return {};
    }
    Matrix largest_first(block, block);
    for (int i = 0; i < block; ++i) std::copy_n(pair.vectors.row(block - 1 - i), block, largest_first.row(i));
    X = multiply(largest_first, X);
    for (int i = 0; i < count; ++i) now[i] = pair.values[at(block - 1 - i)];
    if (!(now.back() > kRounding * now.front())) {
      fault = "the mass of the inner freedoms is not positive on their " + std::to_string(count) + " lowest modes";
      return {};
    }
    bool converged = true;
    for (int i = 0; i < count; ++i)
      converged &= std::abs(now[i] - before[i]) <= std::max(kConverged * now[i], kRounding * now[0]);
    if (converged || block == n) {
      Matrix out = first_rows(X, count);
      for (int i = 0; i < count; ++i)  // mass 1
        for (int j = 0; j < n; ++j) out(i, j) /= std::sqrt(now[i]);
      return out;
    }
    before = now;
    X = solve_rows(solver, multiply(X, M));
  }
  fault = "the " + std::to_string(count) + " lowest modes of the inner freedoms are not found in " +
          std::to_string(kMostRounds) + " rounds: ask for fewer or for more";
  return {};
}

}  // namespace

ReducedShapes reduce_modes(int size, const std::vector<SparseEntry>& K, const std::vector<SparseEntry>& M,
                           const std::vector<int>& kind, int inner_modes, int keep) {
  enum { kInner, kBoundary };
  ReducedShapes out;
  // Places among the inner freedoms, and among all that move: inner first, then boundary.
  std::vector<int> inner_place(at(size), -1), place(at(size), -1);
  int inner = 0, moving = 0;
  for (int i = 0; i < size; ++i)
    if (kind[at(i)] == kInner) inner_place[at(i)] = place[at(i)] = inner++;
  moving = inner;
  for (int i = 0; i < size; ++i)
    if (kind[at(i)] == kBoundary) place[at(i)] = moving++;
  const int boundary = moving - inner, modes = std::min(inner_modes, inner);

  Matrix shapes(boundary + modes, moving);
  if (inner > 0) {
    const SparseSymmetric Kii = make_part(K, inner_place, inner), Mii = make_part(M, inner_place, inner);
    SparseLdl solver;
    solver.factor(Kii);
    if (!solver.is_positive()) {
      out.fault =
          "the stiffness of the inner freedoms is not positive definite: a part is not held by the root and "
          "the interfaces, or a freedom has no stiffness";
      return out;
    }
    Matrix forces(boundary, inner);  // of the inner freedoms, for a unit motion of each boundary freedom
    for (const SparseEntry& e : K)
      if (kind[at(e.row)] == kInner && kind[at(e.col)] == kBoundary)
        forces(place[at(e.col)] - inner, place[at(e.row)]) -= e.value;
    const Matrix answers = solve_rows(solver, forces);
    for (int b = 0; b < boundary; ++b) std::copy_n(answers.row(b), inner, shapes.row(b));
    if (modes > 0) {
      const Matrix inner_shapes = find_inner_modes(solver, Kii, Mii, modes, out.fault);
      if (!out.fault.empty()) return out;
      for (int i = 0; i < modes; ++i) std::copy_n(inner_shapes.row(i), inner, shapes.row(boundary + i));
    }
  }
  for (int b = 0; b < boundary; ++b) shapes(b, inner + b) = 1;

  const SymmetricEigen pair =
      symmetric_eigenvectors(reduce(shapes, make_part(K, place, moving)), reduce(shapes, make_part(M, place, moving)));
  if (pair.values.empty()) {
    out.fault = "the reduced mass is not positive definite";
    return out;
  }
  const int kept = std::min(keep, boundary + modes);
  const Matrix best = multiply(first_rows(pair.vectors, kept), shapes);
  out.shapes.resize(size, kept);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < kept && place[at(i)] >= 0; ++j) out.shapes(i, j) = best(j, place[at(i)]);
  out.squares.assign(pair.values.begin(), pair.values.begin() + kept);
  return out;
}

}  // namespace sinew::linear
