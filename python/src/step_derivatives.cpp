// python/src/step_derivatives.cpp - derivatives of whole steps with contact
#include "sinew/sim/step_derivatives.hpp"

#include <optional>

#include "stepper.hpp"

namespace sinew::py {
namespace {

using namespace nb::literals;

// Holds the simulation that it steps.
struct PyStepDerivatives {
  nb::object owner;
  PySimulation& simulation;
  StepDerivatives derivatives;
};

Array copy_view(MatrixView<const double> m) { return copy_matrix({m.data(), m.rows() * m.cols()}, m.rows(), m.cols()); }

StepDerivativesReport take_step(PyStepDerivatives& d, ArrayIn tau) {
  PySimulation& s = d.simulation;
  const Access access("StepDerivatives.step", s);
  if (access.nested()) throw std::runtime_error("step: a controller cannot step the simulation that it controls");
  if (!s.controller.is_none() || !s.watch.is_none())
    throw nb::value_error("StepDerivatives.step: the simulation has a controller or a watch, which it does not call");
  std::optional<InVector> force;
  if (!tau.is_none()) force.emplace("step", "tau", tau, at(s.model().nv()));
  s.push();
  try {
    const nb::gil_scoped_release released;
    d.derivatives.step(force ? VectorView<const double>(*force) : VectorView<const double>());
  } catch (...) {
    s.pull();
    throw;
  }
  s.pull();
  return d.derivatives.report();
}

}  // namespace

void bind_step_derivatives(nb::module_& m) {
  nb::enum_<StepMode>(m, "StepMode", "What a row of a step does.")
      .value("open", StepMode::open, "No impulse: a contact or stop that is not reached.")
      .value("presses", StepMode::presses, "A contact without friction, or a stop.")
      .value("sticks", StepMode::sticks, "A contact, or dry friction of a joint that holds.")
      .value("slides", StepMode::slides, "The same, with all the friction there is.")
      .value("drives", StepMode::drives, "An actuator within its limits.")
      .value("limited", StepMode::limited, "An actuator whose force, or whose control, is at a limit.");
  nb::enum_<StepRowKind>(m, "StepRowKind", "Whose mode a row of a step has.")
      .value("contact", StepRowKind::contact, "A contact of the step.")
      .value("stop", StepRowKind::stop, "A stop of a joint.")
      .value("joint_friction", StepRowKind::joint_friction, "Dry friction of a joint.")
      .value("actuator", StepRowKind::actuator, "An actuator of the model.")
      .value("impact", StepRowKind::impact, "A contact of an impact with restitution.");
  nb::enum_<StepSide>(m, "StepSide", "Which one-sided derivative to take at a switch.")
      .value("hold", StepSide::hold, "What touches presses, what holds sticks, a gap of zero is an overlap.")
      .value("release", StepSide::release,
             "What does not press is open, what may slide slides, a gap of zero is a gap.");
  nb::class_<StepRow>(m, "StepRow", "One row of a step: what it does, and how far it is from doing something else.")
      .def_ro("kind", &StepRow::kind, "Whose row it is.")
      .def_ro("index", &StepRow::index, "Among contacts, joint rows or actuators of the simulation.")
      .def_ro("mode", &StepRow::mode, "What it does.")
      .def_ro("distance", &StepRow::distance, "To the next change of mode, in units of what would change.")
      .def_ro("gap", &StepRow::gap, "How far the gap of what presses is from zero, a corner [m or rad].")
      .def_ro("before", &StepRow::before, "On the way to the impacts of the step; index -1: it is no longer there.")
      .def_ro("at_switch", &StepRow::at_switch, "One of the two is smaller than `near`.")
      .def_ro("tie", &StepRow::tie, "Two faces look at each other: which has the normal is not settled.");
  using R = StepDerivativesReport;
  nb::class_<R>(m, "StepDerivativesReport", "Whether a step has derivatives, and which modes they are for.")
      .def_ro("differentiable", &R::differentiable, "All of what follows is as it should be.")
      .def_ro("rows", &R::rows, "All contacts, stops, dry friction and actuators of the step.")
      .def_ro("at_switch", &R::at_switch, "How many of them are at a switch.")
      .def_ro("impacts", &R::impacts, "Contacts of all impacts with restitution.")
      .def_ro("rank", &R::rank, "Of the system for the impulses.")
      .def_ro("size", &R::size, "Of the system for the impulses.")
      .def_ro("unique", &R::unique, "The derivatives do not depend on how contacts share their load.")
      .def_ro("inconsistency", &R::inconsistency, "Relative: rows whose modes cannot all last.")
      .def_ro("remembered", &R::remembered, "Contacts whose gap was corrected by what the last step taught.")
      .def_ro("falling", &R::falling, "Bodies that fall on their parabola.")
      .def_ro("smoothing", &R::smoothing, "Of the relaxed laws that these are derivatives of [J]; 0: the exact ones.")
      .def_ro("residual", &R::residual, "Relative, of the equation of motion that is differentiated.");
  nb::class_<PyStepDerivatives>(m, "StepDerivatives",
                                R"(Derivatives of whole steps of a Simulation, contact included.

    sim = sinew.Simulation(model, middle_forces=False, refinements=0)
    d = sinew.StepDerivatives(sim)
    report = d.step()
    A, B = d.state, d.control

dq are changes along velocity coordinates. smoothing [J]: derivatives of relaxed laws, smooth at switches; the step is
exact. Raises ValueError naming what has no derivatives.)")
      .def(
          "__init__",
          [](PyStepDerivatives* self, nb::handle_t<PySimulation> simulation, StepSide side, double near,
             double smoothing) {
            PySimulation& s = nb::cast<PySimulation&>(simulation);
            const Access access("StepDerivatives", s);
            new (self)
                PyStepDerivatives{nb::borrow(simulation), s, StepDerivatives(s.simulation(), {side, near, smoothing})};
          },
          "simulation"_a, nb::kw_only(), "side"_a = StepSide::hold, "near"_a = 1e-7, "smoothing"_a = 0.0)
      .def("step", &take_step, "tau"_a.none() = nb::none(),
           "A step of the simulation, and its derivatives. Raises RuntimeError, after the step, naming what has none.")
      .def_prop_ro(
          "report", [](PyStepDerivatives& d) { return R(d.derivatives.report()); }, "Of the last step.")
      .def_prop_ro(
          "state", [](PyStepDerivatives& d) { return copy_view(d.derivatives.state()); },
          "(2 nv, 2 nv) d(q+, v+) by (q, v), a copy.")
      .def_prop_ro(
          "control", [](PyStepDerivatives& d) { return copy_view(d.derivatives.control()); },
          "(2 nv, actuators) d(q+, v+) by the control, a copy.")
      .def_prop_ro(
          "applied", [](PyStepDerivatives& d) { return copy_view(d.derivatives.applied()); },
          "(2 nv, nv) d(q+, v+) by forces on joints, a copy.")
      .def(
          "calc_by_friction",
          [](PyStepDerivatives& d) {
            const std::size_t rows = d.derivatives.state().rows(), n = d.simulation.simulation().contacts().size();
            std::vector<double> out(rows * n);
            d.derivatives.calc_by_friction({out.data(), rows, n});
            return copy_matrix(out, rows, n);
          },
          "(2 nv, contacts) d(q+, v+) by the friction coefficient of each contact; impacts are not part of it.")
      .def(
          "calc_by_restitution",
          [](PyStepDerivatives& d) {
            const std::size_t rows = d.derivatives.state().rows(), n = at(d.derivatives.report().impacts);
            std::vector<double> out(rows * n);
            d.derivatives.calc_by_restitution({out.data(), rows, n});
            return copy_matrix(out, rows, n);
          },
          "(2 nv, impacts) d(q+, v+) by the restitution of each contact of impacts, in the order of the report's rows.")
      .def(
          "calc_by_inertia",
          [](PyStepDerivatives& d, int body) {
            const std::size_t rows = d.derivatives.state().rows();
            std::vector<double> out(rows * 10);
            d.derivatives.calc_by_inertia(body, {out.data(), rows, 10});
            return copy_matrix(out, rows, 10);
          },
          "body"_a, "(2 nv, 10) d(q+, v+) by the inertial parameters of a body, in the order of calc_regressor.")
      .def(
          "calc_by_placement",
          [](PyStepDerivatives& d, int shape) {
            const std::size_t rows = d.derivatives.state().rows();
            std::vector<double> out(rows * 6);
            d.derivatives.calc_by_placement(shape, {out.data(), rows, 6});
            return copy_matrix(out, rows, 6);
          },
          "shape"_a,
          "(2 nv, 6) d(q+, v+) by the place of a shape on its body: turns about the axes of the body, then shifts.");
}

}  // namespace sinew::py
