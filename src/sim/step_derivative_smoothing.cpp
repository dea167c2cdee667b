// src/sim/step_derivative_smoothing.cpp - derivatives of a step whose laws are relaxed
// All contacts and rows of the step take part, open ones too. The corner of a gap of zero, where the speed that it asks
// for has the slope 1 / dt on one side and recovery / dt on the other, is rounded with |gap| -> sqrt(gap^2 + d^2), d =
// dt sqrt(kappa W_nn): as far as a row alone moves in a step at its speed where it neither presses nor parts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/contact/cone.hpp"
#include "step_derivatives_impl.hpp"

namespace sinew {

// J of all rows at u, with the impulses p: the sum of their forces, and how it changes.
void StepDerivatives::Impl::place_relaxed(In<double> p) {
  pressed.clear(relaxed_laws.rows() + (loops ? loops->rows() : 0));
  external.assign(model.bodies().size(), {});
  std::copy(sim.external.begin(), sim.external.end(), external.begin());
  std::fill_n(contact_q.data(), contact_q.size(), 0.0), std::fill(force.begin(), force.end(), 0.0);
  for (const Relaxed& x : relaxed) {
    const double* z = p.data() + x.row;
    if (x.of_contact) {
      const ContactPoint& point = problem.contacts[x.index];
      const Vec3<double> impulse = to_world(point.normal, z[0], x.count == 3 ? z[1] : 0, x.count == 3 ? z[2] : 0);
      bool tie = false;
      const stepping::ContactRowSlopes::Result out{pressed.J.row(x.row), pressed.Uq.row(x.row), gap_by_q.data(),
                                                   contact_q.data(),     pressed.width(),       x.count};
      touching.add(sim.shapes(), point, impulse, out, tie);
      for (const int k : touching.coordinates()) pressed.Uq(x.row, k) += x.slope * gap_by_q[at(k)];
      pressed.add_rows(x.count, touching.coordinates());
      push(point, impulse);
    } else {
      const JointRow& row = problem.joints[x.index];
      const Node& n = model.nodes()[at(row.node)];
      std::array<int, 6> coordinates{};
      std::iota(coordinates.begin(), coordinates.end(), n.v);
      for (int k = n.v; k < n.v + n.nv; ++k) {
        pressed.J(x.row, k) = touching.project(row.node, k - n.v, row.direction);
        pressed.Uq(x.row, k) = x.slope * pressed.J(x.row, k);
        force[at(k)] += z[0] / dt * pressed.J(x.row, k);
      }
      pressed.add_rows(1, std::span(coordinates).first(at(n.nv)));
    }
  }
  pressed.laws.resize(at(pressed.rows()));
  add_loops();
}

// What takes part, with its exact impulses and velocities. Open pairs without derivatives stay open.
void StepDerivatives::Impl::find_relaxed(std::vector<double>& p, std::vector<double>& w) {
  using Kind = stepping::RelaxedLaws::Kind;
  relaxed.clear(), relaxed_laws.clear(), p.clear(), w.clear();
  linear::Matrix J(3, pressed.width()), by_q(3, pressed.width()), none(nv, pressed.width());
  for (std::size_t c = 0; c < problem.contacts.size(); ++c) {
    const ContactPoint& point = problem.contacts[c];
    bool tie = false;
    if (!touching.add(sim.shapes(), point, {}, {J.data(), by_q.data(), gap_by_q.data(), none.data(), none.cols()}, tie))
      continue;
    const bool rubs = point.friction > 0;
    relaxed.push_back({true, c, relaxed_laws.rows(), rubs ? 3 : 1, point.gap, problem.bias[c]});
    relaxed_laws.add(rubs ? Kind::contact : Kind::presses, point.friction);
    for (std::size_t k = 3 * c; k < 3 * c + (rubs ? 3 : 1); ++k)
      p.push_back(problem.impulses[k]), w.push_back(velocities[k] + (k == 3 * c ? problem.bias[c] : 0));
  }
  for (std::size_t r = 0; r < problem.joints.size(); ++r) {
    const JointRow& row = problem.joints[r];
    const bool stop = std::isinf(row.upper);
    if (stop ? model.nodes()[at(row.node)].joint.kind == JointKind::spherical : row.upper <= 0) continue;
    const double gap = row.bias > 0 ? row.bias * dt : row.bias * dt / std::max(sim.options().recovery, 1e-300);
    relaxed.push_back({false, r, relaxed_laws.rows(), 1, stop ? gap : kNever, row.bias});
    relaxed_laws.add(stop ? Kind::presses : Kind::dry_friction, stop ? 0 : row.upper);
    p.push_back(problem.joint_impulses[r]), w.push_back(problem.joint_velocities[r] + row.bias);
  }
}

// Rounds the corner of a gap of zero: the slope, and what it adds to the bias.
double StepDerivatives::Impl::round_corner(Relaxed& x, double width) const {
  const double recovery = sim.options().recovery, lowest = -sim.options().recovery_speed;
  x.slope = 0;
  if (!sim.options().look_ahead || std::isinf(x.gap)) return 0;
  if (x.gap < 0 && x.bias <= lowest + kSameBias * std::abs(lowest)) return 0;
  const double length = std::hypot(x.gap, width), share = length > 0 ? x.gap / length : 0;
  x.slope = (1 + recovery + (1 - recovery) * share) / 2 / dt;
  return (1 - recovery) / 2 * (length - std::abs(x.gap)) / dt;
}

// After find_rows and find_forces of the exact step. Velocity, impulses and rows become those of the relaxed one.
void StepDerivatives::Impl::relax(In<double> tau, const StepDerivativeOptions& o) {
  std::vector<double> p, w;
  find_relaxed(p, w);
  if (relaxed.empty()) return;
  place_relaxed(p);
  if (!pressed.calc_response(mass, response))
    refuse_derivatives_of_step("the mass matrix with its drives is not positive definite");
  if (loops) response = hold_loops();
  for (Relaxed& x : relaxed) w[at(x.row)] += round_corner(x, dt * std::sqrt(o.smoothing * response(x.row, x.row)));
  const std::vector<double> exact = p;
  if (!relaxed_laws.solve(response, p, w, o.smoothing))
    refuse_derivatives_of_step("the relaxed laws of its contacts were not solved, so it has no smoothed derivatives");
  report.smoothing = o.smoothing;
  std::vector<double> change(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) change[i] = p[i] - exact[i];
  if (loops) {
    const std::vector<double> follow = linear::multiply(loops_by_laws, change);
    change.insert(change.end(), follow.begin(), follow.end());
    for (std::size_t i = 0; i < follow.size() && !embedded; ++i) loop_impulses[i] += follow[i];
  }
  pressed.add_by_impulses(change, u);

  moving.calc(q, v, u, sim.state.q, touches);
  touching.place(q, u, time);
  sim.drives().calc_slopes(q, v, u, sim.control, drives);
  place_relaxed(p);
  sliding.clear(), pressing.clear();
  for (std::size_t i = 0; i < relaxed_laws.slopes().size(); ++i) {
    const stepping::RelaxedLaws::Slope& s = relaxed_laws.slopes()[i];
    stepping::ImpulseSlopes::Row& law = pressed.laws[i];
    law.law = stepping::ImpulseSlopes::Row::Law::relaxed;
    law.by_impulse = s.by_impulse, law.by_velocity = s.by_velocity;
  }
  for (const Relaxed& x : relaxed) {
    if (!x.of_contact) continue;
    const double* z = p.data() + x.row;
    const ContactPoint& point = problem.contacts[x.index];
    const auto tangent = [&](int k) { return x.count == 3 ? z[k] : 0; };
    pressing.push_back({x.index, x.row, x.count, x.slope, to_world(point.normal, z[0], tangent(1), tangent(2))});
    if (x.count < 3) continue;
    // A change of mu in h p_t + mu p_n w_t = 0 is an impulse on the tangents.
    const stepping::RelaxedLaws::Slope *s1 = &relaxed_laws.slopes()[at(x.row + 1)], *s2 = s1 + 1;
    sliding.push_back({x.index, x.row, 1, s1->by_bound / s1->by_impulse[1], s2->by_bound / s2->by_impulse[2]});
  }
  find_forces(tau);
}

}  // namespace sinew
