// src/constraint/solve/forward_dynamics.cpp
#include "sinew/constraint/solve/forward_dynamics.hpp"

#include <algorithm>
#include <limits>

#include "constraint/checks.hpp"
#include "constraint/rows/measure_rows.hpp"
#include "constraint/solve/refine.hpp"

namespace sinew {
namespace {

decltype(ConstrainedWorkspace::solver) make_solver(const Model& m, const ConstraintSet& set, const ConstrainedSystem& s,
                                                   const ConstrainedOptions& o) {
  switch (o.method) {
    case ConstrainedMethod::kkt: return KktWorkspace(s);
    case ConstrainedMethod::multipliers: return MultipliersWorkspace(s);
    case ConstrainedMethod::projection: return IndependentWorkspace(s, o.independent);
    case ConstrainedMethod::sparse: return SparseWorkspace(m, set);
    case ConstrainedMethod::proximal: return ProximalWorkspace(s);
    case ConstrainedMethod::pv: return PvSolver(m, set);
  }
  throw std::invalid_argument("ConstrainedWorkspace: options.method is not one of ConstrainedMethod");
}

// `sparse` and `pv` need no joint-space matrices, whose rows x n numbers would be most of the memory.
ConstrainedSystem make_system(const Model& m, const ConstraintSet& set, ConstrainedMethod method) {
  if (method != ConstrainedMethod::sparse && method != ConstrainedMethod::pv) return {m, set.problem()};
  ConstrainedSystem s(DofTree{}, 0);
  s.f.resize(at(m.nv()));
  s.k.resize(at(set.rows()));
  s.made_of.resize(at(set.rows()));
  s.full.resize(at(set.rows()));
  return s;
}

// A new certificate in the old one's memory.
SolveCertificate& start(const Model& m, const ConstraintSet& set, ConstrainedWorkspace& ws) {
  SolveCertificate& c = ws.certificate;
  std::vector<int> redundant = std::move(c.redundant), contradicting = std::move(c.contradicting);
  c = SolveCertificate();
  c.redundant = std::move(redundant), c.contradicting = std::move(contradicting);
  c.redundant.clear(), c.contradicting.clear();
  c.algorithm = to_string(ws.options.method);
  c.freedoms = m.nv();
  c.rows = set.rows();
  c.tolerance = ws.options.residual_tolerance;
  c.acceleration_tolerance = ws.options.acceleration_tolerance;
  return c;
}

const SolveCertificate& give_up(ConstrainedWorkspace& ws, Out<double> x, Out<double> lambda) {
  std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
  std::fill(lambda.begin(), lambda.end(), std::numeric_limits<double>::quiet_NaN());
  return ws.certificate;
}

const SolveCertificate& give_up_without_inertia(ConstrainedWorkspace& ws, int coordinate, Out<double> x,
                                                Out<double> lambda) {
  ws.certificate.status = SolveStatus::singular;
  ws.certificate.culprit = "inertia";
  ws.certificate.culprit_index = coordinate;
  return give_up(ws, x, lambda);
}

bool find_bad_row(const ConstraintRows& rows, SolveCertificate& c) {
  for (const Force<double>& f : rows.K) {
    const double sum = f.ang.x + f.ang.y + f.ang.z + f.lin.x + f.lin.y + f.lin.z;
    if (find_non_finite("rows", {&sum, 1}, c)) {
      c.culprit_index = static_cast<int>(&f - rows.K.data());
      return true;
    }
  }
  return false;
}

// Solves at q for the f and k of ws.system. Returns a velocity coordinate that moves no inertia, -1: none found.
int solve_system(const Model& m, const ConstraintSet& set, ConstrainedWorkspace& ws, In<double> q, double time,
                 Out<double> x, Out<double> lambda, SolveCertificate& c) {
  ConstrainedSystem& s = ws.system;
  const RankOptions& rank = ws.options.rank;
  if (auto* sparse = std::get_if<SparseWorkspace>(&ws.solver)) {
    solve_impulse_by_sparse(m, set, ws.rows, *sparse, q, s.f, s.k, s.made_of, rank, ws.options.proximal, x, lambda, c,
                            time);
    return -1;
  }
  if (auto* pv = std::get_if<PvSolver>(&ws.solver)) {
    solve_by_pv(m, set, ws.rows, *pv, q, s, rank, x, lambda, c, time);
    return -1;
  }
  const DofTree& tree = m.dof_tree();
  crba_packed(m, ws.crba, q, s.H, time);
  get_constraint_jacobian(m, set, ws.rows, s.jacobian());
  factor(tree, s);
  if (const int massless = find_coordinate_without_inertia(tree, s.H, s.L); massless >= 0) return massless;
  if (auto* kkt = std::get_if<KktWorkspace>(&ws.solver)) solve_by_kkt(tree, *kkt, s, rank, x, lambda, c);
  if (auto* first = std::get_if<MultipliersWorkspace>(&ws.solver))
    solve_by_multipliers(tree, *first, s, rank, x, lambda, c);
  if (auto* project = std::get_if<IndependentWorkspace>(&ws.solver))
    solve_by_projection(tree, *project, s, rank, x, lambda, c);
  if (auto* proximal = std::get_if<ProximalWorkspace>(&ws.solver))
    solve_by_proximal(tree, *proximal, s, rank, ws.options.proximal, x, lambda, c);
  return -1;
}

// After the first certificate: the error of the acceleration. measure() certifies the answer again, with ws.refine.k.
template <class Measure>
void judge_acceleration(const Model& m, const ConstraintSet& set, ConstrainedWorkspace& ws, In<double> q, double time,
                        Out<double> x, Out<double> lambda, Measure measure) {
  SolveCertificate& c = ws.certificate;
  RefineWorkspace& w = ws.refine;
  const auto is_doubtful = [&] { return !(c.acceleration_error <= kClear * c.acceleration_tolerance); };
  if (c.status == SolveStatus::solved) guess_error(m, ws, q, time, c);
  // Methods that factor H have looked for motions without inertia already.
  if (std::holds_alternative<SparseWorkspace>(ws.solver) || std::holds_alternative<PvSolver>(ws.solver))
    if (const int massless = find_coordinate_without_inertia(m, ws, q, time); massless >= 0) {
      give_up_without_inertia(ws, massless, x, lambda);
      return;
    }
  if (c.status != SolveStatus::solved) return;
  if (is_doubtful()) {
    ConstrainedSystem& s = ws.system;
    w.made_of = s.made_of;
    std::fill(s.made_of.begin(), s.made_of.end(), 0.0);
    if (c.rank < 0 && !w.pv) w.pv = std::make_unique<PvSolver>(m, set);
    const auto solve = [&](In<double> f, In<double> k) {
      for (std::size_t i = 0; i < s.f.size(); ++i) s.f[i] = -f[i];
      for (std::size_t r = 0; r < s.k.size(); ++r) s.k[r] = -k[r];
      if (c.rank < 0)
        solve_by_pv(m, set, ws.rows, *w.pv, q, s, ws.options.rank, w.correction, w.multipliers, w.certificate, time);
      else
        solve_system(m, set, ws, q, time, w.correction, w.multipliers, w.certificate);
    };
    const auto solve_residuals = [&] { solve(ws.check.force_residual, ws.check.row_residual); };
    correct(w, x, lambda, c, solve_residuals, measure);
    // (c) Solve for the residuals of two thirds of the rows: one of many choices which rows are obeyed.
    constexpr double kManyChoices = 10;
    for (std::size_t r = 0; r < w.target.size(); ++r) w.target[r] = r % 3 == 1 ? 0 : ws.check.row_residual[r];
    solve(ws.zeros, w.target);
    for (const double e : w.correction)
      c.acceleration_error = std::max(c.acceleration_error, kManyChoices * std::abs(e) / c.acceleration_scale);
    s.k = w.k, s.made_of = w.made_of;
  }
  add_error_of_unclear_rows(m, set, ws, q, time, c);
  if (c.status == SolveStatus::solved && !(c.acceleration_error <= c.acceleration_tolerance))
    c.status = SolveStatus::not_reached;
  if (c.status == SolveStatus::solved) c.culprit = {}, c.culprit_index = -1;
}

}  // namespace

std::string_view to_string(ConstrainedMethod m) {
  constexpr std::string_view kNames[] = {"kkt", "multipliers", "projection", "sparse", "proximal", "pv"};
  return kNames[static_cast<std::size_t>(m)];
}

ConstrainedWorkspace::ConstrainedWorkspace(const Model& m, const ConstraintSet& set, const ConstrainedOptions& o)
    : options(o),
      rows(m, set),
      system(make_system(m, set, o.method)),
      crba(m),
      check(m, set),
      refine(m, set.rows()),
      solver(make_solver(m, set, system, o)),
      certificate(set.rows()),
      zeros(at(m.nv())) {}

const SolveCertificate& constrained_forward_dynamics(const Model& m, const ConstraintSet& set, ConstrainedWorkspace& ws,
                                                     In<double> q, In<double> v, In<double> tau, Out<double> qdd,
                                                     Out<double> lambda, const Surroundings<double>& s) {
  const char* call = "constrained_forward_dynamics";
  check_rows(call, m, set, ws.rows);
  check_size(call, "q", q.size(), at(m.nq()));
  check_size(call, "v", v.size(), at(m.nv()));
  check_size(call, "tau", tau.size(), at(m.nv()));
  check_size(call, "qdd", qdd.size(), at(m.nv()));
  check_size(call, "lambda", lambda.size(), at(set.rows()));
  if (s.external.size() != 0) check_size(call, "external", s.external.size(), m.bodies().size());
  SolveCertificate& c = start(m, set, ws);
  const VectorView<const double> external{reinterpret_cast<const double*>(s.external.data()), 6 * s.external.size()};
  if (find_non_finite("q", q, c) || find_non_finite("v", v, c) || find_non_finite("tau", tau, c) ||
      find_non_finite("external", external, c))
    return give_up(ws, qdd, lambda);

  calc_constraint_rows(m, set, ws.rows, q, v, s.time);
  stabilize(ws.rows, ws.options.stabilization, ws.system.k);
  const double rate = ws.options.stabilization.period > 0 ? 1 / ws.options.stabilization.period : 0;
  measure_accelerations(set, ws.rows, rate, ws.system.made_of);
  measure_rows(m, set, ws.rows, ws.system.full);
  if (find_bad_row(ws.rows, c) || find_non_finite("rows", ws.system.k, c)) return give_up(ws, qdd, lambda);
  if (auto* sparse = std::get_if<SparseWorkspace>(&ws.solver)) {
    solve_by_sparse(m, set, ws.rows, *sparse, q, v, tau, ws.system.k, ws.system.made_of, ws.options.rank,
                    ws.options.proximal, qdd, lambda, c, s);
  } else {
    calc_bias(m, ws.check.rnea, q, v, ws.system.f, s);
    for (std::size_t i = 0; i < tau.size(); ++i) ws.system.f[i] = tau[i] - ws.system.f[i];
    const int massless = solve_system(m, set, ws, q, s.time, qdd, lambda, c);
    if (massless >= 0) return give_up_without_inertia(ws, massless, qdd, lambda);
  }
  ws.refine.k = ws.system.k;
  const auto measure = [&] { certify(m, set, ws.rows, ws.check, q, v, tau, ws.refine.k, qdd, lambda, c, s); };
  measure();
  judge_acceleration(m, set, ws, q, s.time, qdd, lambda, measure);
  return c;
}

const SolveCertificate& constrained_impulse(const Model& m, const ConstraintSet& set, ConstrainedWorkspace& ws,
                                            In<double> q, In<double> before, In<double> impulse, In<double> target,
                                            Out<double> after, Out<double> P, double time) {
  const char* call = "constrained_impulse";
  check_rows(call, m, set, ws.rows);
  check_size(call, "q", q.size(), at(m.nq()));
  check_size(call, "velocity before", before.size(), at(m.nv()));
  check_size(call, "velocity after", after.size(), at(m.nv()));
  check_size(call, "P", P.size(), at(set.rows()));
  if (impulse.size() == 0) impulse = ws.zeros;
  check_size(call, "impulse", impulse.size(), at(m.nv()));
  if (target.size() != 0) check_size(call, "target", target.size(), at(set.rows()));
  SolveCertificate& c = start(m, set, ws);
  if (find_non_finite("q", q, c) || find_non_finite("v", before, c) || find_non_finite("impulse", impulse, c) ||
      find_non_finite("target", target, c))
    return give_up(ws, after, P);

  // K (before + x) = target. Where none is given it is K v less the velocity error.
  calc_constraint_rows(m, set, ws.rows, q, before, time);
  ConstrainedSystem& s = ws.system;
  std::copy(impulse.begin(), impulse.end(), s.f.begin());
  multiply_by_constraint_jacobian(m, set, ws.rows, before, ws.check.Kx);
  for (std::size_t r = 0; r < s.k.size(); ++r)
    s.k[r] = target.size() == 0 ? -ws.rows.velocity[r] : target[r] - ws.check.Kx[r];
  measure_velocities(set, ws.rows, s.made_of);
  measure_rows(m, set, ws.rows, s.full);
  if (find_bad_row(ws.rows, c) || find_non_finite("rows", s.k, c)) return give_up(ws, after, P);
  const int massless = solve_system(m, set, ws, q, time, after, P, c);  // [F08 11.57]
  if (massless >= 0) return give_up_without_inertia(ws, massless, after, P);
  multiply_by_constraint_jacobian(m, set, ws.rows, before, ws.check.Kx);
  for (std::size_t r = 0; r < s.k.size(); ++r) s.k[r] += ws.check.Kx[r];
  for (std::size_t i = 0; i < after.size(); ++i) after[i] += before[i];
  ws.refine.k = s.k;
  const auto measure = [&] {
    certify_impulse(m, set, ws.rows, ws.check, q, before, impulse, ws.refine.k, after, P, c, time);
  };
  measure();
  judge_acceleration(m, set, ws, q, time, after, P, measure);
  return c;
}

}  // namespace sinew
