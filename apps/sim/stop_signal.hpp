// apps/sim/stop_signal.hpp - remembers Ctrl-C, SIGTERM and SIGHUP, to be checked between steps
// A second one ends the program at once, and so does a step that takes longer than kPatience after the first: what the
// record has saved stays. Writes beyond the limit on file sizes fail instead of ending the program.
#pragma once
#include <signal.h>

#include <array>

namespace sinew::app {

inline constexpr unsigned kPatience = 2;  // [s]

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  int get() const;  // the signal; 0: none came
  void ended();     // the last step is over: no more hurry

 private:
  std::array<struct sigaction, 5> before_{};
};

}  // namespace sinew::app
