// src/sim/drives.cpp
#include "sinew/sim/drives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "row_drives.hpp"
#include "sinew/joint/armature.hpp"
#include "sinew/joint/quaternion_part.hpp"
#include "sinew/model/moved_inertia.hpp"
#include "sinew/tree/mass_inverse.hpp"

namespace sinew {
namespace {

constexpr double kFree = std::numeric_limits<double>::quiet_NaN();  // no limit holds

// The bound that x is beyond; kFree: none. Within rounding of a bound: as it was.
double find_bound(double x, double lower, double upper, double before) {
  constexpr double kRounding = 1e-12;
  for (const double bound : {lower, upper})
    if (std::isfinite(bound) && std::abs(x - bound) <= kRounding * std::abs(bound)) return before;
  return x > upper ? upper : x < lower ? lower : kFree;
}
bool is_same_limit(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Drives::~Drives() = default;
Drives::Drives(Drives&&) noexcept = default;

Drives::Drives(const Model& m, double dt) : model_(m), dt_(dt), moment_(at(m.nv())) {
  for (auto* x : {&spring_armature_, &damper_armature_, &actuator_armature_, &spring_force_, &damper_force_,
                  &actuator_force_, &other_force_, &twin_armature_})
    x->resize(at(m.nv()));
  effort_limits_.resize(at(m.nv()), kFree);
  for (const Node& n : m.nodes()) {
    const bool turns = n.joint.kind == JointKind::spherical;
    for (int k = 0; k < n.nv; ++k) {
      const DofSpec& d = m.dofs()[n.v + k];
      const bool bent = d.stiffness_terms != std::array<double, 2>{} || d.damping_terms != std::array<double, 2>{};
      if (d.stiffness == 0 && d.damping == 0 && !bent) continue;
      if (bent && (turns || n.nq != n.nv))
        throw std::invalid_argument("Simulation: coordinate " + std::to_string(n.v + k) + " belongs to a " +
                                    std::string(to_string(n.joint.kind)) +
                                    " joint whose spring or damper has terms above the linear one; such terms are for "
                                    "joints with one position coordinate per freedom; set them to zero");
      if (d.stiffness != 0 && !turns && n.nq != n.nv)
        throw std::invalid_argument("Simulation: coordinate " + std::to_string(n.v + k) + " belongs to a " +
                                    std::string(to_string(n.joint.kind)) +
                                    " joint with a spring; springs act only on joints with one position coordinate "
                                    "per freedom, and on spherical joints; set its stiffness to zero");
      if (d.stiffness != 0 && turns && d.rest != 0)
        throw std::invalid_argument("Simulation: coordinate " + std::to_string(n.v + k) +
                                    " of a spherical joint has a spring with rest " + std::to_string(d.rest) +
                                    "; springs of spherical joints are at rest where the joint is not turned; set its "
                                    "rest to zero");
      springs_.push_back({at(turns ? n.q : n.q + k), at(n.v + k), d.stiffness, d.damping, d.rest, turns ? k : -1,
                          d.stiffness_terms, d.damping_terms});
      spring_armature_[n.v + k] = dt * dt * d.stiffness, damper_armature_[n.v + k] = dt * d.damping;
    }
  }
  rows_ = std::make_unique<RowDrives>(m, dt);
  for (std::size_t i = 0; i < m.spec().actuators.size(); ++i) {
    const ActuatorSpec& a = m.spec().actuators[i];
    actuators_.push_back({.spec = &a, .target = Target::row, .row = rows_->row_of(i)});
    if (rows_->row_of(i) < 0) actuators_.back() = make_actuator(a);
    adheres_ = adheres_ || actuators_.back().target == Target::contacts;
  }
  make_laws();
  for (Actuator& a : actuators_) {
    if (a.target != Target::number) continue;
    // Only positive stiffness and damping are taken at the end of the step.
    const double gear = a.spec->gear[0];
    a.stiffness = std::max(0.0, -gear * gear * a.law.bias[1]);
    a.damping = std::max(0.0, -gear * gear * a.law.bias[2]);
    actuator_armature_[a.v] += dt * a.damping + dt * dt * a.stiffness;
  }
  for (std::size_t b = 0; b < m.spec().bodies.size(); ++b) {
    const BodySpec& body = m.spec().bodies[b];
    const int number = static_cast<int>(b) + 1;
    if (body.gravity_compensation != 0 && m.bodies()[number].node != 0)
      lifted_.push_back({number, body.com, -(body.gravity_compensation * body.mass) * m.gravity()});
  }
  for (auto* x : {&forces_, &lengths_, &speeds_}) x->resize(actuators_.size());
  limits_.resize(actuators_.size(), kFree);
  find_weightless();
  if (!rows_->any()) rows_.reset();
  any_ = !springs_.empty() || !actuators_.empty() || rows_ || !lifted_.empty();
  for (std::size_t k = 0; k < actuator_armature_.size(); ++k)
    twin_armature_[k] = added_armature(k), implicit_ = implicit_ || twin_armature_[k] > 0;
}

// Coordinates that only their drives give inertia to.
void Drives::find_weightless() {
  constexpr double kNone = 1e-12;  // of the largest
  std::vector<double> moved = calc_moved_inertia(model_);
  for (std::size_t k = 0; k < moved.size(); ++k) moved[k] += spring_armature_[k] + damper_armature_[k];
  const double largest = moved.empty() ? 0 : *std::max_element(moved.begin(), moved.end());
  for (const double x : moved) weightless_.push_back(x <= kNone * largest);
}

Drives::Actuator Drives::make_actuator(const ActuatorSpec& spec) const {
  const auto refuse = [&](const std::string& why) {
    const std::string line = spec.where.line > 0 ? " (line " + std::to_string(spec.where.line) + ")" : "";
    throw std::invalid_argument("Simulation: actuator '" + spec.name + "'" + line + " " + why);
  };
  Actuator a;
  a.spec = &spec;
  if (spec.transmission == Transmission::site) {
    const auto frame = model_.find_frame(spec.target);
    if (!frame) refuse("acts on the site '" + spec.target + "', which the model does not have");
    a.target = Target::site, a.site = *frame;
    a.in_body = frame->in_node * inverse(model_.bodies()[frame->body].in_node);
    return a;
  }
  if (spec.transmission == Transmission::body) {
    const auto body = model_.find_body(spec.target);
    if (!body) refuse("acts on the body '" + spec.target + "', which the model does not have");
    a.target = Target::contacts, a.node = model_.bodies()[*body].node;
    return a;
  }
  const JointEntry* j = model_.find_joint(spec.target);
  if (!j) refuse("acts on the joint '" + spec.target + "', which the model does not have");
  a.q = at(j->q), a.v = at(j->v);
  if (j->kind == JointKind::spherical && spec.transmission == Transmission::joint) {
    a.target = Target::turn;
    return a;
  }
  if (j->nv != 1 || j->nq != 1)
    refuse("acts on the joint '" + spec.target + "', which has " + std::to_string(j->nv) +
           " velocity coordinates; drive joints of one coordinate, spherical and free joints, sites or tendons");
  return a;
}

Model Drives::make_twin() const {
  std::vector<double> all(actuator_armature_.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = added_armature(k);
  return with_armature(model_, all);
}

// d(length)/dq of an actuator.
void Drives::calc_moment(int actuator, const KinematicsWorkspace<double>& at_q, In<double> q, Out<double> J) {
  at_q.made_for.check("Drives::calc_moment", model_, "kinematics");
  check_index("Drives::calc_moment", "actuator", actuator, actuators_.size());
  check_size("Drives::calc_moment", "q", q.size(), at(model_.nq()));
  check_size("Drives::calc_moment", "J", J.size(), at(model_.nv()));
  const Actuator& a = actuators_[at(actuator)];
  const auto& gear = a.spec->gear;
  std::fill(J.begin(), J.end(), 0.0);
  if (a.target == Target::number) J[a.v] = gear[0];
  if (a.target == Target::turn) std::copy_n(gear.begin(), 3, J.begin() + static_cast<std::ptrdiff_t>(a.v));
  if (a.target == Target::site) {
    const Force<double> f =
        apply_inverse(a.site.in_node, Force<double>{{gear[3], gear[4], gear[5]}, {gear[0], gear[1], gear[2]}});
    if (a.site.node != 0) calc_row_jacobian(model_, at_q, q, {{&a.site.node, 1}, {&f, 1}}, J);
  }
  if (a.target != Target::row) return;
  const double scale = a.spec->transmission == Transmission::tendon ? gear[0] : 1;
  for (std::size_t k = 0; k < J.size(); ++k) J[k] = scale * rows_->jacobian(a.row)[k];
}

// Numbers that depend on the inertia at the neutral position, for those that need it.
void Drives::make_laws() {
  const auto depends = [](const Actuator& a) { return a.spec->damping_ratio > 0 || a.spec->muscle.has_value(); };
  const bool any = std::any_of(actuators_.begin(), actuators_.end(), depends);
  const std::size_t n = moment_.size();
  std::vector<double> Minv(any ? n * n : 0), x(n);
  VelocityWorkspace<double> motion(model_);
  if (any) {
    MassInverseWorkspace<double> work(model_);
    calc_mass_inverse<double>(model_, work, model_.neutral(), {Minv.data(), n, n});
    calc_velocities<double>(model_, motion, model_.neutral(), x);
    rows_->calc(model_.neutral(), x, motion);
  }
  const auto solve = [&](In<double> J) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = 0;
      for (std::size_t k = 0; k < n; ++k) x[i] += Minv[i * n + k] * J[k];
    }
    double inverse_inertia = 0;
    for (std::size_t i = 0; i < n; ++i) inverse_inertia += J[i] * x[i];
    return inverse_inertia;
  };
  for (std::size_t t = 0; any && t < model_.tendons().size(); ++t) {
    // M + a J^T J has the inverse  M^-1 - x x^T a / (1 + a J x)  with x = M^-1 J^T
    const double a = model_.spec().tendons[t].armature;
    const double scale = a / (1 + a * solve(rows_->jacobian(static_cast<int>(t))));
    for (std::size_t i = 0; i < n * n; ++i) Minv[i] -= scale * x[i / n] * x[i % n];
  }
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    Actuator& a = actuators_[i];
    double inertia = 0, acceleration = 0;
    if (depends(a)) {
      calc_moment(static_cast<int>(i), motion.kinematics, model_.neutral(), moment_);
      const double inverse = solve(moment_);
      inertia = inverse > 0 ? 1 / inverse : 0;
      for (const double y : x) acceleration += y * y;
    }
    a.law = make_actuator_law(*a.spec, inertia, std::sqrt(acceleration));
  }
}

void Drives::hold_contacts(std::span<const ContactPoint> contacts, double reach) {
  contacts_.clear();
  for (const ContactPoint& c : contacts)
    if (c.gap <= reach) contacts_.push_back(c);
}

// The force pulls the body and what it touches together, in equal shares at its contacts.
void Drives::pull_contacts(const Actuator& a, double force, In<double> q, const KinematicsWorkspace<double>& at_q) {
  const auto on_body = [&](const ContactPoint& c) { return c.node_a == a.node || c.node_b == a.node; };
  const auto count = static_cast<double>(std::count_if(contacts_.begin(), contacts_.end(), on_body));
  for (const ContactPoint& c : contacts_) {
    if (!on_body(c)) continue;
    for (const bool first : {true, false}) {
      const int node = first ? c.node_a : c.node_b;
      if (node == 0) continue;
      const Transform<double>& X = at_q.X[node];
      const Vec3<double> f = apply(X.E, (first ? -force / count : force / count) * c.normal);
      const Force<double> pull{cross(apply_to_point(X, c.point), f), f};
      calc_row_jacobian(model_, at_q, q, {{&node, 1}, {&pull, 1}}, moment_);
      for (std::size_t k = 0; k < moment_.size(); ++k) other_force_[k] += moment_[k];
    }
  }
}

int Drives::most_rows() const { return rows_ ? rows_->most_rows() : 0; }
void Drives::add_soft_rows(std::vector<JointRow>& rows) const {
  if (rows_) rows_->add_soft_rows(rows);
}
void Drives::add_stops(In<double> q, In<double> v, const VelocityWorkspace<double>& motion, double recovery,
                       std::vector<JointRow>& rows) {
  motion.kinematics.made_for.check("Drives", model_, "motion");
  check_size("Drives", "q", q.size(), at(model_.nq()));
  check_size("Drives", "v", v.size(), at(model_.nv()));
  if (!rows_) return;
  rows_->calc(q, v, motion);
  rows_->add_stops(recovery, rows);
}
bool Drives::add_passed(In<double> v_after, double recovery, std::vector<JointRow>& rows) const {
  check_size("Drives", "v_after", v_after.size(), at(model_.nv()));
  return rows_ && rows_->add_passed(v_after, recovery, rows);
}
double Drives::calc_violation(const KinematicsWorkspace<double>& at_q, In<double> q) const {
  at_q.made_for.check("Drives", model_, "kinematics");
  check_size("Drives", "q", q.size(), at(model_.nq()));
  return rows_ ? rows_->calc_violation(at_q, q) : 0;
}

std::string Drives::name_row(const JointRow& row) const { return rows_ ? rows_->name_row(row) : "an actuator"; }

void Drives::calc_activation_rates(In<double> control, In<double> activation, Out<double> rates) const {
  check_size("Drives", "control", control.size(), actuators_.size());
  check_size("Drives", "activation", activation.size(), at(model_.activations()));
  check_size("Drives", "rates", rates.size(), at(model_.activations()));
  for (std::size_t i = 0; i < actuators_.size(); ++i)
    if (const int k = model_.activation_of()[i]; k >= 0)
      rates[k] = calc_activation_rate(*actuators_[i].spec, control[i], activation[k]);
}
void Drives::step_activations(In<double> control, Out<double> activation) const {
  check_size("Drives", "control", control.size(), actuators_.size());
  check_size("Drives", "activation", activation.size(), at(model_.activations()));
  for (std::size_t i = 0; i < actuators_.size(); ++i)
    if (const int k = model_.activation_of()[i]; k >= 0)
      activation[k] = step_activation(*actuators_[i].spec, control[i], activation[k], dt_);
}

void Drives::add_forces(In<double> q, In<double> v, In<double> control, const VelocityWorkspace<double>& motion,
                        Out<double> tau, std::vector<Force<double>>& external, In<double> activation) {
  const char* call = "Drives";
  motion.kinematics.made_for.check(call, model_, "motion");
  check_size(call, "q", q.size(), at(model_.nq()));
  check_size(call, "v", v.size(), at(model_.nv()));
  check_size(call, "control", control.size(), actuators_.size());
  check_size(call, "tau", tau.size(), at(model_.nv()));
  check_size(call, "activation", activation.size(), at(model_.activations()));
  if (!external.empty()) check_size(call, "external", external.size(), model_.bodies().size());
  if (rows_) rows_->calc(q, v, motion), rows_->calc_passive();
  for (auto* x : {&spring_force_, &damper_force_, &other_force_}) std::fill(x->begin(), x->end(), 0.0);
  for (const Spring& s : springs_) {
    double stretch = 0;
    if (s.axis < 0) {
      stretch = q[s.q] - s.rest;
    } else {
      stretch = rotation_vector(q.data() + s.q)[s.axis];
    }
    const double x = stretch, u = v[s.v];
    spring_force_[s.v] = -s.stiffness * (x + dt_ * u) - (s.stiffness_terms[0] + s.stiffness_terms[1] * x) * x * x;
    damper_force_[s.v] = -s.damping * u - (s.damping_terms[0] * std::abs(u) + s.damping_terms[1] * u * u) * u;
  }
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    Actuator& a = actuators_[i];
    const auto& gear = a.spec->gear;
    double input = clamp_control(*a.spec, control[i]);
    if (const int k = model_.activation_of()[i]; k >= 0)
      input = a.spec->early && dt_ > 0 ? step_activation(*a.spec, control[i], activation[k], dt_) : activation[k];
    const auto calc_force = [&](double length, double speed) {
      lengths_[i] = length, speeds_[i] = speed;
      return std::clamp(calc_actuator_force(a.law, input, length, speed).force, a.spec->force_lower,
                        a.spec->force_upper);
    };
    if (a.target == Target::number) {
      forces_[i] = calc_force(gear[0] * q[a.q], gear[0] * v[a.v]);
      a.plain = calc_actuator_force(a.law, input, lengths_[i], speeds_[i]).force;
    } else if (a.target == Target::turn) {
      const std::array<double, 3> turn = rotation_vector(q.data() + a.q);
      double length = 0, speed = 0;
      for (std::size_t k = 0; k < 3; ++k) length += gear[k] * turn[k], speed += gear[k] * v[a.v + k];
      forces_[i] = calc_force(length, speed);
      for (std::size_t k = 0; k < 3; ++k) other_force_[a.v + k] += gear[k] * forces_[i];
    } else if (a.target == Target::row) {
      // Tendon rows are of the length itself; in others the gear is part of the row.
      const double scale = a.spec->transmission == Transmission::tendon ? gear[0] : 1;
      lengths_[i] = scale * rows_->length(a.row), speeds_[i] = scale * rows_->speed(a.row);
      ActuatorForce f = calc_actuator_force(a.law, input, lengths_[i], speeds_[i]);
      forces_[i] = std::clamp(f.force, a.spec->force_lower, a.spec->force_upper);
      if (forces_[i] != f.force) f = {forces_[i], 0, 0};
      rows_->push(a.row, scale, f);
    } else if (a.target == Target::contacts) {
      forces_[i] = calc_force(0, 0);
      pull_contacts(a, forces_[i], q, motion.kinematics);
    } else {
      const Force<double> along{{gear[3], gear[4], gear[5]}, {gear[0], gear[1], gear[2]}};
      const Motion<double> moves = get_velocity(motion, a.site, ReferenceFrame::body);
      forces_[i] = calc_force(0, dot(along, moves));
      external.resize(model_.bodies().size());
      external[a.site.body] += apply_inverse(a.in_body, forces_[i] * along);
    }
  }
  std::fill(limits_.begin(), limits_.end(), kFree), std::fill(effort_limits_.begin(), effort_limits_.end(), kFree);
  find_limits(v, v);
  sum_actuators(v);
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += spring_force_[k] + damper_force_[k] + actuator_force_[k];
  if (rows_) {
    rows_->limit();
    for (std::size_t i = 0; i < actuators_.size(); ++i)
      if (actuators_[i].target == Target::row) forces_[i] *= rows_->effort_share(actuators_[i].row);
    rows_->add_forces(tau);
  }
  if (!lifted_.empty()) external.resize(model_.bodies().size());
  for (const Lifted& b : lifted_) {
    const Vec3<double> f = apply(get_body_pose(model_, motion.kinematics, b.body).E, b.force);
    external[b.body] += {cross(b.com, f), f};
  }
}

// Which limits hold at the end of a step to v_after, where without them  f = f0 - (K dt v+ + D (v+ - v)) / gear.
// True: one has changed.
bool Drives::find_limits(In<double> v, In<double> v_after) {
  bool changed = false;
  const auto update = [&](double& limit, double force, double lower, double upper) {
    const double found = find_bound(force, lower, upper, limit);
    changed = changed || !is_same_limit(limit, found), limit = found;
  };
  std::vector<double>& sum = moment_;
  std::copy(other_force_.begin(), other_force_.end(), sum.begin());
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Actuator& a = actuators_[i];
    if (a.target != Target::number) continue;
    const double gear = a.spec->gear[0];
    const double change = dt_ * a.stiffness * v_after[a.v] + a.damping * (v_after[a.v] - v[a.v]);
    const double force = change == 0 ? a.plain : a.plain - change / gear;
    update(limits_[i], force, a.spec->force_lower, a.spec->force_upper);
    sum[a.v] += gear * (std::isnan(limits_[i]) ? force : limits_[i]);
  }
  for (std::size_t k = 0; k < v.size(); ++k) {
    const double most = model_.dofs()[k].max_effort;
    update(effort_limits_[k], sum[k], -most, most);
  }
  return changed;
}

// Forces that are constant in the step, and armature for what is linear in its velocity. A coordinate that moves no
// inertia keeps that of a drive at its limit: without it, its motion would not be defined.
void Drives::sum_actuators(In<double> v) {
  std::copy(other_force_.begin(), other_force_.end(), actuator_force_.begin());
  std::fill(actuator_armature_.begin(), actuator_armature_.end(), 0.0);
  for (std::size_t i = 0; i < actuators_.size(); ++i) {
    const Actuator& a = actuators_[i];
    if (a.target != Target::number) continue;
    const bool limited = !std::isnan(limits_[i]);
    actuator_force_[a.v] +=
        limited ? a.spec->gear[0] * limits_[i] : a.spec->gear[0] * a.plain - dt_ * a.stiffness * v[a.v];
    actuator_armature_[a.v] += limited && !weightless_[a.v] ? 0 : dt_ * a.damping + dt_ * dt_ * a.stiffness;
  }
  for (std::size_t k = 0; k < v.size(); ++k)
    if (!std::isnan(effort_limits_[k])) {
      actuator_force_[k] = effort_limits_[k];
      if (!weightless_[k]) actuator_armature_[k] = 0;
    }
}

bool Drives::update_limits(In<double> v, In<double> v_after, Out<double> tau) {
  check_size("Drives", "v", v.size(), at(model_.nv()));
  check_size("Drives", "v_after", v_after.size(), at(model_.nv()));
  check_size("Drives", "tau", tau.size(), at(model_.nv()));
  if (!find_limits(v, v_after)) return false;
  std::copy(actuator_force_.begin(), actuator_force_.end(), moment_.begin());
  sum_actuators(v);
  for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += actuator_force_[k] - moment_[k];
  return true;
}

void Drives::add_forces_of_twin(In<double> v, In<double> turning, Out<double> tau) const {
  check_size("Drives", "v", v.size(), at(model_.nv()));
  if (turning.size() != 0) check_size("Drives", "turning", turning.size(), at(model_.nv()));
  check_size("Drives", "tau", tau.size(), at(model_.nv()));
  if (!implicit_) return;
  for (const Node& n : model_.nodes()) {
    double E[kMaxJointDofs], b[kMaxJointDofs];
    for (int k = 0; k < n.nv; ++k) E[k] = added_armature(at(n.v + k));
    if (!has_armature_bias(n.joint.kind, E)) continue;
    calc_armature_bias(n.joint.kind, E, v, n.v, b);
    for (int k = 0; k < n.nv; ++k) tau[n.v + k] += b[k] - (turning.size() == 0 ? 0 : E[k] * turning[n.v + k]);
  }
}

DriveWork Drives::calc_power(In<double> v) const {
  check_size("Drives", "v", v.size(), at(model_.nv()));
  DriveWork w = rows_ ? rows_->calc_power() : DriveWork{};
  for (std::size_t k = 0; k < v.size(); ++k) {
    w.springs += spring_force_[k] * v[k], w.dampers += damper_force_[k] * v[k];
    w.actuators += actuator_force_[k] * v[k];
  }
  return w;
}

void Drives::forget() { std::fill(forces_.begin(), forces_.end(), 0.0); }

DriveWork Drives::calc_work(In<double> v, In<double> v_after) const {
  check_size("Drives", "v", v.size(), at(model_.nv()));
  check_size("Drives", "v_after", v_after.size(), at(model_.nv()));
  DriveWork w = rows_ ? rows_->calc_work(v, v_after) : DriveWork{};
  for (std::size_t k = 0; k < v.size(); ++k) {
    const double change = v_after[k] - v[k], mean = (v[k] + v_after[k]) / 2;
    w.springs += (dt_ * spring_force_[k] - spring_armature_[k] * change) * mean;
    w.dampers += (dt_ * damper_force_[k] - damper_armature_[k] * change) * mean;
    w.actuators += (dt_ * actuator_force_[k] - actuator_armature_[k] * change) * mean;
  }
  return w;
}

}  // namespace sinew
