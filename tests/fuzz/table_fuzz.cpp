// tests/fuzz/table_fuzz.cpp - any bytes as a matrix or as controls: refused with an error, or what they claim to be
#include <cstdlib>

#include "fuzz/small_arm.hpp"
#include "fuzz/target.hpp"
#include "sinew/io/control_table.hpp"
#include "sinew/io/matrix_market.hpp"

namespace sinew::fuzz {

const Target kMatrixMarket("matrix_market", [](std::string_view text) {
  const auto read = parse_matrix_market(text, "fuzz.mtx");
  if (!read) return;
  for (const linear::SparseEntry& e : read->entries)
    if (e.row < 0 || e.row >= read->rows || e.col < 0 || e.col >= read->cols) std::abort();
});

const Target kControl("control", [](std::string_view text) {
  const auto read = parse_control_table(text, "fuzz.csv");
  if (!read) return;
  if (read->values.size() != read->time.size() * read->names.size()) std::abort();
  try {
    const ControlTrack track(small_arm(), *read);
  } catch (const std::invalid_argument&) {  // no joint or actuator of that name
  }
});

}  // namespace sinew::fuzz
