// sinew/io/mesh.hpp - triangle meshes from files: STL (binary and ASCII), OBJ, COLLADA, MuJoCo's MSH
// Vertices are read as floats, as the files hold them, and kept as doubles. Triangles run counter-clockwise seen
// from outside; polygons, concave ones too, are cut into triangles. What a file claims (counts, indices) is checked
// against what it holds. COLLADA: the scene's nodes with their transforms, in metres by <unit>; <up_axis> is not
// applied, as in ROS and Pinocchio (docs/decisions.md).
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "sinew/model/triangle_mesh.hpp"

namespace sinew {

// The formats that are read.
enum class MeshFormat { stl, obj, msh, dae };

inline constexpr std::size_t kMaxMeshBytes = std::size_t{1} << 30;

// The format comes from the extension, any case.
Result<TriangleMesh> read_mesh(const std::filesystem::path& file);
Result<TriangleMesh> parse_mesh(std::string_view bytes, MeshFormat format, const std::string& file = {});

}  // namespace sinew
