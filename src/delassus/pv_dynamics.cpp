// src/delassus/pv_dynamics.cpp
#include "sinew/delassus/pv_dynamics.hpp"

#include <algorithm>

#include "driver.hpp"
#include "known_turns.hpp"
#include "linear/ldl.hpp"
#include "pv_run.hpp"
#include "sinew/delassus/pv_points.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/tree/kernel/articulated_solve.hpp"

namespace sinew::delassus {
namespace {

ArticulatedSolveScratch<double> solve_scratch(PvDynamicsWorkspace& ws) {
  ArticulatedWorkspace<double>& i = ws.pv.inertias;
  return {i.general.data(), i.k.data(), i.Dinv.data(), ws.slot_forces.data(), ws.slot_motions.data(), ws.u.data()};
}

// articulated_solve over the model; accelerations of the nodes are kept.
template <class Tau, class ForceFn, class Answer>
void solve_tree(const Model& m, PvDynamicsWorkspace& ws, const double* q, Tau tau, ForceFn force, Answer answer) {
  const auto links = links_of<double>(m);
  articulated_solve<double>(
      links.data(), static_cast<int>(links.size()), solve_scratch(ws), tau, force, answer,
      [&](int i, const Motion<double>& A) SINEW_INLINE_LAMBDA { ws.accelerations[i] = A; },
      StoredTurns<double>{ws.pv.inertias.turns.data()}, ShiftOf<double>{q});
}

double along(const PvDynamicsWorkspace& ws, const Force<double>* K, std::size_t e) {
  return dot(ws.accelerations[ws.pv.problem.entries()[e].node], K[e]);
}

// The last step, with all forces at once: x_free plus the response to lambda would cancel in a nearly locked mechanism.
void respond(const Model& m, PvDynamicsWorkspace& ws, const double* q, const double* f, const Force<double>* K,
             const double* lambda, double* x) {  // NOLINT(readability-non-const-parameter): the lambda writes to it
  const Problem& p = ws.pv.problem;
  std::fill(ws.forces.begin(), ws.forces.end(), Force<double>{});
  for (std::size_t e = 0; e < p.entries().size(); ++e)
    ws.forces[p.entries()[e].node] += lambda[p.entries()[e].row] * K[e];
  solve_tree(
      m, ws, q, [&](int, const auto& l, int k) SINEW_INLINE_LAMBDA { return f[l.v + k]; },
      [&](int i) SINEW_INLINE_LAMBDA -> const Force<double>& { return ws.forces[i]; },
      [&](const auto& l, int k, double value) SINEW_INLINE_LAMBDA { x[l.v + k] = value; });
}

// All steps, after prepare(). J x = ws.k.
PvOutcome solve(const Model& m, PvDynamicsWorkspace& ws, const double* q, const double* f, const Force<double>* K,
                double* x, double* lambda) {
  const Problem& p = ws.pv.problem;
  const int rows = p.rows();
  calc_lambda(m, ws.pv, q, K);
  solve_tree(
      m, ws, q, [&](int, const auto& l, int k) SINEW_INLINE_LAMBDA { return f[l.v + k]; },
      [](int) SINEW_INLINE_LAMBDA { return Force<double>{}; },
      [&](const auto& l, int k, double value) SINEW_INLINE_LAMBDA { x[l.v + k] = value; });
  if (rows == 0) return {};

  std::copy_n(ws.k.data(), rows, lambda);
  for (std::size_t e = 0; e < p.entries().size(); ++e) lambda[p.entries()[e].row] -= along(ws, K, e);
  to_upper_rows(p, ws.pv.Lambda.data(), ws.pv.stride, ws.factor.data(), ws.stride);
  double worst = 0;
  std::fill(ws.rounding.begin(), ws.rounding.end(), 0.0);
  for (int c = 0; c < p.columns(); ++c)
    ws.rounding[p.row_of(c)] += linear::kResponseRounding * ws.pv.Lambda[at(c) * at(ws.pv.stride + 1)];
  for (int r = 0; r < rows; ++r) {
    const double diagonal = ws.factor[at(r) * at(ws.stride + 1)];
    if (!(diagonal > std::max(ws.least_diagonal[r], 16 * ws.rounding[r]))) return {r, 0};
    worst = std::max({worst, ws.rounding[r] / diagonal, ws.least_diagonal[r] / diagonal});
  }
  const linear::LdlOutcome ldl = linear::factor_ldl(ws.factor.data(), rows, std::max(ws.least_pivot, worst),
                                                    ws.pivots.data(), ws.pivots.data() + rows);
  if (ldl.singular_row >= 0) return {ldl.singular_row, ldl.least_pivot};
  linear::solve_ldl(ws.factor.data(), rows, lambda);
  respond(m, ws, q, f, K, lambda, x);
  return {-1, ldl.least_pivot};
}

// Accelerations of the nodes that carry rows where dv/dt = 0: ws.accelerations. keep(i, v): node i moves by v.
template <class Keep>
void calc_drift(const Model& m, PvDynamicsWorkspace& ws, const double* q, const double* v, double time, Keep keep) {
  using BodyMotion = PvDynamicsWorkspace::BodyMotion;
  const auto links = links_of<double>(m);
  const Problem& p = ws.pv.problem;
  base_to_tip(
      links.data(), static_cast<int>(links.size()), BodyMotion{},
      [&](int k) -> BodyMotion& { return ws.slot_bodies[k]; },
      [&](int i, const auto& l, const BodyMotion& parent) SINEW_INLINE_LAMBDA -> BodyMotion {
        if (!p.supports(i)) return {};
        BodyMotion out;
        Motion<double> own;
        if (l.step == Step::revolute || l.step == Step::axial) {
          const Turn<double>& t = ws.pv.inertias.turns[i];
          const double d = ShiftOf<double>{q}(l);
          out = dispatch_twist(l, [&](auto K) SINEW_INLINE_LAMBDA -> BodyMotion {
            return {to_link<K.value>(l, t.c, t.s, d, parent.v), to_link<K.value>(l, t.c, t.s, d, parent.a)};
          });
          own = v[l.v] * sinew::detail::axial_motion<double>(l);
        } else {
          JointMotion<double> joint;
          JointMotionOf<double>{m, q, v, time, false}(i, l, joint);
          const Transform<double> X = joint.X * l.placement;
          out = {apply(X, parent.v), apply(X, parent.a) + joint.c};
          own = joint.v;
        }
        out.v += own;
        out.a += cross(out.v, own);
        if (p.end_on(i) >= 0) ws.accelerations[i] = out.a, keep(i, out.v);
        return out;
      });
}

}  // namespace

PvDynamicsWorkspace::PvDynamicsWorkspace(const Model& m, const Problem& p, Plan plan)
    : pv(m, p, std::move(plan)),
      rnea(m),
      forces(node_count(m)),
      slot_forces(at(m.branch_slots())),
      slot_motions(at(m.branch_slots())),
      accelerations(node_count(m)),
      slot_bodies(at(m.branch_slots())),
      u(at(m.nv())),
      f(at(m.nv())) {
  resize();
}
PvDynamicsWorkspace::PvDynamicsWorkspace(const Model& m, const Problem& p)
    : PvDynamicsWorkspace(m, p, make_pvr_plan(m, p)) {}

void PvDynamicsWorkspace::resize() {
  const int rows = pv.problem.rows();
  stride = linear::ldl_stride(rows);
  for (auto* x : {&k, &least_diagonal, &rounding}) x->assign(at(rows), 0.0);
  pivots.assign(2 * at(rows), 0.0), factor.assign(at(rows) * at(stride), 0.0);
}

void PvDynamicsWorkspace::assign(const Model& m, int rows, std::span<const Entry> entries) {
  pv.problem.assign(m, rows, entries);
  find_pvr_stations(m, pv.problem, stations_);
  pv.plan.assign(m, pv.problem, stations_);
  pv.resize(), resize();
}

void PvDynamicsWorkspace::reserve(const Model& m, int rows, int entries) {
  pv.reserve(m, rows, entries);
  stations_.reserve(2 * node_count(m));
  for (auto* x : {&k, &least_diagonal, &rounding}) x->reserve(at(rows));
  pivots.reserve(2 * at(rows)), factor.reserve(at(rows) * at(linear::ldl_stride(rows)));
}

PvOutcome solve_pv(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> f, In<Force<double>> K,
                   In<double> k, Out<double> x, Out<double> lambda, double time) {
  const char* call = "solve_pv";
  ws.pv.problem.made_for().check(call, m);
  check_positions(call, m, q.size());
  check_coordinates(call, "f", m, f.size());
  check_coordinates(call, "x", m, x.size());
  check_size(call, "K", K.size(), ws.pv.problem.entries().size());
  check_size(call, "k", k.size(), ws.k.size());
  check_size(call, "lambda", lambda.size(), ws.k.size());
  std::copy(k.begin(), k.end(), ws.k.begin());
  prepare(m, ws.pv.inertias, q.data(), time, false);
  return solve(m, ws, q.data(), f.data(), K.data(), x.data(), lambda.data());
}

void get_delassus_matrix(PvDynamicsWorkspace& ws, OutMatrix<double> W) {
  check_shape("get_delassus_matrix", "W", W, ws.k.size(), ws.k.size());
  to_rows<double>(ws.pv.problem, ws.pv.Lambda.data(), ws.pv.stride, W);
}

void calc_matrix(const Model& m, PvDynamicsWorkspace& ws, const std::vector<double>& q,
                 const std::vector<Turn<double>>& turns, const std::vector<Force<double>>& K, OutMatrix<double> W,
                 double time) {
  std::copy(turns.begin(), turns.end(), ws.pv.inertias.turns.begin());
  calc_general_joints(m, q.data(), time, ws.pv.inertias.general, false);
  calc_lambda(m, ws.pv, q.data(), K.data());
  get_delassus_matrix(ws, W);
}

void calc_response(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> f, In<Force<double>> K,
                   In<double> lambda, Out<double> x) {
  ws.pv.problem.made_for().check("calc_response", m);
  check_positions("calc_response", m, q.size());
  check_coordinates("calc_response", "f", m, f.size());
  check_size("calc_response", "K", K.size(), ws.pv.problem.entries().size());
  check_coordinates("calc_response", "x", m, x.size());
  check_size("calc_response", "lambda", lambda.size(), ws.k.size());
  respond(m, ws, q.data(), f.data(), K.data(), lambda.data(), x.data());
}

namespace {
// keep: as in calc_drift; it may change ws.k.
template <class Keep>
PvOutcome solve_dynamics(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> v, In<double> tau,
                         In<Force<double>> K, In<double> target, Out<double> qdd, Out<double> lambda,
                         const Surroundings<double>& s, Keep keep) {
  const char* call = "pv_forward_dynamics";
  ws.pv.problem.made_for().check(call, m);
  check_coordinates(call, "tau", m, tau.size());
  check_coordinates(call, "qdd", m, qdd.size());
  check_size(call, "K", K.size(), ws.pv.problem.entries().size());
  check_size(call, "target", target.size(), ws.k.size());
  check_size(call, "lambda", lambda.size(), ws.k.size());
  calc_bias(m, ws.rnea, q, v, ws.f, s);
  for (std::size_t i = 0; i < ws.f.size(); ++i) ws.f[i] = tau[i] - ws.f[i];
  std::copy(ws.rnea.turns.begin(), ws.rnea.turns.end(), ws.pv.inertias.turns.begin());
  calc_general_joints(m, q.data(), s.time, ws.pv.inertias.general, false);
  std::copy(target.begin(), target.end(), ws.k.begin());
  calc_drift(m, ws, q.data(), v.data(), s.time, keep);
  const std::span<const Entry> entries = ws.pv.problem.entries();
  for (std::size_t e = 0; e < entries.size(); ++e)
    if (entries[e].node != 0) ws.k[entries[e].row] -= along(ws, K.data(), e);
  return solve(m, ws, q.data(), ws.f.data(), K.data(), qdd.data(), lambda.data());
}
}  // namespace

PvOutcome pv_forward_dynamics(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> v, In<double> tau,
                              In<Force<double>> K, In<double> target, Out<double> qdd, Out<double> lambda,
                              const Surroundings<double>& s) {
  return solve_dynamics(m, ws, q, v, tau, K, target, qdd, lambda, s,
                        [](int, const Motion<double>&) SINEW_INLINE_LAMBDA {});
}

PvOutcome pv_forward_dynamics(const Model& m, PvDynamicsWorkspace& ws, In<double> q, In<double> v, In<double> tau,
                              In<Force<double>> K, In<PointRow> points, In<double> target, Out<double> qdd,
                              Out<double> lambda, const Surroundings<double>& s) {
  check_size("pv_forward_dynamics", "points", points.size(), K.size());
  return solve_dynamics(
      m, ws, q, v, tau, K, target, qdd, lambda, s, [&](int i, const Motion<double>& own) SINEW_INLINE_LAMBDA {
        for (int c = ws.pv.first[i]; c < ws.pv.last[i]; ++c) {
          const int e = ws.pv.entry_of[c];
          const PointRow& row = points[e];
          ws.k[ws.pv.problem.entries()[e].row] -= dot(row.direction, cross(own.ang, own.lin + cross(own.ang, row.p)));
        }
      });
}

}  // namespace sinew::delassus
