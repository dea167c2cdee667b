#include "sinew/spatial/subspace.hpp"

#include <Eigen/Dense>
#include <stdexcept>

#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

// At most 6 x 6 and on the stack.
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

template <class V>
Matrix to_matrix(const Basis<V>& basis) {
  Matrix out(6, basis.size());
  for (int j = 0; j < basis.size(); ++j) {
    const auto column = to_array(basis[j]);
    for (int i = 0; i < 6; ++i) out(i, j) = column[std::size_t(i)];
  }
  return out;
}
template <class V>
Basis<V> to_basis(const Matrix& a) {
  Basis<V> out;
  for (int j = 0; j < a.cols(); ++j) out.push_back(V{{a(0, j), a(1, j), a(2, j)}, {a(3, j), a(4, j), a(5, j)}});
  return out;
}

template <class V>
int find_rank(const Basis<V>& basis, double tolerance) {
  if (basis.size() == 0) return 0;
  Eigen::FullPivLU<Matrix> lu(to_matrix(basis));
  return int(lu.setThreshold(tolerance).rank());
}

// Rows of S that carry it: with P the pivot rows and R the others, A = [P^-T; 0] has A^T S = 1, and the columns
// e_j - A S_j^T for j in R are orthogonal to S. Unit columns of S need no arithmetic.
struct Complements {
  Matrix active, constraint;
};
Complements find_complements(const Matrix& S) {
  const int n = int(S.cols());
  Complements out{Matrix::Zero(6, n), Matrix::Identity(6, 6)};
  if (n == 0) return out;
  Eigen::FullPivLU<Matrix> lu(S);
  if (lu.setThreshold(1e-10).rank() < n) throw std::domain_error("subspace: its columns depend on each other");

  const auto& order = lu.permutationP().indices();  // row i of S becomes row order[i]
  std::array<int, 6> row_of{};
  for (int i = 0; i < 6; ++i) row_of[std::size_t(order[i])] = i;
  Matrix P(n, n);
  for (int k = 0; k < n; ++k) P.row(k) = S.row(row_of[std::size_t(k)]);
  const Matrix inverse = Eigen::FullPivLU<Matrix>(P).inverse().transpose();
  for (int k = 0; k < n; ++k) out.active.row(row_of[std::size_t(k)]) = inverse.row(k);

  out.constraint = Matrix::Zero(6, 6 - n);
  std::array<bool, 6> is_pivot{};
  for (int k = 0; k < n; ++k) is_pivot[std::size_t(row_of[std::size_t(k)])] = true;
  for (int i = 0, j = 0; i < 6; ++i) {
    if (is_pivot[std::size_t(i)]) continue;
    out.constraint.col(j) = -(out.active * S.row(i).transpose());
    out.constraint(i, j++) += 1;
  }
  return out;
}

Matrix to_matrix(const RigidInertia<double>& I) {
  const Mat6<double> dense = to_dense(I);
  Matrix out(6, 6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out(i, j) = dense(i, j);
  return out;
}

}  // namespace

template <class V>
void Basis<V>::push_back(const V& column) {
  if (size_ == 6) throw std::invalid_argument("subspace: a seventh column");
  columns_[std::size_t(size_++)] = column;
}
template class Basis<Motion<double>>;
template class Basis<Force<double>>;

int rank(const MotionSubspace& S, double tolerance) { return find_rank(S, tolerance); }
int rank(const ForceSubspace& T, double tolerance) { return find_rank(T, tolerance); }

DualForces dual_forces(const MotionSubspace& S) {
  const Complements c = find_complements(to_matrix(S));
  return {to_basis<Force<double>>(c.constraint), to_basis<Force<double>>(c.active)};
}

MotionSubspace complement(const ForceSubspace& T) {
  return to_basis<Motion<double>>(find_complements(to_matrix(T)).constraint);
}

std::array<double, 6> coordinates(const Force<double>& f, const ForceSubspace& a, const ForceSubspace& b) {
  if (a.size() + b.size() != 6) throw std::domain_error("coordinates: the two subspaces have not six columns together");
  Matrix both(6, 6);
  both << to_matrix(a), to_matrix(b);
  Eigen::FullPivLU<Matrix> lu(both);
  if (lu.setThreshold(1e-10).rank() < 6) throw std::domain_error("coordinates: the two subspaces overlap");
  const auto given = to_array(f);
  const Vector y = lu.solve(Eigen::Map<const Eigen::Matrix<double, 6, 1>>(given.data()));
  std::array<double, 6> out{};
  for (int i = 0; i < 6; ++i) out[std::size_t(i)] = y[i];
  return out;
}

ForceParts split_force(const Force<double>& f, const MotionSubspace& S, const RigidInertia<double>& I) {
  const Force<double> active = I * (constrained_inverse(S, I) * f);
  return {active, f - active};
}

InverseInertia<double> constrained_inverse(const MotionSubspace& S, const RigidInertia<double>& I) {
  if (S.size() == 0) return {};
  const Matrix s = to_matrix(S);
  const Matrix D = s.transpose() * to_matrix(I) * s;
  const Eigen::LLT<Matrix> llt(D);
  if (llt.info() != Eigen::Success) throw std::domain_error("constrained_inverse: S^T I S is not positive definite");
  const Matrix phi = s * llt.solve(Matrix(s.transpose()));
  const auto block = [&](int i, int j) {
    return Mat3<double>{phi(i, j),         phi(i, j + 1), phi(i, j + 2),     phi(i + 1, j),    phi(i + 1, j + 1),
                        phi(i + 1, j + 2), phi(i + 2, j), phi(i + 2, j + 1), phi(i + 2, j + 2)};
  };
  return {lower_triangle(block(0, 0)), block(0, 3), lower_triangle(block(3, 3))};
}

}  // namespace sinew
