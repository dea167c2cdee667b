// apps/sim/steppers.hpp - ways of stepping a scene, by name
#pragma once
#include <memory>
#include <string>

#include "common/scene.hpp"
#include "sinew/operators/flexible_model.hpp"

namespace sinew::app {

struct StepperInput {
  std::string integrator, law;                   // empty: what fits the other; both empty: step and rigid
  std::string loops = "rows";                    // or embed
  double stiffness = 0, damping = 0;             // of soft surfaces; 0: found from the weight of the scene
  double accuracy = 1e-8;                        // relative, of adaptive steps
  const sko::FlexibleModel* flexible = nullptr;  // bodies that bend; none: all are rigid. It outlives the stepper.
};
void add_stepper_input(Command&, StepperInput&);
// Throws InputError for names that are not known, for what does not go together, and where the scene cannot be stepped
// that way.
std::unique_ptr<Stepper> make_stepper(const SceneInput&, const StepperInput&, const Model&, const ConstraintSet&);

}  // namespace sinew::app
