// sinew/io/urdf.hpp - URDF files
// Fixed joints stay in the spec (compilation merges them and keeps their frames), mimic joints become couplings.
// Root link: welded to the world, or on a free joint "root_joint" when `floating_base` is set.
// Everything that is not understood gives a diagnostic with its line.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/base/result.hpp"
#include "sinew/model/spec.hpp"

namespace sinew {

struct UrdfOptions {
  bool floating_base = false;
  bool strict = false;  // warnings become errors
  // Where package://NAME/... is looked up: folders that hold NAME. The file's own ancestors are searched last.
  std::vector<std::filesystem::path> package_paths{};
};

// From a file; meshes are found by package_paths or beside it.
Result<ModelSpec> load_urdf(const std::filesystem::path& file, const UrdfOptions& = {});

// From text; `file` is its name in diagnostics, and mesh paths are relative to it.
Result<ModelSpec> parse_urdf(std::string_view text, const std::filesystem::path& file = {}, const UrdfOptions& = {});

}  // namespace sinew
