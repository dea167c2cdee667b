// src/io/mesh_formats.hpp - one parser per mesh format; each returns what is wrong, or nothing
#pragma once
#include <string>
#include <string_view>

#include "sinew/io/mesh.hpp"

namespace sinew {

std::string parse_stl(std::string_view bytes, TriangleMesh& mesh);  // equal vertices are merged
std::string parse_obj(std::string_view text, TriangleMesh& mesh);   // objects: those of <o> and <g> that have faces
std::string parse_msh(std::string_view bytes, TriangleMesh& mesh);
std::string parse_dae(std::string_view text, TriangleMesh& mesh);

}  // namespace sinew
