// sinew/base/interrupt.hpp - a way to end a long calculation from a signal handler, another thread or a deadline
//   std::atomic<bool> stop = false;            // somebody sets it
//   simulation.interrupt = Interrupt(stop);
//   try { simulation.step(); } catch (const Interrupted&) { ... }    // the state is that before the step
//   options.interrupt = Interrupt().until(deadline);    // a solver then returns the best answer that it has
// Solvers look at it once an iteration and factorizations every few rows, which costs one plain load, or a look at the
// clock where there is a deadline. The library keeps no flag of its own and handles no signal.
#pragma once
#include <atomic>
#include <chrono>
#include <stdexcept>

namespace sinew {

// Thrown by a calculation that was asked to end. What it was to write is not usable, unless the call says more.
struct Interrupted : std::runtime_error {
  Interrupted();
};

// Thrown where a deadline has passed. Solvers of contact problems catch it and return the best answer that they have;
// other calculations let it through.
struct TimeUp : std::runtime_error {
  TimeUp();
};

// A view of the caller's flag, which must outlive it, and a deadline. Without them nothing can interrupt.
class Interrupt {
 public:
  Interrupt() = default;
  explicit Interrupt(const std::atomic<bool>& flag) : flag_(&flag) {}
  explicit Interrupt(const std::atomic<bool>&&) = delete;

  using Clock = std::chrono::steady_clock;
  // The same flag, and this deadline.
  Interrupt until(Clock::time_point deadline) const {
    Interrupt out = *this;
    out.deadline_ = deadline;
    return out;
  }
  // The same flag, and no deadline.
  Interrupt without_deadline() const { return until(Clock::time_point::max()); }
  bool is_late() const { return deadline_ != Clock::time_point::max() && Clock::now() >= deadline_; }

  // Whether there is a flag to look at, and whether it is set.
  bool is_possible() const { return flag_ != nullptr; }
  bool is_asked() const { return flag_ != nullptr && flag_->load(std::memory_order_relaxed); }
  // Throws Interrupted where it is asked, and TimeUp where it is late.
  void check() const {
    if (is_asked()) [[unlikely]]
      end();
    if (is_late()) [[unlikely]]
      end_late();
  }

 private:
  [[noreturn]] static void end();
  [[noreturn]] static void end_late();
  const std::atomic<bool>* flag_ = nullptr;
  Clock::time_point deadline_ = Clock::time_point::max();
};
static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers may set it");

}  // namespace sinew
