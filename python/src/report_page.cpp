// python/src/report_page.cpp - runs as one HTML page
#include "sinew/io/report.hpp"

#include "common.hpp"
#include "sinew/io/drawing.hpp"

namespace sinew::py {
namespace {

using Records = std::variant<PathIn, std::vector<PathIn>>;

// Mode "x" raises FileExistsError.
void write_page(const std::filesystem::path& file, const std::string& html, bool overwrite) {
  const nb::object out = nb::module_::import_("builtins").attr("open")(file.string(), overwrite ? "wb" : "xb");
  out.attr("write")(nb::bytes(html.data(), html.size()));
  out.attr("close")();
}

}  // namespace

void bind_report_page(nb::module_& m) {
  using R = ReportRun;
  nb::class_<R>(m, "ReportRun", "One run of a Report.")
      .def_ro("title", &R::title, "The record's name without its ending.")
      .def_ro("rows", &R::rows, "Of the record.")
      .def_ro("kept", &R::kept, "Rows of it in the report.")
      .def_ro("events", &R::events, "Collisions, stops and the like that it lists.")
      .def_ro("raw_bytes", &R::raw_bytes, "Of its columns.")
      .def_ro("bytes", &R::bytes, "The same, deflated.")
      .def("__repr__", [](nb::handle self) { return attributes_text(self, "ReportRun"); });
  using P = Report;
  nb::class_<P>(m, "Report", "Runs as one HTML page that opens offline: made by make_report.")
      .def_ro("html", &P::html, "The page.")
      .def_ro("runs", &P::runs, "A ReportRun per record.")
      .def_ro("left_out", &P::left_out, "Sentences: what cannot be drawn.")
      .def("__repr__", [](const P& p) {
        return "<Report of " + std::to_string(p.runs.size()) + " runs, " + std::to_string(p.html.size()) + " bytes>";
      });
  const ReportOptions standard;
  m.def(
      "make_report",
      [](const Records& records, const std::optional<PathIn>& out, double rows_per_second, std::uint64_t most_rows,
         bool overwrite) {
        std::vector<std::filesystem::path> files;
        if (const auto* one = std::get_if<PathIn>(&records))
          files.push_back(one->path);
        else
          for (const PathIn& p : std::get<std::vector<PathIn>>(records)) files.push_back(p.path);
        if (files.empty()) throw nb::value_error("make_report: there is no record; give one, or several");
        if (out && !overwrite && std::filesystem::exists(out->path)) {
          PyErr_SetString(PyExc_FileExistsError,
                          ("make_report: " + out->path.string() + " exists already; give overwrite=True").c_str());
          throw nb::python_error();
        }
        Report report = run_long([&] { return make_report(files, {rows_per_second, most_rows}); });
        if (out) write_page(out->path, report.html, overwrite);
        return report;
      },
      "records"_a, "out"_a = nb::none(), nb::kw_only(), "rows_per_second"_a = standard.rows_per_second,
      "most_rows"_a = standard.most_rows, "overwrite"_a = false,
      nb::sig(
          "def make_report(records: str | os.PathLike[str] | collections.abc.Sequence[str | os.PathLike[str]], out: "
          "str | os.PathLike[str] | None = None, *, rows_per_second: float = 200.0, most_rows: int = 20000, "
          "overwrite: bool = False) -> Report"),
      R"(One HTML page of one or several HDF5 records: replay, plots, events, certificate (docs/report.md).

    sinew.make_report("run.h5", "run.html")
    sinew.make_report(["before.h5", "after.h5"], "both.html")      # ghosts, and differences of signals

out: a file to write; FileExistsError where there is one, unless overwrite. rows_per_second: rows of simulated time that
are kept, most_rows of one run at most; rows with events and extremes are kept besides. ValueError names a record that
cannot be read, is empty, or was written before records kept a drawing.)");
  m.def(
      "make_drawing", [](const PyModel& x) { return make_drawing(x); }, "model"_a,
      "The model as a page draws it: JSON with bodies, joints and shapes (docs/report.md). Meshes are named by their "
      "files.");
  m.def(
      "read_drawing_meshes", [](const std::string& drawing) { return read_drawing_meshes(drawing); }, "drawing"_a,
      "The same drawing with the geometry of all meshes that can be read; `left_out` in it lists the others.");
  m.def(
      "get_report_page", [] { return std::string(get_report_page()); },
      "The page without a run: what a live view serves.");
}

}  // namespace sinew::py
