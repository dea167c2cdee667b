// sinew/sim/simulation.hpp - semi-implicit time stepping with hard contact [J14 6, 7]
//   1. contacts that touch, or would within the step, are found
//   2. where bodies meet faster than `rest_speed` with restitution: a collision in two phases, in no time
//   3. v+ from the contact problem of the step,  n . v+ + gap / dt >= 0,  then  q+ = q moved by v+ for dt; what flies
//      flies straight (sim/straight_motion.hpp)
// There is no stiffness, no damping and no softness to choose.
//   Simulation s(model, set, {.dt = 1e-3});
//   s.state = ...;
//   while (s.state.time < 5) s.step();
// Forces of joints (springs, damping, motors) are the caller's, in tau.
#pragma once
#include <cstdint>
#include <vector>

#include "sinew/contact/collision.hpp"
#include "sinew/contact/contact_shapes.hpp"
#include "sinew/sim/straight_motion.hpp"
#include "sinew/tree/rnea.hpp"

namespace sinew {

struct SimulationOptions {
  double dt = 0;  // [s]; 0: the model's own timestep
  Formulation formulation = Formulation::os;
  lcp::SolverOptions solver;
  RestitutionFriction restitution_friction = RestitutionFriction::whole;
  bool look_ahead = true;  // false: a contact counts from gap <= 0 on and nothing is done about overlap, as in J14
  double rest_speed = -1;  // [m/s] bodies that meet slower do not bounce; negative: 2 |gravity| dt
  double recovery = 0.2;   // share of an overlap, or of a loop's error, that one step takes back
};

// What one step did.
struct StepReport {
  int contacts = 0;             // in the step's problem
  int collisions = 0;           // rounds of step 2
  int size = 0;                 // unknowns of the step's problem
  int unsolved = 0;             // problems that were not solved
  double residual = 0;          // the worst relative one of all problems of the step
  double penetration = 0;       // [m] deepest overlap before the step
  double collision_energy = 0;  // [J] gained in collisions: not positive but for the printed law
  double contact_work = 0;      // [J] of contact impulses in step 3
  double applied_work = 0;      // [J] of tau
};

// Sums and extremes over all steps, and where the time went.
struct SimulationTotals {
  long steps = 0, collisions = 0, contact_steps = 0, problems = 0, unsolved = 0;
  int most_contacts = 0, largest_size = 0;
  double worst_residual = 0, deepest = 0, largest_gain = 0;  // largest_gain [J]: in any one collision
  double collision_energy = 0, contact_work = 0, applied_work = 0;
  double detection = 0, assembly = 0, solution = 0, recovery = 0;  // [s] of wall clock
};

struct Snapshot;  // sim/snapshot.hpp

class Simulation {
 public:
  // The model and the set must outlive it. Throws std::invalid_argument for options out of range.
  Simulation(const Model&, const ConstraintSet&, const SimulationOptions& = {});

  State state;  // may be set between steps
  const SimulationOptions& options() const { return options_; }
  const ContactShapes& shapes() const { return shapes_; }

  // Throws std::runtime_error, leaving the state before the step, when a number of the new state is not finite.
  const StepReport& step(In<double> tau = {});

  // Of the last step.
  std::span<const ContactPoint> contacts() const { return contacts_; }
  In<double> contact_impulses() const { return impulses_; }  // n t t of each, without those of collisions
  Vec3<double> contact_force(std::size_t contact) const;     // [N] on a, world: the impulse over dt
  const lcp::FrictionProblem& problem() const { return contact_.problem(); }
  const SimulationTotals& totals() const { return totals_; }
  void set_watch(const ContactWatch&);  // of all problems, those of collisions too

  // All that decides the steps to come. A simulation of the same model with the same options goes on with the same
  // bits; another is refused with std::invalid_argument that says what differs, and is left as it was.
  Snapshot make_snapshot() const;
  void restore(const Snapshot&);

  double kinetic_energy();
  double potential_energy();

 private:
  void find_contacts();
  void collide(StepReport&);
  void advance(In<double> tau, StepReport&);
  void note(const lcp::Certificate&, const ContactCosts&, StepReport&);

  const Model& model_;
  const ConstraintSet& set_;
  SimulationOptions options_;
  ContactShapes shapes_;
  ContactSolver contact_;
  CollisionSolver collision_;
  StraightMotion straight_;
  RneaWorkspace<double> rnea_;
  EnergyWorkspace<double> energies_;  // its motion is what contacts are found with
  std::vector<ContactPoint> contacts_, touching_;
  std::vector<double> bias_, velocities_, after_, zeros_, impulses_, before_, next_q_, next_v_, turning_, forces_;
  SimulationTotals totals_;
  StepReport report_;
  mutable std::uint64_t model_hash_ = 0;  // for snapshots; 0: not yet calculated
};

}  // namespace sinew
