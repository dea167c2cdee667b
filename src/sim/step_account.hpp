// src/sim/step_account.hpp - last phase of a step: its results, and where energy and momentum went
#pragma once
#include "step_solution.hpp"

namespace sinew::stepping {

class Account {
 public:
  Account(const Setting&, Detection&, const Rows&, Forces&, const Movement&, Solution&, const Drives&);
  void reserve(std::size_t contacts, std::size_t rows);

  // Fills the report of a step that is solved, with its results below, contact forces and accelerations.
  void run(const Step&);
  // Contact forces: impulses divided by dt.
  void calc_contact_forces(std::span<const ContactPoint>, std::vector<Vec3<double>>& forces) const;
  void clear_rows();

  std::vector<double> impulses;  // (3 contacts) n t t, without collisions
  std::vector<double> row_impulses, row_velocities, loop_impulses;

 private:
  Vec3<double> calc_late(int node, const Step&) const;
  void add_late_moments(const Step&);
  void weigh(const Step&);
  void work(const Step&);

  const Setting& set_;
  Detection& seen_;
  const Rows& rows_;
  Forces& forces_;
  const Movement& movement_;
  Solution& solution_;
  const Drives& drives_;
};

}  // namespace sinew::stepping
