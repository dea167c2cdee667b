// sinew/batch/perturb.hpp - models that differ in a few numbers: one per world of a SimulationBatch
//   const Perturbation heavier{Property::mass, "torso", {8, 9, 10}};   // [kg] in worlds 0, 1, 2
//   const Model m = compile(perturb(model, {&heavier, 1}, world)).value();
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/model/model.hpp"

namespace sinew {

// What may differ between worlds.
enum class Property {
  mass,            // [kg] of a body; its inertia grows with it, its centre stays
  friction,        // of a shape, or of a pair of shapes that names its own
  restitution,     // of a shape
  damping,         // of a joint, all its coordinates, as the next three
  joint_friction,  // dry
  armature,
  stiffness,
  gain,  // of an actuator: a factor of its whole law, gain and bias; 1: as it is
};
inline constexpr Property kProperties[] = {
    Property::mass,           Property::friction, Property::restitution, Property::damping,
    Property::joint_friction, Property::armature, Property::stiffness,   Property::gain};
std::string_view to_string(Property);

// One property of one thing, a value per world.
struct Perturbation {
  Property property = Property::mass;
  std::string name;            // of the body, shape, joint or actuator
  std::vector<double> values;  // one per world
};

// The model's specification with the values of world `world`. Throws std::invalid_argument naming a thing that the
// model does not have, a world without a value, or a value that has no meaning.
ModelSpec perturb(const Model&, std::span<const Perturbation>, std::size_t world);

}  // namespace sinew
