// src/io/mesh.cpp - files by their extension
#include "sinew/io/mesh.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "io/mesh_formats.hpp"
#include "sinew/io/input_file.hpp"

namespace sinew {
namespace {

std::optional<MeshFormat> format_of(const std::filesystem::path& file) {
  std::string e = file.extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (e == ".stl") return MeshFormat::stl;
  if (e == ".obj") return MeshFormat::obj;
  if (e == ".msh") return MeshFormat::msh;
  if (e == ".dae") return MeshFormat::dae;
  return std::nullopt;
}

}  // namespace

Result<TriangleMesh> read_mesh(const std::filesystem::path& file) {
  Diagnostics out;
  const std::string name = file.string();
  const auto fail = [&](Code code, std::string message, std::string repair) {
    out.add(code, "mesh", std::move(message), std::move(repair), {name, 0});
    return out;
  };
  const auto format = format_of(file);
  if (!format)
    return fail(Code::mesh_unreadable, "the extension is none of .stl, .obj, .dae, .msh", "convert the mesh");
  const InputFile in = read_input_file(file, kMaxMeshBytes, NamedBy::file);
  if (in.too_large) return fail(Code::file_too_large, "the file " + in.fault, "use a coarser mesh");
  if (in.missing || (in.fault.empty() && in.bytes.empty()))
    return fail(Code::mesh_unreadable, "the file is missing or empty", "check the path");
  if (!in.fault.empty()) return fail(Code::mesh_unreadable, "the file " + in.fault, in.repair);
  return parse_mesh(in.bytes, *format, name);
}

Result<TriangleMesh> parse_mesh(std::string_view bytes, MeshFormat format, const std::string& file) {
  TriangleMesh mesh;
  std::string problem;
  switch (format) {
    case MeshFormat::stl: problem = parse_stl(bytes, mesh); break;
    case MeshFormat::obj: problem = parse_obj(bytes, mesh); break;
    case MeshFormat::msh: problem = parse_msh(bytes, mesh); break;
    case MeshFormat::dae: problem = parse_dae(bytes, mesh); break;
  }
  Diagnostics out;
  const auto finite = [](const Vec3<double>& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  if (problem.empty() && !std::all_of(mesh.vertices.begin(), mesh.vertices.end(), finite))
    problem = "a vertex is not finite";
  if (problem.empty() && mesh.vertices.empty()) problem = "no vertices";
  if (!problem.empty()) out.add(Code::mesh_unreadable, "mesh", problem, "export the mesh again", {file, 0});
  return {std::move(mesh), std::move(out)};
}

}  // namespace sinew
