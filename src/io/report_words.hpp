// src/io/report_words.hpp - a run in words: how well it was solved, and where it comes from
#pragma once
#include "io/report_pack.hpp"

namespace sinew::report {

// Lists of facts, as in viewer/src/track.ts.
nlohmann::ordered_json describe_certificate(const RecordReader&, const Scan&, const Packed&);
nlohmann::ordered_json describe_origin(const RecordReader&, const std::filesystem::path& record, const Scan&,
                                       const Packed&);

}  // namespace sinew::report
