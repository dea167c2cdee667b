// src/constraint/solve/sparse_rounds.cpp - factorization and refinement of the large system
#include <algorithm>
#include <cmath>

#include "constraint/rank/row_scale.hpp"
#include "constraint/solve/sparse_matrix.hpp"

namespace sinew {

namespace {
using Sparse = Eigen::SparseMatrix<double>;
}  // namespace

void solve_rounds(const Model& m, SparseWorkspace::Matrix& s, const RankOptions& rank, const ProximalOptions& o,
                  SolveCertificate& out) {
  const Eigen::Index first = 6 * (static_cast<Eigen::Index>(m.nodes().size()) - 1);
  // Each row of T^T P^T against the inertias that it acts on; nodes inside a composite joint have none of their own.
  double typical[2] = {0, 0};  // largest moment of inertia, largest mass
  for (Eigen::Index c = 0; c < first; ++c) typical[c % 6 / 3] = std::max(typical[c % 6 / 3], s.M.coeff(c, c));
  s.size.setZero();
  for (Eigen::Index c = 0; c < first; ++c) {
    const double inertia = std::max(s.M.coeff(c, c), 1e-4 * typical[c % 6 / 3]);
    for (Sparse::InnerIterator e(s.M, c); e; ++e)
      if (e.row() >= first) s.size[e.row()] += e.value() * e.value() / inertia;
  }
  s.regular = s.M;
  for (Eigen::Index c = 0; c < first; ++c) s.regular.coeffRef(c, c) += o.mu * typical[c % 6 / 3];
  for (Eigen::Index r = first; r < s.rhs.size(); ++r)
    s.regular.coeffRef(r, r) = -(s.size[r] > 0 ? o.mu * s.size[r] : 1);
  if (!s.analysed) s.ldlt.analyzePattern(s.regular);
  s.analysed = true;
  s.ldlt.factorize(s.regular);

  // A direction that would count as implied by others does not shrink by more than this in a round.
  const double standstill = rank.rank_tolerance * rank.rank_tolerance / o.mu;
  const Eigen::Index rows = s.rhs.size() - first;
  const auto calc_residual = [&] {
    s.old = s.r;
    s.r = s.rhs;
    s.r.noalias() -= s.M.selfadjointView<Eigen::Lower>() * s.x;
  };
  // The largest residual of a row as a part of the row's terms, the largest of all rounds.
  s.terms = s.terms.cwiseMax(s.rhs.cwiseAbs());
  const auto calc_left_over = [&] {
    for (Eigen::Index c = 0; c < first; ++c)
      for (Sparse::InnerIterator e(s.M, c); e; ++e)
        s.terms[e.row()] = std::max(s.terms[e.row()], std::abs(e.value() * s.x[c]));
    double common = 0, part = 0;  // of all rows, in the metric of the inverse inertias: units do not matter
    for (Eigen::Index r = first; r < s.r.size(); ++r)
      if (s.size[r] > 0) common = std::max(common, s.terms[r] / std::sqrt(s.size[r]));
    for (Eigen::Index r = first; r < s.r.size(); ++r) {
      s.terms[r] = std::max(s.terms[r], kOtherRows * common * std::sqrt(s.size[r]));
      if (s.terms[r] > 0) part = std::max(part, std::abs(s.r[r]) / s.terms[r]);
    }
    return part;
  };
  s.x.setZero();
  s.r = s.rhs;
  double left_over = 1;
  bool stands = false;
  for (out.iterations = 0; out.iterations < o.max_iterations && !stands;) {
    s.x += s.ldlt.solve(s.r);
    calc_residual();
    ++out.iterations;
    const double before = left_over;
    left_over = calc_left_over();
    const bool slower = out.iterations > 1 && left_over > 0.5 * before;
    if (left_over == 0 || (left_over <= o.tolerance && slower)) break;  // down to rounding
    stands =
        (s.r - s.old).tail(rows).lpNorm<Eigen::Infinity>() <= standstill * s.r.tail(rows).lpNorm<Eigen::Infinity>();
  }
  out.rank = -1;
  if (left_over <= rank.consistency_tolerance) return;
  out.status = stands ? SolveStatus::inconsistent : SolveStatus::not_reached;
  for (int r = s.first_loop_row; r < s.rhs.size(); ++r)
    if (std::abs(s.r[r]) > rank.consistency_tolerance * s.terms[r]) out.contradicting.push_back(r - s.first_loop_row);
  // What no acceleration obeys went into the forces with every round and does no work: out of both with it.
  auto left = s.r.tail(rows), forces = s.x.tail(rows);
  forces -= forces.dot(left) / left.squaredNorm() * left;
  s.rhs.tail(rows) -= left;
  for (int round = 0; round < 3; ++round) {
    calc_residual();
    s.x += s.ldlt.solve(s.r);
  }
}

}  // namespace sinew
