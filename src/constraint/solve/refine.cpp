// src/constraint/solve/refine.cpp
#include "constraint/solve/refine.hpp"

#include <limits>

#include "constraint/rank/row_scale.hpp"
#include "sinew/linear/tolerance.hpp"

namespace sinew {
namespace {

// The implied rows, found by the method itself or by the one that corrects its answers. Null: none.
RowDependence* find_dependence(ConstrainedWorkspace& ws) {
  const bool corrected = ws.certificate.rank < 0 && ws.certificate.corrections > 0;
  const int rank = corrected ? ws.refine.certificate.rank : ws.certificate.rank;
  if (rank < 0 || rank == ws.certificate.rows) return nullptr;
  if (corrected) return &ws.refine.pv->equation.dependence;
  if (auto* kkt = std::get_if<KktWorkspace>(&ws.solver)) return &kkt->dependence;
  if (auto* multipliers = std::get_if<MultipliersWorkspace>(&ws.solver)) return &multipliers->equation.dependence;
  if (auto* projection = std::get_if<IndependentWorkspace>(&ws.solver)) return &projection->dependence;
  return &std::get<PvSolver>(ws.solver).equation.dependence;
}

// 1 / D, D the inertia of each coordinate with all that it carries free to move.
void calc_inverse_inertias(const Model& m, ConstrainedWorkspace& ws) {
  const DofTree& tree = m.dof_tree();
  const auto* pv = std::get_if<PvSolver>(&ws.solver);
  for (int i = 0; i < tree.size(); ++i) {
    const double l = pv ? 0 : ws.system.L.packed[tree.row(i) + at(tree.depth(i))];
    ws.refine.inverse_inertia[tree.velocity(i)] = pv ? pv->dynamics->pv.inertias.Dinv[i] : 1 / (l * l);
  }
}

}  // namespace

RefineWorkspace::RefineWorkspace(const Model& m, int rows)
    : inverse_inertia(at(m.nv())),
      root_inertia(inverse_inertia),
      correction(inverse_inertia),
      force(inverse_inertia),
      target(at(rows)),
      k(target),
      made_of(target),
      multipliers(target),
      certificate(rows),
      composite(m.nodes().size()) {}

int find_coordinate_without_inertia(const DofTree& tree, const std::vector<double>& H, const LtlFactor<double>& L) {
  for (int i = tree.size() - 1; i >= 0; --i) {  // tip to base, as the factorization went
    const std::size_t diagonal = tree.row(i) + at(tree.depth(i));
    if (!(L.packed[diagonal] * L.packed[diagonal] > linear::kNoInertia * H[diagonal])) return tree.velocity(i);
  }
  return -1;
}

int find_coordinate_without_inertia(const Model& m, ConstrainedWorkspace& ws, In<double> q, double time) {
  RefineWorkspace& w = ws.refine;
  const auto& X = ws.rows.motion.kinematics.X;
  const bool is_pv = std::holds_alternative<PvSolver>(ws.solver);
  if (is_pv) {
    // Quick test: a coordinate without inertia has a much smaller D than others of its kind (turn or shift).
    constexpr double kMuchLess = 1e-5;
    calc_inverse_inertias(m, ws);
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    for (int i = m.dof_tree().size() - 1; i >= 0; --i) {  // tip to base: the first one that is not finite is the cause
      const int v = m.dof_tree().velocity(i), turns = dot(ws.rows.S[v].ang, ws.rows.S[v].ang) > 0;
      if (!(std::abs(w.inverse_inertia[v]) < INFINITY)) return v;
      least[turns] = std::min(least[turns], w.inverse_inertia[v]);
      most[turns] = std::max(most[turns], std::abs(w.inverse_inertia[v]));
    }
    if (!(kMuchLess * most[0] > least[0]) && !(kMuchLess * most[1] > least[1])) return -1;
  }
  // H_ii from composite inertias. Without D: the response to a force of about sqrt(H_ii) on every coordinate is tested.
  for (std::size_t i = 0; i < m.nodes().size(); ++i) w.composite[i] = m.nodes()[i].inertia;
  Random rng(1);
  for (std::size_t i = m.nodes().size() - 1; i > 0; --i) {
    const Node& n = m.nodes()[i];
    for (int v = n.v; v < n.v + n.nv; ++v) {
      const Motion<double> S{apply(X[i].E, ws.rows.S[v].ang), apply(X[i].E, ws.rows.S[v].lin)};
      const double H = dot(S, w.composite[i] * S) + m.armature()[v];
      if (is_pv && !(1 > linear::kNoInertia * H * std::abs(w.inverse_inertia[v]))) return v;
      if (!(H > 0)) return v;
      w.root_inertia[v] = std::sqrt(H);
      w.force[v] = w.root_inertia[v] * rng.uniform(0.5, 1);
    }
    w.composite[n.parent] = w.composite[n.parent] + apply_inverse(X[i] * inverse(X[n.parent]), w.composite[i]);
  }
  if (is_pv) return -1;
  multiply_by_mass_inverse(m, ws.check.aba, q, In<double>(w.force), w.correction, time);
  bool suspect = false;
  for (std::size_t v = 0; v < w.force.size(); ++v)
    suspect = suspect || !(std::abs(w.correction[v]) * w.root_inertia[v] < 0.01 / linear::kNoInertia);
  if (!suspect) return -1;
  std::vector<double> H(m.dof_tree().packed_size());
  crba_packed(m, ws.crba, q, H, time);
  LtlFactor<double> L(m.dof_tree());
  L.packed = H;
  factor(m.dof_tree(), L);
  return find_coordinate_without_inertia(m.dof_tree(), H, L);
}

void guess_error(const Model& m, ConstrainedWorkspace& ws, In<double> q, double time, SolveCertificate& c) {
  RefineWorkspace& w = ws.refine;
  c.acceleration_error = 0;
  const auto blame = [&](double error, std::string_view what, int index) {
    if (error <= c.acceleration_error) return;
    c.acceleration_error = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
    c.culprit = what, c.culprit_index = index;
  };
  // r / D. Maximal coordinates have no D: H^-1 r takes its place.
  const std::vector<double>& r = ws.check.force_residual;
  if (std::holds_alternative<SparseWorkspace>(ws.solver)) {
    multiply_by_mass_inverse(m, ws.check.aba, q, In<double>(r), w.force, time);
  } else {
    calc_inverse_inertias(m, ws);
    for (std::size_t i = 0; i < r.size(); ++i) w.force[i] = r[i] * w.inverse_inertia[i];
  }
  for (std::size_t i = 0; i < r.size(); ++i)
    if (w.force[i] != 0) blame(std::abs(w.force[i]) / c.acceleration_scale, "inertia", static_cast<int>(i));
  // g / s
  const std::vector<double>& g = ws.check.row_residual;
  const double s = c.least_row > 0 ? c.least_row : ws.options.rank.rank_tolerance;
  // Where s is only a bound, the rounding in the residual, which grows with the freedoms, is subtracted.
  const double rounding = c.least_row > 0 ? 0 : std::numeric_limits<double>::epsilon() * m.nv();
  const std::vector<double>&full = ws.system.full, &terms = ws.check.row_terms;
  double common = 0;  // rounding in other rows also affects this one
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (full[i] > 0) common = std::max(common, kOtherRows * terms[i] / full[i]);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (g[i] != 0) {
      const double part = std::abs(g[i]) / std::max(terms[i], common * full[i]);
      blame(std::max(0.0, part - rounding) / s, "dependence", static_cast<int>(i));
    }
}

void add_error_of_unclear_rows(const Model& m, const ConstraintSet& set, ConstrainedWorkspace& ws, In<double> q,
                               double time, SolveCertificate& c) {
  RowDependence* d = find_dependence(ws);
  if (!d) return;
  RefineWorkspace& w = ws.refine;
  const PvSolver* pv = c.rank < 0 ? w.pv.get() : std::get_if<PvSolver>(&ws.solver);
  const std::vector<double>& row_scale = pv ? pv->equation.row_scale : ws.system.row_scale;
  const double clear = kClear * ws.options.rank.rank_tolerance;
  const ProximalOptions& rounds = ws.options.proximal;
  // Error per gap in a row of which only a part `left` is not implied. Proximal rounds correct a part of it.
  const auto weigh = [&](double left) {
    if (c.rank >= 0) return left < clear ? 0 : 1 / left;
    constexpr double kSeveral = 4;  // several directions may add up
    return kSeveral * std::min(1 / left, c.iterations * left / rounds.mu);
  };
  const double most = c.rank < 0 ? std::sqrt(std::max(1, c.iterations) / rounds.mu) : 1 / clear;
  for (int i = 0; i < d->rest(); ++i) {
    const int row = d->order[d->rank + i];
    if (row_scale[row] == 0 || (c.rank >= 0 && d->left[i] < 0.5 * clear)) continue;
    // The combination of rows K^T N that should vanish, and the residual of K x = k along it.
    std::fill(w.multipliers.begin(), w.multipliers.end(), 0.0);
    w.multipliers[row] = 1;
    double gap = ws.check.row_residual[row];
    for (int j = 0; j < d->rank; ++j) {
      w.multipliers[d->order[j]] = -d->combination(i)[j];
      gap -= d->combination(i)[j] * ws.check.row_residual[d->order[j]];
    }
    const double miss = std::abs(gap) / ws.check.row_terms[row];
    if (!(miss * most > kClear * c.acceleration_tolerance)) continue;
    multiply_by_constraint_jacobian_transpose(m, set, ws.rows, w.multipliers, w.force);
    multiply_by_mass_inverse(m, ws.check.aba, q, In<double>(w.force), w.correction, time);
    double left = 0;
    for (std::size_t p = 0; p < w.force.size(); ++p) left += w.force[p] * w.correction[p];
    const double error = miss * weigh(row_scale[row] * std::sqrt(std::max(0.0, left)));
    if (error <= c.acceleration_error) continue;
    c.acceleration_error = error;
    c.culprit = "dependence", c.culprit_index = row;
  }
}

}  // namespace sinew
