// src/sim/step_solution.cpp
#include "step_solution.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "contact/constants.hpp"
#include "contact/find_id.hpp"
#include "sinew/contact/contact_rows.hpp"

namespace sinew::stepping {
namespace {

ContactSolver make_contact_solver(const Setting& s, const Model& inertia) {
  if (s.mechanism) return {*s.mechanism, s.options.solver};
  return {inertia, s.set, s.options.formulation, s.options.solver};
}

}  // namespace

Solution::Solution(const Setting& s, Model* twin, Drives& drives, Detection& seen, Arms& arms, Rows& rows,
                   Forces& forces, Movement& movement)
    : solver(make_contact_solver(s, twin ? *twin : s.model)),
      set_(s),
      twin_(twin),
      drives_(drives),
      seen_(seen),
      arms_(arms),
      rows_(rows),
      forces_(forces),
      movement_(movement) {}

void Solution::reserve(int contacts, int rows) {
  solver.reserve(contacts, rows);
  waiting_.reserve(at(contacts)), added_.reserve(at(contacts));
  for (auto* x : {&velocities_, &displaced_}) x->reserve(3 * at(contacts));
  moved_.reserve(at(set_.model.nv()) + set_.extra.size());
}

// The inertia of the drives that are not at their limits.
void Solution::update_twin() {
  if (!twin_) return;
  drives_.update_twin([&](int v, double armature) {
    set_armature(*twin_, v, armature);
    solver.set_armature(v, armature);
    if (set_.mechanism) set_.mechanism->change_twin(v, armature);
  });
}

// Until the drives are within their limits at the end of the step.
void Solution::solve_within_limits(const Step& step, const ContactStep& problem) {
  update_twin();
  answer_ = &solver.solve(problem);
  for (int round = 1; !is_late() && forces_.update_limits(step, answer_->v); ++round) {
    step.report.iterations += answer_->certificate.iterations;
    step.note(answer_->costs);
    update_twin();
    answer_ = &solver.solve(problem);
    if (round < kMostLimitRounds) continue;
    ++step.report.close;
    break;
  }
}

void Solution::solve(const Step& step) {
  spin.add_rows(step.contacts, seen_.motion(), rows_.rows);
  contacts_ = arms_.apply(step.contacts);
  const ContactStep problem{.q = step.state.q,
                            .v = step.state.v,
                            .tau = forces_.joint(),
                            .dt = set_.options.dt,
                            .time = step.state.time,
                            .contacts = contacts_,
                            .joints = rows_.rows,
                            .bias = rows_.bias(),
                            .least_bias = kTouching * set_.options.overlap / set_.options.dt,
                            .external = forces_.on_bodies(),
                            .turning = forces_.turning(),
                            .middle = forces_.middle(),
                            .expected = expected_,
                            .feedback = set_.options.recovery,
                            .motion = &seen_.motion()};
  solve_within_limits(step, problem);
  expected_ = {};  // the next solution of this step starts from this one
  if (rows_.skip_deep(*answer_, step)) {
    step.report.iterations += answer_->certificate.iterations;
    step.note(answer_->costs);
    lcp::SolverOptions cold = set_.options.solver;  // a failed answer is not used as a warm start
    cold.warm = false, cold.interrupt = solver.options().interrupt;
    answer_ = &solver.solve(problem, cold);
  }
  // Torsional and rolling friction: until their bounds fit the normal impulses.
  for (int round = 1; spin.any() && spin.update(step.contacts, *answer_, seen_.motion(), rows_.rows); ++round) {
    step.report.iterations += answer_->certificate.iterations;
    step.note(answer_->costs);
    solve_within_limits(step, problem);
    if (round < kMostSpinRounds) continue;
    ++step.report.close;
    break;
  }
  step.note(answer_->certificate, answer_->costs);
  rows_.name_wedge(contacts_, rows_.rows, answer_->contradiction, step);
}

void Solution::set_far_aside(const Step& step) {
  waiting_.clear();
  std::vector<ContactPoint>& contacts = step.contacts;
  if (!set_.options.look_ahead || contacts.empty()) return;
  velocities_.resize(3 * contacts.size());
  calc_contact_velocities(contacts, seen_.motion(), velocities_);
  const bool displaced = !movement_.displacement().empty();
  if (displaced) find_displaced(step);
  const double dt = set_.options.dt, gain = kFalls * norm(set_.model.gravity()) * dt;
  std::size_t kept = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const double approach = std::max(0.0, -velocities_[3 * c]);
    if ((displaced && displaced_[3 * c] != velocities_[3 * c]) ||
        contacts[c].gap <= dt * (contact::kReach * approach + gain) + set_.options.overlap)
      contacts[kept++] = contacts[c];
    else
      waiting_.push_back(contacts[c]);
  }
  contacts.resize(kept);
}

// Velocities of the contacts if the displacement of the step were part of its velocity.
void Solution::find_displaced(const Step& step) {
  const std::vector<double>& back = movement_.displacement();
  moved_.assign(step.state.v.begin(), step.state.v.end());
  for (std::size_t i = 0; i < moved_.size(); ++i) moved_[i] += back[i] / set_.options.dt;
  set_.calc_motion(step.state.q, moved_, step.state.time, seen_.end_motion());
  displaced_.resize(3 * step.contacts.size());
  calc_contact_velocities(step.contacts, seen_.end_motion(), displaced_);
}

// Adds those that the answer would close: gap + dt u < 0. The others obey their law without an impulse, so that the
// answer is that of all contacts. True if there was one.
bool Solution::call_waiting(const Step& step) {
  if (waiting_.empty()) return false;
  set_.calc_motion(step.state.q, answer_->v, step.state.time, seen_.end_motion());
  velocities_.resize(3 * waiting_.size());
  calc_contact_velocities(waiting_, seen_.end_motion(), velocities_);
  std::size_t kept = 0;
  for (std::size_t c = 0; c < waiting_.size(); ++c) {
    if (waiting_[c].gap + set_.options.dt * velocities_[3 * c] < -contact::kPassed)
      add_waiting(waiting_[c], step);
    else
      waiting_[kept++] = waiting_[c];
  }
  const bool called = kept < waiting_.size();
  waiting_.resize(kept);
  return called;
}

void Solution::add_waiting(const ContactPoint& c, const Step& step) {
  step.contacts.push_back(c);
  rows_.add_bias(rows_.calc_gap(c) / set_.options.dt);
}
// The one with this id; false if none waits.
bool Solution::call(std::uint64_t id, const Step& step) {
  const auto c = std::find_if(waiting_.begin(), waiting_.end(), [id](const ContactPoint& p) { return p.id == id; });
  if (c == waiting_.end()) return false;
  add_waiting(*c, step);
  waiting_.erase(c);
  return true;
}

void Solution::solve_and_move(const Step& step) {
  solve(step);
  for (int round = 0;; ++round) {
    const bool passed = movement_.run(step, *answer_);
    if (round == kMostRounds || is_late() || !(call_waiting(step) || passed)) return;
    solve(step), ++step.report.refinements;
  }
}

// Whether a contact ends at another place of its bodies, as between rods that turn from one end to the other: there
// what is asked for at the first place does not help. Where it rolls it does.
bool Solution::has_jumped(const ContactPoint& start, const ContactPoint& end) const {
  const auto jump_on = [&](int node) {
    const auto &from = seen_.motion().kinematics.X[at(node)], &to = seen_.end_motion().kinematics.X[at(node)];
    const Vec3<double> was = apply(from.E, start.point - from.r), is = apply(to.E, end.point - to.r);
    return norm(is - was) - kElsewhere * std::max(norm(was), norm(is));
  };
  return (start.node_a == 0 || jump_on(start.node_a) > 0) && (start.node_b == 0 || jump_on(start.node_b) > 0);
}

// Where the point of a contact at the end of the step is at its start, on its bodies.
Vec3<double> Solution::find_at_start(const ContactPoint& c) const {
  const auto move_back = [&](int node) {
    const auto &from = seen_.motion().kinematics.X[at(node)], &to = seen_.end_motion().kinematics.X[at(node)];
    return from.r + apply_inverse(from.E, apply(to.E, c.point - to.r));
  };
  if (c.node_a == 0) return move_back(c.node_b);
  if (c.node_b == 0) return move_back(c.node_a);
  return 0.5 * (move_back(c.node_a) + move_back(c.node_b));
}

// Contacts that were out of reach at the start. With the velocity u that they have now, the next answer shall part them
// by their overlap more: u+ >= u - gap / dt.
void Solution::add_found(const Step& step) {
  if (added_.empty()) return;
  const double dt = set_.options.dt;
  set_.calc_motion(step.state.q, answer_->v, step.state.time, seen_.end_motion());
  velocities_.resize(3 * added_.size());
  calc_contact_velocities(added_, seen_.end_motion(), velocities_);
  for (std::size_t c = 0; c < added_.size(); ++c) {
    const double u = velocities_[3 * c], overlap = added_[c].gap;
    added_[c].gap = std::max(0.0, overlap - dt * u);
    step.contacts.push_back(added_[c]);
    rows_.add_found(std::max(overlap / dt, -set_.options.recovery_speed) - u, -u);
  }
  added_.clear();
}

// [m/s] The normal velocity of a contact of the step in the last answer; of one that was not part of it, the least that
// its row allows.
double Solution::parts_at(std::size_t contact) const {
  return 3 * contact < answer_->velocity.size() ? answer_->velocity[3 * contact] : -rows_.bias()[contact];
}

// Contacts at the end of the step; true if one overlaps by more than `most`, and more than it should, and was
// corrected.
bool Solution::correct_overlap(double most, const Step& step) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::vector<ContactPoint>& contacts = step.contacts;
  seen_.find_at_end(movement_.q(), movement_.v(), step);
  bool again = false;
  std::size_t k = 0;
  for (ContactPoint c : seen_.end_contacts()) {
    if (c.gap > -most) continue;
    bool known = contact::find_id(contacts, c.id, k);
    if (known && has_jumped(contacts[k], c)) c.id |= contact::kOtherPlace, known = contact::find_id(contacts, c.id, k);
    if (!known && call(c.id, step)) k = contacts.size() - 1, known = true;
    if (known) {
      if (!rows_.correct(k, c.gap, parts_at(k), step)) continue;
    } else {
      c.point = find_at_start(c);
      added_.push_back(c);
    }
    again = true;
  }
  add_found(step);
  step.totals.detection += std::chrono::duration<double>(Clock::now() - start).count();
  return again;
}

// [m/s or rad/s] of all coordinates
double Solution::find_fastest() const {
  double out = 0;
  for (const double v : answer_->v) out = std::max(out, std::abs(v));
  return out;
}

void Solution::run(const Step& step) {
  expected_ = forces_.expect_velocity(step.state);
  solve_and_move(step);
  const SimulationOptions& o = set_.options;
  const bool looks = o.look_ahead;
  const auto find_most = [&](int round) -> double {
    if (!looks || is_late() || o.refinements == 0 || round == o.refinements + kDeepRefinements) return INFINITY;
    return round < o.refinements ? o.overlap : kDeepEnd * o.overlap;
  };
  // Where a contact hardly moves what overlaps, it would be asked for more and more, and bodies thrown about.
  const double thrown = kThrown * std::max(find_fastest(), o.recovery_speed);
  rows_.keep();
  for (int round = 0; correct_overlap(find_most(round), step); ++round, rows_.keep()) {
    ++step.report.refinements;
    solve_and_move(step);
    if (!(find_fastest() > thrown)) continue;
    rows_.take_back();
    ++step.report.slowed;
    solve_and_move(step);
    correct_overlap(INFINITY, step);
    break;
  }
  if (looks) rows_.learn_bends(*answer_, seen_.end_contacts(), step);
}

}  // namespace sinew::stepping
