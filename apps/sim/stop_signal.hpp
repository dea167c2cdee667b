// apps/sim/stop_signal.hpp - remembers Ctrl-C and SIGTERM, to be checked between steps
// A second one ends the program at once. Writes beyond the limit on file sizes fail instead of ending the program.
#pragma once
#include <signal.h>

namespace sinew::app {

class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  int get() const;  // the signal; 0: none came

 private:
  struct sigaction interrupt_ {
  }, terminate_{}, file_size_{};
};

}  // namespace sinew::app
