// python/src/step_trajectory.cpp - products of derivatives along a run of steps
#include "sinew/sim/step_trajectory.hpp"

#include <optional>

#include "stepper.hpp"

namespace sinew::py {
namespace {

using namespace nb::literals;

// Holds the simulation that it steps.
struct PyStepTrajectory {
  nb::object owner;
  PySimulation& simulation;
  StepTrajectory trajectory;
  std::size_t n() const { return 2 * at(simulation.model().nv()); }
  std::size_t controls() { return simulation.simulation().control.size(); }
  std::size_t steps() const { return at(trajectory.steps()); }
  std::size_t parameters() const { return at(trajectory.parameters()); }
};

void check_calls(const char* call, PySimulation& s, const Access& access) {
  if (access.nested()) throw std::runtime_error(std::string(call) + ": not from inside a controller");
  if (!s.controller.is_none() || !s.watch.is_none())
    throw nb::value_error(
        (std::string(call) + ": the simulation has a controller or a watch, which it does not call").c_str());
}

StepDerivativesReport take_step(PyStepTrajectory& t) {
  PySimulation& s = t.simulation;
  const Access access("StepTrajectory.step", s);
  check_calls("StepTrajectory.step", s, access);
  s.push();
  StepDerivativesReport report;
  try {
    const nb::gil_scoped_release released;
    report = t.trajectory.step();
  } catch (...) {
    s.pull();
    throw;
  }
  s.pull();
  return report;
}

// (steps, rows, columns)
template <class Get>
nb::object stack_matrices(PyStepTrajectory& t, std::size_t columns, Get get) {
  const Access access("StepTrajectory", t.simulation);
  check_calls("StepTrajectory", t.simulation, access);
  std::vector<double> all;
  {
    const nb::gil_scoped_release released;
    for (int k = 0; k < t.trajectory.steps(); ++k) {
      const MatrixView<const double> m = get(t.trajectory, k);
      all.insert(all.end(), m.data(), m.data() + m.rows() * m.cols());
    }
  }
  return copy_matrix(all, t.steps() * t.n(), columns).attr("reshape")(t.steps(), t.n(), columns);
}

nb::tuple pull_back(PyStepTrajectory& t, ArrayIn end, ArrayIn at_steps) {
  const char* call = "pull_back";
  const Access access(call, t.simulation);
  check_calls(call, t.simulation, access);
  const InVector w(call, "end", end, t.n());
  std::optional<InMatrix> each;
  if (!at_steps.is_none()) each.emplace(call, "at_steps", at_steps, t.steps(), t.n());
  std::vector<double> start(t.n()), control(t.steps() * t.controls()), applied(t.steps() * t.n() / 2);
  {
    const nb::gil_scoped_release released;
    t.trajectory.pull_back(w, start, {control.data(), t.steps(), t.controls()}, {applied.data(), t.steps(), t.n() / 2},
                           each ? each->view() : MatrixView<const double>());
  }
  return nb::make_tuple(copy_vector(start), copy_matrix(control, t.steps(), t.controls()),
                        copy_matrix(applied, t.steps(), t.n() / 2));
}

Array pull_back_to_parameters(PyStepTrajectory& t, ArrayIn end, ArrayIn at_steps) {
  const char* call = "pull_back_to_parameters";
  const Access access(call, t.simulation);
  check_calls(call, t.simulation, access);
  const InVector w(call, "end", end, t.n());
  std::optional<InMatrix> each;
  if (!at_steps.is_none()) each.emplace(call, "at_steps", at_steps, t.steps(), t.n());
  std::vector<double> start(t.n()), out(t.parameters());
  {
    const nb::gil_scoped_release released;
    t.trajectory.pull_back(w, start, {}, {}, each ? each->view() : MatrixView<const double>(), out);
  }
  return copy_vector(out);
}

Array push_forward(PyStepTrajectory& t, ArrayIn start, ArrayIn control, ArrayIn applied, ArrayIn parameters) {
  const char* call = "push_forward";
  const Access access(call, t.simulation);
  check_calls(call, t.simulation, access);
  const InVector x(call, "start", start, t.n());
  std::optional<InMatrix> c, f;
  std::optional<InVector> p;
  if (!parameters.is_none()) p.emplace(call, "parameters", parameters, t.parameters());
  if (!control.is_none()) c.emplace(call, "control", control, t.steps(), t.controls());
  if (!applied.is_none()) f.emplace(call, "applied", applied, t.steps(), t.n() / 2);
  std::vector<double> end(t.n());
  {
    const nb::gil_scoped_release released;
    t.trajectory.push_forward(x, c ? c->view() : MatrixView<const double>(), f ? f->view() : MatrixView<const double>(),
                              end, p ? In<double>(*p) : In<double>());
  }
  return copy_vector(end);
}

}  // namespace

void bind_step_trajectory(nb::module_& m) {
  using Kind = StepParameter::Kind;
  nb::enum_<Kind>(m, "StepParameterKind", "What a StepParameter is.")
      .value("friction", Kind::friction, "Of all contacts of two shapes: one number.")
      .value("restitution", Kind::restitution, "Of all impacts of two shapes: one number.")
      .value("inertia", Kind::inertia, "Of a body: m, m c, inertia about its origin, ten numbers.")
      .value("placement", Kind::placement, "Of a shape on its body: turn and shift, six numbers.");
  nb::class_<StepParameter>(m, "StepParameter", "What steps depend on besides their state: one number, or several.")
      .def(
          "__init__",
          [](StepParameter* self, Kind kind, int index, int other) {
            new (self) StepParameter{kind, index, other};
          },
          "kind"_a, "index"_a, "other"_a = 0)
      .def_ro("kind", &StepParameter::kind, "What it is.")
      .def_ro("index", &StepParameter::index, "Of a shape among those of the model, or of a body.")
      .def_ro("other", &StepParameter::other, "Friction and restitution: the other shape.")
      .def_prop_ro("columns", &StepParameter::columns, "How many numbers it is.");
  using P = PyStepTrajectory;
  nb::class_<P>(m, "StepTrajectory", R"(Derivatives along a run of steps of a Simulation, contact included.

    t = sinew.StepTrajectory(sim, between=50)        # a checkpoint every 50 steps; 0: all matrices are kept
    for c in controls:
        sim.control[:] = c
        t.step()
    by_start, by_control, by_applied = t.pull_back(w)

x = (q, v), dq along velocity coordinates. With checkpoints, steps are taken again when they are needed.)")
      .def(
          "__init__",
          [](P* self, nb::handle_t<PySimulation> simulation, int between, StepSide side, double near, double smoothing,
             const std::vector<StepParameter>& parameters) {
            PySimulation& s = nb::cast<PySimulation&>(simulation);
            const Access access("StepTrajectory", s);
            new (self) P{nb::borrow(simulation), s,
                         StepTrajectory(s.simulation(), {between, {side, near, smoothing}, parameters})};
          },
          "simulation"_a, nb::kw_only(), "between"_a = 0, "side"_a = StepSide::hold, "near"_a = 1e-7,
          "smoothing"_a = 0.0, "parameters"_a = nb::list())
      .def("step", &take_step, "A step with the simulation's control and applied forces; its report.")
      .def(
          "clear",
          [](P& t) {
            const Access access("clear", t.simulation);
            t.trajectory.clear();
          },
          "Begins again from where the simulation stands.")
      .def_prop_ro(
          "steps", [](P& t) { return t.trajectory.steps(); }, "How many there are.")
      .def_prop_ro(
          "first_at_switch", [](P& t) { return t.trajectory.first_at_switch(); },
          "The first step whose report is not differentiable; -1: none.")
      .def_prop_ro(
          "state", [](P& t) { return stack_matrices(t, t.n(), [](StepTrajectory& x, int k) { return x.state(k); }); },
          nb::sig("def state(self) -> numpy.typing.NDArray[numpy.float64]"),
          "(steps, 2 nv, 2 nv) d(q+, v+) by (q, v) of all steps, a copy.")
      .def_prop_ro(
          "control",
          [](P& t) { return stack_matrices(t, t.controls(), [](StepTrajectory& x, int k) { return x.control(k); }); },
          nb::sig("def control(self) -> numpy.typing.NDArray[numpy.float64]"),
          "(steps, 2 nv, actuators) by the control of the step, a copy.")
      .def_prop_ro(
          "applied",
          [](P& t) { return stack_matrices(t, t.n() / 2, [](StepTrajectory& x, int k) { return x.applied(k); }); },
          nb::sig("def applied(self) -> numpy.typing.NDArray[numpy.float64]"),
          "(steps, 2 nv, nv) by the forces on joints in the step, a copy.")
      .def_prop_ro(
          "by_parameters",
          [](P& t) {
            return stack_matrices(t, t.parameters(), [](StepTrajectory& x, int k) { return x.by_parameters(k); });
          },
          nb::sig("def by_parameters(self) -> numpy.typing.NDArray[numpy.float64]"),
          "(steps, 2 nv, numbers of all parameters), a copy.")
      .def("push_forward", &push_forward, "start"_a, "control"_a.none() = nb::none(), "applied"_a.none() = nb::none(),
           "parameters"_a.none() = nb::none(),
           "The change of x at the end, (2 nv,), from those at the start, of controls and forces, a row per step, and "
           "of parameters.")
      .def("pull_back_to_parameters", &pull_back_to_parameters, "end"_a, "at_steps"_a.none() = nb::none(),
           "From a gradient in x at the end, and in x after each step: that by the parameters.")
      .def(
          "pull_back", &pull_back, "end"_a, "at_steps"_a.none() = nb::none(),
          nb::sig("def pull_back(self, end: numpy.typing.ArrayLike, at_steps: numpy.typing.ArrayLike | None = None) -> "
                  "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                  "numpy.typing.NDArray[numpy.float64]]"),
          "From a gradient in x at the end, and in x after each step: those by x at the start, by controls, by "
          "forces.");
}

}  // namespace sinew::py
