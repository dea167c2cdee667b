// src/io/load.cpp
#include "sinew/io/load.hpp"

#include <algorithm>
#include <utility>

#include "io/xml.hpp"
#include "io/xml_scan.hpp"
#include "sinew/io/mesh.hpp"

namespace sinew {
namespace {

// Reads the meshes of a URDF. One that cannot be read is a warning, because the motion does not need it.
void read_meshes(ModelSpec& spec, bool contact_only, Diagnostics& out) {
  const auto touches = [&](const MeshSpec& mesh) {
    return std::any_of(spec.shapes.begin(), spec.shapes.end(),
                       [&](const ShapeSpec& s) { return s.collides && s.asset == mesh.name; });
  };
  for (MeshSpec& mesh : spec.meshes) {
    if (mesh.file.empty() || (contact_only && !touches(mesh))) continue;
    auto read = read_mesh(mesh.file);
    for (Diagnostic d : read.diagnostics()) {
      if (d.severity == Severity::error) d.severity = Severity::warning;
      d.where = mesh.where;
      out.add(std::move(d));
    }
    if (!read) continue;
    mesh.vertices = std::move(read.value().vertices);
    mesh.triangles = std::move(read.value().triangles);
    const Vec3<double> s = mesh.scale;
    for (Vec3<double>& p : mesh.vertices) p = {s.x * p.x, s.y * p.y, s.z * p.z};
    if (s.x * s.y * s.z < 0)  // mirrored: keep the outside outside
      for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  }
}

Result<ModelSpec> load_urdf_text(const std::string& text, const std::filesystem::path& file,
                                 const LoadOptions& options) {
  auto urdf = parse_urdf(text, file, {options.floating_base, false, options.package_paths});
  Diagnostics out = urdf.diagnostics();
  if (!urdf) {
    if (options.strict) out.make_strict();
    return out;
  }
  if (options.load_meshes) read_meshes(urdf.value(), options.contact_meshes_only, out);
  if (options.strict) out.make_strict();
  return {std::move(urdf).value(), std::move(out)};
}

}  // namespace

Result<ModelSpec> load(const std::filesystem::path& file, const LoadOptions& options) {
  Diagnostics out;
  const auto text = xml::read_file(file, out);
  if (!text) return out;
  const std::string_view root = xml::find_root_name(*text);
  if (root == "robot") return load_urdf_text(*text, file, options);
  if (root == "mujoco" || root == "mujocoinclude")
    return parse_mjcf(*text, file, {options.strict, options.load_meshes});
  // Neither: if the text is not XML, report that first.
  const auto document = xml::parse(*text, file.string(), out);
  if (document && root == "sdf")
    out.add(Code::wrong_root, "file", "this is an SDF file, which is not read",
            "give the URDF or MJCF file that describes the same robot",
            xml::where(*document->RootElement(), file.string()));
  else if (document)
    out.add(Code::wrong_root, "file", "the root element is " + xml::quote(root) + ", must be 'robot' or 'mujoco'",
            "give a URDF or an MJCF file", xml::where(*document->RootElement(), file.string()));
  return out;
}

}  // namespace sinew
