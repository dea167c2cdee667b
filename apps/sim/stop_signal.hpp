// apps/sim/stop_signal.hpp - remembers Ctrl-C, SIGTERM and SIGHUP: checked between steps, and by solvers within them
// A second one ends the program at once, and so does a step that goes on for kPatience after the first: what the record
// has saved stays. Writes beyond the limit on file sizes fail instead of ending the program.
#pragma once
#include <signal.h>

#include <array>

#include "sinew/base/interrupt.hpp"

namespace sinew::app {

inline constexpr unsigned kPatience = 2;  // [s]

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  int get() const;  // the signal; 0: none came
  Interrupt interrupt() const;
  void ended();  // the last step is over: no more hurry

 private:
  std::array<struct sigaction, 5> before_{};
};

}  // namespace sinew::app
