// src/constraint/solve/pv.cpp
#include "sinew/constraint/solve/pv.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "constraint/rank/row_scale.hpp"

namespace sinew {
namespace {

// Sizes of the terms of k and K x_free, one per row. The nodes' accelerations are still those of x_free.
void calc_sizes(const ConstraintSet& set, const ConstraintRows& rows, PvSolver& ws, const ConstrainedSystem& s) {
  std::vector<double>& size = ws.equation.size;
  std::fill(size.begin(), size.end(), 0.0);
  const auto entries = set.problem().entries();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (entries[e].node == 0) continue;
    const Motion<double>& a = ws.dynamics->accelerations[entries[e].node];
    size[entries[e].row] += norm(rows.K[e].ang) * norm(a.ang) + norm(rows.K[e].lin) * norm(a.lin);
  }
  for (std::size_t r = 0; r < size.size(); ++r) size[r] = std::max({size[r], std::abs(s.k[r]), s.made_of[r]});
}

}  // namespace

PvSolver::PvSolver(const Model& m, const ConstraintSet& set)
    : dynamics(std::make_unique<delassus::PvDynamicsWorkspace>(m, set.problem())), equation(set.rows()) {}

void solve_by_pv(const Model& m, const ConstraintSet& set, const ConstraintRows& rows, PvSolver& ws, In<double> q,
                 const ConstrainedSystem& s, const RankOptions& o, Out<double> x, Out<double> lambda,
                 SolveCertificate& out, double time) {
  check_rows("solve_by_pv", m, set, rows);
  check_solve("solve_by_pv", m.dof_tree(), s, ws.equation.k.size(), x.size(), lambda.size());
  // The pivots of pv depend on the order of the rows. Where one is less than kDoubt above the tolerance, ForceEquation
  // decides the rank.
  constexpr double kDoubt = 100;
  ws.dynamics->least_pivot = kDoubt * std::max(o.rank_tolerance * o.rank_tolerance, linear::kLeastImpliedPivot);
  for (std::size_t r = 0; r < s.full.size(); ++r)
    ws.dynamics->least_diagonal[r] = ws.dynamics->least_pivot * s.full[r] * s.full[r];
  out.rank = set.rows();
  const delassus::PvOutcome outcome = solve_pv(m, *ws.dynamics, q, s.f, rows.K, s.k, x, lambda, time);
  out.least_row = std::sqrt(outcome.least_pivot);
  if (outcome) return;

  ForceEquation& e = ws.equation;
  get_delassus_matrix(*ws.dynamics, e.matrix());
  e.k = s.k;
  // A_ii is the sum of the responses of the row's ends: where they cancel, it is less accurate.
  RankOptions known = o;
  for (std::size_t r = 0; r < s.full.size(); ++r) {
    const double rounding = ws.dynamics->rounding[r], diagonal = e.A[r * s.full.size() + r];
    e.full[r] = diagonal > 16 * rounding ? s.full[r] : 2 * std::sqrt(std::max(0.0, diagonal)) / linear::kCancelled;
    if (diagonal > 16 * rounding) known.rank_tolerance = std::max(known.rank_tolerance, std::sqrt(rounding / diagonal));
  }
  std::copy(lambda.begin(), lambda.end(), e.b.begin());
  calc_sizes(set, rows, ws, s);
  solve(e, known, lambda, out);
  calc_response(m, *ws.dynamics, q, s.f, rows.K, lambda, x);
}

}  // namespace sinew
