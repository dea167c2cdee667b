// src/sim/step_derivative_rows.cpp - which rows press, their modes and how far they are from a switch
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sinew/contact/cone.hpp"
#include "step_derivatives_impl.hpp"

namespace sinew {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSameBias = 1e-9;  // relative

}  // namespace

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

void StepDerivatives::Impl::note(StepRow row, bool at_switch) {
  row.at_switch = at_switch;
  report.at_switch += row.at_switch || row.tie ? 1 : 0;
  report.rows.push_back(row);
}

// d(bias)/d(gap). lowest: the bias of an overlap that comes back as fast as it may.
double StepDerivatives::Impl::slope_of_gap(double gap, double bias, double lowest, double rounding,
                                           const StepDerivativeOptions& o, StepRow& row) {
  const double recovery = sim.options().recovery;
  if (!sim.options().look_ahead) return 0;
  if (gap < 0 && bias <= lowest) return 0;
  if (recovery != 1) row.gap = std::abs(gap);
  if (std::abs(gap) <= rounding) return (o.side == StepSide::hold ? recovery : 1) / dt;
  return (gap > 0 ? 1 : recovery) / dt;
}

void StepDerivatives::Impl::find_rows(const StepDerivativeOptions& o) {
  const std::size_t contacts = sim.contacts().size(), joint_rows = sim.joint_rows().size();
  sliding.clear(), pressing.clear();
  pressed.clear(static_cast<int>(3 * contacts + joint_rows));
  external.assign(model.bodies().size(), {});
  std::copy(sim.external.begin(), sim.external.end(), external.begin());
  impulse_scale = 0, speed_scale = norm(model.gravity()) * dt;
  for (const double p : sim.contact_impulses()) impulse_scale = std::max(impulse_scale, std::abs(p));
  for (const double p : sim.joint_impulses()) impulse_scale = std::max(impulse_scale, std::abs(p));
  touching.find_velocities(sim.contacts(), velocities);
  for (const double x : velocities) speed_scale = std::max(speed_scale, std::abs(x));
  std::fill_n(contact_q.data(), contact_q.size(), 0.0), std::fill(force.begin(), force.end(), 0.0);
  for (std::size_t c = 0; c < contacts; ++c) add_contact(c, o);
  for (std::size_t r = 0; r < joint_rows; ++r) add_joint_row(r, o);
  add_actuators(o);
}

void StepDerivatives::Impl::add_contact(std::size_t c, const StepDerivativeOptions& o) {
  const ContactPoint& point = sim.contacts()[c];
  const double* p = sim.contact_impulses().data() + 3 * c;
  const double* w = velocities.data() + 3 * c;
  const double bias = sim.contact_bias()[c], most_p = o.near * impulse_scale, most_u = o.near * speed_scale;
  StepRow row{.kind = StepRowKind::contact, .index = static_cast<int>(c)};
  const double parting = w[0] + bias;
  const bool weak = p[0] <= most_p && parting <= most_u;
  const bool bounced_here = bounces(point.node_a) || bounces(point.node_b);
  const bool closed = weak ? o.side == StepSide::hold && !bounced_here : p[0] > most_p;
  if (closed && bounced_here)
    refuse_derivatives_of_step(sim.shapes().pair_name(point) +
                               " press in a step in which one of them bounces, so it has no derivatives");
  if (!closed) {
    row.distance = std::abs(parting);
    return note(row, weak);
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
  // The gap, and what the step added to it.
  const double lowest = -sim.options().recovery_speed;
  const double rounding = std::max(1e-14 * norm(point.point), o.near * dt * speed_scale);
  const double slope = slope_of_gap(point.gap, bias, lowest, rounding, o, row);
  const double law = !sim.options().look_ahead ? 0
                     : point.gap > 0           ? point.gap / dt
                                               : std::max(lowest, sim.options().recovery * point.gap / dt);
  if (std::abs(bias - law) > kSameBias * std::abs(law) + 1e-14 * norm(point.point) / dt + 1e-12) ++report.remembered;
  const int first = pressed.rows();
  const int count = row.mode == StepMode::presses ? 1 : 3;
  stepping::ContactRowSlopes::Result out{pressed.J.row(first), pressed.Uq.row(first), gap_by_q.data(),
                                         contact_q.data(),     pressed.width(),       count};
  const Vec3<double> impulse = to_world(point.normal, p[0], p[1], p[2]);
  bool tie = false;
  if (!touching.add(sim.shapes(), point, impulse, out, tie))
    refuse_derivatives_of_step("the contact of " + sim.shapes().pair_name(point) + " has no derivatives");
  row.tie = tie;
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
  // On the bodies, for (1).
  const Vec3<double> f = (1 / dt) * impulse;
  for (const bool on_a : {true, false}) {
    const int node = on_a ? point.node_a : point.node_b;
    if (node == 0) continue;
    const int body = sim.contact_body(node);
    const Transform<double> X = model.bodies()[at(body)].in_node * touching.pose(node);
    const Vec3<double> lin = apply(X.E, on_a ? f : -f);
    external[at(body)] += Force<double>{cross(apply_to_point(X, point.point), lin), lin};
  }
  note(row, at_switch || row.gap <= rounding);
}

void StepDerivatives::Impl::add_joint_row(std::size_t r, const StepDerivativeOptions& o) {
  const JointRow& row = sim.joint_rows()[r];
  const double z = sim.joint_impulses()[r], w = sim.joint_velocities()[r] + row.bias;
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
  if (stop && holds && bounces(row.node))
    refuse_derivatives_of_step("a joint reaches its stop in a step in which it bounces, so it has no derivatives");
  // The velocity of one coordinate, or its opposite.
  for (int k = 0; k < n.nv; ++k) force[at(n.v + k)] += z / dt * touching.project(row.node, k, row.direction);
  if (!holds) return note(out, at_switch);
  if (stop && n.joint.kind == JointKind::spherical) {
    std::string name;
    for (const JointEntry& j : model.joints())
      if (std::find(j.nodes.begin(), j.nodes.end(), row.node) != j.nodes.end()) name = j.name;
    refuse_derivatives_of_step("the stop of the ball joint '" + name + "' has no derivatives yet");
  }
  const int last = pressed.rows();
  for (int k = 0; k < n.nv; ++k) pressed.J(last, n.v + k) = touching.project(row.node, k, row.direction);
  if (stop) {
    const double gap = row.bias > 0 ? row.bias * dt : row.bias * dt / std::max(sim.options().recovery, 1e-300);
    const double rounding = o.near * dt * std::max(speed_scale, 1e-300);
    const double slope = slope_of_gap(gap, row.bias, -sim.options().recovery_speed, rounding, o, out);
    for (int k = n.v; k < n.v + n.nv; ++k) pressed.Uq(last, k) = slope * pressed.J(last, k);
    at_switch = at_switch || out.gap <= rounding;
  }
  std::array<int, 6> coordinates{};
  std::iota(coordinates.begin(), coordinates.end(), n.v);
  pressed.add_rows(1, std::span(coordinates).first(at(n.nv))), pressed.laws.emplace_back();
  note(out, at_switch);
}

void StepDerivatives::Impl::add_actuators(const StepDerivativeOptions& o) {
  for (std::size_t i = 0; i < drives.control.size(); ++i) {
    const ActuatorSpec& a = model.spec().actuators[i];
    const auto k = at(drives.coordinate[i]);
    const double room = std::min({drives.force_room[i], drives.control_room[i], drives.effort_room[k]});
    const double scale =
        std::min({std::max(std::abs(a.force_lower), std::abs(a.force_upper)), model.dofs()[k].max_effort,
                  std::max(std::abs(a.control_lower), std::abs(a.control_upper))});
    StepRow row{.kind = StepRowKind::actuator, .index = static_cast<int>(i)};
    row.mode = drives.limited[i] ? StepMode::limited : StepMode::drives, row.distance = room;
    note(row, std::isfinite(scale) && room <= o.near * scale);
  }
}

}  // namespace sinew
