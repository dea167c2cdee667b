// sinew/sim/step_trajectory.hpp - derivatives along a run of steps: products with vectors, forwards and backwards
// With x = (q, v), c the control and f the applied forces of a step, and the A, B, C of StepDerivatives,
//   dx_{k+1} = A_k dx_k + B_k dc_k + C_k df_k + D_k dp
// p are parameters that stay the same in all steps: friction, restitution, inertia, where shapes of the world are.
//   StepTrajectory t(s, {.between = 50});     // a checkpoint every 50 steps
//   for (...) s.control = ..., t.step();
//   t.pull_back(w, by_start, by_control, by_applied);    // w: d(loss)/dx at the end
// Without checkpoints all matrices are kept, (2 nv)^2 numbers and more for each step. With them one stretch of
// `between` steps has its matrices, and others are stepped again from their checkpoints when they are needed: the same
// bits, for one more run per product. The simulation is left where it was.
#pragma once
#include <memory>

#include "sinew/sim/step_derivatives.hpp"

namespace sinew {

struct StepTrajectoryOptions {
  int between = 0;             // steps between checkpoints; 0: none, all matrices are kept
  StepDerivativeOptions step;  // of each step
  std::vector<StepParameter> parameters;
};

// A run of a simulation from where it stands, and its derivatives.
class StepTrajectory {
 public:
  // The simulation must outlive it, and is stepped by nothing else until all is done. Throws what StepDerivatives
  // throws; and std::invalid_argument where the simulation has a controller, whose derivatives nobody knows.
  explicit StepTrajectory(Simulation&, const StepTrajectoryOptions& = {});
  ~StepTrajectory();
  StepTrajectory(StepTrajectory&&) noexcept;

  // A step with the control and the applied forces of the simulation. Throws what StepDerivatives::step throws; such a
  // step is no part of the trajectory.
  const StepDerivativesReport& step();
  // Begins again from where the simulation stands.
  void clear();
  int steps() const;
  int first_at_switch() const;  // the first step whose report is not differentiable; -1: none

  // Of step k; until the next call that needs another stretch.
  MatrixView<const double> state(int k);          // (2 nv x 2 nv)
  MatrixView<const double> control(int k);        // (2 nv x actuators)
  MatrixView<const double> applied(int k);        // (2 nv x nv)
  MatrixView<const double> by_parameters(int k);  // (2 nv x parameters())
  int parameters() const;                         // numbers of all parameters, in their order

  // The change of x at the end: from that at the start, (2 nv), those of controls and applied forces, one row per step,
  // and the changes of the parameters; these three may be empty.
  void push_forward(In<double> start, MatrixView<const double> control, MatrixView<const double> applied,
                    Out<double> end, In<double> changes = {});
  // From the gradient of something in x at the end, those by x at the start, by controls and applied forces of each
  // step, one row per step, and by the parameters; these three may be empty. at_steps: (steps x 2 nv) or empty,
  // gradients in x after each step.
  void pull_back(In<double> end, Out<double> start, OutMatrix<double> control, OutMatrix<double> applied,
                 MatrixView<const double> at_steps = {}, Out<double> by_parameter = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
