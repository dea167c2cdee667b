// src/constraint/solve/sparse_rounds.cpp - factorization and refinement of the large system
#include <algorithm>
#include <cmath>

#include "constraint/rank/row_scale.hpp"
#include "constraint/solve/sparse_matrix.hpp"

namespace sinew {

namespace {

// Inertia, relative to the largest of all nodes, that is used for massless nodes inside a composite joint.
constexpr double kLeastInertia = 1e-4;

double largest_from(const std::vector<double>& x, int first) {
  double out = 0;
  for (std::size_t i = at(first); i < x.size(); ++i) out = std::max(out, std::abs(x[i]));
  return out;
}

}  // namespace

void solve_rounds(const Model& m, SparseWorkspace::Matrix& s, const RankOptions& rank, const ProximalOptions& o,
                  SolveCertificate& out) {
  const int first = 6 * (static_cast<int>(m.nodes().size()) - 1), all = static_cast<int>(s.rhs.size());
  const auto for_each_entry = [&](int c, auto use) {
    for (int e = s.M.first(c); e < s.M.first(c + 1); ++e) use(s.M.row(e), s.M.value(e));
  };
  // Size of each row of T^T P^T in the metric of the inverse inertias that it acts on.
  double typical[2] = {0, 0};  // largest moment of inertia, largest mass
  for (int c = 0; c < first; ++c) typical[c % 6 / 3] = std::max(typical[c % 6 / 3], s.M.diagonal(c));
  std::fill(s.size.begin(), s.size.end(), 0.0);
  for (int c = 0; c < first; ++c) {
    const double inertia = std::max(s.M.diagonal(c), kLeastInertia * typical[c % 6 / 3]);
    for_each_entry(c, [&](int row, double value) {
      if (row >= first) s.size[row] += value * value / inertia;
    });
  }
  s.regular = s.M;
  for (int c = 0; c < first; ++c) s.regular.set_diagonal(c, s.M.diagonal(c) + o.mu * typical[c % 6 / 3]);
  for (int r = first; r < all; ++r) s.regular.set_diagonal(r, -(s.size[r] > 0 ? o.mu * s.size[r] : 1));
  s.ldl.factor(s.regular);

  // In one round the residual along an implied direction shrinks by no more than this part.
  const double standstill = rank.rank_tolerance * rank.rank_tolerance / o.mu;
  const auto calc_residual = [&] {
    s.old = s.r;
    s.r = s.rhs;
    s.M.subtract_product(s.x, s.r);
  };
  // The largest residual of a row relative to its largest term in all rounds.
  for (int r = 0; r < all; ++r) s.terms[r] = std::max(s.terms[r], std::abs(s.rhs[r]));
  const auto calc_left_over = [&] {
    for (int c = 0; c < first; ++c)
      for_each_entry(c,
                     [&](int row, double value) { s.terms[row] = std::max(s.terms[row], std::abs(value * s.x[c])); });
    double common = 0, part = 0;  // of all rows, in the metric of the inverse inertias: units do not matter
    for (int r = first; r < all; ++r)
      if (s.size[r] > 0) common = std::max(common, s.terms[r] / std::sqrt(s.size[r]));
    for (int r = first; r < all; ++r) {
      s.terms[r] = std::max(s.terms[r], kOtherRows * common * std::sqrt(s.size[r]));
      if (s.terms[r] > 0) part = std::max(part, std::abs(s.r[r]) / s.terms[r]);
    }
    return part;
  };
  std::fill(s.x.begin(), s.x.end(), 0.0);
  s.r = s.rhs;
  double left_over = 1;
  bool stands = false;
  for (out.iterations = 0; out.iterations < o.max_iterations && !stands;) {
    s.ldl.add_solution(s.r, s.x);
    calc_residual();
    ++out.iterations;
    const double before = left_over;
    left_over = calc_left_over();
    const bool slower = out.iterations > 1 && left_over > 0.5 * before;
    if (left_over == 0 || (left_over <= o.tolerance && slower)) break;  // down to rounding
    double change = 0;
    for (int r = first; r < all; ++r) change = std::max(change, std::abs(s.r[r] - s.old[r]));
    stands = change <= standstill * largest_from(s.r, first);
  }
  out.rank = -1;
  if (left_over <= rank.consistency_tolerance) return;
  out.status = stands ? SolveStatus::inconsistent : SolveStatus::not_reached;
  for (int r = s.first_loop_row; r < all; ++r)
    if (std::abs(s.r[r]) > rank.consistency_tolerance * s.terms[r]) out.contradicting.push_back(r - s.first_loop_row);
  // The part of the rows that no acceleration obeys was added to the forces in every round, where it does no work.
  // Remove it from the forces and the right side.
  double product = 0, square = 0;
  for (int r = first; r < all; ++r) product += s.x[r] * s.r[r], square += s.r[r] * s.r[r];
  for (int r = first; r < all; ++r) {
    s.x[r] -= product / square * s.r[r];
    s.rhs[r] -= s.r[r];
  }
  for (int round = 0; round < 3; ++round) {
    calc_residual();
    s.ldl.add_solution(s.r, s.x);
  }
}

}  // namespace sinew
