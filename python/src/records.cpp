// python/src/records.cpp - runs on disk, and run() itself
#include "sinew/io/record.hpp"

#include "sinew/sim/snapshot.hpp"
#include "stepper.hpp"

namespace sinew::py {
namespace {

// Keeps its simulation alive: the recorder reads it.
struct PyRecorder {
  nb::object owner;
  PyStepper* stepper;
  std::unique_ptr<Recorder> recorder;  // none after finish()
  Recorder& get(const char* call) {
    if (!recorder) throw std::runtime_error(std::string(call) + ": the record is finished");
    return *recorder;
  }
  void add() {
    const Access access("add", *stepper);
    get("add").add(stepper->get().report());
  }
  void finish() {
    const Access access("finish", *stepper);
    stepper->push();
    get("finish").finish();
    recorder.reset();
  }
};

}  // namespace

void bind_records(nb::module_& m) {
  using R = PyRecorder;
  nb::class_<R>(m, "Recorder",
                R"(A run on disk, row by row, with snapshots to go on from: .h5 or .csv (docs/records.md).

    with sinew.Recorder("run.h5", sim) as record:
        sim.run(until=5, record=record))")
      .def(
          "__init__",
          [](R* self, const PathIn& file, nb::handle_t<PyStepper> simulation, long every, double flush_seconds,
             bool overwrite, bool resume, std::string scene, std::string source, std::string command) {
            PyStepper& s = nb::cast<PyStepper&>(simulation);
            const Access access("Recorder", s);
            s.push();
            if (every < 1) throw nb::value_error("Recorder: every must be at least 1");
            auto r = std::make_unique<Recorder>(file.path, s.model(), s.get(),
                                                RecordOptions{every, flush_seconds, overwrite, resume, std::move(scene),
                                                              std::move(source), std::move(command)});
            new (self) R{nb::borrow(simulation), &s, std::move(r)};
          },
          "file"_a, "simulation"_a, nb::kw_only(), "every"_a = 1, "flush_seconds"_a = 1., "overwrite"_a = false,
          "resume"_a = false, "scene"_a = "", "source"_a = "", "command"_a = "",
          "Writes the first row, unless it resumes. ValueError if the file exists or does not fit.")
      .def("add", &R::add, "After each step; RecordError where the disk is full.")
      .def("finish", &R::finish, "Writes all, with a last snapshot, and closes.")
      .def_prop_ro(
          "saved_rows", [](R& r) { return r.get("saved_rows").saved_rows(); }, "Rows that are safe on disk.")
      .def_prop_ro(
          "saved_time", [](R& r) { return r.get("saved_time").saved_time(); }, "[s] simulated")
      .def(
          "__enter__", [](nb::handle_t<R> self) { return nb::borrow(self); },
          nb::sig("def __enter__(self) -> Recorder"))
      .def(
          "__exit__",
          [](R& r, const nb::object&, const nb::object&, const nb::object&) {
            if (r.recorder) r.finish();
          },
          "type"_a.none(), "value"_a.none(), "traceback"_a.none());

  // It may record, so it is defined here.
  nb::cpp_function_def(
      [](nb::handle_t<PyStepper> self, std::optional<double> until, std::optional<long> steps, PyRecorder* record) {
        PyStepper& s = nb::cast<PyStepper&>(self);
        if (!until && !steps) throw nb::value_error("run: give until [s], or steps");
        if (steps && *steps < 0) throw nb::value_error("run: steps must not be negative");
        if (record && record->stepper != &s) throw nb::value_error("run: the record is of another simulation");
        std::function<void()> after;
        if (record) {
          record->get("run");
          after = [record] { record->get("run").add(record->stepper->get().report()); };
        }
        return s.run(self, steps.value_or(std::numeric_limits<long>::max()),
                     until.value_or(std::numeric_limits<double>::infinity()), {Py_None}, after);
      },
      nb::scope(m.attr("Stepper")), nb::name("run"), nb::is_method(), "until"_a = nb::none(), "steps"_a = nb::none(),
      "record"_a = nb::none(),
      nb::sig(
          "def run(self, until: float | None = None, steps: int | None = None, record: Recorder | None = None) -> int"),
      "Steps until the time is `until` [s], or `steps` were made; returns how many. record: a Recorder, gets each "
      "step.\n"
      "Exceptions of the controller end the run; Ctrl-C ends it between two steps.");

  using B = RecordReader;
  nb::class_<B>(m, "RecordReader", "An HDF5 record, also one that is being written or whose writer was killed.")
      .def(
          "__init__", [](B* self, const PathIn& file) { new (self) B(file.path); }, "file"_a)
      .def_prop_ro("closed", &B::closed, "False: its writer is at work, or died.")
      .def_prop_ro("rows", &B::rows, "The number of rows.")
      .def_prop_ro("contacts", &B::contacts, "The number of contacts of all rows.")
      .def_prop_ro("snapshots", &B::snapshots, "The number of snapshots.")
      .def_prop_ro("body_names", &B::body_names, "Of the model, the world first.")
      .def("names", &B::names, "dataset"_a,
           "A list of names: \"meta/joints\", \"meta/q\", \"contacts/pairs\", ...; empty where the record has none.")
      .def_prop_ro("datasets", &B::datasets, "All of them: \"frames/q\", ...")
      .def(
          "attribute", [](const B& b, const std::string& name) { return b.attribute(name.c_str()); }, "name"_a,
          "A text of the record by its name: \"model_name\", \"sinew_version\", ...")
      .def("text", &B::text, "dataset"_a, "A dataset that is one text: \"meta/options\", \"meta/source\", ...")
      .def(
          "read",
          [](const B& b, const std::string& dataset, std::uint64_t first, std::optional<std::uint64_t> count) {
            // contacts/first and contacts/count have a number per row of the run.
            const bool of_contacts =
                dataset.starts_with("contacts/") && dataset != "contacts/first" && dataset != "contacts/count";
            const std::uint64_t all = of_contacts                         ? b.contacts()
                                      : dataset.starts_with("snapshots/") ? b.snapshots()
                                                                          : b.rows();
            if (first > all)
              throw nb::value_error(
                  ("read: first is " + std::to_string(first) + ", there are " + std::to_string(all) + " rows").c_str());
            const std::uint64_t n = count ? *count : all - first;
            if (n > all - first)
              throw nb::value_error(
                  ("read: there are " + std::to_string(all - first) + " rows from there, not " + std::to_string(n))
                      .c_str());
            const std::vector<std::uint64_t> shape = b.row_shape(dataset);
            const std::vector<double> numbers = b.read(dataset, first, n);
            nb::list sizes;
            sizes.append(n);
            for (const std::uint64_t s : shape) sizes.append(s);
            return nb::steal<Array>(nb::object(copy_vector(numbers).attr("reshape")(nb::tuple(sizes))).release());
          },
          "dataset"_a, "first"_a = 0, "count"_a = nb::none(),
          "Rows of a dataset of numbers, \"frames/q\", \"contacts/force\", ...: (rows, ...).")
      .def(
          "read_snapshot",
          [](const B& b, std::uint64_t i) {
            if (i >= b.snapshots())
              throw nb::value_error(("read_snapshot: there is no snapshot " + std::to_string(i) + ", there are " +
                                     std::to_string(b.snapshots()))
                                        .c_str());
            return b.read_snapshot(i);
          },
          "i"_a, "Snapshot i, to go on from.");
  m.def(
      "read_last_snapshot", [](const PathIn& file) { return read_last_snapshot(file.path); }, "file"_a,
      "Of a record, or of a file that write_snapshot made.");
  m.def(
      "write_snapshot", [](const PathIn& file, const Snapshot& s) { write_snapshot(file.path, s); }, "file"_a,
      "snapshot"_a, "Atomically: the old file stays until then.");
}

}  // namespace sinew::py
