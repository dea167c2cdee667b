// src/io/mesh_path.cpp
#include "io/mesh_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace sinew {
namespace fs = std::filesystem;

namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// Folders of an environment variable that separates them by colons.
std::vector<fs::path> folders_of(const char* variable) {
  std::vector<fs::path> out;
  const char* text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets it
  for (std::string_view rest = text ? text : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// Where packages may lie: ROS looks in each folder and in those below it, which workspaces use to group packages. Here
// one level is looked at; a folder may also be the package itself.
std::vector<fs::path> find_ros_roots() {
  std::vector<fs::path> out;
  for (const fs::path& folder : folders_of("ROS_PACKAGE_PATH")) {
    out.push_back(folder);
    if (folder.has_parent_path()) out.push_back(folder.parent_path());
    std::error_code error;
    std::vector<fs::path> groups;
    for (fs::directory_iterator it(folder, error), end; !error && it != end && groups.size() < 1000;
         it.increment(error))
      if (it->is_directory(error)) groups.push_back(it->path());
    std::sort(groups.begin(), groups.end());
    out.insert(out.end(), groups.begin(), groups.end());
  }
  for (const fs::path& prefix : folders_of("AMENT_PREFIX_PATH")) out.push_back(prefix / "share");
  return out;
}

}  // namespace

MeshPaths::MeshPaths(const fs::path& file, const std::vector<fs::path>& package_paths) : roots_(package_paths) {
  std::error_code error;
  if (file.empty()) return;  // a text opens nothing
  folder_ = fs::absolute(file, error).lexically_normal().parent_path();
  for (fs::path p = folder_; !p.empty(); p = p.parent_path()) {
    roots_.push_back(p);
    if (p == p.root_path()) break;
  }
}

MeshPaths::Found MeshPaths::resolve(std::string_view name) {
  for (const std::string_view scheme : {"package://", "model://"})
    if (name.starts_with(scheme)) return in_package(name.substr(scheme.size()));
  if (name.starts_with("file://"))
    name.remove_prefix(7);
  else if (name.find("://") != std::string_view::npos)
    return {{}, false, "only package://, model:// and file:// are looked up"};
  Found found{(folder_ / name).lexically_normal().string(), false, {}};
  found.exists = is_file(found.path);
  return found;
}

MeshPaths::Found MeshPaths::in_package(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);  // package:///name/... is often written
  const std::size_t slash = name.find('/');
  if (slash == 0 || slash == std::string_view::npos) return {{}, false, "it does not name a file in a package"};
  const auto [entry, fresh] = packages_.try_emplace(std::string(name.substr(0, slash)));
  if (fresh && !folder_.empty() && !ros_known_) {
    const std::vector<fs::path> ros = find_ros_roots();
    roots_.insert(roots_.end(), ros.begin(), ros.end());
    ros_known_ = true;
  }
  if (fresh)
    for (const fs::path& root : roots_) {
      std::error_code error;
      const fs::path package = root / entry->first;
      if (fs::is_directory(package, error)) entry->second.push_back(package.lexically_normal().string());
    }
  if (entry->second.empty())
    return {{},
            false,
            "no folder '" + entry->first +
                "' in the package paths, above the file, or in the folders of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH"};
  Found first;
  for (const std::string& package : entry->second) {
    Found found{package + std::string(name.substr(slash)), true, {}};
    if (is_file(found.path)) return found;
    if (first.path.empty()) first.path = found.path;
  }
  return first;
}

}  // namespace sinew
