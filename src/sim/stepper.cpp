// src/sim/stepper.cpp
#include "sinew/sim/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sinew {
namespace {

double find_length(const Model& m, double dt) {
  if (dt == 0) dt = m.spec().timestep;
  if (!(dt > 0) || !std::isfinite(dt))
    throw std::invalid_argument("Simulation: the step must be positive, but dt is " + std::to_string(dt) +
                                " and the model states no timestep; set options.dt");
  return dt;
}

}  // namespace

std::string_view to_string(LoopMethod l) { return l == LoopMethod::rows ? "rows" : "embed"; }

Stepper::Stepper(const Model& m, const ConstraintSet* set, double step_length)
    : state(make_state(m)),
      control(m.spec().actuators.size()),
      applied(static_cast<std::size_t>(m.nv())),
      mocap(m),
      model_(m),
      own_set_(set ? nullptr : std::make_unique<const ConstraintSet>(m)),
      set_(set ? *set : *own_set_),
      step_length_(find_length(m, step_length)),
      shapes_(m),
      body_of_node_(find_first_bodies(m)),
      view_body_(m.bodies().size()),
      body_motion_(m),
      energies_(m),
      momenta_(m),
      acceleration_(static_cast<std::size_t>(m.nv())) {
  set_.problem().made_for().check("Stepper", m, "the constraint set");
  std::iota(view_body_.begin(), view_body_.end(), 0);
}
Stepper::Stepper(std::unique_ptr<Mechanism> mechanism, double step_length)
    : Stepper(mechanism->model(), nullptr, step_length) {
  mechanism_ = std::move(mechanism);
  shapes_ = ContactShapes(view());
  extra_ = mechanism_->extra_names();
  body_of_node_ = mechanism_->bodies_of_nodes();
  for (std::size_t b = 0; b < view_body_.size(); ++b) view_body_[b] = *view().find_body(model_.bodies()[b].name);
  body_motion_ = VelocityWorkspace<double>(view());
  state.q.resize(state.q.size() + extra_.size()), state.v.resize(state.v.size() + extra_.size());
}

void Stepper::calc_motion(In<double> q, In<double> v, double time, VelocityWorkspace<double>& of_view) {
  if (mechanism_)
    mechanism_->calc_motion(q, v, time, of_view);
  else
    calc_velocities(model_, of_view, q, v, time);
}

// Checks all that a caller may set between steps.
void Stepper::check_sizes(In<double> tau) const {
  const char* call = "step";
  check_size(call, "state.q", state.q.size(), at(model_.nq()) + extra_.size());
  check_size(call, "state.v", state.v.size(), at(model_.nv()) + extra_.size());
  check_size(call, "state.activation", state.activation.size(), at(model_.activations()));
  check_size(call, "control", control.size(), model_.spec().actuators.size());
  check_size(call, "applied", applied.size(), at(model_.nv()));
  if (!external.empty()) check_size(call, "external", external.size(), model_.bodies().size());
  if (tau.size() != 0) check_size(call, "tau", tau.size(), at(model_.nv()));
}

const StepReport& Stepper::step(In<double> tau) {
  interrupt.check();
  prepare_step();
  check_sizes(tau);
  if (mocap.moves() && !moves_mocap())
    throw std::invalid_argument("step: a mocap body has a new pose, but only Simulation (integrator step) moves them");
  const SimulationTotals before = totals_;
  begin_step();
  shapes_.interrupt = interrupt;
  try {
    take_step(tau);
  } catch (...) {
    totals_ = before;
    throw;
  }
  mocap.forget();
  end_step();
  return report_;
}

Vec3<double> Stepper::contact_force(std::size_t contact) const {
  check_index("contact_force", "contact", contact, contact_forces_.size());
  return contact_forces_[contact];
}

int Stepper::contact_body(int node) const {
  check_index("contact_body", "node", node, body_of_node_.size());
  return body_of_node_[at(node)];
}

void Stepper::calc_body_motions(std::vector<BodyMotion>& out) {
  calc_motion(state.q, state.v, state.time, body_motion_);
  out.resize(view_body_.size());
  for (std::size_t b = 0; b < out.size(); ++b) {
    out[b].pose = get_body_pose(view(), body_motion_.kinematics, view_body_[b]);
    out[b].velocity = get_velocity(body_motion_, view().bodies()[at(view_body_[b])], ReferenceFrame::mixed);
  }
}

double Stepper::kinetic_energy() {
  return mechanism_ ? mechanism_->kinetic_energy(state.q, state.v, state.time)
                    : calc_kinetic_energy(model_, energies_, state.q, state.v, state.time);
}
double Stepper::potential_energy() {
  return mechanism_ ? mechanism_->potential_energy(state.q, state.time)
                    : calc_potential_energy(model_, energies_, state.q, state.time);
}
double Stepper::unaccounted_energy() {
  return totals_.steps == 0 ? 0 : kinetic_energy() + potential_energy() - totals_.start_energy - totals_.work.total();
}

Force<double> Stepper::momentum() {
  return mechanism_ ? mechanism_->momentum(state.q, state.v, state.time)
                    : calc_momentum<double>(model_, momenta_, state.q, state.v, state.time);
}
Force<double> Stepper::unaccounted_momentum() {
  return totals_.steps == 0 ? Force<double>{} : momentum() - totals_.start_momentum - totals_.impulse.total();
}

void Stepper::begin_step() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  report_ = {}, wedged_.clear();
  ImpulseAccount& i = report_.impulse;
  i.weight = i.external =
      i.contacts = {{kNone, kNone, kNone}, {kNone, kNone, kNone}};  // NaN unless the stepper keeps account
  if (totals_.steps > 0) return;
  totals_.start_energy = kinetic_energy() + potential_energy(), totals_.start_momentum = momentum();
}

void Stepper::end_step() {
  SimulationTotals& t = totals_;
  if (report_.collisions > 0)
    t.largest_gain = t.collisions == 0 ? report_.collision_gain : std::max(t.largest_gain, report_.collision_gain);
  ++t.steps;
  t.collisions += report_.collisions, t.unsolved += report_.unsolved, t.close += report_.close,
      t.refinements += report_.refinements;
  t.slowed += report_.slowed, t.stuck += report_.stuck, t.cut_short += report_.cut_short;
  t.out_of_time += report_.out_of_time, t.wedged += report_.wedged;
  t.iterations += report_.iterations, t.contact_steps += report_.contacts > 0;
  t.most_contacts = std::max(t.most_contacts, report_.contacts);
  t.worst_residual = std::max(t.worst_residual, report_.residual);
  t.worst_complementarity = std::max(t.worst_complementarity, report_.complementarity);
  t.worst_cone = std::max(t.worst_cone, report_.cone);
  t.deepest = std::max(t.deepest, report_.penetration);
  t.worst_violation = std::max(t.worst_violation, report_.violation);
  t.worst_drift = std::max(t.worst_drift, report_.drift);
  t.work += report_.work, t.impulse += report_.impulse;
}

void Stepper::refuse_spin_friction(const char* stepper) const {
  if (const std::string who = shapes_.find_spin_friction(); !who.empty())
    throw std::invalid_argument(std::string(stepper) + ": the friction of " + who +
                                " resists spinning or rolling (condim 4 or 6), which only Simulation knows (integrator "
                                "step); use that, or set its friction law to sliding (condim 3)");
}

}  // namespace sinew
