// sinew/io/load.hpp - a model file of either format, told apart by its root element
#pragma once
#include <filesystem>

#include "sinew/io/mjcf.hpp"
#include "sinew/io/urdf.hpp"

namespace sinew {

struct LoadOptions {
  bool floating_base = false;  // URDF only: MJCF says it itself
  bool strict = false;
  bool load_meshes = false;
  bool contact_meshes_only = false;  // URDF: of the meshes, read only those of shapes that can touch
  std::vector<std::filesystem::path> package_paths{};
};

Result<ModelSpec> load(const std::filesystem::path& file, const LoadOptions& = {});

}  // namespace sinew
