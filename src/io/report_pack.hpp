// src/io/report_pack.hpp - the kept rows of a record as columns: signals, poses, contacts
#pragma once
#include "io/report_columns.hpp"
#include "io/report_scan.hpp"

namespace sinew::report {

struct Packed {
  Columns columns;
  nlohmann::ordered_json signals, pairs, moving, still;
  double quantum = 1;                                // [m] of positions
  std::uint64_t not_finite = 0;                      // numbers of poses, drawn as 0
  std::vector<std::pair<std::string, double>> work;  // [J] of each source, over all rows
};

Packed pack_record(const RecordReader&, const nlohmann::ordered_json& drawing, const Scan&);

}  // namespace sinew::report
