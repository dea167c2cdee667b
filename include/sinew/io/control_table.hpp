// sinew/io/control_table.hpp - tables of controls over time, from CSV or HDF5 (sim/control_track.hpp)
// CSV: a line of names, then a line per row; fields separated by commas, names may be quoted. One column is "time" [s].
// HDF5: a dataset "time" and one of the same length per column, all in the root group.
#pragma once
#include <filesystem>
#include <string_view>

#include "sinew/base/result.hpp"
#include "sinew/sim/control_track.hpp"

namespace sinew {

// HDF5 if the name ends in .h5 or .hdf5; "-" is CSV from the standard input.
Result<ControlTable> load_control_table(const std::filesystem::path&);
Result<ControlTable> parse_control_table(std::string_view csv, const std::filesystem::path& name);

}  // namespace sinew
