// apps/common/scene.hpp - a model with a state to start from, and how it is to be stepped
#pragma once
#include <string>
#include <vector>

#include "common/model_input.hpp"
#include "sinew/sim/control_track.hpp"
#include "sinew/sim/scene.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew::app {

inline constexpr const char* kAuto = "auto";

struct SceneInput {
  std::shared_ptr<ModelInput> model;
  std::string keyframe, state, formulation = "os", solver = "automatic";
  std::string floor, place, q, gravity, pd, self_collision, meshes;
  std::filesystem::path control, dump;
  double seconds = 0, dt = 0, tolerance = SimulationOptions{}.solver.tolerance;
  double seconds_per_step = 0;             // 0: no limit
  int iterations = 0;                      // of a contact problem; 0: the solvers' own limits
  double restitution = -1, friction = -1;  // negative: as the model says
  int directions = 0;
  bool hold = false, printed_law = false, no_look_ahead = false;
};
// Adds FILE (a model file, or pendulum:N or dual_arm for the mechanisms of J14), --for, --dt and the other options of a
// simulation.
std::shared_ptr<SceneInput> add_scene_input(Command&, double seconds);

// Prints what is wrong and returns nothing if the file is refused, and on the error stream what in it is not as
// written. Throws InputError for options that do not fit it.
std::optional<Scene> read_scene(const SceneInput&);
// What --control says; nothing: it is not given. Throws InputError; prints what is wrong with the file.
std::optional<ControlTrack> read_control(const SceneInput&, const Model&);
// --for in steps; throws InputError where that is none.
long count_steps(const SceneInput&, double dt);
SimulationOptions make_options(const SceneInput&);
// Throws InputError where the scene cannot be simulated with such options.
Simulation make_simulation(const Model&, const ConstraintSet&, const SimulationOptions&);

// Keeps the problem that was solved worst: not at all, less well than asked, or with the largest residual; of equal
// ones, the largest.
struct WorstProblem {
  std::vector<double> W, q, mu, preload, lower, upper;
  int free = 0, unilateral = 0;
  int badness = 0;  // 1: less well than asked, 2: not solved
  double residual = -1;
  void see(const lcp::FrictionProblem&, const lcp::Certificate&);
  lcp::FrictionProblem view() const;
};

// Writes the problem to the file of --dump, if given.
void write_worst(const SceneInput&, const WorstProblem&);

}  // namespace sinew::app
