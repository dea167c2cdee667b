// apps/report/report.cpp - `sinew report`: records as one HTML page
#include "sinew/io/report.hpp"

#include <fmt/format.h>

#include "common/command.hpp"
#include "common/input_error.hpp"
#include "common/json_text.hpp"
#include "common/output_file.hpp"
#include "common/page_file.hpp"

namespace sinew::app {
namespace {

using Json = nlohmann::ordered_json;

struct ReportInput {
  std::vector<std::filesystem::path> records;
  std::filesystem::path out;
  double rows_per_second = ReportOptions().rows_per_second;
  bool force = false, json = false;
};

Json to_json(const Report& r, const std::filesystem::path& file) {
  Json runs = Json::array();
  for (const ReportRun& run : r.runs)
    runs.push_back({{"title", run.title},
                    {"rows", run.rows},
                    {"kept", run.kept},
                    {"events", run.events},
                    {"raw_bytes", run.raw_bytes},
                    {"bytes", run.bytes}});
  return {{"file", file.string()}, {"bytes", r.html.size()}, {"runs", std::move(runs)}, {"left_out", r.left_out}};
}

int run(ReportInput in) {
  if (in.records.empty()) throw InputError("give a record: sinew sim SCENE --record run.h5 makes one", kUsage);
  if (in.out.empty()) in.out = std::filesystem::path(in.records.front()).replace_extension(".html");
  check_page_name("-o", in.out);
  if (!in.force && std::filesystem::exists(in.out))
    throw InputError(
        fmt::format("{} exists already; give --force to replace it, or another name with -o", in.out.string()), kUsage);
  OutputFile out("-o", in.out);
  Report report;
  try {
    report = make_report(in.records, {.rows_per_second = in.rows_per_second});
  } catch (const std::invalid_argument& e) {
    throw InputError(e.what());
  }
  out.write(report.html);
  say_left_out(report.left_out);
  fmt::print("{}", in.json ? write_short(to_json(report, in.out)) : describe_page(report, in.out));
  return kOk;
}

}  // namespace

void add_report(Command& sinew) {
  Command c = sinew.add("report", "Make one HTML file of a record: replay, plots, events, certificate");
  const auto in = std::make_shared<ReportInput>();
  c.rest("RECORD", in->records, "HDF5 records of sinew sim --record; all but the first are ghosts beside it");
  c.option("-o,--out", in->out, "The file to write; default: the first record with the ending .html",
           {.type = "FILE.html"});
  c.option("--rows", in->rows_per_second, "Rows per simulated second that are kept; default 200, 20000 rows at most",
           {.type = "N", .range = kPositive});
  c.flag("--force", in->force, "Replace an existing file");
  c.flag("--json", in->json, "Write JSON");
  c.footer(
      "The page opens from disk in any browser, without a network: docs/report.md.\n"
      "Exit codes: 0 fine, 2 a record is refused, 3 wrong usage, 7 the page could not be written.\n"
      "Examples:\n  sinew report run.h5\n  sinew report before.h5 after.h5 -o both.html");
  c.run([in] { return run(*in); });
}

}  // namespace sinew::app
