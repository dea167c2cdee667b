// apps/common/scene.hpp - a model with a state to start from, and how it is to be stepped
#pragma once
#include <string>
#include <vector>

#include "common/model_input.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew::app {

struct SceneInput {
  std::shared_ptr<ModelInput> model;
  std::string keyframe, formulation = "os", solver = "automatic";
  double seconds = 0, dt = 0, restitution = -1, friction = -1, tolerance = 1e-10;
  int directions = 0;
  bool printed_law = false, no_look_ahead = false;
  std::filesystem::path dump;
};
// Adds FILE (a model file, or pendulum:N or dual_arm for the mechanisms of J14), --for, --dt and the other options of a
// simulation.
std::shared_ptr<SceneInput> add_scene_input(Command&, double seconds);

struct Scene {
  Model model;
  State start;
  std::vector<double> control;  // of the keyframe; none: zeros
};
// Prints what is wrong and returns nothing if the file is refused. Throws InputError for options that do not fit it.
std::optional<Scene> read_scene(const SceneInput&);
SimulationOptions make_options(const SceneInput&);
// Throws InputError where the scene cannot be simulated with such options.
Simulation make_simulation(const Model&, const ConstraintSet&, const SimulationOptions&);

// Keeps the problem that was solved worst; of equal ones, the largest.
struct WorstProblem {
  std::vector<double> W, q, mu, preload, lower, upper;
  int free = 0, unilateral = 0;
  double residual = -1;
  void see(const lcp::FrictionProblem&, const lcp::Certificate&);
  lcp::FrictionProblem view() const;
};

// Writes the problem to the file of --dump, if given.
void write_worst(const SceneInput&, const WorstProblem&);

// Motion of one body, and energies, at about `samples` times.
struct Track {
  std::string body;
  std::vector<double> time, height, velocity;  // of the body's centre of mass, along z
  std::vector<double> kinetic, potential, contacts;
  void add(Stepper&, const Model&, int body_index);
};

}  // namespace sinew::app
