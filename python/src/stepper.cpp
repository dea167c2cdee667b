// python/src/stepper.cpp
#include "stepper.hpp"

#include <cmath>

#include "interrupt.hpp"

namespace sinew::py {
namespace {

Array zeros(std::size_t rows, std::size_t cols) { return copy_matrix(std::vector<double>(rows * cols), rows, cols); }

void copy_in(const char* name, const Array& from, std::vector<double>& to) {
  const InVector x("step", name, {from.ptr()}, to.size());
  std::copy(x.data(), x.data() + to.size(), to.begin());
}
void copy_out(const std::vector<double>& from, const Array& to) {
  const OutVector x("step", "an array of the simulation", {to.ptr()}, from.size());
  std::copy(from.begin(), from.end(), x.data());
}

}  // namespace

PyStepper::PyStepper(std::shared_ptr<PyModel> model, std::unique_ptr<Stepper> stepper)
    : q(copy_vector(stepper->state.q)),
      v(copy_vector(stepper->state.v)),
      control(copy_vector(stepper->control)),
      applied(copy_vector(stepper->applied)),
      activation(copy_vector(stepper->state.activation)),
      external(zeros(model->bodies().size(), 6)),
      time(stepper->state.time),
      controller(nb::none()),
      watch(nb::none()),
      model_(std::move(model)),
      stepper_(std::move(stepper)) {}

void PyStepper::set_threads(int n) {
  if (n < 0) throw std::invalid_argument("threads is " + std::to_string(n) + ", but must be 0 or more");
  std::unique_ptr<ThreadPool> next = n == 1 ? nullptr : std::make_unique<ThreadPool>(n);
  if (next)
    use_threads(*stepper_, *next);
  else
    stepper_->set_loop({});
  threads_ = std::move(next);
}

void PyStepper::push() {
  Stepper& s = *stepper_;
  copy_in("q", q, s.state.q), copy_in("v", v, s.state.v), copy_in("control", control, s.control);
  copy_in("applied", applied, s.applied), copy_in("activation", activation, s.state.activation);
  s.state.time = time;
  const auto bodies = model_->bodies().size();
  const InMatrix forces("step", "external", {external.ptr()}, bodies, 6);
  const double* p = forces.data();
  if (std::any_of(p, p + 6 * bodies, [](double x) { return x != 0; })) {
    s.external.resize(bodies);
    for (std::size_t i = 0; i < bodies; ++i, p += 6) s.external[i] = {{p[0], p[1], p[2]}, {p[3], p[4], p[5]}};
  } else {
    s.external.clear();
  }
}

void PyStepper::pull() {
  const Stepper& s = *stepper_;
  copy_out(s.state.q, q), copy_out(s.state.v, v), copy_out(s.state.activation, activation);
  time = s.state.time;
}

long PyStepper::run(nb::handle self, long most, double until, ArrayIn tau, const std::function<void()>& after) {
  const Access access("step", *this);
  if (access.nested()) throw std::runtime_error("step: a controller cannot step the simulation that it controls");
  // What a controller does is seen in this thread alone.
  struct Running {
    explicit Running(std::atomic<std::thread::id>& who) : who_(who) { who_ = std::this_thread::get_id(); }
    ~Running() { who_ = std::thread::id(); }
    std::atomic<std::thread::id>& who_;
  };
  std::optional<InVector> force;
  if (!tau.is_none()) force.emplace("step", "tau", tau, at(model_->nv()));
  const VectorView<const double> added = force ? VectorView<const double>(*force) : VectorView<const double>();
  CtrlC signals(most == 1 ? CtrlC::Sure::no : CtrlC::Sure::yes);
  const bool alone = controller.is_none() && watch.is_none() && !after;  // nothing of Python between steps
  const double end = until - 1e-9 * stepper_->step_length();
  if (!std::isfinite(time) || std::isnan(until))
    throw nb::value_error("step: the time must be finite, and the end must be a number");
  long made = 0;
  while (made < most && time < end) {
    if (!controller.is_none()) {
      const Running running(runner_);
      const nb::object call = controller;  // it may set another one
      call(self);
    }
    push();
    stepper_->interrupt = signals.hook();
    try {
      const nb::gil_scoped_release released;
      do {
        stepper_->step(added);
        ++made;
      } while (alone && made < most && stepper_->state.time < end && !signals.due());
    } catch (const Interrupted&) {
      pull();  // the state before the step that was interrupted
      signals.check();
      continue;
    } catch (...) {
      pull();  // the state before the step that failed
      throw;
    }
    pull();
    if (after) after();
    if (alone || signals.due()) signals.check();
  }
  return made;
}

}  // namespace sinew::py
