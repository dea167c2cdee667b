// sinew/sim/simulation.hpp - semi-implicit time stepping with hard contact [J14 sections 6, 7]
//   1. contacts that touch, or would within the step, and stops of joints within reach are found
//   2. where bodies meet faster than `rest_speed` with restitution: a collision in two phases, instantly
//   3. v+ from the contact problem of the step,  n . v+ + gap / dt >= 0,  then  q+ = q moved by v+ for dt; free
//      bodies fly as sim/free_flight.hpp says. Where q+ has passed a stop that was left out, or overlaps
//      because surfaces curve, the problem is solved again with what was missed.
// Springs, dampers and actuators act as sim/drives.hpp says. Contacts have no stiffness to choose.
//   Simulation s(model, {.dt = 1e-3});           // with the model's own loops and couplings
//   s.state = ...;
//   while (s.state.time < 5) s.step();
// Loops are rows of the problem, or embedded in minimal coordinates (options.loops): then they stay closed to rounding,
// the problem has contacts and stops only, and a position where they cannot be embedded ends the run with StepRefused.
// A mechanism with recursions of its own, such as one with bodies that bend (sim/mechanisms.hpp), steps the
// same way:
//   Simulation s(make_flexible_mechanism(flexible_model), {.dt = 1e-3});
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "sinew/contact/collision.hpp"
#include "sinew/sim/stepper.hpp"

namespace sinew {
class Drives;
namespace stepping {
struct Step;
}

struct SimulationOptions {
  double dt = 0;                              // [s]; 0: the model's own timestep
  Formulation formulation = Formulation::os;  // of trees; not used with embedded loops and other mechanisms
  LoopMethod loops = LoopMethod::rows;
  lcp::SolverOptions solver{.tolerance = 1e-8, .acceptable = 1e-6, .warm = true};
  RestitutionFriction restitution_friction = RestitutionFriction::whole;
  bool look_ahead = true;       // false: contacts act only at gap <= 0, and overlap is not corrected, as in J14
  bool middle_forces = true;    // inertial forces half way through the step (sim/middle_velocity.hpp), which keeps the
                                // energy of what moves fast; false: at its start, as in J14
  double rest_speed = -1;       // [m/s] bodies that meet slower do not bounce; negative: 2 |gravity| dt
  double recovery = 0.2;        // share of an overlap, or of a loop's error, that one step takes back
  double recovery_speed = 0.5;  // [m/s, rad/s] the most for overlaps and for joints beyond their stops
  int refinements = 2;    // most times that a step is solved again for overlap that curved surfaces or rotations leave;
                          // four more where it is ten times `overlap`
  double overlap = 1e-6;  // [m] so little is not solved again for. In a collision, bodies closer than this, or closer
                          // than dt rest_speed, touch
  // [s] of wall clock for the problems of a step; 0: no limit. When it is used up the best answers so far are taken,
  // and counted as unsolved and out_of_time. Results then depend on how fast the machine is.
  double most_seconds = 0;
  bool sleep = true;  // steps where all rests and nothing that acts has changed are not calculated: same bits
};

class Simulation : public Stepper {
 public:
  // The model must outlive it, and so must a set that is given; without one it has its own, of the model's loops and
  // couplings. Throws std::invalid_argument for options out of range, and naming what in the model cannot be simulated.
  explicit Simulation(const Model&, const SimulationOptions& = {});
  Simulation(const Model&, const ConstraintSet&, const SimulationOptions& = {});
  explicit Simulation(std::unique_ptr<Mechanism>, const SimulationOptions& = {});
  explicit Simulation(const Model&&, const SimulationOptions& = {}) = delete;
  Simulation(const Model&&, const ConstraintSet&, const SimulationOptions& = {}) = delete;
  Simulation(const Model&, const ConstraintSet&&, const SimulationOptions& = {}) = delete;
  ~Simulation() override;
  Simulation(Simulation&&) noexcept;

  // Called before each step. May set all that may be set between steps.
  std::function<void(Simulation&)> controller;

  const SimulationOptions& options() const;
  // Makes memory for that many contacts, so that steps with no more of them allocate nothing. There is memory for 64 at
  // most, and for what the largest step so far needed. Changes no result. Throws std::invalid_argument where there is
  // not that much memory.
  void reserve(int contacts);

  // Of the last step.
  In<double> contact_impulses() const;  // (3 contacts) n t t, without collisions
  In<double> contact_bias() const;      // (contacts) [m/s] added to their normal velocities: gap / dt
  std::span<const JointRow> joint_rows() const;
  In<double> joint_impulses() const;
  In<double> joint_velocities() const;  // after the step
  In<double> loop_impulses() const;
  In<double> actuator_forces() const override;
  const lcp::FrictionProblem& problem() const;
  const Drives& drives() const;
  void set_loop(const Loop&) override;
  void set_watch(const ContactWatch&);  // of all problems, those of collisions too

  OptionTexts describe() const override;
  // All that determines the next steps. A simulation of the same model with the same options that restores it goes on
  // with the same bits; any other throws std::invalid_argument that says what differs, and is left as it was. With
  // embedded loops, and with other mechanisms, it is for inspection only, and restore throws.
  Snapshot make_snapshot() const override;
  void restore(const Snapshot&);
  // As newly made, at this state: nothing that steps have taught it stays, and totals begin again. What else may be set
  // between steps stays. Allocates nothing. Throws std::invalid_argument for sizes that do not fit, and with embedded
  // loops and other mechanisms, where only a new simulation begins again.
  void restart(const State&);

  const EmbeddingReport* embedding() const override;
  const Mechanism* mechanism() const { return mechanism_.get(); }  // none: a tree, with rows for its loops

 private:
  Simulation(const Model&, const ConstraintSet*, const SimulationOptions&);
  void make_phases(const SimulationOptions&);
  bool moves_mocap() const override { return true; }
  void prepare_step() override {
    if (controller) controller(*this);
  }
  void take_step(In<double> tau) override;
  void take_step_from_here(const stepping::Step&);
  void end_step_at(double time);
  void keep();      // what the step changes before it is complete
  void put_back();  // that, where a step is not completed

  friend class StepDerivatives;  // reads what the impacts of a step did
  struct Phases;                 // src/sim/simulation_phases.hpp
  std::unique_ptr<Phases> phases_;
  mutable std::uint64_t model_hash_ = 0;  // for snapshots; 0: not yet calculated
};

}  // namespace sinew
