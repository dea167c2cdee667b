// sinew/sim/step_derivatives.hpp - derivatives of a whole step of a Simulation, contact included
//   d(q+, v+) / d(q, v),   d(q+, v+) / d(control),   d(q+, v+) / d(applied forces)
// dq are changes along velocity coordinates, as integrate(model, q, dq) takes them, before and after the step.
// With u the velocity at the end of the step along the axes at its start, impulses p and J(q) the rows of contacts and
// stops, a step solves
//   (1) RNEA(q, v, (u - v) / dt) = F(q, v, u, control) + applied + J^T p / dt,   (2) p and J u obey the contact laws
// At the solution each row has a mode, and keeps it while the state changes a little:
//   open     dp = 0                          sticks   d(J u) = -d(bias), three rows
//   slides   d(J_n u) = -d(bias),            dp_t = -mu dp_n s - (mu p_n / |u_t|) (1 - s s^T) d(u_t),  s = u_t / |u_t|
// Loops and couplings are rows that always hold: K u + recovery e0 / dt = target, e0 their position errors; embedded
// ones (LoopMethod::embed) move by K a = k, and are closed after that, which the derivatives know
// (src/sim/loop_slopes.hpp). Bodies that bounce do so at their own times within the step; the time of an impact changes
// with the state, so that its gap stays zero (src/sim/impact_chain.hpp). So one linear system gives du and dp for all
// directions. Its parts are those of derivative/rnea_derivatives.hpp, of contact/touch_slopes.hpp, of the laws of
// drives, and of how joints move (sim/free_flight.hpp). No finite differences.
//   Simulation s(model, {.middle_forces = false, .refinements = 0});
//   StepDerivatives d(s);
//   d.step();                              // s.step(), and its derivatives
//   d.state();                             // (2 nv x 2 nv)
// Where a mode is about to change there is no derivative, only one on each side: report() says how far each row is from
// that, and `differentiable` whether any is there. docs/derivatives.md has what is refused, by name.
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/sim/simulation.hpp"

namespace sinew {

// What a row of a step does.
enum class StepMode {
  open,     // no impulse: a contact or stop that is not reached
  presses,  // a contact without friction, or a stop
  sticks,   // a contact, or dry friction of a joint that holds
  slides,   // the same, with all the friction there is
  drives,   // an actuator within its limits
  limited,  // an actuator whose force, or whose control, is at a limit
};
std::string_view to_string(StepMode);

// Whose mode it is.
enum class StepRowKind { contact, stop, joint_friction, actuator, impact };
std::string_view to_string(StepRowKind);

// One row of a step: what it does, and how far it is from doing something else.
struct StepRow {
  StepRowKind kind = StepRowKind::contact;
  int index = 0;  // among contacts, joint rows or actuators of the simulation; of impacts, in the order of the step
  StepMode mode = StepMode::open;
  // To the next change of mode: [N s or N m s] of an impulse, [m/s or rad/s] of an open or sliding row, or of an impact
  // that would be too slow to bounce, [N, N m or units of control] of an actuator.
  double distance = std::numeric_limits<double>::infinity();
  // [m or rad] of a contact or stop that presses: how far its gap is from zero, where the speed that it asks for has a
  // corner (a gap closes, a share `recovery` of an overlap comes back); infinite: no corner.
  double gap = std::numeric_limits<double>::infinity();
  bool before = false;     // on the way to the impacts of the step; index -1: the simulation has it no longer
  bool at_switch = false;  // one of the two is smaller than StepDerivativeOptions::near
  bool tie = false;        // two faces look at each other: which has the normal changes with the smallest turn
};

// Which one-sided derivative to take at a switch.
enum class StepSide {
  hold,     // what touches presses, what holds sticks, a gap of zero is an overlap
  release,  // what does not press is open, what is at its friction slides, a gap of zero is a gap
};

// What to do at a switch, and how near that is.
struct StepDerivativeOptions {
  StepSide side = StepSide::hold;
  // Nearer to a switch than this is at it: as a share of the largest impulse of the step, or of the largest velocity of
  // its rows.
  double near = 1e-7;
  // [J] kappa > 0: derivatives of relaxed laws, smooth at switches, in the place of the exact ones. Each contact obeys
  // p o u = kappa e, with the product of the second-order cone, as on the path of an interior point; stops and dry
  // friction likewise (src/sim/relaxed_laws.hpp). The step itself is exact, and the report has its exact modes. Steps
  // with impacts have exact derivatives.
  double smoothing = 0;
};

// Whether the step has derivatives, and which modes they are for.
struct StepDerivativesReport {
  bool differentiable = true;  // all of what follows is as it should be
  std::vector<StepRow> rows;   // all contacts, stops, dry friction and actuators of the step
  int at_switch = 0;           // how many of them are at a switch, or have a tie, or meet at the same time as another
  int impacts = 0;             // contacts of all impacts with restitution
  int rank = 0, size = 0;      // of the systems for the impulses; less rank: some share a load in many ways
  bool unique = true;          // du does not depend on how they share it
  double inconsistency = 0;    // relative: rows whose modes cannot all last where the state changes
  int remembered = 0;          // contacts whose gap was corrected by what the last step taught: taken as constant
  int falling = 0;             // bodies on their parabola: a force on them moves them dt^2 g / 2 elsewhere, at once
  double smoothing = 0;        // [J] of the relaxed laws that these are derivatives of; 0: of the exact ones
  double residual = 0;         // relative, of (1) as it is differentiated
};

// What the step depends on besides its state: one number, or several.
struct StepParameter {
  // What it belongs to, and how many numbers it has.
  enum class Kind {
    friction,     // of all contacts of two shapes: one number
    restitution,  // of all impacts of two shapes: one number
    inertia,      // of a body: ten numbers, as tree/regressor.hpp has them
    placement,    // of a shape on its body: turn and shift, six numbers
  };
  Kind kind = Kind::friction;
  int index = 0;  // of a shape in the model's specification, or of a body
  int other = 0;  // friction and restitution: the other shape
  int columns() const { return kind == Kind::inertia ? 10 : kind == Kind::placement ? 6 : 1; }
};

// A simulation whose steps come with their derivatives.
class StepDerivatives {
 public:
  // The simulation must outlive it. Throws std::invalid_argument naming what has no derivatives: bodies that bend,
  // constraints that a program wrote and those of tendons through sites, mocap bodies, a medium, friction of spinning
  // or rolling, pyramids in the place of cones, joints of users, drives that act on more than one coordinate or have an
  // activation; and options of the simulation, with the value that they need.
  explicit StepDerivatives(Simulation&, const StepDerivativeOptions& = {});
  ~StepDerivatives();
  StepDerivatives(StepDerivatives&&) noexcept;

  // A step of the simulation, and its derivatives. Throws what Simulation::step throws; std::invalid_argument, before
  // the step, for a smoothing that is negative; and StepRefused, after the step, naming a pair of shapes that presses
  // or bounces and whose contact cannot be differentiated, a stop that takes part in an impact, a stop of a ball joint,
  // overlaps that were left as they are, a step or relaxed laws that were not solved, or forces that are not known
  // here; and where something bounces and the model has loops or couplings.
  const StepDerivativesReport& step(In<double> tau = {});
  const StepDerivativesReport& report() const;

  // Of the last step. Rows: dq+, then dv+.
  MatrixView<const double> state() const;    // (2 nv x 2 nv) columns: dq, dv
  MatrixView<const double> control() const;  // (2 nv x actuators)
  MatrixView<const double> applied() const;  // (2 nv x nv)

  // Of the last step, by parameters; rows as above. They cost nothing where they are not asked for.
  // (2 nv x contacts) by the friction coefficient of each contact of the simulation; zero but where it slides. Impacts
  // are not part of it. Throws StepRefused where one slides on the way to an impact and is no longer there at the end.
  void calc_by_friction(OutMatrix<double>) const;
  // (2 nv x report().impacts) by the restitution of each contact of impacts, in the order of the rows of the report.
  void calc_by_restitution(OutMatrix<double>) const;
  // (2 nv x 10) by the inertial parameters of a body, as tree/regressor.hpp has them. Throws StepRefused where it is
  // not known: for a single body that flies by its own spin, and for trees that bounce in the step or press against
  // one.
  void calc_by_inertia(int body, OutMatrix<double>);

  // (2 nv x 6) by the place of a shape on its body, numbered as in the model's specification: turns about the axes of
  // the body's frame (of the world) through its origin, then shifts along them. The body's inertia stays. Throws
  // StepRefused where something bounces on it in the step, or presses on it before it bounces on something else.
  void calc_by_placement(int shape, OutMatrix<double>);

  // (2 nv x columns) by one of these. Throws what the calls above throw.
  void calc_by(const StepParameter&, OutMatrix<double>);

  StepDerivativeOptions options;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew
