// src/sim/step_movement.hpp - a phase of a step: positions and velocities at its end, from the answer of its problem
#pragma once
#include "step_forces.hpp"

namespace sinew::stepping {

class Movement {
 public:
  Movement(const Setting&, Forces&, Rows&);
  void reserve(const State&);

  // Moves by the answer, from the state of the step; true if that passes a stop that was not in the problem. Throws
  // std::runtime_error that names step, body and cause where a number is not finite.
  bool run(const Step&, const ContactAnswer&);

  // (nv) From now on each run ends less far by `back`, along the axes at the start. late: [m s] how much less the path
  // is, summed over the step, than half way between its ends.
  void displace(In<double> back, In<double> late) {
    back_.assign(back.begin(), back.end()), late_.assign(late.begin(), late.end());
  }
  void clear_displacement() { back_.clear(), late_.clear(); }
  const std::vector<double>& displacement() const { return back_; }  // empty: none
  const std::vector<double>& late() const { return late_; }

  const std::vector<double>& q() const { return q_; }  // at the end
  const std::vector<double>& v() const { return v_; }

 private:
  void move_back(const State&);
  void check_finite(const Step&, const lcp::Certificate&) const;

  const Setting& set_;
  Forces& forces_;
  Rows& rows_;
  std::vector<double> q_, v_, back_, late_, moved_q_, moved_v_;
};

}  // namespace sinew::stepping
