// src/sim/step_derivative_rows.cpp - which rows press, their modes and how far they are from a switch
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sinew/contact/cone.hpp"
#include "step_derivatives_impl.hpp"

namespace sinew {

std::string_view to_string(StepMode m) {
  switch (m) {
    case StepMode::open: return "open";
    case StepMode::presses: return "presses";
    case StepMode::sticks: return "sticks";
    case StepMode::slides: return "slides";
    case StepMode::drives: return "drives";
    case StepMode::limited: return "limited";
  }
  return "";
}
std::string_view to_string(StepRowKind k) {
  switch (k) {
    case StepRowKind::contact: return "contact";
    case StepRowKind::stop: return "stop";
    case StepRowKind::joint_friction: return "joint friction";
    case StepRowKind::actuator: return "actuator";
    case StepRowKind::impact: return "impact";
  }
  return "";
}

void StepDerivatives::Impl::note(StepRow row, bool at_switch, std::array<int, 2> concerns) {
  if (problem.before) {
    if (!bounces(concerns[0]) && !bounces(concerns[1])) return;
    // Numbers of contacts and joint rows are those of the simulation, where it still has them.
    const auto find = [&](const auto& all, std::uint64_t id) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.id == id; });
      return found == all.end() ? -1 : static_cast<int>(found - all.begin());
    };
    row.before = true;
    if (row.kind == StepRowKind::contact)
      row.index = find(sim.contacts(), problem.contacts[at(row.index)].id);
    else if (row.kind != StepRowKind::actuator)
      row.index = find(sim.joint_rows(), problem.joints[at(row.index)].id);
  }
  row.at_switch = at_switch;
  report.at_switch += row.at_switch || row.tie ? 1 : 0;
  report.rows.push_back(row);
}

// d(bias)/d(gap). lowest: the bias of an overlap that comes back as fast as it may.
double StepDerivatives::Impl::slope_of_gap(double gap, double bias, double lowest, double rounding,
                                           const StepDerivativeOptions& o, StepRow& row) {
  const double recovery = sim.options().recovery;
  if (!sim.options().look_ahead) return 0;
  if (gap < 0 && bias <= lowest + kSameBias * std::abs(lowest)) return 0;
  if (recovery != 1) row.gap = std::abs(gap);
  if (std::abs(gap) <= rounding) return (o.side == StepSide::hold ? recovery : 1) / dt;
  return (gap > 0 ? 1 : recovery) / dt;
}

void StepDerivatives::Impl::find_rows(const Problem& of, const StepDerivativeOptions& o) {
  problem = of;
  const std::size_t contacts = problem.contacts.size(), joint_rows = problem.joints.size();
  sliding.clear(), pressing.clear(), of_gaps.clear();
  pressed.clear(static_cast<int>(3 * contacts + joint_rows) + (loops ? loops->rows() : 0));
  external.assign(model.bodies().size(), {});
  std::copy(sim.external.begin(), sim.external.end(), external.begin());
  impulse_scale = 0, speed_scale = norm(model.gravity()) * dt;
  for (const double p : problem.impulses) impulse_scale = std::max(impulse_scale, std::abs(p));
  for (const double p : problem.joint_impulses) impulse_scale = std::max(impulse_scale, std::abs(p));
  touching.find_velocities(problem.contacts, velocities);
  if (!log.rounds.empty() && !problem.before) displaced.find_velocities(problem.contacts, ends);
  for (const double x : velocities) speed_scale = std::max(speed_scale, std::abs(x));
  std::fill_n(contact_q.data(), contact_q.size(), 0.0), std::fill(force.begin(), force.end(), 0.0);
  for (std::size_t c = 0; c < contacts; ++c) add_contact(c, o);
  for (std::size_t r = 0; r < joint_rows; ++r) add_joint_row(r, o);
  add_loops();
  add_actuators(o);
}

void StepDerivatives::Impl::add_contact(std::size_t c, const StepDerivativeOptions& o) {
  const ContactPoint& point = problem.contacts[c];
  const double* p = problem.impulses.data() + 3 * c;
  const double* w = velocities.data() + 3 * c;
  const double bias = problem.bias[c], most_p = o.near * impulse_scale, most_u = o.near * speed_scale;
  const std::array<int, 2> nodes{point.node_a, point.node_b};
  StepRow row{.kind = StepRowKind::contact, .index = static_cast<int>(c)};
  const double parting = w[0] + bias;
  const bool weak = p[0] <= most_p && parting <= most_u;
  const bool closed = weak ? o.side == StepSide::hold : p[0] > most_p;
  if (!closed) {
    row.distance = std::abs(parting);
    return note(row, weak, nodes);
  }
  const double slip = std::hypot(w[1], w[2]), friction = std::hypot(p[1], p[2]);
  const double most = point.friction * p[0], spare = most - friction;
  bool at_switch = weak;
  row.mode = StepMode::presses, row.distance = p[0];
  if (point.friction > 0) {
    const bool neither = spare <= most_p && slip <= most_u;
    const bool slides = neither ? o.side == StepSide::release && most > 0 : spare / impulse_scale < slip / speed_scale;
    row.mode = slides ? StepMode::slides : StepMode::sticks;
    row.distance = slides ? slip : std::min(p[0], spare);
    at_switch = at_switch || neither || (slides && p[0] <= most_p);
  }
  // A little faster, and it would bounce.
  for (const stepping::ImpactLog::Slow& slow : log.slow)
    if (slow.id == point.id && !problem.before) {
      row.distance = std::min(row.distance, slow.spare);
      at_switch = at_switch || slow.spare <= o.near * sim.options().rest_speed;
    }
  // The gap, and what the step added to it besides the way back of impacts.
  const bool moved_back = !log.rounds.empty() && !problem.before;
  const double plain = moved_back ? bias + w[0] - ends[3 * c] : bias;
  const double lowest = -sim.options().recovery_speed;
  const double rounding = std::max(1e-14 * norm(point.point), o.near * dt * speed_scale);
  const double slope = slope_of_gap(point.gap, plain, lowest, rounding, o, row);
  const double law = !sim.options().look_ahead ? 0
                     : point.gap > 0           ? point.gap / dt
                                               : std::max(lowest, sim.options().recovery * point.gap / dt);
  const bool counts = !problem.before || bounces(point.node_a) || bounces(point.node_b);
  if (counts && std::abs(plain - law) > kSameBias * std::abs(law) + 1e-14 * norm(point.point) / dt + 1e-12)
    ++report.remembered;
  const int first = pressed.rows();
  const int count = row.mode == StepMode::presses ? 1 : 3;
  stepping::ContactRowSlopes::Result out{pressed.J.row(first), pressed.Uq.row(first), gap_by_q.data(),
                                         contact_q.data(),     pressed.width(),       count};
  const Vec3<double> impulse = to_world(point.normal, p[0], p[1], p[2]);
  bool tie = false;
  if (!touching.add(sim.shapes(), point, impulse, out, tie))
    refuse_derivatives_of_step("the contact of " + sim.shapes().pair_name(point) + " has no derivatives");
  row.tie = tie;
  if (moved_back) {
    // J u - J passed / dt in the place of J u: all but J du of it.
    std::vector<double> none(at(pressed.width()));
    out.J = none.data(), out.rows = 1;
    displaced.add(sim.shapes(), point, {}, out, tie);
    of_gaps.push_back(first);
  }
  for (const int k : touching.coordinates()) pressed.Uq(first, k) += slope * gap_by_q[at(k)];
  pressed.add_rows(count, touching.coordinates());
  pressing.push_back({c, first, count, slope, impulse});
  pressed.laws.emplace_back();
  if (count == 3) {
    stepping::ImpulseSlopes::Row tangent;
    if (row.mode == StepMode::slides) {
      tangent.law = stepping::ImpulseSlopes::Row::Law::slides, tangent.mu = point.friction;
      const bool slips = slip > most_u;
      tangent.s1 = slips ? w[1] / slip : -p[1] / friction, tangent.s2 = slips ? w[2] / slip : -p[2] / friction;
      tangent.gain = slips ? most / slip : kNever;
      sliding.push_back({c, first, p[0], tangent.s1, tangent.s2});
    }
    pressed.laws.insert(pressed.laws.end(), 2, tangent);
  }
  push(point, impulse);
  note(row, at_switch || row.gap <= rounding, nodes);
}

// On the bodies, for (1).
void StepDerivatives::Impl::push(const ContactPoint& point, const Vec3<double>& impulse) {
  const Vec3<double> f = (1 / dt) * impulse;
  for (const bool on_a : {true, false}) {
    const int node = on_a ? point.node_a : point.node_b;
    if (node == 0) continue;
    const int body = sim.contact_body(node);
    const Transform<double> X = model.bodies()[at(body)].in_node * touching.pose(node);
    const Vec3<double> lin = apply(X.E, on_a ? f : -f);
    external[at(body)] += Force<double>{cross(apply_to_point(X, point.point), lin), lin};
  }
}

// d(bias)/d(gap) of a stop that holds, whose row of `pressed` has its J.
double StepDerivatives::Impl::slope_of_stop(const JointRow& row, int pressed_row, const StepDerivativeOptions& o,
                                            StepRow& out) {
  const Node& n = model.nodes()[at(row.node)];
  const double recovery = sim.options().recovery, lowest = -sim.options().recovery_speed;
  double plain = row.bias;
  if (!log.rounds.empty() && !problem.before) {
    // Stops that only the end of the step has found know nothing of the way back; that shows at the place.
    double back = 0;
    for (int k = n.v; k < n.v + n.nv; ++k) back += pressed.J(pressed_row, k) * chain.passed[at(k)] / dt;
    const DofSpec& dof = model.dofs()[at(n.v)];
    const double x = q[at(n.q)], gap = pressed.J(pressed_row, n.v) > 0 ? x - dof.lower : dof.upper - x;
    const double law = gap > 0 ? gap / dt : std::max(lowest, recovery * gap / dt);
    const bool knows = std::abs(plain + back - law) <= std::abs(plain - law);
    if (knows) plain += back, of_gaps.push_back(pressed_row);
  }
  const double gap = plain > 0 ? plain * dt : plain * dt / std::max(recovery, 1e-300);
  return slope_of_gap(gap, plain, lowest, o.near * dt * std::max(speed_scale, 1e-300), o, out);
}

void StepDerivatives::Impl::add_joint_row(std::size_t r, const StepDerivativeOptions& o) {
  const JointRow& row = problem.joints[r];
  const double z = problem.joint_impulses[r], w = problem.joint_velocities[r] + row.bias;
  const std::array<int, 2> nodes{row.node, row.node};
  if (row.softness > 0 || row.of_contact || !row.forces.nodes.empty())
    refuse_derivatives_of_step("tendons and couples of contacts have no derivatives");
  const Node& n = model.nodes()[at(row.node)];
  const bool stop = std::isinf(row.upper);
  StepRow out{.kind = stop ? StepRowKind::stop : StepRowKind::joint_friction, .index = static_cast<int>(r)};
  const double most_p = o.near * std::max(impulse_scale, 1e-300), most_u = o.near * std::max(speed_scale, std::abs(w));
  bool at_switch = false, holds = false;
  if (stop) {
    const bool weak = z <= most_p && w <= most_u;
    holds = weak ? o.side == StepSide::hold : z > most_p;
    out.mode = holds ? StepMode::presses : StepMode::open, out.distance = holds ? z : std::abs(w);
    at_switch = weak;
  } else {
    const double spare = row.upper - std::abs(z);
    const bool neither = spare <= o.near * row.upper && std::abs(w) <= most_u;
    holds = neither ? o.side == StepSide::hold : spare > o.near * row.upper;
    out.mode = holds ? StepMode::sticks : StepMode::slides, out.distance = holds ? spare : std::abs(w);
    at_switch = neither;
  }
  // The velocity of one coordinate, or its opposite.
  for (int k = 0; k < n.nv; ++k) force[at(n.v + k)] += z / dt * touching.project(row.node, k, row.direction);
  if (!holds) return note(out, at_switch, nodes);
  if (stop && n.joint.kind == JointKind::spherical) {
    std::string name;
    for (const JointEntry& j : model.joints())
      if (std::find(j.nodes.begin(), j.nodes.end(), row.node) != j.nodes.end()) name = j.name;
    refuse_derivatives_of_step("the stop of the ball joint '" + name + "' has no derivatives yet");
  }
  const int last = pressed.rows();
  for (int k = 0; k < n.nv; ++k) pressed.J(last, n.v + k) = touching.project(row.node, k, row.direction);
  if (stop) {
    const double slope = slope_of_stop(row, last, o, out);
    for (int k = n.v; k < n.v + n.nv; ++k) pressed.Uq(last, k) = slope * pressed.J(last, k);
    at_switch = at_switch || out.gap <= o.near * dt * std::max(speed_scale, 1e-300);
  }
  std::array<int, 6> coordinates{};
  std::iota(coordinates.begin(), coordinates.end(), n.v);
  pressed.add_rows(1, std::span(coordinates).first(at(n.nv))), pressed.laws.emplace_back();
  note(out, at_switch, nodes);
}

void StepDerivatives::Impl::add_actuators(const StepDerivativeOptions& o) {
  const auto node_of = [&](std::size_t k) {
    const auto nodes = model.nodes();
    const auto has = [k](const Node& n) { return n.nv > 0 && at(n.v) <= k && k < at(n.v + n.nv); };
    return static_cast<int>(std::find_if(nodes.begin() + 1, nodes.end(), has) - nodes.begin());
  };
  for (std::size_t i = 0; i < drives.control.size(); ++i) {
    const ActuatorSpec& a = model.spec().actuators[i];
    const auto k = at(drives.coordinate[i]);
    const double room = std::min({drives.force_room[i], drives.control_room[i], drives.effort_room[k]});
    const double scale =
        std::min({std::max(std::abs(a.force_lower), std::abs(a.force_upper)), model.dofs()[k].max_effort,
                  std::max(std::abs(a.control_lower), std::abs(a.control_upper))});
    StepRow row{.kind = StepRowKind::actuator, .index = static_cast<int>(i)};
    row.mode = drives.limited[i] ? StepMode::limited : StepMode::drives, row.distance = room;
    note(row, std::isfinite(scale) && room <= o.near * scale, {node_of(k), node_of(k)});
  }
}

}  // namespace sinew
