// src/sim/impact_log.hpp - what the impacts of a step did, for StepDerivatives
#pragma once
#include <vector>

#include "sinew/contact/contact_point.hpp"

namespace sinew::stepping {

// In the notation of step_collisions.hpp.
struct ImpactLog {
  // Impacts of all groups of trees that went to one in the same round.
  struct Round {
    std::vector<double> time;                 // (nv) [s] of the step, now, of the group of each coordinate
    std::vector<int> group;                   // (nv)
    std::vector<double> start, rate, passed;  // (nv) of the path that led here
    std::vector<double> q, v;                 // here, before the impacts, along the axes here
    std::vector<double> compressed, after;    // (nv) velocities
    std::vector<ContactPoint> contacts;
    std::vector<double> compression, restitution;  // (3 contacts)
    bool stops = false;                            // a stop of a joint took part
  };
  std::vector<double> end;  // (nv) the velocity that the step would lead to without impacts
  std::vector<Round> rounds;
};

}  // namespace sinew::stepping
