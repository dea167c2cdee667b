// src/delassus/pv_dynamics.cpp
#include "sinew/delassus/pv_dynamics.hpp"

#include <algorithm>

#include "driver.hpp"
#include "known_turns.hpp"
#include "linear/ldl.hpp"
#include "pv_run.hpp"
#include "pv_solve.hpp"
#include "sinew/linear/tolerance.hpp"
#include "sinew/tree/kernel/articulated_solve.hpp"

namespace sinew::delassus {
namespace {

ArticulatedSolveScratch<double> solve_scratch(PvDynamicsWorkspace& ws) {
  ArticulatedWorkspace<double>& i = ws.pv.inertias;
  return {i.general.data(), i.k.data(), i.Dinv.data(), ws.slot_forces.data(), ws.slot_motions.data(), ws.u.data()};
}
struct AllNodes {
  bool operator()(int) const { return true; }
};
// Rows and the forces on the links travel together. What a subtree without rows hands to a node that supports some is
// counted as a force on that node from then on: another answer for other rows need not visit the subtree.
struct CarryRowsAndForces : detail::CarryRows<double> {
  PvDynamicsWorkspace& own;
  const double* f;

  CarryRowsAndForces(PvDynamicsWorkspace& workspace, const PvScratch<double>& scratch, const double* forces)
      : detail::CarryRows<double>{scratch}, own(workspace), f(forces) {}
  const Force<double>& force(int i) const { return own.forces[i]; }
  AbaLoad<double>& slot(int k) const { return own.slot_loads[k]; }
  template <class R, class Joint>
  SINEW_HD Force<double> push(const Link<R>& l, int freedom, const Joint& joint, const Force<double>& F) const {
    const int dof = l.dof + freedom;
    const double u = f[l.v + freedom] + joint.project(F);
    own.u[dof] = u * own.pv.inertias.Dinv[dof];
    return joint.release(F, -u, own.pv.inertias.k[dof]);
  }
  template <class R>
  SINEW_HD Force<double> hand_on(int i, const Link<R>& l, const Force<double>& F) const {
    const Problem& p = own.pv.problem;
    if (p.supports(i) || !p.supports(l.parent)) return F;
    own.forces[l.parent] += F;
    return {};
  }
};

// Steps of articulated_solve; f: (nv) in the model's order.
template <class Wanted>
void push(const Model& m, PvDynamicsWorkspace& ws, const double* q, const double* f, Wanted wanted) {
  const Links links = links_of<double>(m);
  push_forces<double>(
      links.data(), static_cast<int>(links.size()), solve_scratch(ws),
      [&](int, const auto& l, int k) SINEW_INLINE_LAMBDA { return f[l.v + k]; },
      [&](int i) SINEW_INLINE_LAMBDA -> const Force<double>& { return ws.forces[i]; }, turns_of(ws), ShiftOf<double>{q},
      wanted);
}
template <class Wanted, class Answer>
void pull(const Model& m, PvDynamicsWorkspace& ws, const double* q, Wanted wanted, Answer answer) {
  const Links links = links_of<double>(m);
  pull_motions<double>(
      links.data(), static_cast<int>(links.size()), solve_scratch(ws), answer,
      [&](int i, const Motion<double>& A) SINEW_INLINE_LAMBDA { ws.accelerations[i] = A; }, turns_of(ws),
      ShiftOf<double>{q}, wanted);
}
void pull_all(const Model& m, PvDynamicsWorkspace& ws, const double* q, double* x) {
  pull(m, ws, q, AllNodes{}, [&](const auto& l, int k, double value) SINEW_INLINE_LAMBDA { x[l.v + k] = value; });
}

void add_row_forces(PvDynamicsWorkspace& ws, const Force<double>* K, const double* lambda) {
  const Problem& p = ws.pv.problem;
  for (std::size_t e = 0; e < p.entries().size(); ++e)
    ws.forces[p.entries()[e].node] += lambda[p.entries()[e].row] * K[e];
}

// (4): lambda comes in as the right-hand side, and stays that where a row is implied.
PvOutcome solve_for_forces(PvDynamicsWorkspace& ws, double* lambda) {
  const Problem& p = ws.pv.problem;
  const int rows = p.rows();
  const std::size_t stride = at(ws.stride);
  to_upper_rows(p, ws.pv.Lambda.data(), ws.pv.stride, ws.factor.data(), ws.stride);
  std::fill(ws.rounding.begin(), ws.rounding.end(), 0.0);
  for (int c = 0; c < p.columns(); ++c)
    ws.rounding[p.row_of(c)] += linear::kResponseRounding * ws.pv.Lambda[at(c) * at(ws.pv.stride + 1)];
  double worst = ws.least_pivot;
  for (int r = 0; r < rows; ++r) {
    double* row = ws.factor.data() + at(r) * stride;
    const double diagonal = row[r], least = ws.least_diagonal[r], rounding = ws.rounding[r];
    if (!(diagonal > std::max(least, 16 * rounding))) return {r, 0};
    worst = std::max(worst, std::max(rounding, least) / diagonal);
    row[rows] = lambda[r];
  }
  const linear::LdlOutcome ldl =
      linear::factor_ldl(ws.factor.data(), rows, worst, ws.pivots.data(), ws.pivots.data() + rows, {}, 1);
  if (ldl.singular_row < 0) linear::solve_rider(ws.factor.data(), rows, lambda);
  return {ldl.singular_row, ldl.least_pivot};
}

}  // namespace

PvOutcome solve_from_forces(const Model& m, PvDynamicsWorkspace& ws, const double* q, const double* f,
                            const Force<double>* K, double* x, double* lambda) {
  const Problem& p = ws.pv.problem;
  const int rows = p.rows();
  calc_lambda(m, ws.pv, q, K, [&](const PvScratch<double>& scratch) { return CarryRowsAndForces(ws, scratch, f); });
  if (rows == 0) {
    pull_all(m, ws, q, x);
    return {};
  }
  pull(m, ws, q, SupportingNodes{p}, [](const auto&, int, double) SINEW_INLINE_LAMBDA {});
  std::copy_n(ws.k.data(), rows, lambda);
  for (std::size_t e = 0; e < p.entries().size(); ++e) lambda[p.entries()[e].row] -= along(ws, K, e);
  const PvOutcome out = solve_for_forces(ws, lambda);
  if (out) {
    // All forces at once: x_free plus the response to lambda would cancel in a nearly locked mechanism.
    add_row_forces(ws, K, lambda);
    push(m, ws, q, f, SupportingNodes{p});
  }
  pull_all(m, ws, q, x);
  return out;
}

PvDynamicsWorkspace::PvDynamicsWorkspace(const Model& m, const Problem& p, Plan plan)
    : pv(m, p, std::move(plan)),
      external(node_count(m)),
      forces(node_count(m)),
      slot_loads(at(m.branch_slots())),
      slot_bias(at(m.branch_slots())),
      slot_forces(at(m.branch_slots())),
      slot_motions(at(m.branch_slots())),
      accelerations(node_count(m)),
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
  std::fill(ws.forces.begin(), ws.forces.end(), Force<double>{});
  prepare(m, ws.pv.inertias, q.data(), time, false);
  return solve_from_forces(m, ws, q.data(), f.data(), K.data(), x.data(), lambda.data());
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
  std::fill(ws.forces.begin(), ws.forces.end(), Force<double>{});
  add_row_forces(ws, K.data(), lambda.data());
  push(m, ws, q.data(), f.data(), AllNodes{});
  pull_all(m, ws, q.data(), x.data());
}

}  // namespace sinew::delassus
