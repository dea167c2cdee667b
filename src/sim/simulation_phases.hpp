// src/sim/simulation_phases.hpp - the phases of a step, and what is put back where one is not completed
#pragma once
#include "step_account.hpp"
#include "step_collisions.hpp"
#include "step_grips.hpp"
#include "step_rest.hpp"

namespace sinew {

struct Simulation::Phases {
  Phases(stepping::Setting s, std::unique_ptr<Drives> of_model, std::unique_ptr<Model> twin_of_drives);
  Phases(const Phases&) = delete;
  Phases& operator=(const Phases&) = delete;
  void reserve(const State&, ContactShapes&, bool moves_mocap, int contacts);  // so that steps allocate nothing

  const stepping::Setting setting;
  const std::unique_ptr<Drives> drives;
  const std::unique_ptr<Model> twin;  // of the drives; none: the model itself
  stepping::Detection detection;
  stepping::Arms arms;
  stepping::Rows rows;
  stepping::Forces forces;
  stepping::Movement movement;
  stepping::Solution solution;
  stepping::Grips grips;
  stepping::Collisions collisions;
  stepping::Account account;
  stepping::Rest rest;

  // Before the step.
  std::vector<double> before_v, before_q;  // before_q: where there are mocap bodies
  struct Kept {
    ContactMemory contact, collision;
    std::vector<ContactPoint> contacts;
    stepping::Rows::Stuck stuck;
    stepping::Rows::Bends bends;
  };
  Kept kept;  // where the step may be interrupted
};

}  // namespace sinew
