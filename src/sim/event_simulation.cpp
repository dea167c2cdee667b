// src/sim/event_simulation.cpp
#include "sinew/sim/event_simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "plain_snapshot.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "smooth_forces.hpp"

namespace sinew {

struct EventSimulation::Work {
  explicit Work(EventSimulation& owner)
      : s(owner),
        forces(owner.model()),
        stops(owner.model()),
        run(owner.model(), owner.constraints(), owner.options_.events, {},
            [this](const StatePoint& x, Out<double> out) { forces.calc(x.q, x.v, s.state.activation, x.time, out); }),
        tau(static_cast<std::size_t>(owner.model().nv())) {}

  // [W] power of all forces, friction included, at the state of the run.
  WorkAccount calc_power() {
    const State& x = run.state();
    forces.calc(x.q, x.v, s.state.activation, x.time, tau);
    WorkAccount power = forces.power();
    for (const StayingContact& c : run.contacts()) {
      std::array<double, 3> u{};
      calc_contact_velocities({&c.point, 1}, forces.motion(), u);
      power.contact_friction += c.tangent[0] * u[1] + c.tangent[1] * u[2];
    }
    return power;
  }

  EventSimulation& s;
  SmoothForces forces;
  StopWatch stops;
  EventDriven run;
  std::vector<double> tau;
  std::vector<double> activation;  // in the last step
  bool begun = false;
  long events = 0;
};

EventSimulation::EventSimulation(const Model& m, const EventSimulationOptions& options)
    : EventSimulation(m, nullptr, options) {}
EventSimulation::EventSimulation(const Model& m, const ConstraintSet& set, const EventSimulationOptions& options)
    : EventSimulation(m, &set, options) {}
EventSimulation::EventSimulation(const Model& m, const ConstraintSet* set, const EventSimulationOptions& options)
    : Stepper(m, set, options.dt), options_(options) {
  options_.dt = step_length_, interrupt = options.events.solver.interrupt;
  refuse_spin_friction("EventSimulation");
  work_ = std::make_unique<Work>(*this);
}
EventSimulation::~EventSimulation() = default;

void EventSimulation::take_step(In<double> tau) {
  const auto started = std::chrono::steady_clock::now();
  Work& w = *work_;
  const bool other_forces = w.forces.hold(*this, tau) || w.activation != state.activation;
  w.run.set_interrupt(interrupt);
  const State& there = w.run.state();
  EventDrivenReport before = w.run.report();
  long evaluations = w.run.integrator().report().evaluations;
  if (!w.begun || other_forces || there.time != state.time || there.q != state.q || there.v != state.v) {
    w.stops.check(state.q, state.time);
    w.run.set_state(state);  // resets the counts to zero
    before = {}, evaluations = 0;
    w.begun = true;
  }
  const WorkAccount from = w.calc_power();
  try {
    w.run.advance(state.time + step_length_);
  } catch (const Interrupted&) {
    w.begun = false;
    throw;
  }
  w.stops.check(w.run.state().q, w.run.state().time);

  const EventDrivenReport& after = w.run.report();
  const WorkAccount to = w.calc_power();
  for (double WorkAccount::*work : {&WorkAccount::actuators, &WorkAccount::springs, &WorkAccount::dampers,
                                    &WorkAccount::applied, &WorkAccount::external, &WorkAccount::contact_friction})
    report_.work.*work = step_length_ * (from.*work + to.*work) / 2;
  report_.work.collisions = report_.collision_gain = after.impact_energy - before.impact_energy;
  report_.collisions = static_cast<int>(after.impacts - before.impacts);
  w.events += after.events - before.events;
  totals_.problems += after.problems - before.problems;
  report_.residual = after.worst_residual, report_.penetration = after.deepest;
  // Activations are constant within a step.
  w.activation = state.activation;
  state = w.run.state();
  state.activation = w.activation;
  for (std::size_t i = 0; i < control.size(); ++i)
    if (const int k = model_.activation_of()[i]; k >= 0)
      state.activation[k] = step_activation(model_.spec().actuators[i], control[i], state.activation[k], step_length_);
  contacts_.clear(), contact_forces_.clear();
  for (const StayingContact& c : w.run.contacts()) {
    contacts_.push_back(c.point);
    contact_forces_.push_back(to_world(c.point.normal, c.force, c.tangent[0], c.tangent[1]));
  }
  w.run.integrator().evaluate({state.q, state.v, {}, state.time}, acceleration_, {});
  report_.contacts = static_cast<int>(contacts_.size());
  report_.solver = "none";
  report_.iterations = static_cast<int>(w.run.integrator().report().evaluations - evaluations);
  totals_.solution += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

In<double> EventSimulation::actuator_forces() const { return work_->forces.actuator_forces(); }
long EventSimulation::events() const { return work_->events; }

OptionTexts EventSimulation::describe() const {
  const IntegratorOptions& i = options_.events.integrator;
  return {{"integrator", "events"},
          {"dt", to_text(options_.dt)},
          {"method", std::string(to_string(i.method))},
          {"relative", to_text(i.relative)},
          {"absolute", to_text(i.absolute)},
          {"friction", options_.events.friction == EventFriction::coulomb  ? "coulomb"
                       : options_.events.friction == EventFriction::ignore ? "ignore"
                                                                           : "refuse"}};
}
Snapshot EventSimulation::make_snapshot() const { return make_plain_snapshot(*this); }

}  // namespace sinew
