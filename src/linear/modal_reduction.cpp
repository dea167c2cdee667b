// src/linear/modal_reduction.cpp
#include "linear/modal_reduction.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

namespace sinew::linear {
namespace {

using Dense = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

// The part of a matrix between freedoms of two kinds, numbered within their kinds.
Sparse make_part(const std::vector<SparseEntry>& entries, const std::vector<int>& kind, const std::vector<int>& place,
                 int row_kind, int col_kind, int rows, int cols) {
  Triplets list;
  for (const SparseEntry& e : entries)
    if (kind[at(e.row)] == row_kind && kind[at(e.col)] == col_kind)
      list.emplace_back(place[at(e.row)], place[at(e.col)], e.value);
  Sparse out(rows, cols);
  out.setFromTriplets(list.begin(), list.end());
  return out;
}

// K x = lambda M x with dense, symmetric K and positive definite M.
struct DensePair {
  Eigen::VectorXd values;
  Dense vectors;
};
DensePair solve_pair(const Dense& K, const Dense& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Dense> eigen(K, M);
  if (eigen.info() != Eigen::Success) return {};
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

// The lowest modes of the inner freedoms: inverse iteration on a block, with Rayleigh and Ritz.
Dense find_inner_modes(const Eigen::SimplicialLDLT<Sparse>& solver, const Sparse& K, const Sparse& M, int count) {
  const Eigen::Index n = K.rows(), block = std::min<Eigen::Index>(n, count + std::max(8, count));
  Dense X(n, block);
  for (Eigen::Index j = 0; j < block; ++j)  // any start that lacks no mode; the same at every run
    for (Eigen::Index i = 0; i < n; ++i)
      X(i, j) = std::cos(static_cast<double>((j + 1) * (i + 1)) * 0.7390851332 + static_cast<double>(j));
  Eigen::VectorXd before = Eigen::VectorXd::Zero(count);
  constexpr int kMostRounds = 200;
  constexpr double kConverged = 1e-13;
  for (int round = 0; round < kMostRounds; ++round) {
    X = solver.solve(Dense(M * X));
    const DensePair pair = solve_pair(X.transpose() * (K * X), X.transpose() * (M * X));
    if (pair.values.size() == 0) return {};
    X = Dense(X * pair.vectors);
    const Eigen::VectorXd now = pair.values.head(count);
    if (((now - before).array().abs() <= kConverged * now.array().abs()).all()) break;
    before = now;
  }
  return X.leftCols(count);
}

}  // namespace

ReducedShapes reduce_modes(int size, const std::vector<SparseEntry>& K, const std::vector<SparseEntry>& M,
                           const std::vector<int>& kind, int inner_modes, int keep) {
  enum { kInner, kBoundary };
  ReducedShapes out;
  std::vector<int> place(at(size)), count(3, 0);
  for (int i = 0; i < size; ++i) place[at(i)] = count[at(kind[at(i)])]++;
  const int inner = count[kInner], boundary = count[kBoundary];
  const int modes = std::min(inner_modes, inner);
  const auto part = [&](const std::vector<SparseEntry>& A, int rows, int cols) {
    return make_part(A, kind, place, rows, cols, count[at(rows)], count[at(cols)]);
  };
  const Sparse Kii = part(K, kInner, kInner), Mii = part(M, kInner, kInner);
  Eigen::SimplicialLDLT<Sparse> solver;
  Dense shapes = Dense::Zero(inner + boundary, boundary + modes);
  if (inner > 0) {
    solver.compute(Kii);
    if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0)) {
      out.fault =
          "the stiffness of the inner freedoms is not positive definite: a part is not held by the root and "
          "the interfaces, or a freedom has no stiffness";
      return out;
    }
    if (boundary > 0) shapes.topLeftCorner(inner, boundary) = -Dense(solver.solve(Dense(part(K, kInner, kBoundary))));
    if (modes > 0) {
      const Dense inner_shapes = find_inner_modes(solver, Kii, Mii, modes);
      if (inner_shapes.size() == 0) {
        out.fault = "the mass of the inner freedoms is not positive on their lowest modes";
        return out;
      }
      shapes.topRightCorner(inner, modes) = inner_shapes;
    }
  }
  shapes.bottomLeftCorner(boundary, boundary).setIdentity();

  // All freedoms but the fixed ones, inner first.
  std::vector<int> moving_kind(kind), moving_place(place);
  for (int i = 0; i < size; ++i)
    if (kind[at(i)] == kBoundary) moving_kind[at(i)] = kInner, moving_place[at(i)] += inner;
  const int moving = inner + boundary;
  const Sparse Km = make_part(K, moving_kind, moving_place, kInner, kInner, moving, moving);
  const Sparse Mm = make_part(M, moving_kind, moving_place, kInner, kInner, moving, moving);
  const DensePair pair = solve_pair(shapes.transpose() * (Km * shapes), shapes.transpose() * (Mm * shapes));
  if (pair.values.size() == 0 || !pair.values.allFinite()) {
    out.fault = "the reduced mass is not positive definite";
    return out;
  }
  const int kept = std::min(keep, boundary + modes);
  const Dense best = shapes * pair.vectors.leftCols(kept);
  out.shapes.resize(size, kept);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < kept && moving_kind[at(i)] == kInner; ++j) out.shapes(i, j) = best(moving_place[at(i)], j);
  for (int j = 0; j < kept; ++j) out.squares.push_back(pair.values(j));
  return out;
}

}  // namespace sinew::linear
