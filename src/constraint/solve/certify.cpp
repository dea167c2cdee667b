// src/constraint/solve/certify.cpp
#include "sinew/constraint/solve/certify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "constraint/checks.hpp"
#include "linear/rows.hpp"

namespace sinew {
namespace {

// Sets the status from the residuals.
void judge(SolveCertificate& out) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  const bool dynamics = out.dynamics_residual <= out.tolerance * out.dynamics_scale + kTiny;
  const bool constraints = out.constraint_residual <= out.tolerance * out.constraint_scale + kTiny;
  if (out.status == SolveStatus::solved && !(dynamics && constraints)) out.status = SolveStatus::not_reached;
  if (out.status == SolveStatus::inconsistent && !dynamics) out.status = SolveStatus::not_reached;
}

// K x into ws.Kx, the largest term of each row into ws.row_terms. Returns the largest of all terms.
double multiply(const Model& m, const ConstraintSet& set, ConstraintRows& rows, CertifyWorkspace& ws, In<double> x) {
  multiply_by_constraint_jacobian(m, set, rows, x, ws.Kx);
  double out = 0;
  const auto entries = set.problem().entries();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto node = at(entries[e].node);
    const Rotation<double>& E = rows.motion.kinematics.X[node].E;
    const Force<double> f{apply_inverse(E, rows.K[e].ang), apply_inverse(E, rows.K[e].lin)};
    const double term = std::abs(dot(f, rows.u[node]));  // u: the motion of the nodes due to x
    ws.row_terms[entries[e].row] = std::max(ws.row_terms[entries[e].row], term);
    out = std::max(out, term);
  }
  return out;
}

// demand = supply + K^T lambda and K x = k; ws.free is what x would be without constraints.
void measure(const Model& m, const ConstraintSet& set, ConstraintRows& rows, CertifyWorkspace& ws, In<double> supply,
             In<double> lambda, In<double> x, In<double> k, SolveCertificate& out) {
  out.freedoms = m.nv();
  out.rows = set.rows();
  multiply_by_constraint_jacobian_transpose(m, set, rows, lambda, ws.supply);
  out.dynamics_residual = 0;
  out.dynamics_scale = std::max({linear::largest_entry(ws.demand), linear::largest_entry(supply),
                                 linear::largest_entry(ws.supply), out.dynamics_scale});
  for (std::size_t i = 0; i < ws.demand.size(); ++i) {
    ws.force_residual[i] = ws.demand[i] - supply[i] - ws.supply[i];
    out.dynamics_residual = std::max(out.dynamics_residual, std::abs(ws.force_residual[i]));
  }

  for (std::size_t i = 0; i < k.size(); ++i) ws.row_terms[i] = std::abs(k[i]);
  out.acceleration_scale = std::max(linear::largest_entry(ws.free), linear::largest_entry(x));
  out.constraint_scale = std::max(multiply(m, set, rows, ws, ws.free), linear::largest_entry(k));
  out.constraint_scale = std::max(out.constraint_scale, multiply(m, set, rows, ws, x));
  out.constraint_residual = 0;
  for (std::size_t i = 0; i < k.size(); ++i) {
    ws.row_residual[i] = ws.Kx[i] - k[i];
    out.constraint_residual = std::max(out.constraint_residual, std::abs(ws.row_residual[i]));
  }
}

}  // namespace

SolveCertificate::SolveCertificate(int row_count) : rows(row_count) {
  redundant.reserve(at(row_count));
  contradicting.reserve(at(row_count));
}

std::string_view to_string(SolveStatus s) {
  switch (s) {
    case SolveStatus::solved: return "solved";
    case SolveStatus::inconsistent: return "inconsistent";
    case SolveStatus::not_reached: return "not reached";
    case SolveStatus::singular: return "singular";
    case SolveStatus::non_finite: return "non-finite";
  }
  return "";
}

bool find_non_finite(std::string_view name, VectorView<const double> x, SolveCertificate& out) {
  const auto bad = std::find_if(x.begin(), x.end(), [](double e) { return !std::isfinite(e); });
  if (bad == x.end()) return false;
  out.status = SolveStatus::non_finite;
  out.culprit = name;
  out.culprit_index = static_cast<int>(bad - x.begin());
  return true;
}

CertifyWorkspace::CertifyWorkspace(const Model& m, const ConstraintSet& set)
    : rnea(m),
      aba(m),
      demand(at(m.nv())),
      supply(demand),
      free(demand),
      Kx(at(set.rows())),
      force_residual(demand),
      row_residual(Kx),
      row_terms(Kx) {
  check_set("CertifyWorkspace", m, set);
}

void certify(const Model& m, const ConstraintSet& set, ConstraintRows& rows, CertifyWorkspace& ws, In<double> q,
             In<double> v, In<double> tau, In<double> k, In<double> qdd, In<double> lambda, SolveCertificate& out,
             const Surroundings<double>& s) {
  check_rows("certify", m, set, rows);
  ws.rnea.made_for.check("certify", m);
  check_size("certify", "the workspace", ws.Kx.size(), at(set.rows()));
  check_size("certify", "k", k.size(), at(set.rows()));
  check_size("certify", "lambda", lambda.size(), at(set.rows()));
  if (find_non_finite("qdd", qdd, out) || find_non_finite("lambda", lambda, out)) return;
  // The force that qdd needs, and qdd without constraints, whose size is part of the scale of K qdd.
  calc_bias(m, ws.rnea, q, v, ws.demand, s);
  out.dynamics_scale = linear::largest_entry(ws.demand);
  aba(m, ws.aba, q, v, tau, ws.free, s);
  rnea(m, ws.rnea, q, v, qdd, ws.demand, s);
  measure(m, set, rows, ws, tau, lambda, qdd, k, out);
  judge(out);
}

void certify_impulse(const Model& m, const ConstraintSet& set, ConstraintRows& rows, CertifyWorkspace& ws, In<double> q,
                     In<double> before, In<double> impulse, In<double> target, In<double> after, In<double> P,
                     SolveCertificate& out, double time) {
  check_rows("certify_impulse", m, set, rows);
  ws.rnea.made_for.check("certify_impulse", m);
  check_size("certify_impulse", "the workspace", ws.Kx.size(), at(set.rows()));
  check_size("certify_impulse", "before", before.size(), at(m.nv()));
  check_size("certify_impulse", "impulse", impulse.size(), at(m.nv()));
  check_size("certify_impulse", "after", after.size(), at(m.nv()));
  check_size("certify_impulse", "target", target.size(), at(set.rows()));
  check_size("certify_impulse", "P", P.size(), at(set.rows()));
  if (find_non_finite("velocity after", after, out) || find_non_finite("P", P, out)) return;
  for (std::size_t i = 0; i < ws.free.size(); ++i) ws.free[i] = after[i] - before[i];
  multiply_by_mass(m, ws.rnea, q, ws.free, ws.demand, time);
  out.energy_change = 0;
  for (std::size_t i = 0; i < ws.demand.size(); ++i) out.energy_change += 0.5 * (after[i] + before[i]) * ws.demand[i];
  std::copy(before.begin(), before.end(), ws.free.begin());
  out.dynamics_scale = 0;
  measure(m, set, rows, ws, impulse, P, after, target, out);
  judge(out);
}

}  // namespace sinew
