// src/sim/impact_log.hpp - what the impacts of a step did, for StepDerivatives
#pragma once
#include <cstdint>
#include <vector>

#include "sinew/contact/contact_point.hpp"
#include "sinew/contact/joint_row.hpp"
#include "sinew/sim/drives.hpp"

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
  // The problem of the step without what closes fast: it leads to the first impacts.
  struct Path {
    std::vector<double> end;  // (nv) the velocity
    std::vector<ContactPoint> contacts;
    std::vector<double> bias, impulses;  // (contacts), (3 contacts)
    std::vector<JointRow> joints;
    std::vector<double> joint_impulses, joint_velocities;  // (joints)
    DriveSlopes drives;
  };
  // A contact with restitution that closes too slowly to bounce: by how much [m/s].
  struct Slow {
    std::uint64_t id = 0;
    double spare = 0;
  };
  void clear() { rounds.clear(), slow.clear(); }

  Path path;
  std::vector<Round> rounds;
  std::vector<Slow> slow;
};

}  // namespace sinew::stepping
