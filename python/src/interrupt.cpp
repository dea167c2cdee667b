// python/src/interrupt.cpp
#include "interrupt.hpp"

#include <signal.h>

namespace sinew::py {
namespace {

namespace nb = nanobind;

std::atomic<bool> pressed{false};
void (*python_handler)(int) = nullptr;
bool installed = false;
int hooks = 0;  // of the main thread, one in another
// Kept for the life of the process.
PyObject* getsignal = nullptr;
PyObject* raises = nullptr;
unsigned long main_thread = 0;

void press(int number) {
  pressed.store(true, std::memory_order_relaxed);
  python_handler(number);
}

// Puts press() before Python's handler, where it is not there already.
void install() {
  struct sigaction now {};
  installed = sigaction(SIGINT, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler != SIG_DFL &&
              now.sa_handler != SIG_IGN;
  if (!installed || now.sa_handler == &press) return;
  python_handler = now.sa_handler;
  now.sa_handler = &press;
  installed = sigaction(SIGINT, &now, nullptr) == 0;
}

// In the main thread, where Ctrl-C raises KeyboardInterrupt.
bool may_hook() {
  if (PyThread_get_thread_ident() != main_thread) return false;
  const nb::object handler = nb::steal(PyObject_CallFunction(getsignal, "i", SIGINT));
  if (!handler.is_valid()) throw nb::python_error();
  return handler.ptr() == raises;
}

}  // namespace

void import_signals() {
  const nb::object signals = nb::module_::import_("_signal");  // what signal wraps, quicker
  getsignal = nb::object(signals.attr("getsignal")).release().ptr();
  raises = nb::object(signals.attr("default_int_handler")).release().ptr();
  main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
}

CtrlC::CtrlC(Sure sure) {
  if (!may_hook()) return;
  if (!installed || sure == Sure::yes) install();
  if (!installed) return;
  if (hooks++ == 0) pressed = false;
  hooked_ = true;
}

CtrlC::~CtrlC() { hooks -= hooked_; }

Interrupt CtrlC::hook() const { return hooked_ ? Interrupt(pressed) : Interrupt(); }

void CtrlC::check() {
  last_ = std::chrono::steady_clock::now();
  if (hooked_) pressed = false;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace sinew::py
