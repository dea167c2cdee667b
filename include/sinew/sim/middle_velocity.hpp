// sinew/sim/middle_velocity.hpp - the velocity half way through a step, guessed from the steps before it
// Inertial forces C(q, v) at the start of a semi-implicit step feed energy into what moves fast: a double pendulum at
// 20 rad/s doubles its energy in 10 s at steps of 1 ms. With the mean of v before and after, the energy of the scheme
// differs from the true one by dt v.C(q, v) / 2 and terms of second order: a function of the state, which cannot grow.
// The mean is not known before the step is solved, but the accelerations of the last two steps tell it well enough.
#pragma once
#include <vector>

#include "sinew/model/configuration.hpp"

namespace sinew {

class MiddleVelocity {
 public:
  explicit MiddleVelocity(const Model&);

  // A step ended at this state with these accelerations, (nv) as dv/dt.
  void learn(const State&, In<double> acceleration);
  // (nv) dt/2 a, what v changes until the middle of the step that begins at the state. Zero where the state is not the
  // one that was learnt, or only one step led to it.
  void find_change(const State&, double dt, Out<double> change);

  bool knows(const State& s) const { return steps_ > 0 && is_reached(s); }  // a step ended at this state

  // What the next steps depend on: (nv) accelerations of the last step and (nv) of the one before it, as far as there
  // are any that led to this state.
  std::vector<double> get_memory(const State&) const;
  void set_memory(const State&, In<double> accelerations);

 private:
  void forget() { steps_ = 0; }
  bool is_reached(const State&) const;
  State reached_;                      // by the last step
  std::vector<double> last_, before_;  // (nv)
  int steps_ = 0;                      // that last_ and before_ hold, up to 2
};

}  // namespace sinew
