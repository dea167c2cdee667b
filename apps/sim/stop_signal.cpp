// apps/sim/stop_signal.cpp
#include "sim/stop_signal.hpp"

#include <unistd.h>

namespace sinew::app {
namespace {

constexpr int kHandled[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGXFSZ};

volatile sig_atomic_t came = 0;
std::atomic<bool> asked = false;

void note(int signal) {
  came = signal, asked = true;
  alarm(kPatience);
}
// The step does not end. Only what may be called from a handler.
void give_up(int) {
  constexpr char kText[] =
      "\nsinew: stopped within a step that took too long; a record holds the run up to its last write\n";
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  _exit(128 + came);
}

}  // namespace

StopSignal::StopSignal() {
  came = 0, asked = false;
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < before_.size(); ++i) {
    action.sa_handler = kHandled[i] == SIGXFSZ ? SIG_IGN : kHandled[i] == SIGALRM ? give_up : note;
    action.sa_flags = kHandled[i] == SIGXFSZ ? 0 : static_cast<int>(SA_RESETHAND);
    sigaction(kHandled[i], &action, &before_[i]);
  }
}
StopSignal::~StopSignal() {
  alarm(0);
  for (std::size_t i = 0; i < before_.size(); ++i) sigaction(kHandled[i], &before_[i], nullptr);
}
int StopSignal::get() const { return came; }
Interrupt StopSignal::interrupt() const { return Interrupt(asked); }
void StopSignal::ended() { alarm(0); }

}  // namespace sinew::app
