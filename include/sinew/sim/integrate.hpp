// sinew/sim/integrate.hpp - motion over time without contact
//   Integrator run(model, make_forward_dynamics(model), {.method = IntegrationMethod::rkmk4, .dt = 1e-3});
//   run.set_state(state);
//   run.advance(10);                       // to t = 10 s
//   run.report();                          // steps, rejected steps, evaluations
// Methods and their steps: sim/interpolation.hpp. The adaptive one keeps the estimated error of each step within
// absolute + relative |state| (root mean square over all numbers; a turn counts as 1) by a PI controller.
// Allocates nothing after construction, if the right-hand side does not.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sinew/base/interrupt.hpp"
#include "sinew/constraint/embedding/embedded_dynamics.hpp"
#include "sinew/constraint/solve/forward_dynamics.hpp"
#include "sinew/sim/crossing.hpp"
#include "sinew/sim/interpolation.hpp"
#include "sinew/tree/energy.hpp"

namespace sinew {

// What a right-hand side fills in.
struct StateRate {
  Out<double> v, extra;  // dv/dt and the rates of the extra numbers
};
using RightHandSide = std::function<void(const StatePoint&, const StateRate&)>;
using JointForces = std::function<void(const StatePoint&, Out<double> tau)>;

// The functions that these make refer to the model and the set, which must outlive them.
// dv/dt by the articulated-body algorithm; no forces: tau = 0. Rates of extra numbers are zero.
RightHandSide make_forward_dynamics(const Model&, JointForces = {});
RightHandSide make_forward_dynamics(const Model&&, JointForces = {}) = delete;
// With loops and couplings; unstable over time without Baumgarte's term in the options or a projection after steps.
// A solve that fails throws std::runtime_error with the time and what the certificate says.
RightHandSide make_constrained_dynamics(const Model&, const ConstraintSet&, const ConstrainedOptions& = {},
                                        JointForces = {});
RightHandSide make_constrained_dynamics(const Model&&, const ConstraintSet&, const ConstrainedOptions& = {},
                                        JointForces = {}) = delete;
RightHandSide make_constrained_dynamics(const Model&, const ConstraintSet&&, const ConstrainedOptions& = {},
                                        JointForces = {}) = delete;
// Called after each step; true: it changed a number.
using Projection = std::function<bool(State&, Out<double> extra)>;
// Closes the loops again: Integrator::set_projection(make_projection(model, set)).
Projection make_projection(const Model&, const ConstraintSet&);
Projection make_projection(const Model&&, const ConstraintSet&) = delete;
Projection make_projection(const Model&, const ConstraintSet&&) = delete;

// Loops without multipliers (constraint/embedding): an integrator's stages and the ends of its steps are closed to
// rounding by moving the dependent coordinates only, so the independent ones move by the integrator alone, as if there
// were no others. Coordinates change between steps. Both functions share `work`, whose report counts the changes.
//   EmbeddedMotion e = make_embedded_dynamics(model, set);
//   Integrator run(model, e.rate, {.method = IntegrationMethod::rkmk4, .dt = 1e-3});
//   run.set_projection(e.projection);
// A singular position, and what cannot be closed, throw StepRefused (sim/stepper.hpp) with the time and the place.
struct EmbeddedMotion {
  RightHandSide rate;
  Projection projection;
  std::shared_ptr<EmbeddedWorkspace> work;
};
// A stage that cannot be closed. The end of a step always throws.
enum class UnclosedStage {
  refuse,  // StepRefused
  retry,   // its rates are NaN, so that an adaptive integrator tries a shorter step
};
EmbeddedMotion make_embedded_dynamics(const Model&, const ConstraintSet&, const EmbeddingOptions& = {},
                                      JointForces = {}, UnclosedStage = UnclosedStage::refuse);
EmbeddedMotion make_embedded_dynamics(const Model&&, const ConstraintSet&, const EmbeddingOptions& = {},
                                      JointForces = {}, UnclosedStage = UnclosedStage::refuse) = delete;
EmbeddedMotion make_embedded_dynamics(const Model&, const ConstraintSet&&, const EmbeddingOptions& = {},
                                      JointForces = {}, UnclosedStage = UnclosedStage::refuse) = delete;

// Method, steps and tolerances.
struct IntegratorOptions {
  IntegrationMethod method = IntegrationMethod::dormand_prince;
  double dt = 0;         // [s] fixed steps: their length; adaptive: the first (0: chosen automatically)
  bool adaptive = true;  // dormand_prince only; false: steps of dt
  double relative = 1e-6, absolute = 1e-8;
  double least_step = 1e-12;  // [s] a smaller adaptive step is an error
  double largest_step = 0;    // [s]; 0: no limit
  int extra = 0;              // numbers integrated besides the state
  CrossingOptions events{};   // how events are looked for in a step
};

// What the integrator did so far.
struct IntegrationReport {
  long steps = 0, rejected = 0, evaluations = 0;
  double smallest_step = 0, largest_step = 0;  // [s]
  double largest_error = 0;                    // adaptive: of the steps taken, in units of the tolerance, at most 1
};

// An event happens where `value` changes its sign.
struct IntegrationEvent {
  std::string name;
  std::function<double(const StatePoint&)> value;
  int direction = 0;  // -1 falling, +1 rising, 0 either
};

// Moves a state in time; events stop it where they happen.
class Integrator {
 public:
  // The model must outlive it. Throws std::invalid_argument that names the option and the cure.
  Integrator(const Model&, RightHandSide, const IntegratorOptions&);
  Integrator(const Model&&, RightHandSide, const IntegratorOptions&) = delete;

  void set_state(const State&, In<double> extra = {});  // also resets the report and the energy it is compared with
  // Sets the state after a sudden change such as an impact; time, report and step length go on. No extra: unchanged.
  void jump(In<double> q, In<double> v, In<double> extra = {});
  const State& state() const { return state_; }
  In<double> extra() const { return extra_; }
  void set_projection(Projection p) { projection_ = std::move(p); }
  void add_event(IntegrationEvent e);

  // One step. Fixed: of length h (0: options.dt). Adaptive: of at most h (0: no limit).
  // Throws std::runtime_error, leaving the state before the step, where a number is not finite or an adaptive step
  // gets smaller than the least.
  void step(double h = 0);
  // Steps until t, the last one shortened; backwards if t lies before.
  void advance(double t);
  // Advances to t or the first event. Returns the numbers of the events that happen then; none: t was reached. The
  // state is the one inside the step; the next call goes on from there.
  std::span<const int> advance_to_event(double t);

  Interrupt interrupt;  // looked at once a step that is tried; then the state is that before the step
  // The last step, for states inside it.
  InterpolatedStep& last_step() { return step_; }
  // Goes back into the last step, to the fraction delta of it.
  void rewind(double delta);
  const IntegrationReport& report() const { return report_; }
  const IntegratorOptions& options() const { return options_; }
  double calc_energy();        // [J] kinetic and potential, without springs
  double calc_energy_drift();  // [J] since set_state
  // dv/dt at a state, counted as an evaluation.
  void evaluate(const StatePoint&, Out<double> dv, Out<double> dextra);

 private:
  void calc_stages(double h);
  double calc_error() const;
  double size_of(std::size_t coordinate) const;
  double find_first_step();
  void accept();
  std::string find_culprit() const;  // the number of the new state that is not finite; empty: all are finite

  const Model& model_;
  RightHandSide f_;
  IntegratorOptions options_;
  bool adaptive_;
  TangentMap tangent_;
  InterpolatedStep step_;
  EnergyWorkspace<double> energies_;
  State state_, next_;
  std::vector<double> extra_, next_extra_;
  struct Length {
    int q = 0, count = 0;  // the position coordinates it comes from; none: a rotation, which counts as 1
  };
  std::vector<Length> lengths_;  // (nv) what the error of a position is compared with
  Projection projection_;
  std::vector<IntegrationEvent> events_;
  std::vector<double> values_;
  std::vector<int> sides_, hits_;
  IntegrationReport report_;
  double next_step_ = 0, last_error_ = 1e-4, energy_ = 0;
  enum class First { unknown, known, is_last } first_ = First::unknown;  // the rates at the first stage
};

}  // namespace sinew
