// src/sim/step_derivatives.cpp
#include "sinew/sim/step_derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "simulation_phases.hpp"
#include "step_derivatives_impl.hpp"

namespace sinew {
namespace {

constexpr double kConsistent = 1e-6;      // relative: what rows that depend on each other may disagree
constexpr double kSolvedEquation = 1e-6;  // relative residual of (1): more, and something unknown acts

// Without the zeros at the end of its rows.
MatrixView<double> square_of(linear::Matrix& m) { return {m.data(), at(m.rows()), at(m.rows()), at(m.cols())}; }

[[noreturn]] void refuse_setup(const std::string& what) { throw std::invalid_argument("StepDerivatives: " + what); }

}  // namespace

StepDerivatives::Impl::Impl(Simulation& s)
    : sim(s),
      model(s.model()),
      dt(s.options().dt),
      nv(model.nv()),
      rnea(model),
      touching(model),
      displaced(model),
      moving(model, dt, s.mechanism() ? SingleBodies::as_roots : SingleBodies::spin_exactly),
      pressed(model.dof_tree()),
      regressor(model),
      chain(model, moving) {
  const SimulationOptions& o = s.options();
  embedded = s.embedding() != nullptr;
  if (s.mechanism() && !embedded) refuse_setup("bodies that bend have no derivatives of a step; take rigid ones");
  const ConstraintSet& set = embedded ? get_embedded_step(*s.mechanism()).set : s.constraints();
  try {
    if (set.rows() > 0) loops = std::make_unique<stepping::LoopSlopes>(model, set);
  } catch (const std::invalid_argument& e) {
    refuse_setup(e.what());
  }
  if (o.middle_forces)
    refuse_setup("forces half way through a step depend on the steps before it; set middle_forces = false");
  if (o.refinements != 0)
    refuse_setup("corrections of overlap at the end of a step have no derivatives; set refinements = 0");
  if (o.solver.directions != 0) refuse_setup("friction pyramids have no derivatives; set solver.directions = 0");
  if (s.mocap.any()) refuse_setup("mocap bodies have no derivatives of a step");
  const MediumSpec& medium = model.spec().medium;
  if (medium.density != 0 || medium.viscosity != 0) refuse_setup("forces of a medium have no derivatives yet");
  if (const std::string spin = s.shapes().find_spin_friction(); !spin.empty())
    refuse_setup(spin + " resists spinning or rolling, which has no derivatives yet; use the law of sliding");
  if (s.shapes().revision() > 0) refuse_setup("rounded meshes have no derivatives");
  std::vector<double> still(at(nv));
  s.drives().calc_slopes(model.neutral(), still, still, s.control, drives);
  const std::size_t n = at(nv);
  for (auto* x : {&u, &middle, &turning, &acceleration, &force, &expected, &gap_by_q}) x->resize(n);
  for (auto* x : {&Fq, &Fv, &contact_q, &M, &mass}) x->resize(nv, pressed.width());
  turning_by_v.resize(nv, nv);
  by_state.resize(2 * nv, 2 * nv), by_control.resize(2 * nv, s.drives().controls()), by_applied.resize(2 * nv, nv);
}

void StepDerivatives::Impl::step(stepping::ImpactLog*& into, const stepping::Solution& solution, Mechanism* embedding,
                                 In<double> tau, const StepDerivativeOptions& o) {
  q = sim.state.q, v = sim.state.v, time = sim.state.time;
  log.clear(), into = &log;
  const std::vector<double> given_q = q, given_v = v;
  try {
    if (embedding) close_start(*embedding);
    sim.step(tau);
  } catch (...) {
    into = nullptr;
    sim.state.q = given_q, sim.state.v = given_v;
    throw;
  }
  into = nullptr;
  report = {};
  check_step();
  if (loops && !embedded) loop_impulses.assign(sim.loop_impulses().begin(), sim.loop_impulses().end());
  if (embedded) u = solution.answer().v;
  try {
    differentiate(tau, o);
  } catch (const std::domain_error& e) {
    refuse_derivatives_of_step(e.what());
  }
}

void StepDerivatives::Impl::differentiate(In<double> tau, const StepDerivativeOptions& o) {
  bounced.clear(), sliding_before.clear();
  if (!log.rounds.empty()) find_impacts(tau, o);
  find_motion();
  find_rows({sim.contacts(), sim.contact_bias(), sim.contact_impulses(), sim.joint_rows(), sim.joint_impulses(),
             sim.joint_velocities()},
            o);
  find_forces(tau);
  if (o.smoothing > 0 && log.rounds.empty()) relax(tau, o);
  if (!pressed.solve(mass, Fq, Fv))
    refuse_derivatives_of_step("the mass matrix with its drives is not positive definite");
  if (embedded && loops) add_loop_rates();
  report.size += pressed.rows(), report.rank += pressed.rank;
  report.unique = report.unique && pressed.unique;
  report.inconsistency = std::max(report.inconsistency, pressed.inconsistency);
  if (!log.rounds.empty()) start_from_impacts();
  move();
  if (!log.rounds.empty()) move_by_impacts();
  if (embedded && loops) {
    at_end = loops->find_closing(get_embedded_step(*sim.mechanism()), sim.state.q, sim.state.v, sim.state.time);
    at_end.apply_to_columns(by_state), at_end.apply_to_columns(by_applied);
    at_start.apply_to_rows(by_state);
  }
  move_controls();
  // Relaxed laws have no switches, but for those of actuators and of pairs whose normal is not settled.
  const auto stays = [](const StepRow& r) { return r.tie || (r.at_switch && r.kind == StepRowKind::actuator); };
  const bool switches =
      report.smoothing > 0 ? std::any_of(report.rows.begin(), report.rows.end(), stays) : report.at_switch > 0;
  report.differentiable = !switches && report.unique && report.inconsistency <= kConsistent && report.remembered == 0 &&
                          report.falling == 0;
}

void StepDerivatives::Impl::check_step() const {
  const StepReport& r = sim.report();
  if (r.collisions > 0 && log.rounds.empty())
    refuse_derivatives_of_step("impacts at the start of a step have no derivatives; set look_ahead = true");
  if (r.cut_short > 0)
    refuse_derivatives_of_step("the step has more impacts than it may have, so it has no derivatives");
  if (loops && !log.rounds.empty())
    refuse_derivatives_of_step("the contact of " + sim.shapes().pair_name(log.rounds[0].contacts[0]) +
                               " bounces, and impacts of models with loops or couplings have no derivatives yet; set " +
                               "its restitution to 0");
  if (r.stuck > 0) refuse_derivatives_of_step("overlaps were left as they are in this step, so it has no derivatives");
  if (r.unsolved > 0)
    refuse_derivatives_of_step("the contact problem of the step was not solved, so it has no derivatives");
}

// Trees of impacts, and those that press on the way against one of them.
void StepDerivatives::Impl::find_bounced() {
  const std::span<const Node> nodes = model.nodes();
  std::vector<int> root_of(nodes.size(), 0);
  std::vector<char> root(nodes.size(), 0);
  for (std::size_t i = 1; i < nodes.size(); ++i)
    root_of[i] = nodes[i].parent <= 0 ? static_cast<int>(i) : root_of[at(nodes[i].parent)];
  const auto roots = [&](const ContactPoint& c) {
    return std::array{at(root_of[at(c.node_a)]), at(root_of[at(c.node_b)])};
  };
  for (const stepping::ImpactLog::Round& r : log.rounds)
    for (const ContactPoint& c : r.contacts)
      for (const std::size_t i : roots(c)) root[i] = i > 0;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t c = 0; c < log.path.contacts.size(); ++c) {
      const auto [a, b] = roots(log.path.contacts[c]);
      if (a == 0 || b == 0 || root[a] == root[b] || !(log.path.impulses[3 * c] > 0)) continue;
      root[a] = root[b] = 1, more = true;
    }
  }
  bounced.assign(nodes.size(), 0);
  for (std::size_t i = 1; i < nodes.size(); ++i) bounced[i] = root[at(root_of[i])];
}

// The way to the impacts, then impact by impact. v becomes the velocity that the rest of the step starts from.
void StepDerivatives::Impl::find_impacts(In<double> tau, const StepDerivativeOptions& o) {
  const std::span<const Node> nodes = model.nodes();
  const stepping::ImpactLog::Path& path = log.path;
  find_bounced();
  std::copy(path.end.begin(), path.end.end(), u.begin());
  touches.assign(nodes.size(), 0);
  moving.calc(q, v, u, q, touches);
  touching.place(q, u, time);
  drives = drives_before = path.drives;
  find_rows({path.contacts, path.bias, path.impulses, path.joints, path.joint_impulses, path.joint_velocities, true},
            o);
  find_forces(tau);
  if (!pressed.solve(mass, Fq, Fv))
    refuse_derivatives_of_step("the mass matrix with its drives is not positive definite");
  report.size = pressed.rows(), report.rank = pressed.rank;
  report.unique = pressed.unique, report.inconsistency = pressed.inconsistency;
  for (const Sliding& s : sliding) {
    const double *t1 = pressed.J.row(s.row + 1), *t2 = pressed.J.row(s.row + 2);
    SlidingBefore& x = sliding_before.emplace_back();
    x.id = path.contacts[s.contact].id, x.impulse.resize(at(nv));
    for (std::size_t k = 0; k < x.impulse.size(); ++k) x.impulse[k] = -s.normal * (s.s1 * t1[k] + s.s2 * t2[k]);
  }
  end_by_q = pressed.u_by_q, end_by_v = pressed.u_by_v, end_by_impulse = pressed.u_by_force;
  body_of.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) body_of[i] = sim.contact_body(static_cast<int>(i));
  chain.calc({sim.shapes(), log, q, v, end_by_q, end_by_v, end_by_impulse, body_of, sim.options(), o, time}, report);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += chain.gained[k];
}

// u, from the velocity at the end along the axes at the end.
void StepDerivatives::Impl::find_motion() {
  if (!embedded) {
    std::copy(sim.state.v.begin(), sim.state.v.end(), u.begin());
    moving.flight().turn(sim.state.q, q, u);
  }
  touches.assign(model.nodes().size(), 0);
  for (const ContactPoint& c : sim.contacts()) touches[at(c.node_a)] = touches[at(c.node_b)] = 1;
  for (const delassus::Entry& e : sim.constraints().problem().entries()) touches[at(e.node)] = 1;
  moving.calc(q, v, u, sim.state.q, touches, log.rounds.empty() ? In<double>() : In<double>(chain.passed));
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) report.falling += j.falls ? 1 : 0;
  touching.place(q, u, time);
  if (!log.rounds.empty()) {
    std::vector<double> way = u;
    for (std::size_t k = 0; k < way.size(); ++k) way[k] -= chain.passed[k] / dt;
    displaced.place(q, way, time);
  }
  sim.drives().calc_slopes(q, v, u, sim.control, drives);
}

// The acceleration of (1): without what turning axes do to the numbers u.
void StepDerivatives::Impl::find_acceleration() {
  const std::size_t n = at(nv);
  for (std::size_t k = 0; k < n; ++k) middle[k] = v[k];
  for (const stepping::MovementSlopes::Joint& j : moving.joints())
    if (j.single) std::fill_n(middle.begin() + j.v, j.nv, 0.0);
  std::fill(turning.begin(), turning.end(), 0.0);
  moving.flight().add_turning(middle, turning);
  for (std::size_t k = 0; k < n; ++k) acceleration[k] = (u[k] - v[k]) / dt - turning[k];
}

// The derivatives of (1), times dt.
void StepDerivatives::Impl::find_forces(In<double> tau) {
  find_acceleration();
  add_known_forces(tau);
  const auto differentiate_rnea = [&] {
    calc_rnea_derivatives<double>(model, rnea, q, middle, acceleration, expected, square_of(Fq), square_of(Fv),
                                  square_of(M), {.external = external, .time = time});
  };
  differentiate_rnea();
  if (embedded && loops) find_loop_impulses(), differentiate_rnea();
  find_residual();
  for (std::size_t i = 0; i < Fq.size(); ++i) Fq.data()[i] = dt * Fq.data()[i] - contact_q.data()[i];
  for (std::size_t i = 0; i < Fv.size(); ++i) Fv.data()[i] = dt * Fv.data()[i] - M.data()[i];
  turn_axes();
  mass = M;
  for (int k = 0; k < nv; ++k) {
    Fq(k, k) -= dt * drives.q[at(k)], Fv(k, k) -= dt * drives.v[at(k)], mass(k, k) -= dt * drives.after[at(k)];
  }
}

// Of bodies that fly alone, inertial forces are the torque of their free spin. Axes of roots turn.
void StepDerivatives::Impl::turn_axes() {
  std::fill_n(turning_by_v.data(), turning_by_v.size(), 0.0);
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) {
    const JointKind kind = model.nodes()[at(j.node)].joint.kind;
    if (j.single) {
      for (int i = 0; i < nv; ++i)
        for (int k = j.v; k < j.v + j.nv; ++k) Fv(i, k) = -M(i, k);
      if (kind == JointKind::planar) continue;
      const Mat3<double>& t = j.torque_by_v;
      const double by[3][3] = {{t.xx, t.xy, t.xz}, {t.yx, t.yy, t.yz}, {t.zx, t.zy, t.zz}};
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) Fv(j.v + i, j.v + k) -= dt * by[i][k];
    } else if (!model.nodes()[at(j.node)].joint.reversed && (kind == JointKind::free || kind == JointKind::planar)) {
      const auto by = [&](int row, int col) -> double& { return turning_by_v(j.v + row, j.v + col); };
      const double* x = v.data() + j.v;
      if (kind == JointKind::free) {  // w x l
        const auto put = [&](int row, int col, double a, double b, double c, double sign) {
          by(row, col + 1) = -sign * c, by(row, col + 2) = sign * b, by(row + 1, col) = sign * c;
          by(row + 1, col + 2) = -sign * a, by(row + 2, col) = -sign * b, by(row + 2, col + 1) = sign * a;
        };
        put(3, 3, x[0], x[1], x[2], 1), put(3, 0, x[3], x[4], x[5], -1);
      } else {
        by(1, 0) = -x[2], by(1, 2) = -x[0], by(2, 0) = x[1], by(2, 1) = x[0];
      }
      for (int i = 0; i < nv; ++i)
        for (int l = 0; l < j.nv; ++l) {
          if (const double m = dt * M(i, j.v + l); m != 0)
            for (int k = 0; k < j.nv; ++k) Fv(i, j.v + k) -= m * by(l, k);
        }
    }
  }
}

void StepDerivatives::Impl::add_known_forces(In<double> tau) {
  const std::size_t n = at(nv);
  for (std::size_t k = 0; k < n; ++k) force[k] += sim.applied[k] + (tau.size() == 0 ? 0 : tau[k]) + drives.force[k];
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) {
    if (!j.single || j.nv < 3 || model.nodes()[at(j.node)].joint.kind == JointKind::planar) continue;
    double* f = force.data() + j.v;
    f[0] += j.torque.x, f[1] += j.torque.y, f[2] += j.torque.z;
  }
}

// Of (1), before anything is built on it.
void StepDerivatives::Impl::find_residual() {
  const std::size_t n = at(nv);
  double worst = 0, scale = impulse_scale / dt;  // where all balance, accelerations are rounding
  for (std::size_t k = 0; k < n; ++k) {
    const double* row = M.row(static_cast<int>(k));
    double inertial = 0;
    for (std::size_t h = 0; h < n; ++h) inertial += std::abs(row[h] * acceleration[h]);
    worst = std::max(worst, std::abs(expected[k] - force[k])), scale = std::max({scale, inertial, std::abs(force[k])});
  }
  report.residual = std::max(report.residual, scale > 0 ? worst / scale : 0);
  if (report.residual > kSolvedEquation)
    refuse_derivatives_of_step("the forces of the step are not all known: the equation of motion has a residual of " +
                               std::to_string(report.residual));
}

// From u to q+ and v+.
void StepDerivatives::Impl::move() {
  const std::size_t n = at(nv);
  const auto scale = [n](double by, const double* from, double* to) {
    for (std::size_t k = 0; k < n; ++k) to[k] = by * from[k];
  };
  for (int i = 0; i < nv; ++i) {
    scale(dt, pressed.u_by_q.row(i), by_state.row(i)), scale(dt, pressed.u_by_v.row(i), by_state.row(i) + n);
    scale(1, pressed.u_by_q.row(i), by_state.row(nv + i)), scale(1, pressed.u_by_v.row(i), by_state.row(nv + i) + n);
    scale(dt * dt, pressed.u_by_force.row(i), by_applied.row(i));
    scale(dt, pressed.u_by_force.row(i), by_applied.row(nv + i));
    by_state(i, i) += 1;
  }
  for (const stepping::MovementSlopes::Joint& j : moving.joints())
    for (int i = 0; i < j.nv; ++i) {
      const std::size_t r = at(i);
      move_row(j, j.q_by_u[r], j.q_by_q[r], j.q_by_v[r], j.v + i);
      move_row(j, j.v_by_u[r], j.v_by_q[r], j.v_by_v[r], nv + j.v + i);
    }
}
// With impacts an actuator acts on the way to them too, where it may be at another limit.
void StepDerivatives::Impl::move_controls() {
  if (!log.rounds.empty()) {
    const std::size_t n = at(nv);
    std::vector<double> du(n), column(2 * n);
    for (std::size_t i = 0; i < drives.control.size(); ++i) {
      for (int k = 0; k < nv; ++k) du[at(k)] = dt * by_impulse(k, drives.coordinate[i]);
      set_column(du.data(), nullptr, nullptr, {column.data(), 2 * n, 1}, 0);
      for (int r = 0; r < 2 * nv; ++r) {
        const double last = column[at(r)], before = by_applied(r, drives.coordinate[i]) - last;
        by_control(r, static_cast<int>(i)) = drives.control[i] * last + drives_before.control[i] * before;
      }
    }
    return;
  }
  for (int r = 0; r < 2 * nv; ++r)
    for (std::size_t i = 0; i < drives.control.size(); ++i)
      by_control(r, static_cast<int>(i)) = drives.control[i] * by_applied(r, drives.coordinate[i]);
}

// The rest of the step starts from the velocity after the impacts, and gaps close where it ends: J u - J passed / dt +
// gap / dt = 0. So du has du by either, times its change.
void StepDerivatives::Impl::start_from_impacts() {
  by_gained = pressed.u_by_v, by_impulse = pressed.u_by_force;
  by_passed.resize(nv, pressed.width());
  if (!of_gaps.empty()) {
    Matrix offsets(pressed.rows(), pressed.width());
    for (const int row : of_gaps)
      for (int k = 0; k < nv; ++k) offsets(row, k) = -pressed.J(row, k) / dt;
    pressed.add_by_offsets(offsets, by_passed);
  }
  const auto add = [&](int i, double by, const double* from) {
    if (by == 0) return;
    for (int j = 0; j < nv; ++j) {
      pressed.u_by_q(i, j) += by * from[j], pressed.u_by_v(i, j) += by * from[nv + j];
      pressed.u_by_force(i, j) += by * from[2 * nv + j];
    }
  };
  for (int i = 0; i < nv; ++i) {
    for (int k = 0; k < nv; ++k)
      add(i, by_gained(i, k), chain.gained_by.row(k)), add(i, by_passed(i, k), chain.passed_by.row(k));
  }
}
void StepDerivatives::Impl::carry(const double* dw, const double* dback, double* du) const {
  for (int i = 0; i < nv; ++i) {
    du[i] = 0;
    for (int k = 0; k < nv; ++k) du[i] += by_gained(i, k) * dw[k] + by_passed(i, k) * dback[k];
  }
}

// What the impacts change in the places directly: how much less far the step ends, and the spin that it starts with.
void StepDerivatives::Impl::move_by_impacts() {
  const auto add = [&](double by, const double* from, int row) {
    if (by == 0) return;
    for (int k = 0; k < 2 * nv; ++k) by_state(row, k) += by * from[k];
    for (int k = 0; k < nv; ++k) by_applied(row, k) += dt * by * from[2 * nv + k];
  };
  std::vector<char> plain(at(nv), 1);
  for (const stepping::MovementSlopes::Joint& j : moving.joints()) {
    std::fill_n(plain.begin() + j.v, j.nv, 0);
    for (int i = 0; i < j.nv; ++i)
      for (int k = 0; k < j.nv; ++k) {
        const std::size_t r = at(i), c = at(k);
        add(j.q_by_v[r][c], chain.gained_by.row(j.v + k), j.v + i);
        add(j.v_by_v[r][c], chain.gained_by.row(j.v + k), nv + j.v + i);
        add(j.q_by_back[r][c], chain.passed_by.row(j.v + k), j.v + i);
        add(j.v_by_back[r][c], chain.passed_by.row(j.v + k), nv + j.v + i);
      }
  }
  for (int i = 0; i < nv; ++i)
    if (plain[at(i)]) add(-1, chain.passed_by.row(i), i);
}

// A row of the results that is one of a joint.
void StepDerivatives::Impl::move_row(const stepping::MovementSlopes::Joint& j, const std::array<double, 6>& by_u,
                                     const std::array<double, 6>& by_q, const std::array<double, 6>& by_v, int row) {
  const std::size_t n = at(nv);
  double *to = by_state.row(row), *forced = by_applied.row(row);
  std::fill_n(to, 2 * n, 0.0), std::fill_n(forced, n, 0.0);
  for (int l = 0; l < j.nv; ++l) {
    const double by = by_u[at(l)];
    if (by == 0) continue;
    const double *uq = pressed.u_by_q.row(j.v + l), *uv = pressed.u_by_v.row(j.v + l),
                 *uf = pressed.u_by_force.row(j.v + l);
    for (std::size_t k = 0; k < n; ++k) to[k] += by * uq[k], to[n + k] += by * uv[k], forced[k] += dt * by * uf[k];
  }
  for (int k = 0; k < j.nv; ++k) to[j.v + k] += by_q[at(k)], to[nv + j.v + k] += by_v[at(k)];
}

void StepDerivatives::Impl::set_column(const double* du, const double* dw, const double* dback, MatrixView<double> out,
                                       std::size_t c) const {
  const std::size_t n = at(nv);
  for (std::size_t i = 0; i < n; ++i) out(i, c) = dt * du[i] - (dback ? dback[i] : 0), out(n + i, c) = du[i];
  for (const stepping::MovementSlopes::Joint& j : moving.joints())
    for (std::size_t i = 0; i < at(j.nv); ++i) {
      double to_q = 0, to_v = 0;
      for (std::size_t k = 0; k < at(j.nv); ++k) {
        const std::size_t l = at(j.v) + k;
        to_q += j.q_by_u[i][k] * du[l], to_v += j.v_by_u[i][k] * du[l];
        if (dw) to_q += j.q_by_v[i][k] * dw[l], to_v += j.v_by_v[i][k] * dw[l];
        if (dback) to_q += j.q_by_back[i][k] * dback[l], to_v += j.v_by_back[i][k] * dback[l];
      }
      out(at(j.v) + i, c) = to_q, out(n + at(j.v) + i, c) = to_v;
    }
  if (embedded && loops) at_end.apply_to_columns({out.data() + c, 2 * n, 1, out.stride()});
}

StepDerivatives::StepDerivatives(Simulation& s, const StepDerivativeOptions& o)
    : options(o), impl_(std::make_unique<Impl>(s)) {}
StepDerivatives::~StepDerivatives() = default;
StepDerivatives::StepDerivatives(StepDerivatives&&) noexcept = default;

const StepDerivativesReport& StepDerivatives::step(In<double> tau) {
  if (!(options.smoothing >= 0 && std::isfinite(options.smoothing)))
    refuse_setup("smoothing must be finite and not negative, but is " + std::to_string(options.smoothing));
  Simulation& s = impl_->sim;
  impl_->step(s.phases_->collisions.log, s.phases_->solution, impl_->embedded ? s.mechanism_.get() : nullptr, tau,
              options);
  return impl_->report;
}
const StepDerivativesReport& StepDerivatives::report() const { return impl_->report; }
MatrixView<const double> StepDerivatives::state() const { return std::as_const(impl_->by_state); }
MatrixView<const double> StepDerivatives::control() const { return std::as_const(impl_->by_control); }
MatrixView<const double> StepDerivatives::applied() const { return std::as_const(impl_->by_applied); }

}  // namespace sinew
