// src/sim/simulation.cpp
#include "sinew/sim/simulation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "constants.hpp"
#include "contact/constants.hpp"
#include "sinew/contact/contact_rows.hpp"
#include "sinew/sim/mechanisms.hpp"

namespace sinew {
namespace {

using namespace stepping;
using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

SimulationOptions complete_options(const Model& m, SimulationOptions o, double dt) {
  o.dt = dt;
  if (!(o.recovery >= 0 && o.recovery <= 1))
    throw std::invalid_argument("Simulation: recovery must be between 0 and 1, not " + std::to_string(o.recovery));
  if (!(o.recovery_speed >= 0))
    throw std::invalid_argument("Simulation: recovery_speed must not be negative, but is " +
                                std::to_string(o.recovery_speed));
  if (o.refinements < 0 || !(o.overlap > 0))
    throw std::invalid_argument("Simulation: refinements must not be negative, and overlap must be positive");
  if (o.rest_speed < 0) o.rest_speed = 2 * norm(m.gravity()) * o.dt;
  return o;
}

std::unique_ptr<const Model> make_twin(const Drives& d) {
  return d.is_implicit() ? std::make_unique<const Model>(d.make_twin()) : nullptr;
}

int index_of_non_finite(In<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i])) return static_cast<int>(i);
  return -1;
}

// The body that a coordinate moves, or the name of an extra coordinate.
std::string body_of(const Model& m, const std::vector<std::string>& extra, int index, bool of_position) {
  for (const JointEntry& j : m.joints()) {
    const int first = of_position ? j.q : j.v, count = of_position ? j.nq : j.nv;
    if (index >= first && index < first + count) return "body '" + m.bodies()[j.child].name + "'";
  }
  const int beyond = index - (of_position ? m.nq() : m.nv());
  if (beyond >= 0 && beyond < static_cast<int>(extra.size())) return extra[at(beyond)];
  return "coordinate " + std::to_string(index);
}

}  // namespace

Simulation::Simulation(const Model& m, const SimulationOptions& options) : Simulation(m, nullptr, options) {}
Simulation::Simulation(const Model& m, const ConstraintSet& set, const SimulationOptions& options)
    : Simulation(m, &set, options) {}
Simulation::Simulation(const Model& m, const ConstraintSet* set, const SimulationOptions& options)
    : Stepper(m, set, options.dt),
      options_(complete_options(m, options, step_length_)),
      drives_(m, options_.dt),
      fluid_(m),
      twin_(make_twin(drives_)),
      limits_(m),
      contact_(make_contact_solver()),
      collision_(make_collision_solver()),
      flight_(m, mechanism_ ? SingleBodies::as_roots : SingleBodies::spin_exactly),
      guess_(m),
      motion_(m),
      next_motion_(m) {
  complete();
}
Simulation::Simulation(std::unique_ptr<Mechanism> mechanism, const SimulationOptions& options)
    : Stepper(std::move(mechanism), options.dt),
      options_(complete_options(model_, options, step_length_)),
      drives_(model_, options_.dt),
      fluid_(model_),
      twin_(make_twin(drives_)),
      limits_(model_),
      contact_(make_contact_solver()),
      collision_(make_collision_solver()),
      flight_(model_, SingleBodies::as_roots),
      guess_(model_),
      motion_(view()),
      next_motion_(view()) {
  if (&view() != &model_) joint_motion_.emplace(model_);
  complete();
}

// Makes the mechanism too, if loops are to be embedded.
ContactSolver Simulation::make_contact_solver() {
  if (!mechanism_ && options_.loops == LoopMethod::embed && set_.rows() > 0)
    mechanism_ = make_embedded_mechanism(model_, set_);
  if (!mechanism_) return {twin_ ? *twin_ : model_, set_, options_.formulation, options_.solver};
  mechanism_->set_step(options_.dt, twin_ ? *twin_ : model_);
  return {*mechanism_, options_.solver};
}
CollisionSolver Simulation::make_collision_solver() {
  const CollisionOptions o{options_.solver, options_.restitution_friction};
  if (mechanism_) return {*mechanism_, o};
  return {model_, set_, options_.formulation, o};
}

// What both constructors do at their end.
void Simulation::complete() {
  interrupt = options_.solver.interrupt;
  for (const Node& n : view().nodes())
    tree_of_.push_back(n.parent <= 0 ? static_cast<int>(tree_of_.size()) : tree_of_[n.parent]);
  for (auto* x : {&next_v_, &turning_, &forces_, &middle_}) x->resize(state.v.size());
  rates_.resize(at(model_.nv()));
  next_q_.resize(state.q.size());
  reserve();
}

// Reserves memory so that steps allocate nothing.
void Simulation::reserve() {
  const int contacts = std::min(kRoom, 3 * shapes_.usual_contacts() / 2),
            rows = std::min(kRoom, limits_.most_rows() + drives_.most_rows());
  shapes_.reserve(contacts), contact_.reserve(contacts, rows), collision_.reserve(contacts, rows);
  for (auto* x : {&contacts_, &next_contacts_, &touching_, &waiting_}) x->reserve(at(contacts));
  contact_forces_.reserve(at(contacts));
  for (auto* x : {&rows_, &held_}) x->reserve(at(limits_.most_rows() + drives_.most_rows()));
  for (auto* x : {&velocities_, &impulses_}) x->reserve(3 * at(contacts));
  bouncing_.reserve(at(contacts)), reached_.reserve(tree_of_.size()), bias_.reserve(at(contacts)),
      recovery_.reserve(at(contacts));
  stuck_contacts_.reserve(at(contacts)), stuck_stops_.reserve(at(limits_.most_rows() + drives_.most_rows()));
  for (auto* x : {&row_impulses_, &row_velocities_}) x->reserve(at(limits_.most_rows() + drives_.most_rows()));
  loop_impulses_.reserve(at(set_.rows()));
  before_q_.reserve(mocap.any() ? state.q.size() : 0), before_.reserve(state.v.size()),
      all_external_.reserve(model_.bodies().size());
  for (ContactMemory* x : {&kept_.contact, &kept_.collision}) {
    x->z.reserve(3 * at(contacts) + at(rows) + at(set_.rows())), x->met.reserve(at(contacts));
    for (auto* of_contacts : {&x->impulses, &x->velocities, &x->repeated}) of_contacts->reserve(3 * at(contacts));
    x->joint_ids.reserve(at(rows)), x->joint_impulses.reserve(at(rows));
  }
  kept_.stuck_contacts.reserve(at(contacts)), kept_.stuck_stops.reserve(at(rows));
  left_ = state;
  left_.q.clear();
}

const EmbeddingReport* Simulation::embedding() const { return get_embedding(mechanism_.get()); }

void Simulation::set_watch(const ContactWatch& watch) {
  contact_.watch = watch;
  collision_.set_watch(watch);
}

// Contact forces: impulses divided by dt.
void Simulation::calc_contact_forces() {
  contact_forces_.clear();
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double* p = impulses_.data() + 3 * c;
    contact_forces_.push_back((1 / options_.dt) * to_world(contacts_[c].normal, p[0], p[1], p[2]));
  }
}

// Contacts and stops at the state. Contacts that the last step found there are used again.
void Simulation::find_contacts() {
  if (left_.time == state.time && left_.q == state.q && left_.v == state.v) {
    std::swap(contacts_, next_contacts_);
    std::swap(motion_, next_motion_);
  } else {
    if (mechanism_) mechanism_->settle(state.q, state.v, state.time);
    calc_motion(state.q, state.v, state.time, motion_);
    shapes_.find_within(motion_, options_.look_ahead ? options_.dt : 0, contacts_);
  }
  left_.q.clear();
  find_stops();
}

void Simulation::find_stops() {
  const In<double> q = q_of_joints(state.q), v = v_of_joints(state.v);
  limits_.find(q, v, options_.dt, options_.recovery, state.time, rows_);
  drives_.add_stops(q, v, joint_motion_ ? *joint_motion_ : motion_, options_.recovery, rows_);
  limit_stop_recovery(0);
}
void Simulation::limit_stop_recovery(std::size_t first) {
  for (std::size_t r = first; r < rows_.size(); ++r) {
    if (rows_[r].bias >= -options_.recovery_speed || rows_[r].softness > 0) continue;
    rows_[r].bias = -options_.recovery_speed;
    ++report_.slowed;
  }
}

void Simulation::note(const lcp::Certificate& c, const ContactCosts& costs) {
  report_.residual = std::max(report_.residual, c.residual);
  report_.unsolved += c.status != lcp::Status::solved && c.status != lcp::Status::close;
  report_.close += c.status == lcp::Status::close;
  report_.iterations += c.iterations;
  note(costs);
}
void Simulation::note(const ContactCosts& costs) {
  ++totals_.problems;
  totals_.largest_size = std::max(totals_.largest_size, costs.size);
  totals_.assembly += costs.assembly, totals_.solution += costs.solution, totals_.recovery += costs.recovery;
}

// Keeps the touching contacts of trees that touching contacts connect with one that bounces; with loops and other
// mechanisms, all. False if none bounces.
bool Simulation::select_bouncing_contacts() {
  if (std::none_of(bouncing_.begin(), bouncing_.end(), [](bool b) { return b; })) return false;
  if (set_.rows() > 0 || mechanism_) return true;
  const auto trees_of = [&](const ContactPoint& c) { return std::array{tree_of_[c.node_a], tree_of_[c.node_b]}; };
  reached_.assign(tree_of_.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t c = 0; c < touching_.size(); ++c) {
      const auto [a, b] = trees_of(touching_[c]);
      const bool joined = bouncing_[c] || (a != 0 && reached_[a]) || (b != 0 && reached_[b]);
      if (!joined) continue;
      for (const int t : {a, b})
        if (t != 0 && !reached_[t]) reached_[t] = more = true;
      bouncing_[c] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t c = 0; c < touching_.size(); ++c)
    if (bouncing_[c]) touching_[kept++] = touching_[c];
  touching_.resize(kept);
  return true;
}

// Bodies that would meet within the step, and those that touch already, exchange impulses until none of them bounces.
void Simulation::collide() {
  velocities_.resize(3 * contacts_.size());
  const double touch =
      std::max(options_.dt * options_.rest_speed, options_.overlap);  // rounding must not separate bodies
  for (int round = 0; round < kMostCollisions && !contacts_.empty(); ++round) {
    calc_contact_velocities(contacts_, motion_, velocities_);
    touching_.clear(), bouncing_.clear();
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const double u = velocities_[3 * c], gap = contacts_[c].gap;
      const bool closes = options_.look_ahead ? gap + options_.dt * u <= 0 : gap <= 0;
      if (!closes && gap > touch) continue;
      touching_.push_back(contacts_[c]);
      bouncing_.push_back(closes && u < -options_.rest_speed && contacts_[c].restitution > 0);
    }
    if (!select_bouncing_contacts()) return;
    held_.clear();  // stops that are reached hold in a collision too
    for (const JointRow& r : rows_)
      if (std::isinf(r.upper) && r.bias <= 0) held_.push_back(r), held_.back().bias = 0;
    const CollisionAnswer& a = collision_.solve(state.q, state.v, touching_, state.time, held_);
    note(a.compression_certificate, a.costs);
    if (a.restituted) note(a.restitution_certificate, {});
    const double gain = a.energy.after - a.energy.before;
    report_.collision_gain = report_.collisions == 0 ? gain : std::max(report_.collision_gain, gain);
    report_.work.collisions += gain;
    report_.impulse.contacts += calc_world_impulse(touching_, a.compression);
    if (a.restituted) report_.impulse.contacts += calc_world_impulse(touching_, a.restitution);
    ++report_.collisions;
    std::copy(a.v.begin(), a.v.end(), state.v.begin());
    calc_motion(state.q, state.v, state.time, motion_);
    report_.slowed = 0;
    find_stops();
  }
}

// A gap within the rounding error of the positions it comes from counts as zero, so that resting bodies do not jitter.
double Simulation::calc_gap(const ContactPoint& c) const {
  const auto origin_of = [&](int node) { return motion_.kinematics.X[node].r; };
  const double lengths = norm(c.point) + norm(c.point - origin_of(c.node_a)) + norm(c.point - origin_of(c.node_b));
  return std::abs(c.gap) > kRounding * lengths ? c.gap : 0;
}

// [m/s] at which one step takes back the share options_.recovery of an overlap.
double Simulation::calc_recovery(const ContactPoint& c) const {
  return options_.look_ahead ? options_.recovery * std::max(0.0, -calc_gap(c)) / options_.dt : 0;
}

void Simulation::find_bias() {
  bias_.clear(), recovery_.clear();
  for (const ContactPoint& c : contacts_) {
    const double back = calc_recovery(c);
    report_.slowed += back > options_.recovery_speed;
    recovery_.push_back(std::min(back, options_.recovery_speed));
    bias_.push_back(options_.look_ahead && c.gap > 0 ? calc_gap(c) / options_.dt : -recovery_.back());
  }
}

// Leaves the overlap as it is in this step.
void Simulation::skip_contact_recovery(std::size_t c) {
  report_.slowed -= calc_recovery(contacts_[c]) > options_.recovery_speed;
  ++report_.stuck;
  bias_[c] = recovery_[c] = 0;
}
void Simulation::skip_stop_recovery(std::size_t r) {
  report_.slowed -= rows_[r].bias == -options_.recovery_speed;
  ++report_.stuck;
  rows_[r].bias = 0;
}

// Leaves overlaps and stops that were stuck in the last step, except in every kStuckSteps-th step: it tries them again.
void Simulation::skip_stuck_recovery() {
  const bool again = totals_.steps % kStuckSteps == 0;
  const auto find = [&](std::vector<std::uint64_t>& stuck, std::size_t rows, auto id_of, auto comes_back, auto leave) {
    std::size_t kept = 0;
    for (std::size_t r = 0; r < rows && !again && kept < stuck.size(); ++r) {
      const auto found = std::find(stuck.begin() + static_cast<std::ptrdiff_t>(kept), stuck.end(), id_of(r));
      if (found == stuck.end() || !comes_back(r)) continue;
      std::swap(stuck[kept++], *found);
      leave(r);
    }
    stuck.resize(kept);
  };
  find(
      stuck_stops_, rows_.size(), [&](std::size_t r) { return rows_[r].id; },
      [&](std::size_t r) { return rows_[r].bias < 0 && rows_[r].softness == 0; },
      [&](std::size_t r) { skip_stop_recovery(r); });
  find(
      stuck_contacts_, contacts_.size(), [&](std::size_t c) { return contacts_[c].id; },
      [&](std::size_t c) { return bias_[c] < 0; }, [&](std::size_t c) { skip_contact_recovery(c); });
}

// If a problem with deep overlaps, or with joints far beyond their stops, was not solved: leaves its overlaps and stops
// as they are in this step. Then the problem has a solution: nothing moves. False if there are none.
bool Simulation::skip_deep_recovery() {
  const double deep = kDeep * options_.recovery_speed;
  bool any = false;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    any = any || (answer_->unsolved_joints[r] && rows_[r].bias < -deep && rows_[r].softness == 0);
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    any = any || (answer_->unsolved_contacts[c] && recovery_[c] > deep);
  if (!any) return false;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (answer_->unsolved_joints[r] && rows_[r].bias < 0 && rows_[r].softness == 0)
      skip_stop_recovery(r), stuck_stops_.push_back(rows_[r].id);
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    if (answer_->unsolved_contacts[c] && recovery_[c] > 0)
      skip_contact_recovery(c), stuck_contacts_.push_back(contacts_[c].id);
  return true;
}

void Simulation::solve(In<double> tau) {
  spin_.add_rows(contacts_, motion_, rows_);
  const ContactStep problem{.q = state.q,
                            .v = state.v,
                            .tau = tau,
                            .dt = options_.dt,
                            .time = state.time,
                            .contacts = contacts_,
                            .joints = rows_,
                            .bias = bias_,
                            .external = all_external_,
                            .turning = flight_.any() ? In<double>(turning_) : In<double>(),
                            .middle = middle_,
                            .feedback = options_.recovery,
                            .motion = &motion_};
  answer_ = &contact_.solve(problem);
  if (skip_deep_recovery()) {
    report_.iterations += answer_->certificate.iterations;
    note(answer_->costs);
    lcp::SolverOptions cold = options_.solver;  // a failed answer is not used as a warm start
    cold.warm = false, cold.interrupt = interrupt;
    answer_ = &contact_.solve(problem, cold);
  }
  // Torsional and rolling friction: until their bounds fit the normal impulses.
  for (int round = 1; spin_.any() && spin_.update(contacts_, *answer_, motion_, rows_); ++round) {
    report_.iterations += answer_->certificate.iterations;
    note(answer_->costs);
    answer_ = &contact_.solve(problem);
    if (round < kMostSpinRounds) continue;
    ++report_.close;
    break;
  }
  note(answer_->certificate, answer_->costs);
}

void Simulation::check_finite(const lcp::Certificate& c) {
  const int bad_v = index_of_non_finite(next_v_), bad_q = index_of_non_finite(next_q_);
  if (bad_v < 0 && bad_q < 0) return;
  std::string cause = "the contact problem was " + std::string(to_string(c.status));
  if (const int i = index_of_non_finite(control); i >= 0)
    cause = "the control of actuator '" + model_.spec().actuators[i].name + "' is not finite";
  else if (const int k = index_of_non_finite(forces_); k >= 0)
    cause = "the force on " + body_of(model_, extra_, k, false) + " is not finite";
  else if (index_of_non_finite(state.v) >= 0 || index_of_non_finite(state.q) >= 0)
    cause = "the state before the step was not finite";
  throw std::runtime_error("Simulation: step " + std::to_string(totals_.steps + 1) +
                           " at t = " + std::to_string(state.time) + " s gave a number that is not finite, at " +
                           (bad_v >= 0 ? body_of(model_, extra_, bad_v, false) : body_of(model_, extra_, bad_q, true)) +
                           ": " + cause + "; the state is that before the step");
}

// Contacts that the step will hardly close wait outside its problem: by the state alone, so that a run that is resumed
// has the same.
void Simulation::set_far_aside() {
  waiting_.clear();
  if (!options_.look_ahead || contacts_.empty()) return;
  velocities_.resize(3 * contacts_.size());
  calc_contact_velocities(contacts_, motion_, velocities_);
  const double dt = options_.dt, gain = kFalls * norm(model_.gravity()) * dt;
  std::size_t kept = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c) {
    const double approach = std::max(0.0, -velocities_[3 * c]);
    if (contacts_[c].gap <= dt * (contact::kReach * approach + gain) + options_.overlap)
      contacts_[kept++] = contacts_[c];
    else
      waiting_.push_back(contacts_[c]);
  }
  contacts_.resize(kept);
}

// Adds those that the answer would close: gap + dt u < 0. The others obey their law without an impulse, so that the
// answer is that of all contacts. True if there was one.
bool Simulation::call_waiting() {
  if (waiting_.empty()) return false;
  calc_motion(state.q, answer_->v, state.time, next_motion_);
  velocities_.resize(3 * waiting_.size());
  calc_contact_velocities(waiting_, next_motion_, velocities_);
  std::size_t kept = 0;
  for (std::size_t c = 0; c < waiting_.size(); ++c) {
    if (waiting_[c].gap + options_.dt * velocities_[3 * c] < -contact::kPassed)
      add_waiting(waiting_[c]);
    else
      waiting_[kept++] = waiting_[c];
  }
  const bool called = kept < waiting_.size();
  waiting_.resize(kept);
  return called;
}

void Simulation::add_waiting(const ContactPoint& c) {
  contacts_.push_back(c);
  bias_.push_back(calc_gap(c) / options_.dt), recovery_.push_back(0);
}
// The one with this id; false if none waits.
bool Simulation::call(std::uint64_t id) {
  const auto c = std::find_if(waiting_.begin(), waiting_.end(), [id](const ContactPoint& p) { return p.id == id; });
  if (c == waiting_.end()) return false;
  add_waiting(*c);
  waiting_.erase(c);
  return true;
}

// q and v at the end of the step; true if they pass a stop that was not in the problem.
bool Simulation::move() {
  const double dt = options_.dt;
  for (const ContactPoint& c : contacts_)
    for (const int node : {c.node_a, c.node_b}) flight_.touch(model_.bodies()[at(contact_body(node))].node);
  for (const JointRow& r : rows_)
    if (!r.of_contact)
      for (const int node : r.forces.nodes) flight_.touch(node);
  flight_.move(q_of_joints(state.q), v_of_joints(answer_->v), q_of_joints(next_q_), v_of_joints(next_v_));
  mocap.end_step(q_of_joints(state.q), dt, q_of_joints(next_q_));
  if (mechanism_) mechanism_->move_extra(state.q, answer_->v, dt, next_q_, next_v_);
  check_finite(answer_->certificate);
  if (mechanism_) mechanism_->settle(next_q_, next_v_, state.time + dt);
  const std::size_t known = rows_.size();
  limits_.add_passed(q_of_joints(state.q), q_of_joints(next_q_), dt, options_.recovery, state.time, rows_);
  drives_.add_passed(v_of_joints(answer_->v), options_.recovery, rows_);
  limit_stop_recovery(known);
  return rows_.size() > known;
}

// Again with the stops and contacts that were left out of the problem and that its answer would pass.
void Simulation::solve_and_move() {
  solve(forces_);
  for (int round = 0;; ++round) {
    const bool passed = move();
    if (round == kMostRounds || !(call_waiting() || passed)) return;
    solve(forces_), ++report_.refinements;
  }
}

// Contacts at the end of the step; true if one overlaps more than it should and its bias was corrected.
bool Simulation::correct_overlap(bool may_correct) {
  const auto start = Clock::now();
  const double dt = options_.dt;
  calc_motion(next_q_, next_v_, state.time + dt, next_motion_);
  shapes_.find_within(next_motion_, options_.look_ahead ? dt : 0, next_contacts_);
  bool again = false;
  std::size_t k = 0;
  for (const ContactPoint& c : next_contacts_) {
    if (!may_correct || c.gap > -options_.overlap) continue;
    std::size_t tried = 0;
    while (tried < contacts_.size() && contacts_[k].id != c.id) ++tried, k = k + 1 < contacts_.size() ? k + 1 : 0;
    if (tried == contacts_.size() && call(c.id)) k = contacts_.size() - 1, tried = 0;
    if (tried < contacts_.size()) {
      const double before = contacts_[k].gap, whole = calc_recovery(contacts_[k]);
      const double allowed =
          std::min(0.0, recovery_[k] < whole ? before + dt * recovery_[k] : (1 - options_.recovery) * before);
      if (c.gap > allowed - options_.overlap) continue;
      bias_[k] -= (allowed - c.gap) / dt;
      if (before < 0) bias_[k] = std::max(bias_[k], -options_.recovery_speed);
    } else {
      // It was out of reach at the start: add it, with the gap traced back from the end.
      std::array<double, 3> u{};
      calc_contact_velocities({&c, 1}, next_motion_, u);
      contacts_.push_back(c), contacts_.back().gap = c.gap - dt * u[0];
      bias_.push_back(std::max(0.0, contacts_.back().gap) / dt), recovery_.push_back(0);
    }
    again = true;
  }
  totals_.detection += since(start);
  return again;
}

void Simulation::take_step(In<double> tau) {
  keep();
  if (mocap.any()) mocap.begin_step(q_of_joints(state.q), options_.dt);
  contact_.options().interrupt = collision_.options.solver.interrupt = interrupt;
  try {
    take_step_from_here(tau);
  } catch (...) {
    put_back();
    throw;
  }
}

void Simulation::take_step_from_here(In<double> tau) {
  report_.impulse = {};
  spin_.begin_step();
  const auto start = Clock::now();
  if (guesses()) guess_.find_change(state, options_.dt, middle_);
  find_contacts();
  totals_.detection += since(start);
  collide();
  set_far_aside();

  // Forces of the step.
  const In<double> q = q_of_joints(state.q), v = v_of_joints(state.v), middle = v_of_joints(middle_);
  const Out<double> forces = v_of_joints(forces_);
  std::copy(applied.begin(), applied.end(), forces_.begin());
  for (std::size_t i = 0; i < tau.size(); ++i) forces_[i] += tau[i];
  all_external_.assign(external.begin(), external.end());
  if (drives_.adheres()) drives_.hold_contacts(contacts_, options_.overlap);
  if (joint_motion_) calc_velocities(model_, *joint_motion_, q, v, state.time);
  const VelocityWorkspace<double>& motion = joint_motion_ ? *joint_motion_ : motion_;
  if (drives_.any()) drives_.add_forces(q, v, control, motion, forces, all_external_, state.activation);
  drives_.add_soft_rows(rows_);
  fluid_.add_forces(motion, all_external_);
  for (std::size_t i = 0; i < middle_.size(); ++i) middle_[i] = state.v[i] + (guesses() ? middle_[i] : 0);
  flight_.begin(v, v_of_joints(middle_), options_.dt);
  for (const delassus::Entry& e : set_.problem().entries()) flight_.touch(e.node);
  flight_.add_forces(forces);
  std::copy(flight_.turning().begin(), flight_.turning().end(), turning_.begin());
  drives_.add_forces_of_twin(middle, flight_.any() ? flight_.turning() : In<double>(), forces);
  find_bias();
  skip_stuck_recovery();
  solve_and_move();
  for (int round = 0; correct_overlap(options_.look_ahead && round < options_.refinements); ++round) {
    ++report_.refinements;
    solve_and_move();
  }
  account(tau);
  std::copy(next_v_.begin(), next_v_.end(), state.v.begin());
  std::copy(next_q_.begin(), next_q_.end(), state.q.begin());
  drives_.step_activations(control, state.activation);
  state.time += options_.dt;
  if (mechanism_) mechanism_->end_step(state.q, state.v, state.time);
  left_ = state;
  rates_ = acceleration_;
  flight_.add_turning(v_of_joints(state.v), rates_);
  if (guesses()) guess_.learn(state, rates_);
}

}  // namespace sinew
