// src/io/mesh_path.cpp
#include "io/mesh_path.hpp"

#include <system_error>

namespace sinew {
namespace fs = std::filesystem;

namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

}  // namespace

MeshPaths::MeshPaths(const fs::path& file, const std::vector<fs::path>& package_paths) : roots_(package_paths) {
  std::error_code error;
  if (file.empty()) return;
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
  if (fresh)
    for (const fs::path& root : roots_) {
      std::error_code error;
      const fs::path package = root / entry->first;
      if (fs::is_directory(package, error)) entry->second.push_back(package.lexically_normal().string());
    }
  if (entry->second.empty())
    return {{}, false, "no folder '" + entry->first + "' in the package paths or above the file"};
  Found first;
  for (const std::string& package : entry->second) {
    Found found{package + std::string(name.substr(slash)), true, {}};
    if (is_file(found.path)) return found;
    if (first.path.empty()) first.path = found.path;
  }
  return first;
}

}  // namespace sinew
