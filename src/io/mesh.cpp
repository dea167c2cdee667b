// src/io/mesh.cpp - files by their extension; moments of a triangle mesh
// A mesh is the sum of pyramids over its triangles [O'Rourke, Computational Geometry in C, 1.3.8]. The first pass
// takes them from the centroid of the surface and finds the centre of mass, the second from there.
#include "sinew/io/mesh.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <optional>

#include "io/mesh_formats.hpp"

namespace sinew {
namespace {

std::optional<MeshFormat> format_of(const std::filesystem::path& file) {
  std::string e = file.extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (e == ".stl") return MeshFormat::stl;
  if (e == ".obj") return MeshFormat::obj;
  if (e == ".msh") return MeshFormat::msh;
  return std::nullopt;
}

struct Corner {
  Vec3<double> a, b, c;
};
Corner corners(const TriangleMesh& m, const std::array<int, 3>& t) {
  const auto at = [&](int i) { return m.vertices[static_cast<std::size_t>(i)]; };
  return {at(t[0]), at(t[1]), at(t[2])};
}
Vec3<double> middle(const Corner& k) { return (1.0 / 3) * (k.a + k.b + k.c); }
// Twice the area, along the outward normal.
Vec3<double> normal(const Corner& k) { return cross(k.b - k.a, k.c - k.a); }

// Weight of one triangle: the volume of its pyramid over `apex`, or its area.
double weigh(const Corner& k, const Vec3<double>& apex, MeshMatter matter) {
  const Vec3<double> n = normal(k);
  if (matter == MeshMatter::surface) return norm(n) / 2;
  const double v = dot(middle(k) - apex, n) / 6;
  return matter == MeshMatter::unsigned_volume ? std::abs(v) : v;
}

Vec3<double> surface_centroid(const TriangleMesh& m) {
  double area = 0;
  Vec3<double> sum;
  for (const auto& t : m.triangles) {
    const Corner k = corners(m, t);
    const double a = norm(normal(k)) / 2;
    area += a;
    sum += a * middle(k);
  }
  return area > 0 ? (1 / area) * sum : Vec3<double>{};
}

}  // namespace

MeshMoments calc_moments(const TriangleMesh& m, MeshMatter matter) {
  const Vec3<double> apex = surface_centroid(m);
  MeshMoments out;
  double total = 0;
  for (const auto& t : m.triangles) {
    const Corner k = corners(m, t);
    const double w = weigh(k, apex, matter);
    total += w;
    out.centre += w * (matter == MeshMatter::surface ? middle(k) : 0.75 * middle(k) + 0.25 * apex);
  }
  if (!(total > 0)) return {total, {}, {}};
  out.centre = (1 / total) * out.centre;

  Sym3<double> P;  // second moments about the centre
  for (const auto& t : m.triangles) {
    const Corner k = corners(m, t);
    const double w = weigh(k, out.centre, matter);
    out.size += w;
    const Vec3<double> a = k.a - out.centre, b = k.b - out.centre, c = k.c - out.centre, s = a + b + c;
    for (const Vec3<double>& d : {a, b, c, s})
      P = P + w * Sym3<double>{d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z};
  }
  P = (matter == MeshMatter::surface ? 1.0 / 12 : 1.0 / 20) * P;
  out.inertia = {P.yy + P.zz, -P.xy, -P.xz, P.xx + P.zz, -P.yz, P.xx + P.yy};
  return out;
}

Result<TriangleMesh> read_mesh(const std::filesystem::path& file) {
  Diagnostics out;
  const std::string name = file.string();
  const auto fail = [&](Code code, std::string message, std::string repair) {
    out.add(code, "mesh", std::move(message), std::move(repair), {name, 0});
    return out;
  };
  const auto format = format_of(file);
  if (!format) return fail(Code::mesh_unreadable, "the extension is none of .stl, .obj, .msh", "convert the mesh");
  std::error_code ec;
  const auto bytes = std::filesystem::is_regular_file(file, ec) ? std::filesystem::file_size(file, ec) : 0;
  if (ec || bytes == 0) return fail(Code::mesh_unreadable, "the file is missing or empty", "check the path");
  if (bytes > kMaxMeshBytes) return fail(Code::file_too_large, std::to_string(bytes) + " bytes", "use a coarser mesh");
  std::string text(bytes, '\0');
  std::ifstream in(file, std::ios::binary);
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    return fail(Code::mesh_unreadable, "the file cannot be read", "check its permissions");
  return parse_mesh(text, *format, name);
}

Result<TriangleMesh> parse_mesh(std::string_view bytes, MeshFormat format, const std::string& file) {
  TriangleMesh mesh;
  std::string problem;
  switch (format) {
    case MeshFormat::stl: problem = parse_stl(bytes, mesh); break;
    case MeshFormat::obj: problem = parse_obj(bytes, mesh); break;
    case MeshFormat::msh: problem = parse_msh(bytes, mesh); break;
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
