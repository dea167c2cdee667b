// src/sim/stepper.cpp
#include "sinew/sim/stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

Stepper::Stepper(const Model& m, const ConstraintSet* set, double step_length)
    : state(make_state(m)),
      control(m.spec().actuators.size()),
      applied(static_cast<std::size_t>(m.nv())),
      model_(m),
      own_set_(set ? nullptr : std::make_unique<const ConstraintSet>(m)),
      set_(set ? *set : *own_set_),
      step_length_(find_length(m, step_length)),
      shapes_(m),
      energies_(m),
      momenta_(m),
      acceleration_(static_cast<std::size_t>(m.nv())) {
  set_.problem().made_for().check("Stepper", m, "the constraint set");
}

// Checks all that a caller may set between steps.
void Stepper::check_sizes(In<double> tau) const {
  const char* call = "step";
  check_size(call, "state.q", state.q.size(), at(model_.nq()));
  check_size(call, "state.v", state.v.size(), at(model_.nv()));
  check_size(call, "control", control.size(), model_.spec().actuators.size());
  check_size(call, "applied", applied.size(), at(model_.nv()));
  if (!external.empty()) check_size(call, "external", external.size(), model_.bodies().size());
  if (tau.size() != 0) check_size(call, "tau", tau.size(), at(model_.nv()));
}

const StepReport& Stepper::step(In<double> tau) {
  prepare_step();
  check_sizes(tau);
  begin_step();
  take_step(tau);
  end_step();
  return report_;
}

Vec3<double> Stepper::contact_force(std::size_t contact) const {
  check_index("contact_force", "contact", contact, contact_forces_.size());
  return contact_forces_[contact];
}

double Stepper::kinetic_energy() { return calc_kinetic_energy(model_, energies_, state.q, state.v, state.time); }
double Stepper::potential_energy() { return calc_potential_energy(model_, energies_, state.q, state.time); }
double Stepper::unaccounted_energy() {
  return totals_.steps == 0 ? 0 : kinetic_energy() + potential_energy() - totals_.start_energy - totals_.work.total();
}

Force<double> Stepper::momentum() { return calc_momentum<double>(model_, momenta_, state.q, state.v, state.time); }
Force<double> Stepper::unaccounted_momentum() {
  return totals_.steps == 0 ? Force<double>{} : momentum() - totals_.start_momentum - totals_.impulse.total();
}

void Stepper::begin_step() {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  report_ = {};
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
  t.slowed += report_.slowed, t.stuck += report_.stuck;
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

}  // namespace sinew
