// src/sim/step_forces.hpp - fourth phase of a step: all forces but those of contacts, stops and loops
#pragma once
#include "sinew/sim/fluid.hpp"
#include "sinew/sim/free_flight.hpp"
#include "sinew/sim/middle_velocity.hpp"
#include "step_rows.hpp"

namespace sinew::stepping {

class Forces {
 public:
  Forces(const Setting&, Detection&, Rows&, Drives&);
  void reserve(const State&);

  // Before collisions: what the velocity will change until the middle of the step.
  void guess_middle(const State&);
  // (nv) The velocity after the step, by the accelerations of the last ones; empty where they are not known.
  In<double> expect_velocity(const State&);
  bool knows(const State& s) const { return guesses() && guess.knows(s); }  // the last step led here
  // Forces at the state. Adds the soft rows of drives. May be called again.
  void find(const Step&);
  // After a step to v_after: true where drives meet other limits than was assumed, which changes the forces.
  bool update_limits(const Step&, In<double> v_after);
  void touch(std::span<const ContactPoint>);  // bodies that do not fly in this step
  // After the step, which ended at this state with acceleration dv/dt.
  void learn(const State&, In<double> acceleration);

  In<double> joint() const { return joint_; }    // (nv) [N or N m]
  In<double> middle() const { return middle_; }  // (nv) v half way through the step
  In<double> turning() const { return flight.any() ? In<double>(turning_) : In<double>(); }
  const std::vector<Force<double>>& on_bodies() const { return on_bodies_; }
  const Drives& drives() const { return drives_; }

  FreeFlight flight;
  MiddleVelocity guess;

 private:
  // Modes are stiff: the accelerations of the last steps do not tell those to come.
  bool guesses() const { return set_.options.middle_forces && set_.extra.empty(); }

  const Setting& set_;
  Detection& seen_;
  Rows& rows_;
  Drives& drives_;
  FluidForces fluid_;
  std::vector<double> joint_, change_, middle_, turning_, rates_, expected_;  // change_: of v until the middle
  std::vector<Force<double>> on_bodies_;
};

}  // namespace sinew::stepping
