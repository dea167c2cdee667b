// src/sim/simulation_undo.cpp - steps that are not completed; a simulation that begins again
#include <algorithm>
#include <stdexcept>
#include <string>

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

void Simulation::restart(const State& start) {
  const char* call = "Simulation::restart";
  if (mechanism_)
    throw std::invalid_argument(std::string(call) +
                                ": embedded loops and other mechanisms cannot begin again; make a new simulation");
  check_size(call, "q", start.q.size(), state.q.size());
  check_size(call, "v", start.v.size(), state.v.size());
  check_size(call, "activation", start.activation.size(), state.activation.size());
  state = start;
  left_.q.clear();
  contact_.set_memory({}), collision_.set_memory({});
  guess_.set_memory(state, {});
  spin_.learn({}, {});
  for (auto* x : {&contacts_, &next_contacts_}) x->clear();
  for (auto* x : {&impulses_, &row_impulses_, &row_velocities_, &loop_impulses_}) x->clear();
  for (auto* x : {&stuck_contacts_, &stuck_stops_}) x->clear();
  rows_.clear(), contact_forces_.clear();
  std::fill(acceleration_.begin(), acceleration_.end(), 0.0);
  mocap.forget(), drives_.forget();
  totals_ = {}, report_ = {};
}

}  // namespace sinew
