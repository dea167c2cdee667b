// src/sim/step_rest.hpp - a scene at rest: a step that would repeat the last one is not calculated
// A step is a function of the state, of what acts from outside, and of what earlier steps have left behind. Where three
// steps in a row have changed none of these, the next one would give the same bits, so it is the last one again: until
// somebody changes something. Not with laws of motion, users' joints, mocap bodies or mechanisms, which may depend on
// time.
#pragma once
#include <cstddef>
#include <vector>

#include "step_setting.hpp"

namespace sinew::stepping {

class Rest {
 public:
  explicit Rest(const Setting&);
  void reserve(const State&, std::size_t contacts, std::size_t joint_rows, std::size_t loops);

  // Whether this step would be the last one again.
  bool is_repeated(const Step&) const;
  void repeat(const Step&) const;  // what such a step reports
  // Around a step that is calculated.
  void begin(const Step&);
  void end(const Step&, const ContactSolver&, bool stuck);
  void forget() { steps_ = 0; }

 private:
  bool is_acted_on_alike(const Step&) const;

  const bool possible_;
  int steps_ = 0;  // in a row that changed nothing
  // The last step: where it began, what acted, and what it left behind.
  std::vector<double> q_, v_, activation_, control_, applied_, tau_;
  std::vector<Force<double>> external_;
  std::uint64_t shapes_ = 0;
  long problems_ = 0;
  ContactMemory memory_, now_;
  StepReport report_;
};

}  // namespace sinew::stepping
