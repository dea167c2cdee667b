// python/src/interrupt.hpp - Ctrl-C during long work: the one place where the module looks for signals
//   CtrlC signals;                                       // with the GIL
//   stepper.interrupt = signals.hook();
//   try { ... without the GIL } catch (const Interrupted&) { ... signals.check(); }
// While it lives in the main thread, SIGINT also sets a flag that the library looks at within a step, where Python's
// own handler is the one that raises KeyboardInterrupt. Other handlers are called between steps.
#pragma once
#include <nanobind/nanobind.h>

#include <chrono>

#include "sinew/base/interrupt.hpp"

namespace sinew::py {

void import_signals();  // once, by the module

class CtrlC {
 public:
  // no: trusts that the handler is still there, which saves a system call.
  enum class Sure { no, yes };
  explicit CtrlC(Sure = Sure::yes);
  ~CtrlC();
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

  Interrupt hook() const;
  // True where it is time to take the GIL and check(): every 20 ms, so that a reader sees no delay.
  bool due() const { return std::chrono::steady_clock::now() - last_ > std::chrono::milliseconds(20); }
  // With the GIL. Throws KeyboardInterrupt, or what another signal handler raises.
  void check();

 private:
  bool hooked_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace sinew::py
