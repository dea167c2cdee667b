// sinew/sim/report.hpp - what a step did, and what all steps did: sizes, residuals, work
#pragma once
#include <string>
#include <string_view>

#include "sinew/lcp/certificate.hpp"
#include "sinew/spatial/force.hpp"

namespace sinew {

// [J] Work on the mechanism, by its source. An impulse does  p . (u- + u+) / 2.
struct WorkAccount {
  double actuators = 0, springs = 0, dampers = 0, applied = 0;  // applied: joint forces of the caller
  double external = 0;  // forces on bodies, those of actuators at sites and of the medium too
  double contact_normal = 0, contact_friction = 0, collisions = 0;
  double stops = 0, joint_friction = 0, loops = 0;
  double total() const;
  WorkAccount& operator+=(const WorkAccount&);
};

// [N m s, N s] What changed the momentum of the mechanism, about the origin of the world and along its axes. The rest
// of the change went through joints to the world; where all roots are free it is the error of the integrator. Kept by
// Simulation; NaN for other steppers.
struct ImpulseAccount {
  Force<double> weight{}, external{};  // external: as in WorkAccount
  Force<double> contacts{};            // with the world, in collisions too
  Force<double> total() const { return weight + external + contacts; }
  ImpulseAccount& operator+=(const ImpulseAccount&);
};

// What one step did.
struct StepReport {
  int contacts = 0, joint_rows = 0;  // in the step's problem
  int size = 0;                      // unknowns of the step's problem
  int collisions = 0;                // impacts, each of all that touches then
  int cut_short = 0;                 // 1: it had the most impacts of a step; what else would bounce was stopped
  int refinements = 0;               // times that the problem was solved again
  int iterations = 0;                // pivots, sweeps and Newton steps of all problems
  int slowed = 0;                    // overlaps and stops that `recovery_speed` slows down
  int stuck = 0;                     // those left as they are in this step, since the problem with them was not solved
  int close = 0;                     // problems solved less well than asked, within `acceptable`
  int unsolved = 0;                  // problems that were not solved
  int out_of_time = 0;               // those of them for which `most_seconds` was too little
  int wedged = 0;                    // those of them whose contacts are proved to contradict (Status::ray)
  bool asleep = false;               // all rests and nothing that acts has changed: the last step again, not calculated
  std::string_view solver;           // whose answer the step took
  lcp::Status status = lcp::Status::solved;
  double residual = 0;         // the worst relative one of all problems of the step
  double complementarity = 0;  // [J] largest  r_n (u_n + gap / dt)
  double cone = 0;             // [N s] farthest that an impulse of friction is outside its cone
  double penetration = 0;      // [m] deepest overlap after the step
  double violation = 0;        // [rad or m] farthest beyond a stop after the step
  double drift = 0;            // largest position error of the loops, before the step
  WorkAccount work;
  ImpulseAccount impulse;
  double collision_gain = 0;  // [J] the largest of any collision; positive only with RestitutionFriction::printed
};

// A contact or joint of a problem whose rows are proved to contradict.
struct WedgedPart {
  std::string name;  // "sphere 'ball' on plane 'floor'", "joint 'knee'", "tendon 'cable'"
  double share = 0;  // of the largest impulse of the proof, see lcp::Solver::contradiction
};

// Sums and extremes over all steps, and where the time went.
struct SimulationTotals {
  long steps = 0, collisions = 0, contact_steps = 0, problems = 0, close = 0, unsolved = 0, refinements = 0,
       iterations = 0, slowed = 0, stuck = 0, cut_short = 0, out_of_time = 0, wedged = 0;
  int most_contacts = 0, largest_size = 0;
  double worst_residual = 0, worst_complementarity = 0, worst_cone = 0;
  double deepest = 0, worst_violation = 0, worst_drift = 0;
  double largest_gain = 0;  // [J] in any one collision
  WorkAccount work;
  ImpulseAccount impulse;
  double start_energy = 0;                                         // [J] before the first step
  Force<double> start_momentum{};                                  // [N m s, N s] before the first step
  double detection = 0, assembly = 0, solution = 0, recovery = 0;  // [s] of wall clock
};

}  // namespace sinew
