// apps/sim/stop_signal.cpp
#include "sim/stop_signal.hpp"

namespace sinew::app {
namespace {

volatile sig_atomic_t came = 0;
void note(int signal) { came = signal; }

}  // namespace

StopSignal::StopSignal() {
  came = 0;
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, &file_size_);
}
StopSignal::~StopSignal() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGXFSZ, &file_size_, nullptr);
}
int StopSignal::get() const { return came; }

}  // namespace sinew::app
