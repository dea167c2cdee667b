// sinew/sim/random_pushes.hpp - every 0.2 s a random body is pushed at its centre of mass for 0.05 s
// In a random direction, with half the weight of the tree that it is part of. Body and direction depend only on the
// seed and the number of the push, so a run that is cut and resumed gets the same pushes.
//   RandomPushes pushes(model, 1, s.options().dt);
//   s.controller = [&](Simulation& x) { pushes.calc(x.totals().steps, x.state, x.external); };
#pragma once
#include <cstdint>
#include <vector>

#include "sinew/model/configuration.hpp"
#include "sinew/tree/kinematics.hpp"

namespace sinew {

class RandomPushes {
 public:
  // dt: [s] of a step. The model must outlive it. Throws std::invalid_argument where no body moves.
  RandomPushes(const Model&, std::uint64_t seed, double dt);
  RandomPushes(const Model&&, std::uint64_t seed, double dt) = delete;
  // Forces on all bodies, each in its frame, for the step of that number from that state.
  void calc(long step, const State&, std::vector<Force<double>>& external);

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

}  // namespace sinew
