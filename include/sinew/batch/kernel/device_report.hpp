// sinew/batch/kernel/device_report.hpp - what one world on a device says about its steps
#pragma once

namespace sinew::device {

// Why a world was set aside.
enum class Cause : int {
  none = 0,
  not_finite,   // a number of the state after the step
  contacts,     // more than there is room for
  rows,         // of the friction problem, more than there is room for
  mass_matrix,  // not positive definite, or not finite
  // Only within a step:
  waiting,   // for its friction problem
  delayed,   // for an answer that takes long
  answered,  // for its positions
  finished,  // to be taken on, where steps of other worlds go on meanwhile
};

// Of one world: the last step, and sums over all.
template <class R>
struct WorldReport {
  Cause cause = Cause::none;
  int needed = 0;                           // contacts or rows that there was no room for
  int contacts = 0, rows = 0;               // found; in the problem
  int newtons = 0, sweeps = 0, rounds = 0;  // of the solution
  int limit_rounds = 0;                     // above 0: the step is taken again, with other limits of servos
  R residual{};                             // of the natural map over the largest free velocity
  R worst{};                                // the largest so far
  int steps = 0, unsolved = 0;              // so far; with a residual above the tolerance
};

}  // namespace sinew::device
