// src/generate/step_calls.cpp
#include "generate/step_calls.hpp"

#include <algorithm>
#include <cmath>

#include "generate/mass_matrix.hpp"
#include "sinew/joint/quaternion_part.hpp"
#include "sinew/sim/free_flight.hpp"
#include "sinew/sim/simulation.hpp"
#include "sinew/tree/equivalent_model.hpp"
#include "sinew/tree/kernel/ltl_rows.hpp"

namespace sinew::generate {
namespace {

// ---- What there is no code for
bool is_limited(double lower, double upper) { return std::isfinite(lower) || std::isfinite(upper); }
// What it pulls back and brakes is taken at the end of the step, so that its force is not known before.
bool is_servo(const ActuatorSpec& a) { return a.bias[1] < 0 || a.bias[2] < 0; }
double effort_limit(const Model& m, const ActuatorSpec& a) {
  return m.dofs()[at(m.find_joint(a.target)->v)].max_effort;
}
bool drives_servo(const Model& m, std::size_t v) {
  return std::any_of(m.spec().actuators.begin(), m.spec().actuators.end(),
                     [&](const ActuatorSpec& a) { return is_servo(a) && at(m.find_joint(a.target)->v) == v; });
}
void refuse(const std::string& what, const std::string& name, const std::string& why) {
  throw TraceError("step: " + what + " '" + name + "' " + why);
}
void refuse_joints(const Model& m) {
  const FreeFlight flight(m);
  for (const JointEntry& j : m.joints())
    for (const int node : j.nodes) {
      const Node& n = m.nodes()[at(node)];
      if (n.joint.kind == JointKind::user)
        refuse("joint", j.name, "is a user's or follows an input; there is no code for how it moves on");
      if (flight.is_single(node))
        refuse("body", m.bodies()[at(j.child)].name,
               "flies alone, and its spin is solved by iteration; leave it out of the model");
      for (int k = 0; k < n.nv; ++k)
        if (m.dofs()[at(n.v + k)].stiffness != 0 && n.nq != n.nv)
          refuse("joint", j.name, "is a ball joint with a spring; set its stiffness to zero");
    }
}
void refuse_actuators(const Model& m) {
  for (const ActuatorSpec& a : m.spec().actuators) {
    const auto no = [&](const std::string& why) { refuse("actuator", a.name, why); };
    const JointEntry* j = a.transmission == Transmission::joint || a.transmission == Transmission::joint_in_parent
                              ? m.find_joint(a.target)
                              : nullptr;
    if (!j || j->nq != 1 || j->nv != 1) no("does not act on a joint of one coordinate; there is no code for it");
    if (a.activation != Activation::none || a.muscle) no("has an activation; there is no code for it");
    if (a.damping_ratio > 0) no("has a damping ratio; write its damping as bias[2]");
  }
}

}  // namespace

void refuse_step(const Model& m) {
  const ModelSpec& s = m.spec();
  for (const LoopSpec& l : s.loops)
    if (l.active) refuse("loop", l.name, "has no code; leave it out, or take embedded dynamics of the library");
  for (const CouplingSpec& c : s.couplings)
    if (c.active) refuse("coupling", c.name, "has no code; leave it out, or weld its joint");
  for (const TendonSpec& t : s.tendons) refuse("tendon", t.name, "has no code; leave it out");
  for (const BodySpec& b : s.bodies)
    if (b.gravity_compensation != 0) refuse("body", b.name, "has gravity compensation; set it to zero");
  if (s.medium.density != 0 || s.medium.viscosity != 0)
    throw TraceError(
        "step: the model is in a medium, for whose forces there is no code; set its density and viscosity "
        "to zero");
  refuse_joints(m);
  refuse_actuators(m);
}

std::vector<std::string> list_left_out_of_step(const Model& m) {
  std::vector<std::string> out;
  const auto tell = [&](std::ptrdiff_t count, const std::string& before, const std::string& after) {
    if (count > 0) out.push_back(before + std::to_string(count) + after);
  };
  const auto& dofs = m.dofs();
  tell(static_cast<std::ptrdiff_t>(m.spec().shapes.size()), "contacts of ", " shapes");
  tell(std::count_if(dofs.begin(), dofs.end(), [](const DofSpec& d) { return is_limited(d.lower, d.upper); }),
       "stops of ", " coordinates");
  tell(std::count_if(dofs.begin(), dofs.end(), [](const DofSpec& d) { return d.friction != 0; }), "dry friction of ",
       " coordinates");
  for (const ActuatorSpec& a : m.spec().actuators)
    if (is_servo(a) && (is_limited(a.force_lower, a.force_upper) || std::isfinite(effort_limit(m, a))))
      out.push_back("limits of the force of the servo " + a.name);
  return out;
}

namespace {

// ---- The step
// What the drives of a coordinate add: a force, and armature that stands for forces at the end of the step.
struct DriveTerms {
  std::vector<Traced> force, armature;
  bool implicit = false;
};
Traced clamp(const Traced& x, double lower, double upper) {
  Traced out = x;
  if (std::isfinite(lower)) out = max(out, lit<Traced>(lower));
  if (std::isfinite(upper)) out = min(out, lit<Traced>(upper));
  return out;
}

struct StepInputs {
  VectorView<const Traced> q, v, tau;
  const Traced& dt;
  VectorView<const Traced> control;  // none where there are no actuators

  explicit StepInputs(const Arguments<Traced>& x)
      : q(x.in[0]), v(x.in[1]), tau(x.in[2]), dt(x.in[3][0]), control(x.in.size() > 4 ? x.in[4] : x.in[0]) {}
};

void add_springs(const Model& m, const StepInputs& in, DriveTerms& out) {
  for (const Node& n : m.nodes())
    for (int k = 0; k < n.nv; ++k) {
      const std::size_t v = at(n.v + k);
      const DofSpec& d = m.dofs()[v];
      const auto number = [](double x) { return lit<Traced>(x); };
      const auto &s = d.stiffness_terms, &c = d.damping_terms;
      if (d.stiffness != 0 || s != std::array<double, 2>{}) {
        const Traced x = in.q[at(n.q + k)] - number(d.rest);
        out.force[v] -= number(d.stiffness) * (x + in.dt * in.v[v]) + (number(s[0]) + number(s[1]) * x) * x * x;
        out.armature[v] += in.dt * in.dt * number(d.stiffness);
      }
      if (d.damping != 0 || c != std::array<double, 2>{}) {
        const Traced& u = in.v[v];
        out.force[v] -= (number(d.damping) + number(c[0]) * abs(u) + number(c[1]) * u * u) * u;
        out.armature[v] += in.dt * number(d.damping);
      }
      out.implicit = out.implicit || d.stiffness != 0 || d.damping != 0;
    }
}
void add_actuators(const Model& m, const StepInputs& in, DriveTerms& out) {
  std::vector<Traced> sum(at(m.nv()));
  for (std::size_t i = 0; i < m.spec().actuators.size(); ++i) {
    const ActuatorSpec& a = m.spec().actuators[i];
    const JointEntry& j = *m.find_joint(a.target);
    const auto number = [](double x) { return lit<Traced>(x); };
    const std::size_t v = at(j.v);
    const double gear = a.gear[0];
    const Traced length = number(gear) * in.q[at(j.q)], speed = number(gear) * in.v[v];
    const auto affine = [&](const std::array<double, 3>& c) {
      return number(c[0]) + number(c[1]) * length + number(c[2]) * speed;
    };
    const Traced force = affine(a.gain) * clamp(in.control[i], a.control_lower, a.control_upper) + affine(a.bias);
    if (!is_servo(a)) {
      sum[v] += number(gear) * clamp(force, a.force_lower, a.force_upper);
      continue;
    }
    const double stiffness = std::max(0.0, -gear * gear * a.bias[1]), damping = std::max(0.0, -gear * gear * a.bias[2]);
    sum[v] += number(gear) * force - in.dt * number(stiffness) * in.v[v];
    out.armature[v] += in.dt * number(damping) + in.dt * in.dt * number(stiffness);
    out.implicit = true;
  }
  for (std::size_t v = 0; v < sum.size(); ++v) {
    const double most = drives_servo(m, v) ? kUnlimited : m.dofs()[v].max_effort;
    out.force[v] += clamp(sum[v], -most, most);
  }
}

// x = (M + armature)^-1 x.
void solve_with_armature(const Model& m, const VectorView<const Traced>& q, const DriveTerms& drives,
                         std::vector<Traced>& x) {
  const DofTree& tree = m.dof_tree();
  std::vector<Traced> L = pack_mass_matrix(m, q), y;
  for (int i = 0; i < tree.size(); ++i) {
    L[tree.row(i) + at(tree.depth(i))] += drives.armature[at(tree.velocity(i))];
    y.push_back(x[at(tree.velocity(i))]);
  }
  kernel::factor_ltdl_reciprocal(tree, L.data());
  kernel::solve_l_transpose<true>(tree, L.data(), y.data());
  for (int i = 0; i < tree.size(); ++i) y[at(i)] *= L[tree.row(i) + at(tree.depth(i))];
  kernel::solve_l<true>(tree, L.data(), y.data());
  for (int i = 0; i < tree.size(); ++i) x[at(tree.velocity(i))] = y[at(i)];
}

Vec3<Traced> vec3_at(const Traced* x) { return {x[0], x[1], x[2]}; }
void set_vec3(Traced* x, const Vec3<Traced>& a) { x[0] = a.x, x[1] = a.y, x[2] = a.z; }
// Joints whose linear velocity is along axes that turn, but which move straight.
bool moves_straight(const Node& n) {
  return !n.joint.reversed && (n.joint.kind == JointKind::free || n.joint.kind == JointKind::planar);
}

// Minus the rate of the numbers v of such joints at constant velocity: w x u.
std::vector<Traced> calc_turning(const Model& m, const VectorView<const Traced>& v) {
  std::vector<Traced> out(at(m.nv()));
  for (const Node& n : m.nodes()) {
    if (!moves_straight(n)) continue;
    const Traced* x = v.data() + n.v;
    Traced* to = out.data() + n.v;
    if (n.joint.kind == JointKind::free)
      set_vec3(to + 3, cross(vec3_at(x), vec3_at(x + 3)));
    else
      to[1] = -(x[0] * x[2]), to[2] = x[0] * x[1];
  }
  return out;
}

// From v at the end of the step along the axes at its start.
void move_free(const Traced* q, const Traced& dt, const Traced* q_next, Traced* position, Traced* u) {
  const Vec3<Traced> velocity = apply_inverse(to_rotation(detail::get_quaternion(q)), vec3_at(u));
  set_vec3(position, vec3_at(q + 4) + dt * velocity);
  set_vec3(u, apply(to_rotation(detail::get_quaternion(q_next)), velocity));
}
void move_planar(const Traced* q, const Traced& dt, const Traced* q_next, Traced* position, Traced* u) {
  Traced s, c;
  sincos(q[0], s, c);
  const Traced x = c * u[0] - s * u[1], y = s * u[0] + c * u[1];
  position[0] = q[1] + dt * x, position[1] = q[2] + dt * y;
  sincos(q_next[0], s, c);
  u[0] = c * x + s * y, u[1] = c * y - s * x;
}

}  // namespace

void call_step(const Arguments<Traced>& x) {
  const Model& m = x.m;
  refuse_step(m);
  const StepInputs in(x);
  DriveTerms drives{std::vector<Traced>(at(m.nv())), std::vector<Traced>(at(m.nv()))};
  add_springs(m, in, drives);
  add_actuators(m, in, drives);

  std::vector<Traced> against = calc_turning(m, in.v), change(at(m.nv()));
  for (Traced& a : against) a = -a;
  RneaWorkspace<Traced> bias(m);
  rnea<Traced>(EquivalentModel(m), bias, in.q, in.v, against, change);
  for (std::size_t k = 0; k < change.size(); ++k) change[k] = in.tau[k] + drives.force[k] - change[k];
  if (drives.implicit) {
    solve_with_armature(m, in.q, drives, change);
  } else {
    AbaWorkspace<Traced> aba(m);
    const std::vector<Traced> forces = change;
    multiply_by_mass_inverse<Traced>(m, aba, in.q, forces, change);
  }
  const VectorView<Traced>&q = x.out[0], v = x.out[1];
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = in.v[k] + in.dt * change[k];
  for (const Node& n : m.nodes()) {
    Traced moved[kMaxJointDofs];
    for (int k = 0; k < n.nv; ++k) moved[k] = in.dt * v[at(n.v + k)];
    const Traced* from = in.q.data() + n.q;
    Traced* to = q.data() + n.q;
    visit_primitive(n.joint.kind, [&](auto kind) { kind.integrate(from, moved, to); });
    if (!moves_straight(n)) continue;
    if (n.joint.kind == JointKind::free)
      move_free(from, in.dt, to, to + 4, v.data() + n.v + 3);
    else
      move_planar(from, in.dt, to, to + 1, v.data() + n.v + 1);
  }
}

void call_step(const Arguments<double>& x) {
  refuse_step(x.m);
  ModelSpec spec = x.m.spec();
  spec.shapes.clear(), spec.pairs.clear(), spec.exclusions.clear(), spec.sensors.clear();
  const auto free_joint = [](auto&& again, JointSpec& j) -> void {
    for (DofSpec& d : j.dofs) d.lower = -kUnlimited, d.upper = kUnlimited, d.friction = 0;
    for (JointSpec& part : j.parts) again(again, part);
  };
  for (JointSpec& j : spec.joints) free_joint(free_joint, j);
  for (ActuatorSpec& a : spec.actuators)
    if (is_servo(a)) a.force_lower = -kUnlimited, a.force_upper = kUnlimited;
  for (JointSpec& j : spec.joints)
    for (DofSpec& d : j.dofs)
      if (const JointEntry* e = x.m.find_joint(j.name); e->nv == 1 && drives_servo(x.m, at(e->v)))
        d.max_effort = kUnlimited;
  const Model m = compile(std::move(spec)).value();
  Simulation s(m, {.dt = x.in[3][0], .middle_forces = false});
  s.state.q.assign(x.in[0].begin(), x.in[0].end());
  s.state.v.assign(x.in[1].begin(), x.in[1].end());
  if (x.in.size() > 4) s.control.assign(x.in[4].begin(), x.in[4].end());
  s.step(x.in[2]);
  std::copy(s.state.q.begin(), s.state.q.end(), x.out[0].begin());
  std::copy(s.state.v.begin(), s.state.v.end(), x.out[1].begin());
}

}  // namespace sinew::generate
