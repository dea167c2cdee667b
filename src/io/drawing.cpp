// src/io/drawing.cpp
#include "sinew/io/drawing.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/base64.hpp"
#include "sinew/io/mesh.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

using DrawingJson = nlohmann::ordered_json;

constexpr int kDrawingVersion = 1;

DrawingJson numbers(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
DrawingJson pose_numbers(const Pose& p) {
  const Quaternion<double> q = to_quaternion(p.E);
  return {p.r.x, p.r.y, p.r.z, q.w, q.x, q.y, q.z};
}
// A range that is open on a side is none.
DrawingJson range(double lower, double upper) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) return nullptr;
  return {lower, upper};
}

void put_geometry(DrawingJson& mesh, const std::vector<Vec3<double>>& vertices,
                  const std::vector<std::array<int, 3>>& triangles) {
  std::vector<float> points;
  points.reserve(3 * vertices.size());
  for (const Vec3<double>& v : vertices)
    for (const double x : {v.x, v.y, v.z}) points.push_back(static_cast<float>(x));
  std::vector<std::uint32_t> corners;
  corners.reserve(3 * triangles.size());
  for (const auto& t : triangles)
    for (const int i : t) corners.push_back(static_cast<std::uint32_t>(i));
  mesh["vertices"] = to_base64(std::as_bytes(std::span(points)));
  mesh["triangles"] = to_base64(std::as_bytes(std::span(corners)));
}

// A mesh without triangles is a cloud of points: its hull is drawn.
void put_mesh(DrawingJson& mesh, const std::vector<Vec3<double>>& vertices,
              const std::vector<std::array<int, 3>>& triangles) {
  if (!triangles.empty()) return put_geometry(mesh, vertices, triangles);
  if (const Result<TriangleMesh> hull = convex_hull(vertices); hull.ok())
    put_geometry(mesh, hull->vertices, hull->triangles);
}

DrawingJson bodies_of(const Model& m) {
  DrawingJson out = DrawingJson::array();
  for (std::size_t i = 0; i < m.bodies().size(); ++i) {
    const BodyEntry& b = m.bodies()[i];
    const BodySpec* spec = i > 0 ? &m.spec().bodies[i - 1] : nullptr;
    out.push_back({{"name", b.name},
                   {"parent", b.parent},
                   {"mass", spec ? spec->mass : 0},
                   {"com", numbers(spec ? spec->com : Vec3<double>{})}});
  }
  return out;
}

DrawingJson joints_of(const Model& m) {
  DrawingJson out = DrawingJson::array();
  for (const JointEntry& j : m.joints()) {
    DrawingJson limits = DrawingJson::array();
    for (int k = 0; k < j.nv; ++k) {
      const DofSpec& d = m.dofs()[at(j.v + k)];
      limits.push_back(range(d.lower, d.upper));
    }
    out.push_back({{"name", j.name},
                   {"kind", to_string(j.kind)},
                   {"parent", j.parent},
                   {"child", j.child},
                   {"q", j.q},
                   {"nq", j.nq},
                   {"v", j.v},
                   {"nv", j.nv},
                   {"limits", std::move(limits)}});
  }
  return out;
}

DrawingJson shapes_of(const Model& m) {
  std::map<std::string, int> meshes, fields;
  for (std::size_t i = 0; i < m.spec().meshes.size(); ++i) meshes.emplace(m.spec().meshes[i].name, i);
  for (std::size_t i = 0; i < m.spec().heightfields.size(); ++i) fields.emplace(m.spec().heightfields[i].name, i);
  const auto find = [](const std::map<std::string, int>& in, const std::string& name) {
    const auto found = in.find(name);
    return found == in.end() ? -1 : found->second;
  };
  DrawingJson out = DrawingJson::array();
  for (const ShapeSpec& s : m.spec().shapes) {
    const int asset = s.kind == ShapeKind::mesh          ? find(meshes, s.asset)
                      : s.kind == ShapeKind::heightfield ? find(fields, s.asset)
                                                         : -1;
    out.push_back({{"name", s.name},
                   {"body", m.find_body(s.body).value_or(0)},
                   {"kind", to_string(s.kind)},
                   {"size", s.size},
                   {"pose", pose_numbers(s.pose)},
                   {"rgba", s.rgba},
                   {"asset", asset},
                   {"hull", s.hull},
                   {"collides", s.collides},
                   {"visible", s.visible},
                   {"group", s.group}});
  }
  return out;
}

DrawingJson heightfields_of(const Model& m) {
  DrawingJson out = DrawingJson::array();
  for (const HeightfieldSpec& f : m.spec().heightfields) {
    const std::vector<float> elevation(f.elevation.begin(), f.elevation.end());
    out.push_back({{"name", f.name},
                   {"rows", f.rows},
                   {"cols", f.cols},
                   {"size", f.size},
                   {"elevation", to_base64(std::as_bytes(std::span(elevation)))}});
  }
  return out;
}

std::string write(const DrawingJson& j) { return j.dump(-1, ' ', false, DrawingJson::error_handler_t::replace); }

// Returns why it cannot be drawn; empty: it can.
std::string read_geometry(DrawingJson& mesh) {
  const std::string file = mesh.at("file");
  if (file.empty()) return "it has neither a file nor vertices";
  const Result<TriangleMesh> read = read_mesh(file);
  if (!read.ok()) return read.diagnostics().empty() ? "it cannot be read" : read.diagnostics().begin()->message;
  std::vector<Vec3<double>> vertices = read->vertices;
  std::vector<std::array<int, 3>> triangles = read->triangles;
  const auto scale = mesh.at("scale").get<std::array<double, 3>>();
  for (Vec3<double>& v : vertices) v = {scale[0] * v.x, scale[1] * v.y, scale[2] * v.z};
  if (scale[0] * scale[1] * scale[2] < 0)  // mirrored: keep the outside outside
    for (auto& t : triangles) std::swap(t[1], t[2]);
  put_mesh(mesh, vertices, triangles);
  return mesh.at("triangles").get<std::string>().empty() ? "its points lie in a plane" : "";
}

}  // namespace

std::string make_drawing(const Model& m) {
  DrawingJson meshes = DrawingJson::array(), actuators = DrawingJson::array();
  for (const MeshSpec& mesh : m.spec().meshes) {
    DrawingJson j{
        {"name", mesh.name}, {"file", mesh.file}, {"scale", numbers(mesh.scale)}, {"vertices", ""}, {"triangles", ""}};
    if (!mesh.vertices.empty()) put_mesh(j, mesh.vertices, mesh.triangles);
    meshes.push_back(std::move(j));
  }
  for (const ActuatorSpec& a : m.spec().actuators)
    actuators.push_back({{"name", a.name}, {"range", range(a.control_lower, a.control_upper)}});
  return write({{"format", "sinew scene"},
                {"version", kDrawingVersion},
                {"name", m.name()},
                {"gravity", numbers(m.gravity())},
                {"bodies", bodies_of(m)},
                {"joints", joints_of(m)},
                {"shapes", shapes_of(m)},
                {"meshes", std::move(meshes)},
                {"heightfields", heightfields_of(m)},
                {"actuators", std::move(actuators)},
                {"left_out", DrawingJson::array()}});
}

std::string read_drawing_meshes(const std::string& drawing) {
  DrawingJson j = DrawingJson::parse(drawing, nullptr, false);
  if (!j.is_object() || j.value("format", "") != "sinew scene" || j.value("version", 0) != kDrawingVersion)
    throw std::invalid_argument("read_drawing_meshes: the text is not a drawing of version " +
                                std::to_string(kDrawingVersion));
  try {
    for (DrawingJson& mesh : j.at("meshes")) {
      if (!mesh.at("triangles").get<std::string>().empty()) continue;
      if (const std::string why = read_geometry(mesh); !why.empty())
        j.at("left_out")
            .push_back("mesh '" + mesh.at("name").get<std::string>() + "' (" + mesh.at("file").get<std::string>() +
                       "): " + why);
    }
  } catch (const nlohmann::json::exception& e) {
    throw std::invalid_argument(std::string("read_drawing_meshes: the drawing is damaged: ") + e.what());
  }
  return write(j);
}

}  // namespace sinew
