// src/sim/step_solution.hpp - a phase of a step: the contact problem, solved again until nothing that was left out
// matters
#pragma once
#include "sinew/sim/spin_friction.hpp"
#include "step_arms.hpp"
#include "step_movement.hpp"

namespace sinew::stepping {

class Solution {
 public:
  // twin: of the drives; null: the model has their inertia.
  Solution(const Setting&, Model* twin_or_null, Drives&, Detection&, Arms&, Rows&, Forces&, Movement&);
  void reserve(int contacts, int rows);

  void begin_step() { spin.begin_step(); }
  // The problem of the contacts and rows as they are.
  void solve(const Step&);
  // Contacts that the step will hardly close wait outside its problem: by the state alone, so that a run that is
  // resumed has the same.
  void set_far_aside(const Step&);
  // Solves and moves, again with the stops and contacts that were left out and that the answer would pass; then again
  // for overlap that curved surfaces and rotations leave.
  void run(const Step&);

  const ContactAnswer& answer() const { return *answer_; }
  std::span<const ContactPoint> contacts() const { return contacts_; }  // of the last problem
  ContactSolver solver;
  SpinFriction spin;

 private:
  bool is_late() { return solver.options().interrupt.is_late(); }
  void solve_and_move(const Step&);
  void find_displaced(const Step&);
  bool call_waiting(const Step&);
  bool call(std::uint64_t id, const Step&);
  void add_waiting(const ContactPoint&, const Step&);
  bool has_jumped(const ContactPoint& start, const ContactPoint& end) const;
  Vec3<double> find_at_start(const ContactPoint&) const;
  void add_found(const Step&);
  double parts_at(std::size_t contact) const;
  bool correct_overlap(double most, const Step&);
  double find_fastest() const;

  void update_twin();
  void solve_within_limits(const Step&, const ContactStep& problem);

  const Setting& set_;
  Model* twin_;
  Drives& drives_;
  Detection& seen_;
  Arms& arms_;
  Rows& rows_;
  Forces& forces_;
  Movement& movement_;
  const ContactAnswer* answer_ = nullptr;
  std::span<const ContactPoint> contacts_;
  std::vector<ContactPoint> waiting_;  // found, but not in the problem
  std::vector<ContactPoint> added_;    // found at the end of the step alone
  In<double> expected_;                // (nv) the velocity after the step, before its first solution; or empty
  std::vector<double> velocities_, displaced_, moved_;
};

}  // namespace sinew::stepping
