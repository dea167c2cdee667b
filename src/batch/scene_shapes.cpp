// src/batch/scene_shapes.cpp - shapes, hulls and pairs of a device::Scene
#include <algorithm>
#include <bit>

#include "scene_tables.hpp"
#include "sinew/batch/kernel/device_convex.hpp"
#include "sinew/contact/polytope.hpp"
#include "sinew/contact/triangle_surface.hpp"

namespace sinew::device {
namespace {

// Appends a hull to the tables.
template <class R>
void add_hull(const Polytope& p, SceneTables<R>& t) {
  const auto size_of = [](const auto& table) { return static_cast<int>(table.size()); };
  t.hull.push_back({size_of(t.hull_vertex), size_of(p.vertices), size_of(t.hull_face), size_of(t.hull_index),
                    size_of(p.corners), p.extent});
  t.hull_vertex.insert(t.hull_vertex.end(), p.vertices.begin(), p.vertices.end());
  t.hull_face.insert(t.hull_face.end(), p.faces.begin(), p.faces.end());
  for (const std::vector<int>* part : {&p.corners, &p.edges, &p.neighbours, &p.around, &p.start})
    t.hull_index.insert(t.hull_index.end(), part->begin(), part->end());
}

template <class R>
void add_surface(const TriangleSurface& from, SceneTables<R>& t) {
  const auto size_of = [](const auto& table) { return static_cast<int>(table.size()); };
  const auto append = [](auto& to, const auto& table) { to.insert(to.end(), table.begin(), table.end()); };
  t.surface.push_back({size_of(t.surface_vertex), size_of(t.surface_facet), size_of(t.surface_node)});
  append(t.surface_vertex, from.vertices()), append(t.surface_facet, from.facets());
  append(t.surface_node, from.nodes()), append(t.surface_order, from.order());
}

// Half the sides of the box that holds a hull, as contact/contact_assets.cpp has it.
Vec3<double> calc_half(const Polytope& p) {
  Vec3<double> low = p.vertices[0], high = low;
  for (const Vec3<double>& v : p.vertices) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  return 0.5 * (high - low);
}

// Shapes and pairs, numbered as they are met.
template <class R>
class ShapeTables {
 public:
  ShapeTables(const Model& m, const ContactShapes& shapes, SceneTables<R>& t)
      : m_(m), specs_(m.spec().shapes), shapes_(shapes), t_(t), number_(specs_.size(), -1) {}

  void make() {
    for (const ContactShapes::Pair& p : shapes_.list_pairs()) add_pair(p);
    number_features();
  }

 private:
  std::string name_of(int i) const {
    const ShapeSpec& s = specs_[at(i)];
    return std::string(to_string(s.kind)) + " '" + s.name + "' of body '" + s.body + "'";
  }
  bool is_solid(int i) const {
    const ShapeKind kind = specs_[at(i)].kind;
    return kind == ShapeKind::mesh ? shapes_.hull(i) != nullptr : kind != ShapeKind::plane && kind < ShapeKind::mesh;
  }
  // Which of the two comes first for the colliders of the device, as on the CPU; 0: there is none.
  int order_of(int a, int b) const {
    const ShapeKind ka = specs_[at(a)].kind, kb = specs_[at(b)].kind;
    if (is_solid(a) && is_solid(b)) return ka <= kb ? 1 : -1;
    if (is_solid(a) && shapes_.surface(b) != nullptr) return 1;
    if (shapes_.surface(a) != nullptr && is_solid(b)) return -1;
    if (kb == ShapeKind::plane && is_solid(a)) return 1;
    return ka == ShapeKind::plane && is_solid(b) ? -1 : 0;
  }

  void add_pair(const ContactShapes::Pair& p) {
    const int order = order_of(p.a, p.b);
    if (order == 0)
      refuse_on_device("the " + name_of(p.a) + " may touch the " + name_of(p.b) +
                       ", and there is no collider for that on a device: exclude the pair" +
                       (specs_[at(p.a)].kind == ShapeKind::mesh || specs_[at(p.b)].kind == ShapeKind::mesh
                            ? ", or let the mesh touch with its convex hull"
                            : ""));
    if (p.restitution > 0)
      refuse_on_device("the " + name_of(p.a) + " and the " + name_of(p.b) +
                       " bounce, and restitution cannot run on a device: set it to zero");
    add_shape(p.a), add_shape(p.b);
    const int a = order > 0 ? p.a : p.b, b = order > 0 ? p.b : p.a;
    t_.scene.wide = t_.scene.wide || is_wide_pair(specs_[at(a)].kind, specs_[at(b)].kind);
    t_.scene.surfaces = t_.scene.surfaces || shapes_.surface(b) != nullptr;
    t_.pair.push_back({number_[at(a)], number_[at(b)], static_cast<R>(p.friction), static_cast<R>(p.margin)});
  }

  void add_shape(int i) {
    const ShapeSpec& s = specs_[at(i)];
    if (number_[at(i)] >= 0) return;
    const BodyEntry& body = m_.bodies()[at(*m_.find_body(s.body))];
    const Transform<double> in_node = s.pose * body.in_node;
    if (s.kind == ShapeKind::plane && body.node != 0)
      refuse_on_device("the " + name_of(i) + " moves: planes on a device are fixed to the world");
    SceneShape<R> out;
    out.node = body.node, out.kind = s.kind, out.in_node = cast<R>(in_node);
    for (std::size_t k = 0; k < 3; ++k) out.size[k] = static_cast<R>(s.size[k]);
    if (const Polytope* hull = shapes_.hull(i)) {
      out.hull = find_hull(*hull, name_of(i));
      const Vec3<double> half = calc_half(*hull);
      out.size[0] = static_cast<R>(half.x), out.size[1] = static_cast<R>(half.y), out.size[2] = static_cast<R>(half.z);
    }
    if (const TriangleSurface* surface = shapes_.surface(i)) out.surface = find_surface(*surface);
    out.bound = static_cast<R>(shapes_.bound(i));
    out.extent = static_cast<R>(norm(in_node.r) + shapes_.bound(i));
    number_[at(i)] = static_cast<int>(t_.shape.size());
    t_.shape.push_back(out), t_.shape_body.push_back(*m_.find_body(s.body));
  }

  // Shapes of one mesh share a hull.
  int find_hull(const Polytope& p, const std::string& name) {
    for (std::size_t i = 0; i < hulls_.size(); ++i)
      if (hulls_[i] == &p) return static_cast<int>(i);
    for (const Polytope::Face& f : p.faces)
      if (f.count > kMostHullCorners)
        refuse_on_device("a face of the hull of the " + name + " has " + std::to_string(f.count) +
                         " corners, and a device has room for " + std::to_string(kMostHullCorners) +
                         ": take a mesh with fewer, or a cylinder");
    most_features_ = std::max({most_features_, p.vertices.size(), p.faces.size(), p.corners.size()});
    add_hull(p, t_), hulls_.push_back(&p);
    return static_cast<int>(hulls_.size()) - 1;
  }

  // Shapes of one mesh or heightfield share a surface.
  int find_surface(const TriangleSurface& s) {
    for (std::size_t i = 0; i < surfaces_.size(); ++i)
      if (surfaces_[i] == &s) return static_cast<int>(i);
    most_of_surfaces_ = std::max(most_of_surfaces_, 3 * s.facets().size());
    add_surface(s, t_), surfaces_.push_back(&s);
    return static_cast<int>(surfaces_.size()) - 1;
  }

  // A key has the pair and a feature of each shape. Surfaces have the bits that are left, if they have more features.
  void number_features() {
    constexpr std::size_t kMostOfPrimitives = 63;  // corners, edges and faces of boxes and cylinders
    const int bits = static_cast<int>(std::bit_width(std::max(kMostOfPrimitives, 3 * (most_features_ + 1))));
    const std::size_t most_pairs = 2 * bits < 31 ? std::size_t{1} << (31 - 2 * bits) : 0;
    if (t_.pair.size() > most_pairs)
      refuse_on_device("there are " + std::to_string(t_.pair.size()) + " pairs of shapes, and a device can number " +
                       std::to_string(most_pairs) +
                       (hulls_.empty() ? "" : " with hulls of that many corners: take coarser meshes"));
    const int left = 31 - bits - static_cast<int>(std::bit_width(t_.pair.size() - 1));
    t_.scene.feature_bits = bits;
    t_.scene.other_bits = std::max(bits, std::min(left, static_cast<int>(std::bit_width(3 * (most_of_surfaces_ + 1)))));
  }

  const Model& m_;
  const std::vector<ShapeSpec>& specs_;
  const ContactShapes& shapes_;
  SceneTables<R>& t_;
  std::vector<int> number_;  // of each shape in the tables; -1: not there
  std::vector<const Polytope*> hulls_;
  std::vector<const TriangleSurface*> surfaces_;
  std::size_t most_features_ = 0, most_of_surfaces_ = 0;
};

}  // namespace

template <class R>
void add_shapes(const Model& m, const ContactShapes& shapes, SceneTables<R>& t) {
  ShapeTables<R>(m, shapes, t).make();
}

template void add_shapes(const Model&, const ContactShapes&, SceneTables<float>&);
template void add_shapes(const Model&, const ContactShapes&, SceneTables<double>&);

}  // namespace sinew::device
