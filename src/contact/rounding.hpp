// src/contact/rounding.hpp - velocities of rows that are rounding errors of the bodies' velocities
// Parts of a robot that falls move against each other by 1e-12 m/s where they should not move at all. Where such parts
// overlap, their rows may contradict each other, and no impulses settle noise.
#pragma once
#include "step_data.hpp"

namespace sinew::contact {

class Rounding {
 public:
  void begin_step() { known_ = false; }
  // Sets q to zero where no row of the island moves by more: q^2 / W_rr, the energy of the row's motion, is next to
  // nothing beside that of the bodies.
  void clear(const StepData&, ProblemData&);

 private:
  void find_energies(const StepData&);
  double find_energy(const StepData&, const ProblemData&) const;
  bool known_ = false;
  std::vector<double> energy_;  // [J] (nodes) twice the kinetic energy of the whole tree
};

}  // namespace sinew::contact
