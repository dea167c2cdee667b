// src/sim/step_derivatives_impl.hpp - the parts of StepDerivatives
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contact_row_slopes.hpp"
#include "impact_chain.hpp"
#include "impulse_slopes.hpp"
#include "linear/matrix.hpp"
#include "loop_slopes.hpp"
#include "movement_slopes.hpp"
#include "relaxed_laws.hpp"
#include "sinew/derivative/rnea_derivatives.hpp"
#include "sinew/sim/drives.hpp"
#include "sinew/sim/step_derivatives.hpp"
#include "sinew/tree/regressor.hpp"

namespace sinew {

namespace stepping {
class Solution;
}

[[noreturn]] inline void refuse_derivatives_of_step(const std::string& what) {
  throw StepRefused("StepDerivatives: " + what);
}

struct StepDerivatives::Impl {
  using Matrix = linear::Matrix;
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  static constexpr double kSameBias = 1e-9;  // relative
  explicit Impl(Simulation& s);

  // into: where the simulation writes its impacts down, for the time of the step. embedding: none, or its mechanism.
  void step(stepping::ImpactLog*& into, const stepping::Solution&, Mechanism* embedding, In<double> tau,
            const StepDerivativeOptions&);
  void differentiate(In<double> tau, const StepDerivativeOptions&);
  void find_impacts(In<double> tau, const StepDerivativeOptions&);
  void find_bounced();
  bool bounces(int node) const { return node > 0 && !bounced.empty() && bounced[at(node)] != 0; }
  void check_step() const;
  void find_motion();

  // A problem of the step: that of its end, or that of the way to its impacts.
  struct Problem {
    std::span<const ContactPoint> contacts;
    In<double> bias, impulses;
    std::span<const JointRow> joints;
    In<double> joint_impulses, joint_velocities;
    bool before = false;  // of the way to the impacts
  };
  // Rows (step_derivative_rows.cpp).
  void find_rows(const Problem&, const StepDerivativeOptions&);
  void add_contact(std::size_t c, const StepDerivativeOptions&);
  void add_joint_row(std::size_t r, const StepDerivativeOptions&);
  void add_actuators(const StepDerivativeOptions&);
  double slope_of_gap(double gap, double bias, double lowest, double rounding, const StepDerivativeOptions&, StepRow&);
  double slope_of_stop(const JointRow&, int row, const StepDerivativeOptions&, StepRow&);
  // concerns: one of its nodes; of the way to the impacts only what bounces is in the report.
  void note(StepRow row, bool at_switch, std::array<int, 2> concerns);

  void push(const ContactPoint&, const Vec3<double>& impulse);

  // Loops and couplings (step_derivative_loops.cpp).
  void close_start(Mechanism&);
  void add_loops();
  void add_loop_forces();
  void find_loop_impulses();
  void add_loop_rates();
  Matrix hold_loops();

  // Relaxed laws (step_derivative_smoothing.cpp).
  struct Relaxed {
    bool of_contact = false;  // else a joint row
    std::size_t index = 0;    // of the problem
    int row = 0, count = 0;   // of `pressed`
    double gap = 0, bias = 0, slope = 0;
  };
  void relax(In<double> tau, const StepDerivativeOptions&);
  void find_relaxed(std::vector<double>& p, std::vector<double>& w);
  void place_relaxed(In<double> p);
  double round_corner(Relaxed&, double width) const;

  void find_acceleration();
  void find_forces(In<double> tau);
  void turn_axes();
  void add_known_forces(In<double> tau);
  void find_residual();
  void start_from_impacts();
  void move();
  void move_by_impacts();
  void move_controls();
  // Sets column c: where a change du of the velocity at the end leads; dw of that after impacts, dback of the way back.
  void set_column(const double* du, const double* dw, const double* dback, MatrixView<double> out, std::size_t c) const;
  // du where impacts add dw to the velocity and the step ends less far by dback.
  void carry(const double* dw, const double* dback, double* du) const;
  // du by impulses at the end of the step alone, not on the way to its impacts.
  const Matrix& by_last_impulse() const { return log.rounds.empty() ? pressed.u_by_force : by_impulse; }
  void move_row(const stepping::MovementSlopes::Joint&, const std::array<double, 6>& by_u,
                const std::array<double, 6>& by_q, const std::array<double, 6>& by_v, int row);

  Simulation& sim;
  const Model& model;
  const double dt;
  const int nv;
  RneaDerivativesWorkspace<double> rnea;
  stepping::ContactRowSlopes touching;
  stepping::ContactRowSlopes displaced;  // at the velocity that leads to where the step ends, impacts included
  stepping::MovementSlopes moving;
  DriveSlopes drives;
  StepDerivativesReport report;
  // The step: from q and v to the state of the simulation, with u.
  std::vector<double> q, v, u, middle, turning, acceleration, force, expected;
  double time = 0;
  std::vector<char> touches;
  std::vector<Force<double>> external;
  Problem problem;                  // whose rows are found
  std::vector<double> velocities;   // (3 contacts) J u
  std::vector<double> ends;         // (3 contacts) the same of `displaced`
  std::vector<int> of_gaps;         // rows of `pressed` whose bias knows where the step ends
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
  std::vector<Relaxed> relaxed;
  stepping::RelaxedLaws relaxed_laws;
  Matrix response;  // of their rows
  // Loops and couplings.
  bool embedded = false;
  std::unique_ptr<stepping::LoopSlopes> loops;  // none: there are none
  int first_loop = 0;                           // row of `pressed`
  std::vector<double> loop_impulses;
  stepping::LoopSlopes::Closing at_start, at_end;  // of embedded loops
  Matrix loops_by_laws;                            // how they follow the impulses of relaxed laws
  Matrix turning_by_v;
  // Impacts.
  stepping::ImpactLog log;
  stepping::ImpactChain chain;
  std::vector<int> body_of;   // (nodes)
  std::vector<char> bounced;  // (nodes) their tree did, or it presses on the way against one that did
  DriveSlopes drives_before;  // on the way
  // A contact that slides on the way: where mu is one more, this impulse acts.
  struct SlidingBefore {
    std::uint64_t id = 0;
    std::vector<double> impulse;  // (nv)
  };
  std::vector<SlidingBefore> sliding_before;
  Matrix end_by_q, end_by_v, end_by_impulse;
  Matrix by_gained, by_passed, by_impulse;  // du by what impacts add, by the way back, by impulses after them
  Matrix by_state, by_control, by_applied;
  double impulse_scale = 0, speed_scale = 0;
};

}  // namespace sinew
