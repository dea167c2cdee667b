// apps/pushes.hpp - random pushes: every 0.2 s one body is pushed at its centre of mass for 0.05 s, in a random
// direction, with half the weight of the tree that it is part of Which body and where to depends on the seed and on the
// number of the push alone, so a run that is cut and resumed gets the same ones.
#pragma once
#include <cstdint>
#include <vector>

#include "sinew/sim/simulation.hpp"

namespace sinew::app {

class Pushes {
 public:
  Pushes(const Model&, std::uint64_t seed, double dt);
  // Sets the external forces of the step that comes.
  void apply(Simulation&);

 private:
  struct Target {
    int body = 0;
    double force = 0;  // [N]
  };
  const Model& model_;
  std::uint64_t seed_;
  long period_, duration_;  // [steps]
  std::vector<Target> targets_;
  KinematicsWorkspace<double> kinematics_;
};

}  // namespace sinew::app
