// sinew/sim/flexible_simulation.hpp - time steps with hard contact for a model with flexible bodies
//   FlexibleSimulation s(flexible, {.dt = 1e-3});
//   while (s.state.time < 5) s.step();
// Semi-implicit steps as in sim/simulation.hpp: contacts that touch or would within the step, stops and dry friction of
// joints become one problem with Coulomb's law,  n . v+ + gap / dt >= 0,  solved by lcp::Solver; then q+ = q moved by
// v+. Stiffness and damping of modes and joints are those at the end of the step, so that no stiffness is too large:
//   (M + dt D + dt^2 K) (v+ - v) = dt (tau - D v - K (eta + dt v) - C) + J^T r
// W = J M^-1 J^T by one articulated sweep and O(N) per row (operators/mass_solve.hpp). Impacts have no restitution:
// bodies rebound by their own elasticity.
// Refused by name, std::invalid_argument: loops and couplings, shapes that may touch on a body that bends (put them on
// a body welded to an interface node), meshes on moving bodies, restitution, actuators at sites, prescribed joints in a
// model whose shapes may touch.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "sinew/contact/contact_shapes.hpp"
#include "sinew/lcp/solve.hpp"
#include "sinew/model/configuration.hpp"
#include "sinew/operators/flexible_sko.hpp"

namespace sinew {

struct FlexibleSimulationOptions {
  double dt = 0;  // [s]; 0: the model's own timestep
  lcp::SolverOptions solver{.acceptable = 1e-8, .warm = true};
  double recovery = 0.2;        // share of an overlap that one step takes back
  double recovery_speed = 0.5;  // [m/s] the most for that
};

// What a step did, and what all did: `worst` and sums.
struct FlexibleReport {
  long steps = 0, contact_steps = 0, unsolved = 0;
  int contacts = 0, joint_rows = 0, most_contacts = 0;  // of the last step, but for the most
  lcp::Certificate certificate;                         // of the last step with rows
  double worst_residual = 0;                            // relative
  double deepest = 0;                                   // [m] overlap seen
  double contact_work = 0, modal_damping_work = 0;      // [J] done on the mechanism, sums
};

class FlexibleSimulation {
 public:
  // The FlexibleModel must outlive it.
  explicit FlexibleSimulation(const sko::FlexibleModel&, const FlexibleSimulationOptions& = {});
  explicit FlexibleSimulation(const sko::FlexibleModel&&, const FlexibleSimulationOptions& = {}) = delete;
  ~FlexibleSimulation();

  // May be set between steps; step() throws std::invalid_argument naming both sizes where one does not fit.
  State state;                  // q: of the Model, then eta; v: of the Model, then the rates of eta
  std::vector<double> control;  // one per actuator of the Model
  std::vector<double> applied;  // (nv of the Model) forces of joints besides the model's own

  // Throws std::runtime_error naming the step and the coordinate, with the state before the step, where a number of the
  // new state is not finite.
  const FlexibleReport& step();
  const FlexibleReport& report() const { return report_; }
  double step_length() const { return options_.dt; }
  std::span<const ContactPoint> contacts() const { return contacts_; }  // of the last step
  In<double> impulses() const { return impulses_; }                     // (3 contacts) normal, tangent, tangent
  std::string pair_name(const ContactPoint&) const;

  // At the state.
  double kinetic_energy();
  double potential_energy();  // of gravity and of the modes
  Force<double> momentum();   // about the world's origin, along its axes
  sko::FlexibleSko& sko();    // of the state, updated

 private:
  struct Work;
  void check_state() const;
  void find_contacts();
  void find_rows();
  void solve_rows();

  const sko::FlexibleModel& model_;
  FlexibleSimulationOptions options_;
  FlexibleReport report_;
  std::vector<ContactPoint> contacts_;
  std::vector<double> impulses_;
  std::unique_ptr<Work> work_;
};

}  // namespace sinew
