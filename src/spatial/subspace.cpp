#include "sinew/spatial/subspace.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "sinew/linear/kernel/small_ldl.hpp"
#include "sinew/linear/pivoted_elimination.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/spatial/dense.hpp"

namespace sinew {
namespace {

// Its columns, each as a row.
template <class V>
struct Rows {
  explicit Rows(const Basis<V>& basis) : count(basis.size()) {
    for (int k = 0; k < count; ++k) rows[k] = to_array(basis[k]);
  }
  MatrixView<const double> view() const { return {rows[0].data(), at(count), 6}; }
  int count;
  std::array<std::array<double, 6>, 6> rows{};
};

template <class V>
int find_rank(const Basis<V>& basis, double tolerance) {
  return linear::eliminate(Rows(basis).view(), tolerance).rank;
}

template <class V>
V make_vector(const std::array<double, 6>& x) {
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

// With P the rows of S that have a pivot and R the other rows, A = [P^-T; 0] has A^T S = 1, and the columns
// e_j - A S_j^T for j in R are orthogonal to S. Unit columns of S need no arithmetic.
template <class V, class S>
void find_complements(const Basis<S>& basis, Basis<V>& constraint, Basis<V>& active) {
  const Rows<S> s(basis);
  const linear::PivotedElimination e = linear::eliminate(s.view(), linear::kDependent);
  if (e.rank < s.count) throw std::domain_error("subspace: its columns are linearly dependent");
  std::array<std::array<double, 6>, 6> A{};  // row c: column c of A
  double work[6];
  for (int c = 0; c < s.count; ++c) {
    std::array<double, 6> unit{};
    unit[at(c)] = 1;
    linear::solve(e, unit.data(), A[at(c)].data(), work);
    active.push_back(make_vector<V>(A[at(c)]));
  }
  std::array<bool, 6> is_pivot{};
  for (int k = 0; k < e.rank; ++k) is_pivot[at(e.col[k])] = true;
  for (std::size_t j = 0; j < 6; ++j) {
    if (is_pivot[j]) continue;
    std::array<double, 6> column{};
    for (std::size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (int c = 0; c < s.count; ++c) sum += A[at(c)][i] * s.rows[at(c)][j];
      column[i] = -sum;
    }
    column[j] += 1;
    constraint.push_back(make_vector<V>(column));
  }
}

}  // namespace

template <class V>
void Basis<V>::push_back(const V& column) {
  if (size_ == 6) throw std::invalid_argument("subspace: it has six columns already; a seventh cannot be added");
  columns_[std::size_t(size_++)] = column;
}
template class Basis<Motion<double>>;
template class Basis<Force<double>>;

int rank(const MotionSubspace& S, double tolerance) { return find_rank(S, tolerance); }
int rank(const ForceSubspace& T, double tolerance) { return find_rank(T, tolerance); }

DualForces dual_forces(const MotionSubspace& S) {
  DualForces out;
  find_complements(S, out.constraint, out.active);
  return out;
}

MotionSubspace complement(const ForceSubspace& T) {
  MotionSubspace out, active;
  find_complements(T, out, active);
  return out;
}

std::array<double, 6> coordinates(const Force<double>& f, const ForceSubspace& a, const ForceSubspace& b) {
  if (a.size() + b.size() != 6)
    throw std::domain_error("coordinates: the two subspaces must have six columns together, they have " +
                            std::to_string(a.size() + b.size()));
  std::array<double, 36> both{};
  for (int j = 0; j < 6; ++j) {
    const auto column = to_array(j < a.size() ? a[j] : b[j - a.size()]);
    for (std::size_t i = 0; i < 6; ++i) both[6 * i + at(j)] = column[i];
  }
  const linear::PivotedElimination e = linear::eliminate({both.data(), 6, 6}, linear::kDependent);
  if (e.rank < 6)
    throw std::domain_error("coordinates: the two subspaces overlap; together they must span all six directions");
  const auto given = to_array(f);
  std::array<double, 6> out{};
  double work[6];
  linear::solve(e, given.data(), out.data(), work);
  return out;
}

ForceParts split_force(const Force<double>& f, const MotionSubspace& S, const RigidInertia<double>& I) {
  const Force<double> active = I * (constrained_inverse(S, I) * f);
  return {active, f - active};
}

InverseInertia<double> constrained_inverse(const MotionSubspace& S, const RigidInertia<double>& I) {
  if (S.size() == 0) return {};
  const int n = S.size();
  linear::SmallLdl<double> D{n, {}};  // S^T I S
  for (int j = 0; j < n; ++j) {
    const Force<double> moved = I * S[j];
    for (int i = j; i < n; ++i) D.a[i][j] = dot(S[i], moved);
  }
  D.factor();
  for (int k = 0; k < n; ++k)
    if (!(D.a[k][k] > 0) || !std::isfinite(D.a[k][k]))
      throw std::domain_error("constrained_inverse: S^T I S is not positive definite");
  // S D^-1 S^T, column by column
  const Rows<Motion<double>> s(S);
  Mat6<double> phi;
  for (std::size_t j = 0; j < 6; ++j) {
    double x[6];
    for (int k = 0; k < n; ++k) x[k] = s.rows[at(k)][j];
    D.solve(x);
    for (std::size_t i = 0; i < 6; ++i)
      for (int k = 0; k < n; ++k) phi.rows[i][j] += s.rows[at(k)][i] * x[k];
  }
  return {lower_triangle(detail::get_block(phi, 0, 0)), detail::get_block(phi, 0, 3),
          lower_triangle(detail::get_block(phi, 3, 3))};
}

}  // namespace sinew
