// sinew/contact/contact_point.hpp - one point where two bodies touch, or nearly touch
#pragma once
#include <cstdint>
#include <vector>

#include "sinew/spatial/vec3.hpp"

namespace sinew {

struct ContactPoint {
  int node_a = 0, node_b = 0;  // of the model; 0 is the world
  Vec3<double> point{};        // world
  Vec3<double> normal{};       // world, unit, from b to a: a positive impulse pushes a along it [J14 section 2.1]
  double gap = 0;              // [m]; negative where the bodies overlap
  double friction = 0;         // Coulomb's mu
  double restitution = 0;      // 0 .. 1
  std::uint64_t id = 0;        // the same from step to step for the same place of the same pair of shapes
  double torsional_friction = 0, rolling_friction = 0;  // [m] see sim/spin_friction.hpp
  // From the point to where friction acts and slip is measured; zero but where Simulation takes the arm of a contact
  // that rolls half way through the step.
  Vec3<double> friction_offset{};
};

}  // namespace sinew
