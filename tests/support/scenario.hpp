// tests/support/scenario.hpp - a scene of a few bodies with contact, and what every run of one must keep
//   Scenario s(kFloor + R"(<body name="ball" pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1"
//   mass="1"/></body>)",
//              {.dt = 1e-3});
//   s.launch("ball", {1, 0, 0});
//   s.run_for(0.5);
// Each step: all problems solved, cones and complementarity kept, no energy from contacts. Each run: no more energy
// than before but for what was put in.
#pragma once
#include <string>

#include "sinew/sim/simulation.hpp"
#include "support/ball_world.hpp"

namespace sinew::test {

struct ScenarioOptions {
  double dt = 1e-3;
  double friction = 0.5, restitution = 0;  // of all geoms that state no friction of their own
  Vec3<double> gravity{0, 0, -kGravity};
  int directions = 0;     // of the friction pyramid; 0: the cone
  double overlap = 1e-9;  // [m] allowed
};

class Scenario {
 public:
  // worldbody: what is between <worldbody> and </worldbody>.
  explicit Scenario(const std::string& worldbody, const ScenarioOptions& = {});
  // A file of models/scenes at its first keyframe, with its control.
  static Scenario load(const std::string& name);

  Simulation& sim() { return *simulation_; }
  const Model& model() const { return *model_; }
  // Velocities along the axes of the world. Of a body on a free joint.
  void launch(const std::string& body, const Vec3<double>& velocity, const Vec3<double>& spin = {});
  void pull(const std::string& body, const Vec3<double>& force);  // from now on, at its origin, along the world's axes
  void step();
  void run_for(double seconds);

  Vec3<double> position(const std::string& body) const;
  Vec3<double> velocity(const std::string& body) const;
  Vec3<double> spin(const std::string& body) const;  // world axes
  double tilt(const std::string& body) const;        // [rad] of its z axis from the world's
  // On the body, of its contacts with the other in the last step. [N]
  Vec3<double> force(const std::string& body, const std::string& other) const;
  double energy() { return sim().kinetic_energy() + sim().potential_energy(); }

 private:
  Scenario(ModelSpec, const SimulationOptions&, double overlap);
  int find(const std::string& body) const;
  VelocityWorkspace<double> calc_motion() const;

  std::unique_ptr<const Model> model_;
  std::unique_ptr<const ConstraintSet> set_;
  std::unique_ptr<Simulation> simulation_;
  double overlap_;
};

// log2 of how much an error shrinks when the step is halved: 1 for a method of first order.
double order_of(double coarse, double fine);

}  // namespace sinew::test
