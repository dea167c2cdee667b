// python/src/interrupt.hpp - Ctrl-C during long work: the one place where the module looks for signals
// Between steps today. When a solver of the library can be interrupted, its hook calls due() and ends where it is true.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>

namespace sinew::py {

class Interrupt {
 public:
  // True where it is time to take the GIL and check(): every 20 ms, so that a reader sees no delay.
  bool due() const { return std::chrono::steady_clock::now() - last_ > std::chrono::milliseconds(20); }
  // With the GIL. Throws KeyboardInterrupt, or what another signal handler raises.
  void check() {
    last_ = std::chrono::steady_clock::now();
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace sinew::py
