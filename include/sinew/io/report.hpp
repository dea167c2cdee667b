// sinew/io/report.hpp - a run as one HTML file that opens offline: replay, plots, events, certificate
//   write_text("run.html", make_report({"run.h5"}).html);
// A function of the records alone, but for meshes that they name by file. docs/report.md has the format.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

struct ReportOptions {
  double rows_per_second = 200;     // of simulated time; rows with events and extremes are kept besides
  std::uint64_t most_rows = 20000;  // of one run, without those besides
};

struct ReportRun {
  std::string title;                     // the record's name without its ending
  std::uint64_t rows = 0, kept = 0;      // of the record; of them in the report
  std::uint64_t events = 0;              // listed
  std::size_t raw_bytes = 0, bytes = 0;  // of its columns; deflated
};
struct Report {
  std::string html;
  std::vector<ReportRun> runs;
  std::vector<std::string> left_out;  // sentences: what cannot be drawn
};

// Of one record, or of several for comparison with the first. Throws std::invalid_argument that names a record that
// cannot be read, is empty, or was written before records kept a drawing.
Report make_report(const std::vector<std::filesystem::path>& records, const ReportOptions& = {});

// The page without a run: what a live view serves.
std::string_view get_report_page();

}  // namespace sinew
