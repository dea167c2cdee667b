// python/src/state.cpp - State: q, v, time and activation as one value, and the calls that take it
#include "sinew/constraint/rows/maximal.hpp"
#include "spec.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

// The state as the arrays of the simulation have it.
State get_state(PyStepper& s) {
  const Access access("state", s);
  s.push();
  return s.get().state;
}

void check_size(const char* name, const std::vector<double>& now, const std::vector<double>& next) {
  if (now.size() != next.size())
    throw nb::value_error(("state: " + std::string(name) + " has shape (" + std::to_string(next.size()) +
                           ",), it must be (" + std::to_string(now.size()) + ",)")
                              .c_str());
}

void set_state(PyStepper& s, const State& value) {
  const Access access("state", s);
  const State& now = s.get().state;
  check_size("q", now.q, value.q), check_size("v", now.v, value.v);
  check_size("activation", now.activation, value.activation);
  s.push();  // what else the arrays hold stays
  s.get().state = value;
  s.pull();
}

template <std::vector<double> State::*member>
void add_numbers(nb::class_<State>& c, const char* name, const char* doc) {
  c.def_prop_rw(
      name, [](const State& s) { return freeze(copy_vector(s.*member)); },
      [name](State& s, ArrayIn value) { s.*member = read_numbers("State", name, value); }, doc);
}

}  // namespace

void bind_state(nb::module_& m) {
  nb::class_<State> c(m, "State", "Positions, velocities, time and activations of actuators, as one value.");
  c.def(
      "__init__",
      [](State* self, ArrayIn q, ArrayIn v, double time, ArrayIn activation) {
        new (self) State{read_numbers("State", "q", q), read_numbers("State", "v", v), time,
                         read_numbers("State", "activation", activation)};
      },
      "q"_a, "v"_a, "time"_a = 0., "activation"_a = nb::make_tuple());
  add_numbers<&State::q>(c, "q", "Positions; assign the whole array.");
  add_numbers<&State::v>(c, "v", "Velocities.");
  add_numbers<&State::activation>(c, "activation", "Of actuators that have one, in their order.");
  c.def_rw("time", &State::time, "[s]")
      .def(
          "copy", [](const State& s) { return State(s); }, "Another one with the same numbers.")
      .def("__getstate__",
           [](const State& s) {
             return std::tuple(copy_vector(s.q), copy_vector(s.v), s.time, copy_vector(s.activation));
           })
      .def(
          "__setstate__",
          [](State* self, const std::tuple<Array, Array, double, Array>& t) {
            const auto numbers = [](const Array& a) { return read_numbers("State", "the state", {a.ptr()}); };
            new (self) State{numbers(std::get<0>(t)), numbers(std::get<1>(t)), std::get<2>(t), numbers(std::get<3>(t))};
          })
      .def("__repr__", [](const State& s) {
        char text[32];
        std::snprintf(text, sizeof text, "%.6g s", s.time);
        return "<State at " + std::string(text) + ": nq " + std::to_string(s.q.size()) + ", nv " +
               std::to_string(s.v.size()) + ">";
      });
  m.def(
      "make_state", [](const PyModel& x) { return make_state(x); }, "model"_a,
      "At the neutral position, at rest, with activations of zero.");

  nb::borrow<nb::class_<PyStepper>>(nb::type<PyStepper>())
      .def_prop_rw("state", &get_state, &set_state,
                   "A copy of q, v, time and activation; an assignment fills the simulation's own arrays.");
  nb::borrow<nb::class_<PySimulation>>(nb::type<PySimulation>())
      .def(
          "restart",
          [](PySimulation& s, const State& state) {
            const Access access("restart", s);
            if (access.nested()) throw std::runtime_error("restart: not from inside a controller");
            s.push();
            s.simulation().restart(state);
            s.pull();
          },
          "state"_a,
          "As newly made, at this state: nothing that steps have taught it stays, and totals begin again. ValueError "
          "for\n"
          "sizes that do not fit, and with embedded loops.");
  nb::borrow<nb::class_<PyScene>>(nb::type<PyScene>())
      .def_prop_ro(
          "start", [](const PyScene& s) { return s.start; }, "The State that simulations of it begin at.");

  m.def(
      "make_maximal",
      [](const PyModel& tree) {
        return std::make_shared<PySpec>(PySpec{make_maximal(tree), {}});
      },
      "tree"_a,
      "The same mechanism in maximal coordinates: every body floats, every joint is a loop [J14 section 8]. Limits,\n"
      "springs, couplings, actuators and keyframes are left out.");
  m.def(
      "to_maximal_state",
      [](const PyModel& tree, const PyModel& twin, const State& s) { return to_maximal_state(tree, twin, s); },
      "tree"_a, "twin"_a, "state"_a,
      "The state of the maximal model, compiled from make_maximal(tree), that is this one of the tree.");
}

}  // namespace sinew::py
