// src/sim/drive_slopes.cpp - derivatives of the forces of drives, from their laws
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "row_drives.hpp"
#include "sinew/sim/drives.hpp"

namespace sinew {
namespace {

[[noreturn]] void refuse_slopes(const std::string& what) { throw std::invalid_argument("StepDerivatives: " + what); }

}  // namespace

void Drives::calc_slopes(In<double> q, In<double> v, In<double> v_after, In<double> control, DriveSlopes& out) const {
  const char* call = "Drives";
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "v_after", v_after.size(), at(model_.nv()));
  check_size(call, "control", control.size(), actuators_.size());
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (rows_) refuse_slopes("tendons, and actuators along them, have no derivatives yet; use actuators on joints");
  if (!lifted_.empty())
    refuse_slopes("body '" + model_.spec().bodies[at(lifted_[0].body) - 1].name +
                  "' has gravity compensation, which has no derivatives yet; set it to zero");
  for (auto* x : {&out.force, &out.q, &out.v, &out.after, &out.effort_room}) x->assign(at(model_.nv()), 0.0);
  for (auto* x : {&out.control, &out.force_room, &out.control_room}) x->assign(actuators_.size(), 0.0);
  out.coordinate.assign(actuators_.size(), 0), out.limited.assign(actuators_.size(), 0);
  for (const Spring& s : springs_) {
    if (s.axis >= 0 && s.stiffness != 0)
      refuse_slopes("the spring of the spherical joint at coordinate " + std::to_string(s.v) +
                    " has no derivatives yet; set its stiffness to zero");
    const double x = s.axis < 0 ? q[s.q] - s.rest : 0, u = v[s.v];
    const double end = dt_ * v_after[s.v];
    out.force[s.v] -= s.stiffness * (x + end) + (s.stiffness_terms[0] + s.stiffness_terms[1] * x) * x * x +
                      s.damping * v_after[s.v] + (s.damping_terms[0] * std::abs(u) + s.damping_terms[1] * u * u) * u;
    out.q[s.v] -= s.stiffness + (2 * s.stiffness_terms[0] + 3 * s.stiffness_terms[1] * x) * x;
    out.v[s.v] -= 2 * s.damping_terms[0] * std::abs(u) + 3 * s.damping_terms[1] * u * u;
    out.after[s.v] -= s.damping + dt_ * s.stiffness;
  }
  // Efforts at the end, and whether their limits hold.
  std::vector<double>& effort = out.effort_room;
  std::copy(other_force_.begin(), other_force_.end(), effort.begin());
  const auto room = [](double x, double lower, double upper) {
    return std::min(std::abs(x - lower), std::abs(upper - x));
  };
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Actuator& a = actuators_[i];
    if (a.target != Target::number)
      refuse_slopes("actuator '" + a.spec->name +
                    "' acts on more than one coordinate, which has no derivatives yet; use actuators on joints of one");
    if (model_.activation_of()[i] >= 0)
      refuse_slopes("actuator '" + a.spec->name + "' has an activation, a state that has no derivatives yet");
    const double gear = a.spec->gear[0], input = clamp_control(*a.spec, control[i]);
    const double length = gear * q[a.q], speed = gear * v[a.v];
    const ActuatorForce f = calc_actuator_force(a.law, input, length, speed);
    const double per_input =
        calc_actuator_force(a.law, 1, length, speed).force - calc_actuator_force(a.law, 0, length, speed).force;
    const double change = dt_ * a.stiffness * v_after[a.v] + a.damping * (v_after[a.v] - v[a.v]);
    const double force = a.plain - change / gear;
    const bool limited = !std::isnan(limits_[i]);
    out.coordinate[i] = static_cast<int>(a.v);
    out.force_room[i] = room(force, a.spec->force_lower, a.spec->force_upper);
    out.control_room[i] = per_input == 0 ? kNone : room(control[i], a.spec->control_lower, a.spec->control_upper);
    effort[a.v] += gear * (limited ? limits_[i] : force);
    out.limited[i] = limited || input != control[i] || !std::isnan(effort_limits_[a.v]) ? 1 : 0;
    if (limited || !std::isnan(effort_limits_[a.v])) continue;
    out.q[a.v] += gear * gear * f.per_length;
    out.v[a.v] += gear * gear * f.per_speed + a.damping;
    out.after[a.v] -= dt_ * a.stiffness + a.damping;
    if (input == control[i]) out.control[i] = gear * per_input;
  }
  for (std::size_t k = 0; k < effort.size(); ++k) {
    const double most = model_.dofs()[k].max_effort;
    out.force[k] += std::isnan(effort_limits_[k]) ? effort[k] : effort_limits_[k];
    effort[k] = room(effort[k], -most, most);
  }
}

}  // namespace sinew
