// src/io/report_scan.hpp - a record read once: which rows a report keeps, what happened, how well it was solved
#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sinew/io/record.hpp"
#include "sinew/io/report.hpp"

namespace sinew::report {

inline constexpr std::uint64_t kBlock = 8192;  // rows read at once

struct Event {
  std::uint64_t row = 0;  // of the record
  std::string kind;       // as in viewer/src/track.ts
  std::string text;
};

// The largest of a column, and when.
struct Most {
  double value = 0, time = 0;
};

struct Scan {
  std::vector<double> times;        // of all rows
  std::vector<std::uint64_t> kept;  // rows, ascending
  std::vector<Event> events;        // ascending
  std::uint64_t not_listed = 0;     // events beyond those listed
  double contact_rows = 0, collisions = 0, unsolved = 0, close = 0, stuck = 0, slowed = 0;
  Most contacts, size, residual, penetration, violation, drift;
  double first_energy = 0, last_energy = 0, most_kinetic = 0;
};

// drawing: of the record, parsed.
Scan scan_record(const RecordReader&, const nlohmann::ordered_json& drawing, const ReportOptions&);

}  // namespace sinew::report
