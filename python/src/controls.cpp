// python/src/controls.cpp - controls from tables over time, and random pushes
#include "sinew/io/control_table.hpp"
#include "sinew/sim/random_pushes.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

// Both keep their model.
struct PyTrack {
  std::shared_ptr<PyModel> model;
  ControlTrack track;
};
struct PyPushes {
  PyPushes(std::shared_ptr<PyModel> m, std::uint64_t seed, double dt) : model(std::move(m)), pushes(*model, seed, dt) {}
  std::shared_ptr<PyModel> model;
  RandomPushes pushes;
  std::vector<Force<double>> forces;
};

void bind_tables(nb::module_& m) {
  using T = ControlTable;
  nb::class_<T>(m, "ControlTable", "Controls over time: a row of values per time, a column per name.")
      .def(
          "__init__",
          [](T* self, ArrayIn time, std::vector<std::string> names, ArrayIn values) {
            T out;
            out.time = read_numbers("ControlTable", "time", time), out.names = std::move(names);
            const InMatrix x("ControlTable", "values", values, out.time.size(), out.names.size());
            out.values.assign(x.data(), x.data() + out.time.size() * out.names.size());
            new (self) T(std::move(out));
          },
          "time"_a, "names"_a, "values"_a)
      .def_prop_ro(
          "time", [](const T& t) { return freeze(copy_vector(t.time)); }, "[s] ascending")
      .def_ro("names", &T::names, "Of the columns: actuators, joints, mocap bodies.")
      .def_prop_ro(
          "values", [](const T& t) { return freeze(copy_matrix(t.values, t.time.size(), t.names.size())); },
          "Times x names.")
      .def("__repr__", [](const T& t) {
        return "<ControlTable, " + std::to_string(t.time.size()) + " rows of " + std::to_string(t.names.size()) +
               " columns>";
      });
  m.def(
      "load_control_table",
      [](const PathIn& file) { return unwrap(run_long([&] { return load_control_table(file.path); })); }, "file"_a,
      "CSV, or HDF5 if the name ends in .h5 or .hdf5. One column is \"time\" [s]. LoadError with the line otherwise.");
  m.def(
      "parse_control_table",
      [](std::string_view csv, const PathIn& name) { return unwrap(parse_control_table(csv, name.path)); }, "csv"_a,
      "name"_a = "", "From text; `name` is the file's in diagnostics.");
}

}  // namespace

void bind_controls(nb::module_& m) {
  bind_tables(m);
  using T = PyTrack;
  nb::class_<T>(m, "ControlTrack", R"(Controls of a run from a ControlTable.

    track = sinew.ControlTrack(model, sinew.load_control_table("controls.csv"))
    sim.controller = lambda s: track.set(s.time, s.control, s.applied)

A column with the name of an actuator is its control; one with the name of a joint is its force, "name[k]" that of its
velocity coordinate k [N m or N]. A row holds until the time of the next. "name/pos.x" and "name/quat.w" place mocap
bodies, linear from row to row. ValueError names a column that fits nothing.)")
      .def(
          "__init__",
          [](T* self, std::shared_ptr<PyModel> model, const ControlTable& table) {
            ControlTrack track(*model, table);
            new (self) T{std::move(model), std::move(track)};
          },
          "model"_a, "table"_a)
      .def(
          "set",
          [](const T& t, double time, ArrayOut control, ArrayOut applied) {
            OutVector C("set", "control", control, t.model->spec().actuators.size());
            OutVector A("set", "applied", applied, at(t.model->nv()));
            A.apart_from(C);
            t.track.set(time, C, A);
          },
          "time"_a, "control"_a, "applied"_a,
          "Sets what the columns drive at that time in both arrays, and leaves the rest as it is.")
      .def(
          "move",
          [](const T& t, double time, PySimulation& s) {
            const Access access("move", s);
            if (!t.model->identity().is_same(s.model().identity()))
              throw nb::value_error("move: the simulation is of another model");
            t.track.move(time, s.get().mocap);
          },
          "time"_a, "simulation"_a,
          "Tells the mocap bodies of a Simulation where to be at that time, which is the end of its next step:\n"
          "sim.time + sim.dt.")
      .def_prop_ro(
          "moves", [](const T& t) { return t.track.moves(); }, "True where columns place mocap bodies.");

  using P = PyPushes;
  nb::class_<P>(m, "RandomPushes", R"(Every 0.2 s a random body is pushed at its centre of mass for 0.05 s.

    pushes = sinew.RandomPushes(model, 1, sim.dt)
    sim.controller = lambda s: pushes.calc(s.totals.steps, s.state, s.external)

With half the weight of its tree, in a random direction. Body and direction depend only on the seed and the number of
the push, so that a run that is cut and resumed gets the same ones.)")
      .def(
          "__init__",
          [](P* self, std::shared_ptr<PyModel> model, std::uint64_t seed, double dt) {
            if (!(dt > 0)) throw nb::value_error("RandomPushes: dt must be positive");
            new (self) P(std::move(model), seed, dt);
          },
          "model"_a, "seed"_a, "dt"_a, "dt [s]: of a step.")
      .def(
          "calc",
          [](P& p, long step, const State& state, ArrayOut out) {
            const auto bodies = p.model->bodies().size();
            check_size("calc", "q", state.q.size(), at(p.model->nq()));
            OutMatrix2 O("calc", "out", out, bodies, 6);
            p.pushes.calc(step, state, p.forces);
            for (std::size_t i = 0; i < bodies; ++i) {
              const Force<double> f = i < p.forces.size() ? p.forces[i] : Force<double>{};
              const double row[] = {f.ang.x, f.ang.y, f.ang.z, f.lin.x, f.lin.y, f.lin.z};
              for (std::size_t k = 0; k < 6; ++k) O.view()(i, k) = row[k];
            }
            return O.take();
          },
          "step"_a, "state"_a, optional_array("out"),
          "Torque above force on each body, in its frame, for the step of that number from that State: (bodies, 6).");
}

}  // namespace sinew::py
