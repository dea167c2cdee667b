// sinew/sim/event_simulation.hpp - hard contact from event to event (sim/event_driven.hpp) as a Stepper
// A step() covers dt, with all events in it at their own times. Springs, dampers, actuators and forces of the caller
// act as in a SmoothSimulation. A joint that reaches its stop ends the run with StepRefused; dry friction of joints is
// refused at once. The work of impacts is exact; that of forces is dt times the mean power at both ends.
//   EventSimulation s(model, {.dt = 1e-3});
#pragma once
#include <memory>

#include "sinew/sim/event_driven.hpp"
#include "sinew/sim/stepper.hpp"

namespace sinew {

struct EventSimulationOptions {
  double dt = 0;  // [s]; 0: the model's own timestep
  EventDrivenOptions events{.solver = {}, .friction = EventFriction::coulomb};
};

// In a step's report `collisions` counts impacts and `iterations` counts evaluations. step() also throws what
// EventDriven throws.
class EventSimulation : public Stepper {
 public:
  // The model must outlive it, and so must a set that is given; without one it has its own, of the model's loops and
  // couplings. Throws std::invalid_argument for options out of range, and naming what in the model is not smooth.
  explicit EventSimulation(const Model&, const EventSimulationOptions& = {});
  EventSimulation(const Model&, const ConstraintSet&, const EventSimulationOptions& = {});
  explicit EventSimulation(const Model&&, const EventSimulationOptions& = {}) = delete;
  EventSimulation(const Model&&, const ConstraintSet&, const EventSimulationOptions& = {}) = delete;
  EventSimulation(const Model&, const ConstraintSet&&, const EventSimulationOptions& = {}) = delete;
  ~EventSimulation() override;

  In<double> actuator_forces() const override;
  const EventSimulationOptions& options() const { return options_; }
  long events() const;  // of all steps
  OptionTexts describe() const override;
  Snapshot make_snapshot() const override;

 private:
  struct Work;
  EventSimulation(const Model&, const ConstraintSet*, const EventSimulationOptions&);
  void take_step(In<double> tau) override;

  EventSimulationOptions options_;
  std::unique_ptr<Work> work_;
};

}  // namespace sinew
