// sinew/sim/smooth_simulation.hpp - integrators of higher order as a Stepper: no contact, or soft contact [F08
// section 11.8] A step() covers dt: one step of a fixed method, as many as its tolerances need of dormand_prince.
// Springs, dampers, actuators, loops, and forces of the caller act as in a Simulation, but are evaluated at each stage
// instead of at the end of the step. Work is integrated with the state, to the same accuracy. Without a soft surface
// there is no contact law: the first contact ends the run with StepRefused, as does a joint that reaches its stop. Dry
// friction of joints is refused at once.
//   SmoothSimulation s(model, {.method = IntegrationMethod::rkmk4, .dt = 1e-3});
//   SmoothSimulation t(model, {.dt = 1e-3, .soft = make_soft_surface(model)});
#pragma once
#include <memory>
#include <optional>

#include "sinew/sim/soft_contact.hpp"
#include "sinew/sim/stepper.hpp"

namespace sinew {

// Integrator, steps, tolerances and soft contact.
struct SmoothOptions {
  IntegrationMethod method = IntegrationMethod::dormand_prince;
  double dt = 0;                             // [s]; 0: the model's own timestep
  double relative = 1e-8, absolute = 1e-10;  // of adaptive steps
  std::optional<SoftSurface> soft;           // of all contacts
  LoopMethod loops = LoopMethod::rows;
};

// A surface on which the heaviest tree of the model, standing on one contact, sinks in by `depth` [m] and does not
// bounce much: K = m g / depth, D = 2 ratio sqrt(K m). Throws std::invalid_argument where nothing moves or has weight.
SoftSurface make_soft_surface(const Model&, double depth = 1e-3, double ratio = 0.7);

// In a step's report `iterations` counts evaluations and `refinements` counts rejected steps.
class SmoothSimulation : public Stepper {
 public:
  // The model must outlive it, and so must a set that is given; without one it has its own, of the model's loops and
  // couplings. Throws std::invalid_argument for options out of range, and naming what in the model is not smooth.
  explicit SmoothSimulation(const Model&, const SmoothOptions& = {});
  SmoothSimulation(const Model&, const ConstraintSet&, const SmoothOptions& = {});
  explicit SmoothSimulation(const Model&&, const SmoothOptions& = {}) = delete;
  SmoothSimulation(const Model&&, const ConstraintSet&, const SmoothOptions& = {}) = delete;
  SmoothSimulation(const Model&, const ConstraintSet&&, const SmoothOptions& = {}) = delete;
  ~SmoothSimulation() override;

  In<double> actuator_forces() const override;
  const SmoothOptions& options() const { return options_; }
  const EmbeddingReport* embedding() const override;
  double stored_energy() const;  // [J] in the soft surfaces; a part of what contact_normal and contact_friction took
  OptionTexts describe() const override;
  Snapshot make_snapshot() const override;

 private:
  struct Work;
  SmoothSimulation(const Model&, const ConstraintSet*, const SmoothOptions&);
  void take_step(In<double> tau) override;

  SmoothOptions options_;
  std::unique_ptr<Work> work_;
};

}  // namespace sinew
