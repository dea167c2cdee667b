// python/src/diagnostics.cpp - remarks of loaders and builders, and the exceptions
#include "common.hpp"
#include "sinew/io/record.hpp"

namespace sinew::py {
namespace {

PyObject* load_error = nullptr;

}  // namespace

void raise_load_error(const Diagnostics& all) {
  std::string text;
  for (const Diagnostic& d : all)
    if (d.severity == Severity::error) text += (text.empty() ? "" : "\n") + to_string(d);
  const nb::object error = nb::handle(load_error)(text);
  error.attr("diagnostics") = nb::cast(all.list());
  PyErr_SetObject(load_error, error.ptr());
  throw nb::python_error();
}

void refuse_busy(const char* call, const char* what) {
  throw std::runtime_error(
      std::string(call) + ": " + what +
      " is in use by another thread, or by a call that has not returned; give each thread its own");
}

void bind_diagnostics(nb::module_& m) {
  nb::enum_<Severity>(m, "Severity", "How grave a diagnostic is.")
      .value("note", Severity::note, "Worth knowing.")
      .value("warning", Severity::warning, "Something was left out or changed.")
      .value("error", Severity::error, "The input is refused.");
  nb::class_<Diagnostic>(m, "Diagnostic", "A remark about an input: what is wrong, where, and the repair.")
      .def_prop_ro(
          "code", [](const Diagnostic& d) { return "S" + std::to_string(static_cast<int>(d.code)); },
          "As in docs/diagnostics.md: \"S204\".")
      .def_prop_ro(
          "law", [](const Diagnostic& d) { return describe(d.code).law; }, "What must hold.")
      .def_ro("severity", &Diagnostic::severity, "Whether it is an error, a warning or a note.")
      .def_prop_ro(
          "file", [](const Diagnostic& d) { return d.where.file; }, "Where it was found; empty: not in a file.")
      .def_prop_ro(
          "line", [](const Diagnostic& d) { return d.where.line; }, "0: unknown")
      .def_ro("element", &Diagnostic::element, "\"body 'thigh'\", \"joint 'knee'\".")
      .def_ro("message", &Diagnostic::message, "The law that was broken, and the value found.")
      .def_ro("repair", &Diagnostic::repair, "What to change.")
      .def("__str__", [](const Diagnostic& d) { return to_string(d); })
      .def("__repr__", [](const Diagnostic& d) { return "<Diagnostic " + to_string(d) + ">"; });

  load_error = PyErr_NewExceptionWithDoc(
      "sinew._core.LoadError", "A model that cannot be used. `diagnostics` lists all remarks, the message the errors.",
      PyExc_ValueError, nullptr);
  if (!load_error) throw nb::python_error();
  m.attr("LoadError") = nb::handle(load_error);

  nb::exception<StepRefused>(m, "StepRefused", PyExc_RuntimeError).attr("__doc__") =
      "Something happens that this stepper cannot handle; the state is that before the step.";
  nb::exception<RecordError>(m, "RecordError", PyExc_OSError).attr("__doc__") =
      "A record that cannot be written: the disk is full, or another has the file.";
}

}  // namespace sinew::py
