// src/io/mesh_path.hpp - turns package://, file:// and relative names into paths
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sinew {

class MeshPaths {
 public:
  // `file` is the one that names the meshes; its ancestors are searched for packages after `package_paths`, and after
  // them the folders that ROS_PACKAGE_PATH and AMENT_PREFIX_PATH name.
  MeshPaths(const std::filesystem::path& file, const std::vector<std::filesystem::path>& package_paths);

  struct Found {
    std::string path;  // where the mesh is, or the first place tried
    bool exists = false;
    std::string problem;  // why there is no path to try
  };
  Found resolve(std::string_view name);

 private:
  Found in_package(std::string_view name);

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> roots_;
  bool ros_known_ = false;                                              // roots_ has those of ROS
  std::unordered_map<std::string, std::vector<std::string>> packages_;  // name -> folders of that name
};

}  // namespace sinew
