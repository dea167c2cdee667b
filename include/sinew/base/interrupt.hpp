// sinew/base/interrupt.hpp - a way to end a long calculation from a signal handler, another thread or a deadline
//   std::atomic<bool> stop = false;            // somebody sets it
//   simulation.interrupt = Interrupt(stop);
//   try { simulation.step(); } catch (const Interrupted&) { ... }    // the state is that before the step
// Solvers look at the flag once an iteration and factorizations every few rows, which costs one plain load. The library
// keeps no flag of its own and handles no signal.
#pragma once
#include <atomic>
#include <stdexcept>

namespace sinew {

// Thrown by a calculation that was asked to end. What it was to write is not usable, unless the call says more.
struct Interrupted : std::runtime_error {
  Interrupted();
};

// A view of the caller's flag, which must outlive it. Without one nothing can interrupt.
class Interrupt {
 public:
  Interrupt() = default;
  explicit Interrupt(const std::atomic<bool>& flag) : flag_(&flag) {}
  explicit Interrupt(const std::atomic<bool>&&) = delete;

  // Whether there is a flag to look at, and whether it is set.
  bool is_possible() const { return flag_ != nullptr; }
  bool is_asked() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }
  // Throws Interrupted where it is asked.
  void check() const {
    if (is_asked()) [[unlikely]]
      end();
  }

 private:
  [[noreturn]] static void end();
  const std::atomic<bool>* flag_ = nullptr;
};
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers may set it");

}  // namespace sinew
