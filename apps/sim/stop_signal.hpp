// apps/sim/stop_signal.hpp - Ctrl-C and SIGTERM as a question to be asked between steps
// The first of them is remembered; a second one ends the program at once. Writes beyond a limit on the size of files
// fail instead of killing.
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
