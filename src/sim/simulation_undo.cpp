// src/sim/simulation_undo.cpp - steps that are not completed; a simulation that begins again
#include <algorithm>
#include <stdexcept>
#include <string>

#include "simulation_phases.hpp"

namespace sinew {

void Simulation::keep() {
  Phases& p = *phases_;
  p.before_v.assign(state.v.begin(), state.v.end());
  if (mocap.any()) p.before_q.assign(state.q.begin(), state.q.end());
  if (!interrupt.is_possible()) return;
  p.solution.solver.get_memory(p.kept.contact), p.collisions.solver.get_memory(p.kept.collision);
  p.kept.stuck = p.rows.stuck, p.kept.bends = p.rows.bends, p.kept.contacts = contacts_;
}
// Positions of other bodies than mocap's, time and activations change only at the end of a step. What a step that
// cannot be interrupted has learned stays, but its contacts and rows are gone.
void Simulation::put_back() {
  Phases& p = *phases_;
  std::copy(p.before_v.begin(), p.before_v.end(), state.v.begin());
  if (mocap.any()) std::copy(p.before_q.begin(), p.before_q.end(), state.q.begin());
  p.detection.forget(), p.rest.forget();
  p.account.clear_rows();
  p.rows.rows.clear();
  if (interrupt.is_possible()) {
    p.solution.solver.set_memory(p.kept.contact), p.collisions.solver.set_memory(p.kept.collision);
    p.rows.stuck = p.kept.stuck, p.rows.bends = p.kept.bends;
    contacts_ = p.kept.contacts;
  } else {
    contacts_.clear(), p.account.impulses.clear(), contact_forces_.clear();
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
  Phases& p = *phases_;
  state = start;
  p.detection.clear(), p.rest.forget();
  p.solution.solver.set_memory({}), p.collisions.solver.set_memory({});
  p.forces.guess.set_memory(state, {});
  p.solution.spin.learn({}, {});
  contacts_.clear(), contact_forces_.clear();
  p.account.clear_rows(), p.account.impulses.clear();
  for (auto* x : {&p.rows.stuck.contacts, &p.rows.stuck.stops}) x->clear();
  p.rows.rows.clear(), p.rows.bends.clear();
  std::fill(acceleration_.begin(), acceleration_.end(), 0.0);
  mocap.forget(), p.drives->forget();
  totals_ = {}, report_ = {};
}

}  // namespace sinew
