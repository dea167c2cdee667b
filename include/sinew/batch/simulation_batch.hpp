// sinew/batch/simulation_batch.hpp - many simulations at once, of one model or of models that differ in numbers
//   SimulationBatch worlds(model, 1000, {.threads = 0});
//   worlds.control()(i, k) = ...;     // row i: world i
//   worlds.step(10);
//   for (const WorldFailure& f : worlds.failures()) ...
//   worlds.reset();
// Each world is one Simulation, whose bits do not depend on how many others there are, on their order or on threads:
// they are those of a Simulation alone. Threads take worlds as they become free. What may be set between steps is held
// in tables that stay where they are. Steps allocate nothing, except for the words about a world that fails.
// A world fails where a step is refused, a number is not finite, or, if asked, a contact problem was not solved. It is
// set aside with its state before that step; the others go on. reset() brings it back.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sinew/sim/simulation.hpp"

namespace sinew {

struct SimulationBatchOptions {
  SimulationOptions simulation = {};
  int threads = 1;               // 0: one per hardware thread
  bool refuse_unsolved = false;  // a step with a contact problem that was not solved fails
};

// A world that was set aside, and why.
struct WorldFailure {
  std::size_t world = 0;
  std::string cause;
  State state;  // before the step that failed
};

// What observe() reads: see SimulationBatch::make_observation.
class Observation {
 public:
  // One of the names, and where its numbers are.
  struct Part {
    std::string name;
    std::size_t first = 0, size = 0;  // its numbers in a row
  };
  const std::vector<Part>& parts() const { return parts_; }
  std::size_t width() const { return width_; }  // numbers per world

 private:
  friend class SimulationBatch;
  enum class Kind {
    q,
    v,
    time,
    control,
    force,
    activation,
    contacts,
    position,
    orientation,
    velocity,
    angular_velocity,
    contact_force,
    axis,
    sensor,
    sensors
  };
  struct Source {
    Kind kind;
    std::size_t index = 0;  // first coordinate, or number of the actuator, body or sensor
    int axis = 0;
  };
  std::vector<Part> parts_;
  std::vector<Source> sources_;
  std::size_t width_ = 0;
  bool reads_bodies_ = false, reads_sensors_ = false;
  const void* made_by_ = nullptr;
};

class SimulationBatch {
 public:
  using Rows = MatrixView<const double>;
  using OutRows = MatrixView<double>;

  // Models must outlive it. Throws std::invalid_argument as Simulation does, and for models whose joints, actuators or
  // sensors differ in number or name.
  SimulationBatch(const Model&, std::size_t worlds, const SimulationBatchOptions& = {});
  SimulationBatch(const Model&&, std::size_t worlds, const SimulationBatchOptions& = {}) = delete;
  explicit SimulationBatch(const std::vector<const Model*>&, const SimulationBatchOptions& = {});  // a world each
  ~SimulationBatch();

  std::size_t size() const;  // worlds
  int threads() const;
  // Of a world; without perturbations all have the same.
  const Model& model(std::size_t world = 0) const;
  const SimulationBatchOptions& options() const;
  double step_length() const;  // [s]

  // Where reset() begins, of all worlds or of one; without: the neutral position, at rest, controls of zero. Counts
  // from the next reset.
  void set_start(const State&, In<double> control);
  void set_start(std::size_t world, const State&, In<double> control);

  // One row per world. May be set between steps.
  OutRows q();           // (worlds x nq)
  OutRows v();           // (worlds x nv)
  OutRows control();     // (worlds x actuators)
  OutRows applied();     // (worlds x nv) forces of joints besides the model's own
  OutRows external();    // (worlds x 6 bodies) torque and force on each body, in its frame, about its origin
  OutRows activation();  // (worlds x activations)
  Out<double> time();    // (worlds) [s]
  // (worlds) 1: set aside.
  VectorView<const unsigned char> failed() const;
  std::vector<WorldFailure> failures() const;             // by world
  const Simulation& simulation(std::size_t world) const;  // for its report, totals and contacts
  // Where the mocap bodies of a world go in its next step; a reset forgets it.
  MocapBodies& mocap(std::size_t world);

  // Worlds whose mask is not zero begin again as newly made; without a mask, all do. They begin at q and v, which have
  // a row for every world, or at their start if q and v are empty.
  void reset(VectorView<const unsigned char> mask = {}, Rows q = {}, Rows v = {});
  // `steps` steps of each world that is not set aside.
  void step(int steps = 1);
  // Of each world: sets row t of its controls (length x actuators), steps `steps` times, and writes the state: q, then
  // v, length + 1 of them with the one it begins at. States after a failure are NaN.
  void rollout(std::size_t length, Rows controls, OutRows states, int steps = 1);

  // All names that make_observation knows for this model.
  //   q v time control activation contacts sensors      whole rows, and the number of contacts in the last step
  //   q.JOINT v.JOINT control.ACTUATOR force.ACTUATOR sensor.SENSOR
  //   x.BODY y.BODY z.BODY position.BODY orientation.BODY (w x y z) velocity.BODY angular_velocity.BODY
  //   contact_force.BODY                                 [N] of all its contacts in the last step
  // Of bodies: their origins, along the axes of the world.
  std::vector<std::string> observation_names() const;
  // Throws std::invalid_argument naming one that is not known, with the nearest that is.
  Observation make_observation(const std::vector<std::string>& names);
  // At the rows' state; forces, contacts and accelerations are those of the last step. Of a world that was set aside:
  // its last good state. Allocates nothing, once its sensors have met as many contacts.
  void observe(const Observation&, OutRows out);

  // Asked: step and rollout throw Interrupted. Worlds have then made different numbers of steps, see time().
  Interrupt interrupt;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> p_;
};

}  // namespace sinew
