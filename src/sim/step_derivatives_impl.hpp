// src/sim/step_derivatives_impl.hpp - the parts of StepDerivatives
#pragma once
#include <array>
#include <string>
#include <vector>

#include "contact_row_slopes.hpp"
#include "impact_chain.hpp"
#include "impulse_slopes.hpp"
#include "linear/matrix.hpp"
#include "movement_slopes.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/step_derivatives.hpp"
#include "sinew/tree/regressor.hpp"

namespace sinew {

[[noreturn]] inline void refuse_derivatives_of_step(const std::string& what) {
  throw StepRefused("StepDerivatives: " + what);
}

struct StepDerivatives::Impl {
  using Matrix = linear::Matrix;
  explicit Impl(Simulation& s);

  // into: where the simulation writes its impacts down, for the time of the step.
  void step(stepping::ImpactLog*& into, In<double> tau, const StepDerivativeOptions&);
  void find_impacts(In<double> tau, const StepDerivativeOptions&);
  bool bounces(int node) const { return node > 0 && !bounced.empty() && bounced[at(node)] != 0; }
  void check_step() const;
  void find_motion();

  // Rows (step_derivative_rows.cpp).
  void find_rows(const StepDerivativeOptions&);
  void add_contact(std::size_t c, const StepDerivativeOptions&);
  void add_joint_row(std::size_t r, const StepDerivativeOptions&);
  void add_actuators(const StepDerivativeOptions&);
  double slope_of_gap(double gap, double bias, double lowest, double rounding, const StepDerivativeOptions&, StepRow&);
  void note(StepRow row, bool at_switch);

  void find_forces(In<double> tau);
  void find_residual(In<double> tau);
  void start_from_impacts();
  void move();
  void move_by_impacts();
  void move_controls();
  // Sets column c: where a change du of the velocity at the end leads; dw of that after impacts, dback of the way back.
  void set_column(const double* du, const double* dw, const double* dback, MatrixView<double> out, std::size_t c) const;
  void move_row(const stepping::MovementSlopes::Joint&, const std::array<double, 6>& by_u,
                const std::array<double, 6>& by_q, const std::array<double, 6>& by_v, int row);

  Simulation& sim;
  const Model& model;
  const double dt;
  const int nv;
  RneaDerivativesWorkspace<double> rnea;
  stepping::ContactRowSlopes touching;
  stepping::MovementSlopes moving;
  DriveSlopes drives;
  StepDerivativesReport report;
  // The step: from q and v to the state of the simulation, with u.
  std::vector<double> q, v, u, middle, turning, acceleration, force, expected;
  double time = 0;
  std::vector<char> touches;
  std::vector<Force<double>> external;
  std::vector<double> velocities;   // (3 contacts) J u
  Matrix Fq, Fv, M, mass;           // dt times the derivatives of (1); mass: by u
  Matrix contact_q;                 // of contacts, but for what stays on its body
  std::vector<double> gap_by_q;     // (nv) of one contact
  stepping::ImpulseSlopes pressed;  // the rows that press
  // A contact that slides: its normal is this row of `pressed`.
  struct Sliding {
    std::size_t contact = 0;
    int row = 0;
    double normal = 0, s1 = 0, s2 = 0;  // impulse, direction
  };
  std::vector<Sliding> sliding;
  // A contact that presses: its rows of `pressed`, and d(bias)/d(gap).
  struct Pressing {
    std::size_t contact = 0;
    int row = 0, count = 0;
    double slope = 0;
    Vec3<double> impulse{};
  };
  std::vector<Pressing> pressing;
  RegressorWorkspace<double> regressor;
  // Impacts.
  stepping::ImpactLog log;
  stepping::ImpactChain chain;
  std::vector<int> body_of;    // (nodes)
  std::vector<char> bounced;   // (nodes) their tree did
  std::vector<char> of_other;  // (nv) equation (1) is not asked of it: what does not bounce is not on the path
  Matrix end_by_q, end_by_v, end_by_impulse, scratch;
  Matrix by_state, by_control, by_applied;
  double impulse_scale = 0, speed_scale = 0;
};

}  // namespace sinew
