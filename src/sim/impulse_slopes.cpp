// src/sim/impulse_slopes.cpp
#include "impulse_slopes.hpp"

#include <cmath>

#include "sinew/base/index.hpp"

namespace sinew::stepping {
namespace {

constexpr double kFullRank = 1e-9;  // of the first pivot: smaller ones are rows that depend on others
constexpr double kNothing = 1e-6;   // of the largest change of u by an impulse: less is none

}  // namespace

void ImpulseSlopes::clear(Eigen::Index most, Eigen::Index nv) {
  if (J.rows() < most) J.resize(most, nv), Uq.resize(most, nv);
  J.topRows(most).setZero(), Uq.topRows(most).setZero();
  rows = 0, laws.clear();
}

// T = J mass^-1 J^T and B, with impulses in units of 1 / sqrt(T_ii) and velocities of sqrt(T_ii). Rows of J have few
// entries: those of the freedoms that carry their bodies.
void ImpulseSlopes::build(const Matrix& inverse) {
  const Eigen::Index nv = inverse.rows();
  C_.setZero(rows, nv), T_.setZero(rows, rows), B_.resize(rows, 2 * nv);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < nv; ++k)
      if (J(i, k) != 0) C_.row(i) += J(i, k) * inverse.row(k);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < nv; ++k)
      if (J(i, k) != 0)
        for (int j = 0; j < rows; ++j) T_(i, j) += J(i, k) * C_(j, k);
  B_.leftCols(nv) = C_, B_.rightCols(nv) = Uq.topRows(rows);
  unit_.resize(rows);
  for (int i = 0; i < rows; ++i) unit_(i) = T_(i, i) > 0 ? 1 / std::sqrt(T_(i, i)) : 1;
  for (int i = 0; i < rows; ++i) T_.row(i) *= unit_(i), B_.row(i) *= unit_(i);
  for (int i = 0; i < rows; ++i) T_.col(i) *= unit_(i);
}

// Tangents of contacts that slide. Along s:  s . dp_t + mu dp_n = 0.  Across it, r:  r . dp_t + gain r . du_t = 0  with
// du_t = T dp + B in these units.
void ImpulseSlopes::let_slide() {
  for (int i = 0; i + 1 < rows; ++i) {
    const Row& law = laws[at(i)];
    if (law.law != Row::Law::slides) continue;
    const double s[2] = {law.s1, law.s2}, r[2] = {-law.s2, law.s1};
    const double stiff = law.gain / (unit_(i) * unit_(i)), share = std::isinf(law.gain) ? 1 : stiff / (1 + stiff);
    tangents_ = T_.middleRows(i, 2), right_ = B_.middleRows(i, 2);
    T_.middleRows(i, 2).setZero(), B_.middleRows(i, 2).setZero();
    T_(i, i - 1) = law.mu * unit_(i - 1) / unit_(i);
    for (int k = 0; k < 2; ++k) {
      T_.row(i + 1) += share * r[k] * unit_(i) / unit_(i + k) * tangents_.row(k);
      B_.row(i + 1) += share * r[k] * unit_(i) / unit_(i + k) * right_.row(k);
      T_(i, i + k) += s[k] * unit_(i + k) / unit_(i);
      T_(i + 1, i + k) += (1 - share) * r[k] * unit_(i + k) / unit_(i);
    }
    ++i;
  }
}

// The first `rank` rows of B become the answers. Impulses that change nothing in the rows must change nothing in u.
void ImpulseSlopes::eliminate() {
  const double scale = B_.cwiseAbs().maxCoeff();
  rank = linear::eliminate(T_, B_, order_, kFullRank);
  const Eigen::Index left = rows - rank;
  if (left > 0 && scale > 0) inconsistency = B_.bottomRows(left).cwiseAbs().maxCoeff() / scale;
  free_ = -T_.topRightCorner(rank, left);
  for (Eigen::Index k = rank - 1; k >= 0; --k) {
    for (Eigen::Index i = k + 1; i < rank; ++i) {
      if (T_(k, i) == 0) continue;
      B_.row(k) -= T_(k, i) * B_.row(i), free_.row(k) -= T_(k, i) * free_.row(i);
    }
    B_.row(k) /= T_(k, k), free_.row(k) /= T_(k, k);
  }
  pivots_.resize(rank, C_.cols()), idle_.setZero(rows, left);
  for (int k = 0; k < rank; ++k) {
    const int i = order_[at(k)];
    pivots_.row(k) = unit_(i) * C_.row(i), idle_.row(i) = unit_(i) * free_.row(k);
  }
  if (left == 0) return;
  for (int k = 0; k < left; ++k) {
    const int i = order_[at(rank + k)];
    idle_(i, k) = unit_(i);
  }
  const double moves = (C_.transpose() * unit_.asDiagonal()).cwiseAbs().maxCoeff();
  unique = (C_.transpose() * idle_).cwiseAbs().maxCoeff() <= kNothing * moves;
}

bool ImpulseSlopes::solve(const Matrix& mass, const Matrix& Fq, const Matrix& Fv) {
  const Eigen::LLT<Eigen::MatrixXd> factor(mass);
  if (factor.info() != Eigen::Success) return false;
  const Eigen::Index nv = mass.rows();
  inverse_.setIdentity(nv, nv);
  factor.solveInPlace(inverse_);
  rank = rows, unique = true, inconsistency = 0;
  u_by_force = inverse_;
  if (rows > 0) {
    build(inverse_), let_slide(), eliminate();
    u_by_force.noalias() -= pivots_.transpose() * B_.topLeftCorner(rank, nv);
  }
  u_by_q.noalias() = -u_by_force * Fq;
  if (rows > 0) u_by_q.noalias() -= pivots_.transpose() * B_.topRightCorner(rank, nv);
  u_by_v.noalias() = -u_by_force * Fv;
  return true;
}

}  // namespace sinew::stepping
