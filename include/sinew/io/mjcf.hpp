// sinew/io/mjcf.hpp - MuJoCo's XML format
// A body with several joints gets one composite joint whose parts carry their names. `ref` becomes the neutral
// coordinate. Connect and weld become loops, joint equalities couplings, joint positions stay in MuJoCo's order.
// Everything that is not understood gives a diagnostic with its line.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "sinew/base/result.hpp"
#include "sinew/model/spec.hpp"

namespace sinew {

struct MjcfOptions {
  bool strict = false;       // warnings become errors
  bool load_meshes = false;  // read every mesh; otherwise only those whose volume is needed for an inertia
};

// From a file; includes and meshes are relative to it.
Result<ModelSpec> load_mjcf(const std::filesystem::path& file, const MjcfOptions& = {});

// From text; `file` is its name in diagnostics, and includes and meshes are relative to it.
Result<ModelSpec> parse_mjcf(std::string_view text, const std::filesystem::path& file = {}, const MjcfOptions& = {});

}  // namespace sinew
