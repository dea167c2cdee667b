// src/contact/contact_assets.cpp
#include "contact/contact_assets.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace sinew::contact {
namespace {

template <class Spec>
const Spec& find_by_name(const std::vector<Spec>& list, const std::string& name) {
  return *std::find_if(list.begin(), list.end(), [&](const Spec& s) { return s.name == name; });
}

void find_box(const std::vector<Vec3<double>>& points, ContactAsset& out) {
  Vec3<double> low = points.front(), high = low;
  for (const Vec3<double>& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  out.middle = 0.5 * (low + high), out.half = 0.5 * (high - low);
}

bool is_closed(const TriangleSurface& s) {
  return std::all_of(s.facets().begin(), s.facets().end(), [](const TriangleSurface::Facet& f) {
    return std::all_of(std::begin(f.across), std::end(f.across), [](int g) { return g >= 0; });
  });
}

std::uint64_t count_features(const ContactAsset& a) {
  std::size_t most = 0;
  if (a.polytope) most = std::max({a.polytope->vertices.size(), a.polytope->faces.size(), a.polytope->corners.size()});
  if (a.surface) most = std::max(most, 3 * a.surface->facets().size());
  return 3 * (most + 1);
}

ContactAsset make_mesh_asset(const ModelSpec& spec, const ShapeSpec& s, const std::string& shape_name,
                             std::vector<std::string>& remarks) {
  constexpr double kSame = 1e-3;  // of the volume
  const MeshSpec& mesh = find_by_name(spec.meshes, s.asset);
  const auto refuse = [&](const std::string& what) {
    return std::invalid_argument("ContactShapes: " + shape_name + ": mesh '" + mesh.name + "' " + what);
  };
  if (mesh.vertices.empty()) throw refuse("has not been read; set load_meshes when loading the model");
  ContactAsset out;
  find_box(mesh.vertices, out);
  auto hull = convex_hull(mesh.vertices);
  if (!hull && mesh.triangles.empty()) throw refuse("is flat and has no hull; give it some thickness, or use a box");
  // Whether the hull is the mesh itself.
  std::optional<std::string> unlike;
  std::unique_ptr<const TriangleSurface> surface;
  if (!mesh.triangles.empty()) {
    surface = std::make_unique<TriangleSurface>(TriangleMesh{mesh.vertices, mesh.triangles});
    const double volume = calc_moments({mesh.vertices, mesh.triangles}, MeshMatter::signed_volume).size;
    const double of_hull = hull ? calc_moments(hull.value(), MeshMatter::signed_volume).size : 1;
    if (!hull)
      unlike = "is flat";
    else if (!is_closed(*surface))
      unlike = "is not closed";
    else if (!(std::abs(volume - of_hull) <= kSame * of_hull))
      unlike = "is not convex: it fills " + std::to_string(std::lround(100 * volume / of_hull)) + " % of its hull";
  } else if (!s.hull) {
    throw refuse("has no triangles; use its convex hull");
  }
  if (hull) out.polytope = std::make_unique<Polytope>(make_polytope(hull.value()));
  if (unlike && s.hull && hull)
    remarks.push_back(shape_name + " touches with the convex hull of mesh '" + mesh.name + "', which " + *unlike);
  if (s.hull && !hull)
    remarks.push_back(shape_name + ": mesh '" + mesh.name + "' is flat, has no hull and touches as it is");
  if (unlike && !(s.hull && hull)) out.surface = std::move(surface);
  return out;
}

ContactAsset make_heightfield_asset(const ModelSpec& spec, const ShapeSpec& s, const std::string& shape_name,
                                    std::vector<std::string>& remarks) {
  HeightfieldSpec field = find_by_name(spec.heightfields, s.asset);
  if (field.rows > 1 && field.cols > 1 && field.elevation.empty() && field.file.empty()) {
    remarks.push_back(shape_name + ": heightfield '" + field.name + "' states no elevations and is taken as flat");
    field.elevation.assign(static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.cols), 0);
  }
  if (field.rows < 2 || field.cols < 2 ||
      field.elevation.size() != static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.cols))
    throw std::invalid_argument("ContactShapes: " + shape_name + ": heightfield '" + field.name +
                                "' has no elevations" +
                                (field.file.empty() ? "; write them out"
                                                    : ": its file '" + field.file +
                                                          "' was not read, as images are not; write them out, or use "
                                                          "MuJoCo's own binary format"));
  TriangleMesh mesh = make_mesh(field);
  ContactAsset out;
  find_box(mesh.vertices, out);
  out.surface = std::make_unique<TriangleSurface>(std::move(mesh));
  return out;
}

}  // namespace

const ContactAsset& ContactAssets::find(const ModelSpec& spec, const ShapeSpec& s, const std::string& shape_name,
                                        std::vector<std::string>& remarks) {
  const std::pair key{(s.kind == ShapeKind::mesh ? "mesh " : "heightfield ") + s.asset, s.hull};
  if (const auto known = made_.find(key); known != made_.end()) return known->second;
  ContactAsset made = s.kind == ShapeKind::mesh ? make_mesh_asset(spec, s, shape_name, remarks)
                                                : make_heightfield_asset(spec, s, shape_name, remarks);
  made.features = count_features(made);
  return made_.emplace(key, std::move(made)).first->second;
}

void ContactAssets::round(const std::string& mesh, double radius) {
  bool found = false;
  for (auto& [key, asset] : made_) {
    if (key.first != "mesh " + mesh) continue;
    if (asset.surface)
      throw std::invalid_argument("ContactShapes: mesh '" + mesh +
                                  "' touches as it is, not as its hull, and cannot be rounded");
    found = true;
    Polytope& p = *asset.polytope;
    round_faces(p, radius);
    std::vector<Vec3<double>> farthest;
    for (const Vec3<double>& d : {Vec3<double>{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
      farthest.push_back(p.find_rounded_support(d)), farthest.push_back(p.find_rounded_support(-d));
    find_box(farthest, asset);
  }
  if (!found) throw std::invalid_argument("ContactShapes: no shape that may touch has the mesh '" + mesh + "'");
}

const ContactAsset* ContactAssets::find(const Polytope* p) const {
  for (const auto& [key, asset] : made_)
    if (asset.polytope.get() == p) return &asset;
  return nullptr;
}

}  // namespace sinew::contact
