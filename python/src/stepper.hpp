// python/src/stepper.hpp - a simulation as Python holds it
// Its arrays (q, v, control, ...) belong to Python and stay valid and the same for its whole life: they are copied into
// the stepper before a step and back after it, a few nanoseconds per number. So no view can outlive what it shows.
#pragma once
#include <thread>

#include "common.hpp"
#include "sinew/batch/parallel_contacts.hpp"
#include "sinew/sim/simulation.hpp"

namespace sinew::py {

class PyStepper {
 public:
  PyStepper(std::shared_ptr<PyModel> model, std::unique_ptr<Stepper> stepper);
  PyStepper(const PyStepper&) = delete;

  Stepper& get() { return *stepper_; }
  const PyModel& model() const { return *model_; }
  const std::shared_ptr<PyModel>& shared_model() const { return model_; }

  void push();  // the arrays into the stepper; raises ValueError where one has lost its shape
  void pull();  // and back
  int threads() const { return threads_ ? threads_->size() : 1; }
  void set_threads(int);  // 0: as many as the machine has
  Array q, v, control, applied, activation, external;
  double time = 0;
  nb::object controller;  // called before each step with the simulation; None: none
  nb::object watch;       // called with each contact problem (watch.cpp); None: none

  // Steps until `most` were made or the time is `until`. self: what the controller gets. after: called after each step,
  // or null. Returns the steps made. The GIL is free during steps; signals are looked for between them.
  long run(nb::handle self, long most, double until, ArrayIn tau, const std::function<void()>& after);

 private:
  friend class Access;
  std::shared_ptr<PyModel> model_;
  std::unique_ptr<ThreadPool> threads_;  // outlives the stepper
  std::unique_ptr<Stepper> stepper_;
  Busy busy_;
  std::atomic<std::thread::id> runner_{};
};

// One call on a stepper: refused while another thread steps it. A controller may call on the one that it controls.
class Access {
 public:
  Access(const char* call, PyStepper& s) : s_(s) {
    if (s.runner_.load() == std::this_thread::get_id()) {
      nested_ = true;
      return;
    }
    if (!s.busy_.take()) refuse_busy(call, "the simulation");
  }
  ~Access() {
    if (!nested_) s_.busy_.leave();
  }
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  bool nested() const { return nested_; }

 private:
  PyStepper& s_;
  bool nested_ = false;
};

struct PySimulation : PyStepper {
  using PyStepper::PyStepper;
  Simulation& simulation() { return static_cast<Simulation&>(get()); }
};
struct PySmoothSimulation : PyStepper {
  using PyStepper::PyStepper;
};
struct PyEventSimulation : PyStepper {
  using PyStepper::PyStepper;
};

// A scene, with its model where simulations can share it.
struct PyScene {
  std::shared_ptr<PyModel> model;
  State start;
  std::vector<double> control;
  std::vector<std::tuple<std::string, std::string, double>> left_out;
  std::vector<std::tuple<std::string, double, double, double>> held;
  std::vector<std::string> notes;
};

// What a simulation is made of.
using Source = std::variant<std::shared_ptr<PyModel>, std::shared_ptr<PyScene>>;
inline const std::shared_ptr<PyModel>& model_of(const Source& s) {
  if (const auto* m = std::get_if<std::shared_ptr<PyModel>>(&s)) return *m;
  return std::get<std::shared_ptr<PyScene>>(s)->model;
}

}  // namespace sinew::py
