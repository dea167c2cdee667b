// src/constraint/closure/manifold.cpp
#include "sinew/constraint/closure/manifold.hpp"

#include <algorithm>
#include <cmath>

#include "constraint/checks.hpp"
#include "constraint/rows/measure_rows.hpp"

namespace sinew {
namespace {

std::size_t count(int n) { return static_cast<std::size_t>(n); }

constexpr double kPerDistance = 10;  // [1/m or 1/rad] rank tolerance per distance from the manifold

double largest(VectorView<const double> x) {
  double out = 0;
  for (const double e : x) out = std::isfinite(e) ? std::max(out, std::abs(e)) : e;
  return out;
}

// dq = H^-1 K^T lambda with K dq = -error; ws.rows are those at q.
void calc_correction(const Model& m, const ConstraintSet& set, ManifoldWorkspace& ws, In<double> q, In<double> error,
                     double distance, double time) {
  ConstrainedSystem& s = ws.system;
  crba_packed(m, ws.crba, q, s.H, time);
  get_constraint_jacobian(m, set, ws.rows, s.jacobian());
  measure_rows(m, set, ws.rows, s.full);
  std::fill(s.f.begin(), s.f.end(), 0.0);
  for (std::size_t r = 0; r < s.k.size(); ++r) s.k[r] = -error[r];
  factor(m.dof_tree(), s);
  // K at q differs from K on the manifold by about the distance.
  constexpr double kMost = 1e-2;
  RankOptions rank = ws.options.rank;
  rank.rank_tolerance = std::max(rank.rank_tolerance, std::min(kMost, kPerDistance * distance));
  solve_by_multipliers(m.dof_tree(), ws.solver, s, rank, ws.dq, ws.lambda, ws.certificate);
}

}  // namespace

ManifoldWorkspace::ManifoldWorkspace(const Model& m, const ConstraintSet& set, const ManifoldOptions& o)
    : options(o),
      rows(m, set),
      system(m, set.problem()),
      crba(m),
      solver(system),
      certificate(set.rows()),
      dq(count(m.nv())),
      lambda(count(set.rows())),
      q(count(m.nq())) {}

ManifoldReport project_position(const Model& m, const ConstraintSet& set, ManifoldWorkspace& ws, Out<double> q,
                                double time) {
  check_rows("project_position", m, set, ws.rows);
  check_size("project_position", "q", q.size(), count(m.nq()));
  ManifoldReport out;
  for (;; ++out.iterations) {
    calc_constraint_rows(m, set, ws.rows, q, ws.rows.zeros, time);
    out.residual = largest(ws.rows.position);
    if (out.iterations == 0) out.distance = out.residual;
    out.reached = out.residual <= ws.options.position_tolerance;
    if (out.reached || !std::isfinite(out.residual) || out.iterations == ws.options.max_iterations) return out;
    calc_correction(m, set, ws, q, ws.rows.position, out.residual, time);
    std::copy(q.begin(), q.end(), ws.q.begin());
    integrate(m, ws.q, ws.dq, 1.0, q);
  }
}

ManifoldReport project_velocity(const Model& m, const ConstraintSet& set, ManifoldWorkspace& ws, In<double> q,
                                Out<double> v, double time) {
  check_rows("project_velocity", m, set, ws.rows);
  check_size("project_velocity", "q", q.size(), count(m.nq()));
  check_size("project_velocity", "v", v.size(), count(m.nv()));
  ManifoldReport out;
  for (;; ++out.iterations) {
    calc_constraint_rows(m, set, ws.rows, q, v, time);
    out.residual = largest(ws.rows.velocity);
    if (out.iterations == 0) out.distance = out.residual;
    const double size = std::max(1.0, largest(v));
    out.reached = out.residual <= ws.options.velocity_tolerance * size;
    // Near a singular position the residual may lie along directions that are not corrected.
    const bool stands = out.iterations > 0 && largest(ws.dq) <= ws.options.velocity_tolerance * size;
    if (stands && out.residual <= ws.options.rank.rank_tolerance * size) out.reached = true;
    // The problem is linear: a second round removes rounding, more do nothing.
    if (out.reached || !std::isfinite(out.residual) || out.iterations == 3) return out;
    calc_correction(m, set, ws, q, ws.rows.velocity, largest(ws.rows.position), time);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += ws.dq[i];
  }
}

StepWorkspace::StepWorkspace(const Model& m, const ConstraintSet& set, const ConstrainedOptions& o,
                             const ManifoldOptions& on_manifold)
    : dynamics(m, set, o),
      manifold(m, set, on_manifold),
      q(count(m.nq())),
      v(count(m.nv())),
      qdot(q),
      qdd(v),
      lambda(count(set.rows())),
      sum_q(q),
      sum_v(v) {}

ProjectedStepReport step_rk4_projected(const Model& m, const ConstraintSet& set, StepWorkspace& ws, State& state,
                                       In<double> tau, double dt) {
  const char* call = "step_rk4_projected";
  check_rows(call, m, set, ws.dynamics.rows);
  check_size(call, "state.q", state.q.size(), count(m.nq()));
  check_size(call, "state.v", state.v.size(), count(m.nv()));
  check_size(call, "tau", tau.size(), count(m.nv()));
  ProjectedStepReport out;
  std::fill(ws.sum_q.begin(), ws.sum_q.end(), 0.0);
  std::fill(ws.sum_v.begin(), ws.sum_v.end(), 0.0);
  ws.q = state.q;
  ws.v = state.v;
  constexpr double kAhead[4] = {0, 0.5, 0.5, 1}, kWeight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  for (int stage = 0; stage < 4; ++stage) {
    if (stage > 0) {
      for (std::size_t i = 0; i < ws.q.size(); ++i) ws.q[i] = state.q[i] + kAhead[stage] * dt * ws.qdot[i];
      for (std::size_t i = 0; i < ws.v.size(); ++i) ws.v[i] = state.v[i] + kAhead[stage] * dt * ws.qdd[i];
      normalize<double>(m, ws.q);
      const double time = state.time + kAhead[stage] * dt;
      const ManifoldReport position = project_position(m, set, ws.manifold, ws.q, time);
      const ManifoldReport velocity = project_velocity(m, set, ws.manifold, ws.q, ws.v, time);
      out.stages_reached = out.stages_reached && position.reached && velocity.reached;
      out.stage_distance = std::max(out.stage_distance, position.distance);
    }
    const SolveCertificate& c = constrained_forward_dynamics(m, set, ws.dynamics, ws.q, ws.v, tau, ws.qdd, ws.lambda,
                                                             {{}, state.time + kAhead[stage] * dt});
    out.status = std::max(out.status, c.status);
    calc_rate<double>(m, ws.q, ws.v, ws.qdot);
    for (std::size_t i = 0; i < ws.q.size(); ++i) ws.sum_q[i] += kWeight[stage] * ws.qdot[i];
    for (std::size_t i = 0; i < ws.v.size(); ++i) ws.sum_v[i] += kWeight[stage] * ws.qdd[i];
  }
  for (std::size_t i = 0; i < ws.q.size(); ++i) state.q[i] += dt * ws.sum_q[i];
  for (std::size_t i = 0; i < ws.v.size(); ++i) state.v[i] += dt * ws.sum_v[i];
  state.time += dt;
  normalize<double>(m, state.q);
  out.position = project_position(m, set, ws.manifold, state.q, state.time);
  out.velocity = project_velocity(m, set, ws.manifold, state.q, state.v, state.time);
  return out;
}

}  // namespace sinew
