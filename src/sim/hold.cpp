// src/sim/hold.cpp - joints held in their start pose
#include <cmath>
#include <numbers>
#include <set>

#include "sim/scene_parts.hpp"
#include "sinew/tree/jacobian.hpp"

namespace sinew {
namespace {

// One sentence on stiffnesses and dampings, smallest to largest.
std::string describe_gains(const std::vector<HeldJoint>& held, bool turns) {
  double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
  int count = 0;
  for (const HeldJoint& h : held) {
    if (h.turns != turns) continue;
    ++count;
    least[0] = std::min(least[0], h.stiffness), most[0] = std::max(most[0], h.stiffness);
    least[1] = std::min(least[1], h.damping), most[1] = std::max(most[1], h.damping);
  }
  if (count == 0) return "";
  const auto range = [](double a, double b) {
    return a == b ? scene::with_digits(a) : scene::with_digits(a) + " to " + scene::with_digits(b);
  };
  return std::to_string(count) + (turns ? " turning" : " sliding") + " joints with stiffness " +
         range(least[0], most[0]) + (turns ? " N m/rad" : " N/m") + " and damping " + range(least[1], most[1]) +
         (turns ? " N m s/rad" : " N s/m");
}

// The first three, and how many there are.
std::string list_names(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, names.size()); ++i) out += (i ? ", '" : "'") + names[i] + "'";
  return out + (names.size() > 3 ? ", ... (" + std::to_string(names.size()) + " in all)" : "");
}

// Gains from the inertia that each joint moves. One that moves none is held like the lightest of its sort, or as if it
// moved kLightest: without gains its motion would not be defined.
void set_gains(const HoldOptions& o, const std::vector<double>& inertias, std::vector<HeldJoint>& held) {
  constexpr double kNone = 1e-12;     // of the largest
  constexpr double kLightest = 1e-3;  // [kg m^2, kg]
  const double omega = 2 * std::numbers::pi * o.frequency;
  double largest[2] = {}, least[2] = {kUnlimited, kUnlimited};  // sliding, turning
  for (std::size_t i = 0; i < held.size(); ++i) largest[held[i].turns] = std::max(largest[held[i].turns], inertias[i]);
  const auto is_none = [&](std::size_t i) { return inertias[i] <= kNone * largest[held[i].turns]; };
  for (std::size_t i = 0; i < held.size(); ++i)
    if (!is_none(i)) least[held[i].turns] = std::min(least[held[i].turns], inertias[i]);
  for (std::size_t i = 0; i < held.size(); ++i) {
    const double lightest = least[held[i].turns] < kUnlimited ? least[held[i].turns] : kLightest;
    const double inertia = is_none(i) ? lightest : inertias[i];
    held[i].stiffness = omega * omega * inertia, held[i].damping = 2 * o.damping_ratio * omega * inertia;
    held[i].moves_nothing = is_none(i);
  }
}

}  // namespace

std::vector<HeldJoint> find_hold(const Model& m, In<double> q, const HoldOptions& o,
                                 std::vector<std::string>* passive) {
  check_size("find_hold", "q", q.size(), at(m.nq()));
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (!o.gains && !positive(o.frequency)) scene::refuse("the frequency of hold must be positive and finite");
  if (!o.gains && !positive(o.damping_ratio)) scene::refuse("the damping ratio of hold must be positive and finite");
  if (o.gains && !(o.gains->first >= 0 && o.gains->second >= 0 && std::isfinite(o.gains->first + o.gains->second)))
    scene::refuse("stiffness and damping must be finite and at least 0");
  JacobianWorkspace<double> ws(m);
  calc_jacobian<double>(m, ws, q);
  std::set<int> driven;  // coordinates
  for (const CouplingEntry& c : m.couplings())
    if (c.active) driven.insert(c.v);
  std::vector<HeldJoint> out;
  std::vector<double> inertias;  // of each
  for (const JointEntry& j : m.joints()) {
    if (j.nv == 0 || scene::is_base_joint(j)) continue;
    if (j.nv != 1 || j.nq != 1 || driven.contains(j.v)) {
      if (passive) passive->push_back(j.name);
      continue;
    }
    HeldJoint h{j.name, 0, 0, q[at(j.q)], j.kind != JointKind::prismatic};
    if (o.gains) {
      h.stiffness = o.gains->first, h.damping = o.gains->second;
    } else {
      // Twice the kinetic energy of the bodies beyond the joint, and of the others, if they moved with it at speed 1.
      const int node = j.nodes.front(), top = scene::find_top(m, j.child);
      double beyond = m.armature()[at(j.v)], others = beyond;
      for (std::size_t b = 1; b < m.bodies().size(); ++b) {
        if (scene::find_top(m, static_cast<int>(b)) != top) continue;
        const Motion<double> u = apply(get_body_pose(m, ws.kinematics, static_cast<int>(b)), ws.J[at(j.v)]);
        (scene::is_below(m, m.bodies()[b].node, node) ? beyond : others) += dot(u, m.bodies()[b].inertia * u);
      }
      const bool loose = scene::is_base_joint(m.joints()[at(m.bodies()[top].joint)]);
      inertias.push_back(loose ? std::max(beyond, others) : beyond);
    }
    out.push_back(std::move(h));
  }
  if (!o.gains) set_gains(o, inertias, out);
  return out;
}

void add_servos(ModelSpec& spec, const std::vector<HeldJoint>& held) {
  for (const HeldJoint& h : held) {
    ActuatorSpec a;
    a.name = scene::find_free_name(h.joint, spec.actuators), a.kind = "hold", a.target = h.joint;
    a.gain = {h.stiffness, 0, 0}, a.bias = {0, -h.stiffness, -h.damping};
    spec.actuators.push_back(std::move(a));
  }
}

void scene::hold_start(const Model& m, const HoldOptions& o, ModelSpec& spec, Scene& out) {
  std::vector<std::string> passive;
  out.held = find_hold(m, out.start.q, o, &passive);
  if (out.held.empty()) {
    out.notes.emplace_back("hold: there is no joint of one coordinate to hold");
    return;
  }
  // An effort limit of zero says that nobody filled it in.
  int unlimited = 0;
  for (const HeldJoint& h : out.held)
    for (JointSpec& j : spec.joints)
      for (DofSpec& d : j.dofs)
        if (j.name == h.joint && d.max_effort == 0) d.max_effort = kUnlimited, ++unlimited;
  // The model's own position servos hold the start pose too.
  out.control.resize(spec.actuators.size(), 0.0);
  for (std::size_t i = 0; i < spec.actuators.size(); ++i) {
    const ActuatorSpec& a = spec.actuators[i];
    const JointEntry* j = m.find_joint(a.target);
    if (a.transmission == Transmission::joint && j && j->nq == 1 && a.bias[1] != 0 && a.gain[0] != 0)
      out.control[i] = -a.bias[1] / a.gain[0] * a.gear[0] * out.start.q[at(j->q)];
  }
  add_servos(spec, out.held);
  for (const HeldJoint& h : out.held) out.control.push_back(h.target);
  const std::string turning = describe_gains(out.held, true), sliding = describe_gains(out.held, false);
  out.notes.push_back("hold: " + turning + (turning.empty() || sliding.empty() ? "" : ", ") + sliding);
  std::vector<std::string> light;
  for (const HeldJoint& h : out.held)
    if (h.moves_nothing) light.push_back(h.joint);
  if (!light.empty())
    out.notes.push_back("hold: held like the lightest other joint, because nothing it moves has inertia: " +
                        list_names(light));
  if (unlimited > 0)
    out.notes.push_back("hold: " + std::to_string(unlimited) +
                        " joints have an effort limit of 0 in the file; they are held without a limit");
  if (!passive.empty())
    out.notes.push_back("hold: not held, because it has several coordinates or follows another joint: " +
                        list_names(passive));
}

}  // namespace sinew
