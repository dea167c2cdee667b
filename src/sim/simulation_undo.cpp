// src/sim/simulation_undo.cpp - steps that are not completed
#include <algorithm>

#include "sinew/sim/simulation.hpp"

namespace sinew {

void Simulation::keep() {
  before_.assign(state.v.begin(), state.v.end());
  if (mocap.any()) before_q_.assign(state.q.begin(), state.q.end());
  if (!interrupt.is_possible()) return;
  contact_.get_memory(kept_.contact), collision_.get_memory(kept_.collision);
  kept_.stuck_contacts = stuck_contacts_, kept_.stuck_stops = stuck_stops_;
}
// Positions of other bodies than mocap's, time and activations change only at the end of a step. What a step that
// cannot be interrupted has learned stays, but its contacts and rows are gone.
void Simulation::put_back() {
  std::copy(before_.begin(), before_.end(), state.v.begin());
  if (mocap.any()) std::copy(before_q_.begin(), before_q_.end(), state.q.begin());
  left_.q.clear();
  for (auto* x : {&row_impulses_, &row_velocities_, &loop_impulses_}) x->clear();
  rows_.clear();
  if (interrupt.is_possible()) {
    contact_.set_memory(kept_.contact), collision_.set_memory(kept_.collision);
    stuck_contacts_ = kept_.stuck_contacts, stuck_stops_ = kept_.stuck_stops;
    contacts_ = kept_.contact.met;
  } else {
    contacts_.clear(), impulses_.clear(), contact_forces_.clear();
  }
}

}  // namespace sinew
