// src/contact/joint_limits.cpp
#include "sinew/contact/joint_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/constants.hpp"
#include "sinew/joint/joint.hpp"

namespace sinew {
namespace {

using contact::kPassed, contact::kReach, contact::kSpeeding;
constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();  // of a coordinate at its stop

bool turns_by_quaternion(JointKind k) { return k == JointKind::spherical || k == JointKind::free; }

// Angle, 0 .. pi, and axis of a unit quaternion.
struct HingeTurn {
  double angle = 0;
  Vec3<double> axis{};
};
HingeTurn turn_of(const double* q) {
  const double sign = q[0] < 0 ? -1 : 1;
  const Vec3<double> s{sign * q[1], sign * q[2], sign * q[3]};
  const double sine = norm(s);
  return {2 * std::atan2(sine, sign * q[0]), sine > 0 ? (1 / sine) * s : Vec3<double>{1, 0, 0}};
}

}  // namespace

JointLimits::JointLimits(const Model& m) : model_(m) {
  for (std::size_t i = 1; i < m.nodes().size(); ++i) {
    const Node& n = m.nodes()[i];
    const int node = static_cast<int>(i);
    for (int k = 0; k < n.nv; ++k) {
      const DofSpec& d = m.dofs()[n.v + k];
      if (d.friction > 0) friction_.push_back({node, k, d.friction});
      Stop stop{node, k, at(n.q + k), at(n.v + k), 0, 0, false};
      if (n.joint.kind == JointKind::spherical && k == 0 && std::isfinite(d.upper)) {
        stop.place = d.upper, stop.sign = -1, stop.whole_turn = true;
        stops_.push_back(stop);
      }
      if (turns_by_quaternion(n.joint.kind) || n.nq != n.nv) continue;
      stop.place = d.lower, stop.sign = 1;
      if (std::isfinite(d.lower)) stops_.push_back(stop);
      stop.place = d.upper, stop.sign = -1;
      if (std::isfinite(d.upper)) stops_.push_back(stop);
    }
  }
}

double JointLimits::calc_gap(const Stop& s, In<double> q) const {
  return s.whole_turn ? s.place - turn_of(q.data() + s.q).angle : s.sign * (q[s.q] - s.place);
}

JointRow JointLimits::make_row(int node, int coordinate, In<double> q, double time) const {
  const Node& n = model_.nodes()[node];
  JointComplements<double> force;
  calc_complements(n.joint, q.data() + n.q, time, force);
  JointRow row;
  row.node = node, row.parent = n.parent, row.direction = force.active[coordinate];
  return row;
}

JointRow JointLimits::make_stop(std::size_t index, double gap, In<double> q, double dt, double recovery,
                                double time) const {
  const Stop& s = stops_[index];
  JointRow row = make_row(s.node, s.coordinate, q, time);
  row.direction = s.sign * row.direction;
  if (s.whole_turn) {
    // The angle grows along the axis, which is the same in both frames.
    const Node& n = model_.nodes()[s.node];
    const Vec3<double> axis = turn_of(q.data() + s.q).axis;
    JointComplements<double> force;
    calc_complements(n.joint, q.data() + n.q, time, force);
    row.direction = -(axis.x * force.active[0] + axis.y * force.active[1] + axis.z * force.active[2]);
  }
  if (std::abs(gap) <= kRounding * std::abs(s.place)) gap = 0;
  row.bias = (gap > 0 ? gap : recovery * gap) / dt;
  row.id = 2 * index;
  return row;
}

void JointLimits::find(In<double> q, In<double> v, double dt, double recovery, double time,
                       std::vector<JointRow>& rows) {
  check_size("JointLimits", "q", q.size(), at(model_.nq()));
  check_size("JointLimits", "v", v.size(), at(model_.nv()));
  rows.clear();
  for (std::size_t f = 0; f < friction_.size(); ++f) {
    rows.push_back(make_row(friction_[f].node, friction_[f].coordinate, q, time));
    rows.back().upper = friction_[f].most * dt, rows.back().lower = -rows.back().upper;
    rows.back().id = 2 * f + 1;
  }
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    const Stop& s = stops_[i];
    const double* x = v.data() + s.v;
    const double speed = s.whole_turn ? std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) : -s.sign * x[0];
    const double gap = calc_gap(s, q);
    if (gap <= kReach * dt * (std::max(0.0, speed) + kSpeeding * dt))
      rows.push_back(make_stop(i, gap, q, dt, recovery, time));
  }
}

bool JointLimits::add_passed(In<double> q, In<double> q_after, double dt, double recovery, double time,
                             std::vector<JointRow>& rows) const {
  check_size("JointLimits", "q", q.size(), at(model_.nq()));
  check_size("JointLimits", "q_after", q_after.size(), at(model_.nq()));
  const std::size_t before = rows.size();
  for (std::size_t i = 0; i < stops_.size(); ++i) {
    if (calc_gap(stops_[i], q_after) >= -kPassed) continue;
    const auto held = [&](const JointRow& r) { return r.id == 2 * i; };
    if (std::none_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(before), held))
      rows.push_back(make_stop(i, calc_gap(stops_[i], q), q, dt, recovery, time));
  }
  return rows.size() > before;
}

double JointLimits::calc_violation(In<double> q, int& coordinate) const {
  check_size("JointLimits", "q", q.size(), at(model_.nq()));
  double worst = 0;
  for (const Stop& s : stops_) {
    const double gap = calc_gap(s, q);
    if (-gap > worst) worst = -gap, coordinate = static_cast<int>(s.v);
  }
  return worst;
}

}  // namespace sinew
