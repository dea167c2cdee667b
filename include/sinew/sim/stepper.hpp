// sinew/sim/stepper.hpp - the interface that all simulations share, for records, sensors and callers
//   Simulation         hard contact in time steps                                   (sim/simulation.hpp)
//   SmoothSimulation   integrators of higher order; no contact, or soft contact     (sim/smooth_simulation.hpp)
//   EventSimulation    hard contact from event to event                             (sim/event_simulation.hpp)
//   std::unique_ptr<Stepper> s = ...;
//   s->state = ...;
//   while (s->state.time < 5) s->step();
#pragma once
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sinew/base/interrupt.hpp"
#include "sinew/constraint/embedding/embedding.hpp"
#include "sinew/contact/contact_shapes.hpp"
#include "sinew/contact/mechanism.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/sim/mocap.hpp"
#include "sinew/sim/report.hpp"
#include "sinew/tree/energy.hpp"
#include "sinew/tree/momentum.hpp"

namespace sinew {

// Names of options with their values. Numbers are written so that they read back as the same bits.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;
struct Snapshot;  // sim/snapshot.hpp

// Something happens that this stepper cannot handle: a contact without a contact law, or a joint at its stop. The
// message names it and the cure; the state is that before the step.
struct StepRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// How loops and couplings are held.
enum class LoopMethod {
  rows,   // multipliers for their rows (constraint/solve)
  embed,  // minimal coordinates (constraint/embedding): no multipliers, no drift, O(N)
};
std::string_view to_string(LoopMethod);

// How a body moves: body <- world, and the velocity of its origin along the axes of the world.
struct BodyMotion {
  Transform<double> pose;
  Motion<double> velocity;
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  // All may be set between steps; step() throws std::invalid_argument naming both sizes where one does not fit.
  State state;                          // q and v of the model, then the extra coordinates and their rates
  std::vector<double> control;          // one per actuator of the model
  std::vector<double> applied;          // (nv) forces of joints besides the model's own
  std::vector<Force<double>> external;  // none, or one per body: in its frame, about its origin
  MocapBodies mocap;                    // their next poses; of Simulation only
  // Asked before or within a step: step() throws Interrupted, and all is as it was before the step.
  Interrupt interrupt;

  const Model& model() const { return model_; }
  const ConstraintSet& constraints() const { return set_; }
  double step_length() const { return step_length_; }  // [s]
  // What may touch.
  const ContactShapes& shapes() const { return shapes_; }
  ContactShapes& shapes() { return shapes_; }
  // Spreads one step over threads: contacts are looked for, and islands solved, by this loop; none: one thread. The
  // same bits either way. use_threads (batch/parallel_contacts.hpp) makes one.
  virtual void set_loop(const Loop& loop) { shapes_.loop = loop; }
  // Names of coordinates that state.q and state.v have after those of the model: modes of bodies that bend.
  const std::vector<std::string>& extra_coordinates() const { return extra_; }

  // tau: added to `applied` for this step. Throws std::runtime_error, with the state before the step, naming step, body
  // and cause when a number of the new state is not finite; or StepRefused, or Interrupted.
  const StepReport& step(In<double> tau = {});

  // Of the last step.
  const StepReport& report() const { return report_; }
  std::span<const ContactPoint> contacts() const { return contacts_; }
  // What contradicts in problems that the report counts as wedged, the largest shares first. Of Simulation.
  std::span<const WedgedPart> wedged() const { return wedged_; }
  Vec3<double> contact_force(std::size_t contact) const;  // [N] on a, world; of the contact of that number
  int contact_body(int node) const;                       // of the model, for node_a and node_b of a contact
  virtual In<double> actuator_forces() const = 0;
  In<double> acceleration() const { return acceleration_; }  // (nv) as dv/dt; see sim/sensors.hpp

  // Of all steps.
  const SimulationTotals& totals() const { return totals_; }
  double kinetic_energy();
  double potential_energy();  // of gravity, and of bodies that bend
  // [J] Energy now less energy before the first step, less all work that is accounted for: the integrator's error, and
  // what drives of prescribed joints did.
  double unaccounted_energy();
  Force<double> momentum();  // [N m s, N s] about the world's origin, along its axes
  // The same for momentum: what went through joints to the world, and the integrator's error.
  Force<double> unaccounted_momentum();
  // (bodies of the model) at the state.
  void calc_body_motions(std::vector<BodyMotion>&);
  // With LoopMethod::embed: coordinates, and their changes so far; else none.
  virtual const EmbeddingReport* embedding() const { return nullptr; }

  virtual OptionTexts describe() const = 0;    // its options; the first is "integrator"
  virtual Snapshot make_snapshot() const = 0;  // for inspection; only that of a Simulation can be restored

 protected:
  // step_length 0: the model's timestep; throws std::invalid_argument if it has none. Without a set it makes one of the
  // model's loops and couplings. The model, and a set that is given, must outlive it.
  Stepper(const Model&, const ConstraintSet*, double step_length);
  // Of a mechanism with recursions of its own.
  Stepper(std::unique_ptr<Mechanism>, double step_length);
  Stepper(Stepper&&) = default;
  // Throws std::invalid_argument naming what resists spinning or rolling: this stepper has no law for it.
  void refuse_spin_friction(const char* stepper) const;
  virtual bool moves_mocap() const { return false; }
  virtual void prepare_step() {}  // may set all that may be set between steps
  // Called with checked sizes and a new report, which step() then adds to the totals.
  virtual void take_step(In<double> tau) = 0;

  const Model& model_;
  std::unique_ptr<const ConstraintSet> own_set_;
  const ConstraintSet& set_;
  double step_length_;
  // Whose nodes contacts act on.
  const Model& view() const { return mechanism_ ? mechanism_->view() : model_; }
  void calc_motion(In<double> q, In<double> v, double time, VelocityWorkspace<double>& of_view);

  std::unique_ptr<Mechanism> mechanism_;  // none: a tree
  ContactShapes shapes_;                  // of the view
  std::vector<std::string> extra_;
  std::vector<int> body_of_node_;          // (nodes of the view) body of the model
  std::vector<int> view_body_;             // (bodies of the model) their numbers in the view
  VelocityWorkspace<double> body_motion_;  // of the view
  EnergyWorkspace<double> energies_;
  MomentumWorkspace<double> momenta_;
  std::vector<ContactPoint> contacts_;
  std::vector<Vec3<double>> contact_forces_;  // (contacts) [N] on a, world, of the last completed step
  std::vector<double> acceleration_;
  SimulationTotals totals_;
  StepReport report_;
  std::vector<WedgedPart> wedged_;

 private:
  void check_sizes(In<double> tau) const;
  void begin_step();  // a new report
  void end_step();    // adds the report to the totals
};

}  // namespace sinew
