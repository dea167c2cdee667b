// src/io/mesh_collada.cpp - COLLADA 1.4 and 1.5: the triangles of the scene, with the transforms of its nodes
// Read: <triangles>, <polylist>, <polygons>, <tristrips>, <trifans>; <instance_geometry>, <instance_node>, and
// <instance_controller> with the mesh of its skin in its bind pose. Not read: points, lines, colours, animation.
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "io/mesh_formats.hpp"
#include "io/number_words.hpp"
#include "io/polygon.hpp"
#include "io/xml.hpp"
#include "sinew/spatial/orientation.hpp"

namespace sinew {
namespace {

using xml::Element;

constexpr int kMostInstances = 100'000;  // nodes may refer to nodes, which multiplies
constexpr int kMostInstanceDepth = 64;
constexpr std::size_t kMostTriangles = 50'000'000, kMostVertices = 50'000'000;
constexpr std::size_t kMostNumbers = 500'000'000;  // read, each instance by itself

// x -> A x + b.
struct Affine {
  Mat3<double> A{1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vec3<double> b;
};
Affine operator*(const Affine& f, const Affine& g) { return {f.A * g.A, f.A * g.b + f.b}; }
Vec3<double> apply_to(const Affine& f, const Vec3<double>& x) { return f.A * x + f.b; }
double determinant(const Mat3<double>& m) {
  return dot(Vec3<double>{m.xx, m.xy, m.xz}, cross(Vec3<double>{m.yx, m.yy, m.yz}, Vec3<double>{m.zx, m.zy, m.zz}));
}

// Ends the reading of a file; caught in parse_dae.
struct ColladaFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void stop(const Element& e, const std::string& why) {
  throw ColladaFault("line " + std::to_string(xml::where(e, {}).line) + ": <" + xml::shorten(e.Name()) + "> " + why);
}

template <class Each>
void for_children(const Element& e, const char* name, Each&& each) {
  for (const Element* c = e.FirstChildElement(name); c; c = c->NextSiblingElement(name)) each(*c);
}

// Numbers of all text in the element; comments may split it.
template <class T>
std::vector<T> read_numbers(const Element& e) {
  std::vector<T> out;
  for (const auto* node = e.FirstChild(); node; node = node->NextSibling()) {
    if (!node->ToText()) continue;
    Words words(node->Value());
    for (std::string_view w = words.next(); !w.empty(); w = words.next())
      if (!parse_number(w, out.emplace_back())) stop(e, "has " + xml::quote(w) + ", not a number");
  }
  return out;
}
template <std::size_t n>
std::array<double, n> read_exactly(const Element& e) {
  const std::vector<double> list = read_numbers<double>(e);
  if (list.size() != n) stop(e, "has " + std::to_string(list.size()) + " numbers, must have " + std::to_string(n));
  std::array<double, n> out;
  std::copy(list.begin(), list.end(), out.begin());
  return out;
}

std::size_t read_count(const Element& e, const char* name, std::size_t otherwise) {
  const char* text = e.Attribute(name);
  std::size_t value = otherwise;
  if (text && !parse_number(Words(text).next(), value)) stop(e, std::string(name) + " is not a count");
  return value;
}

class Collada {
 public:
  Collada(const Element& root, TriangleMesh& mesh) : root_(root), mesh_(mesh) { enter_ids(root); }

  void read() {
    double metre = 1;
    if (const Element* asset = root_.FirstChildElement("asset"))
      if (const Element* unit = asset->FirstChildElement("unit"))
        if (const char* text = unit->Attribute("meter"))
          if (!parse_number(Words(text).next(), metre) || !(metre > 0) || !std::isfinite(metre))
            stop(*unit, "meter is " + xml::quote(text) + ", must be a length > 0");
    const Affine whole{{metre, 0, 0, 0, metre, 0, 0, 0, metre}, {}};
    const Element* scene = root_.FirstChildElement("scene");
    const Element* instance = scene ? scene->FirstChildElement("instance_visual_scene") : nullptr;
    if (instance)
      read_node(follow(*instance, "url", "visual_scene"), whole, 0);
    else  // no scene: the meshes as they are
      for_children(root_, "library_geometries", [&](const Element& library) {
        for_children(library, "geometry", [&](const Element& g) { read_geometry(g, whole); });
      });
  }

 private:
  void enter_ids(const Element& e) {
    if (const char* id = e.Attribute("id")) ids_.try_emplace(id, &e);
    for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement()) enter_ids(*c);
  }
  // The element that an attribute refers to, as in url="#name".
  const Element& follow(const Element& e, const char* attribute, const char* kind) const {
    const char* text = e.Attribute(attribute);
    const auto found = text && *text == '#' ? ids_.find(text + 1) : ids_.end();
    if (found == ids_.end() || std::string_view(found->second->Name()) != kind)
      stop(e, std::string(attribute) + " is " + xml::quote(text ? text : "") + ", which names no <" + kind +
                  "> of this file");
    return *found->second;
  }

  // A node, or a whole visual scene.
  void read_node(const Element& node, const Affine& outer, int depth) {
    if (++instances_ > kMostInstances || depth > kMostInstanceDepth + xml::kMaxDepth)
      stop(node, "is instanced too often or refers to itself");
    const Affine here = outer * read_transform(node);
    for (const Element* c = node.FirstChildElement(); c; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      if (name == "node") {
        read_node(*c, here, depth + 1);
      } else if (name == "instance_node") {
        read_node(follow(*c, "url", "node"), here, depth + 1);
      } else if (name == "instance_geometry") {
        read_geometry(follow(*c, "url", "geometry"), here);
      } else if (name == "instance_controller") {
        const Element& controller = follow(*c, "url", "controller");
        const Element* skin = controller.FirstChildElement("skin");
        if (!skin) stop(controller, "has no skin");
        const Element* bind = skin->FirstChildElement("bind_shape_matrix");
        read_geometry(follow(*skin, "source", "geometry"), bind ? here * read_matrix(*bind) : here);
      }
    }
  }

  static Affine read_matrix(const Element& e) {
    const auto m = read_exactly<16>(e);
    return {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}, {m[3], m[7], m[11]}};
  }

  // The transforms of a node, in the order of the file.
  static Affine read_transform(const Element& node) {
    Affine out;
    for (const Element* c = node.FirstChildElement(); c; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      if (name == "matrix") {
        out = out * read_matrix(*c);
      } else if (name == "translate") {
        const auto t = read_exactly<3>(*c);
        out = out * Affine{{1, 0, 0, 0, 1, 0, 0, 0, 1}, {t[0], t[1], t[2]}};
      } else if (name == "scale") {
        const auto s = read_exactly<3>(*c);
        out = out * Affine{{s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}, {}};
      } else if (name == "rotate") {
        const auto r = read_exactly<4>(*c);
        const Vec3<double> axis{r[0], r[1], r[2]};
        if (!(norm(axis) > 0)) continue;
        out = out * Affine{transpose(rotation_from_axis_angle((1 / norm(axis)) * axis, r[3] * kDegree).m), {}};
      } else if (name == "lookat" || name == "skew") {
        stop(*c, "is not understood in a node with meshes");
      }
    }
    return out;
  }

  template <class T>
  std::vector<T> read_counted(const Element& e) {
    std::vector<T> out = read_numbers<T>(e);
    numbers_ += out.size();
    if (numbers_ > kMostNumbers || mesh_.vertices.size() > kMostVertices)
      stop(e, "is instanced so often that the mesh is too large");
    return out;
  }

  // Positions of the vertices that `vertices` (an element <vertices>) describes.
  std::vector<Vec3<double>> read_positions(const Element& vertices) {
    const Element* input = vertices.FirstChildElement("input");
    while (input && std::string_view(input->Attribute("semantic") ? input->Attribute("semantic") : "") != "POSITION")
      input = input->NextSiblingElement("input");
    if (!input) stop(vertices, "has no POSITION");
    const Element& source = follow(*input, "source", "source");
    const Element* common = source.FirstChildElement("technique_common");
    const Element* accessor = common ? common->FirstChildElement("accessor") : nullptr;
    const Element* array = source.FirstChildElement("float_array");
    if (!array) stop(source, "has no float_array");
    const std::vector<double> list = read_counted<double>(*array);
    const std::size_t stride = accessor ? read_count(*accessor, "stride", 1) : 3;
    const std::size_t offset = accessor ? read_count(*accessor, "offset", 0) : 0;
    const std::size_t count = accessor ? read_count(*accessor, "count", 0) : list.size() / 3;
    if (stride < 3 || stride > list.size() || offset > list.size() || count > (list.size() - offset) / stride)
      stop(source,
           "claims " + std::to_string(count) + " places, its array holds " + std::to_string(list.size()) + " numbers");
    std::vector<Vec3<double>> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double* p = list.data() + offset + i * stride;
      out.push_back({p[0], p[1], p[2]});
    }
    return out;
  }

  void read_geometry(const Element& geometry, const Affine& place) {
    if (++instances_ > kMostInstances) stop(geometry, "is instanced too often");
    const Element* mesh = geometry.FirstChildElement("mesh");
    if (!mesh) return;  // splines and convex hulls of other meshes
    const std::size_t first_triangle = mesh_.triangles.size();
    // <vertices> -> where its vertices begin in mesh_
    std::unordered_map<const Element*, std::pair<int, std::size_t>> placed;
    for (const Element* c = mesh->FirstChildElement(); c; c = c->NextSiblingElement()) {
      const std::string_view name = c->Name();
      if (name != "triangles" && name != "polylist" && name != "polygons" && name != "tristrips" && name != "trifans")
        continue;
      if (!c->FirstChildElement("p")) continue;  // without faces
      Corners corners = find_corners(*c);
      const auto [entry, fresh] = placed.try_emplace(corners.vertices);
      if (fresh) {
        entry->second = {static_cast<int>(mesh_.vertices.size()), 0};
        for (const Vec3<double>& v : read_positions(*corners.vertices)) mesh_.vertices.push_back(apply_to(place, v));
        entry->second.second = mesh_.vertices.size() - static_cast<std::size_t>(entry->second.first);
      }
      corners.first = entry->second.first, corners.count = entry->second.second;
      read_faces(*c, name, corners);
      if (mesh_.triangles.size() > kMostTriangles) stop(*c, "brings the mesh to too many triangles");
    }
    if (determinant(place.A) < 0)  // mirrored: keep the outside outside
      for (std::size_t t = first_triangle; t < mesh_.triangles.size(); ++t)
        std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
  }

  // How the numbers of <p> are to be read: every `stride`-th, from `offset`, names a vertex.
  struct Corners {
    const Element* vertices = nullptr;
    std::size_t stride = 1, offset = 0;
    int first = 0;          // of its vertices, in mesh_
    std::size_t count = 0;  // of its vertices
  };
  Corners find_corners(const Element& primitive) const {
    Corners out;
    for_children(primitive, "input", [&](const Element& input) {
      const std::size_t offset = read_count(input, "offset", 0);
      if (offset > 1000) stop(input, "has an offset above 1000");
      out.stride = std::max(out.stride, offset + 1);
      if (std::string_view(input.Attribute("semantic") ? input.Attribute("semantic") : "") == "VERTEX")
        out.vertices = &follow(input, "source", "vertices"), out.offset = offset;
    });
    if (!out.vertices) stop(primitive, "has no VERTEX");
    return out;
  }

  // Indices of the corners in one <p>.
  std::vector<int> read_indices(const Element& p, const Corners& corners) {
    const std::vector<long> list = read_counted<long>(p);
    if (list.size() % corners.stride != 0)
      stop(p, "has " + std::to_string(list.size()) + " numbers, not " + std::to_string(corners.stride) + " per corner");
    std::vector<int> out;
    out.reserve(list.size() / corners.stride);
    for (std::size_t i = corners.offset; i < list.size(); i += corners.stride) {
      if (list[i] < 0 || static_cast<std::size_t>(list[i]) >= corners.count)
        stop(p, "names vertex " + std::to_string(list[i]) + " of " + std::to_string(corners.count));
      out.push_back(corners.first + static_cast<int>(list[i]));
    }
    return out;
  }

  void add_polygon(const Element& e, std::span<const int> corners) {
    if (const std::string problem = cut_polygon(mesh_.vertices, corners, mesh_.triangles); !problem.empty())
      stop(e, problem);
  }

  void read_faces(const Element& e, std::string_view kind, const Corners& corners) {
    if (e.FirstChildElement("ph")) stop(e, "has polygons with holes, which are not read; triangulate the mesh");
    if (kind == "polylist") {
      const Element* counts = e.FirstChildElement("vcount");
      if (!counts) stop(e, "has no vcount");
      const std::vector<int> all = read_indices(*e.FirstChildElement("p"), corners);
      std::size_t at = 0;
      for (const std::size_t n : read_numbers<std::size_t>(*counts)) {
        if (n > all.size() - at) stop(e, "has fewer corners than its vcount asks for");
        if (n >= 3) add_polygon(e, {all.data() + at, n});  // fewer: a line
        at += n;
      }
      if (at != all.size()) stop(e, "has more corners than its vcount asks for");
      return;
    }
    for_children(e, "p", [&](const Element& p) {
      const std::vector<int> c = read_indices(p, corners);
      if (kind == "polygons") {
        if (c.size() >= 3) add_polygon(p, c);
      } else if (kind == "triangles") {
        if (c.size() % 3 != 0) stop(p, "does not have three corners per triangle");
        for (std::size_t i = 0; i + 2 < c.size(); i += 3) mesh_.triangles.push_back({c[i], c[i + 1], c[i + 2]});
      } else {
        for (std::size_t i = 2; i < c.size(); ++i) {
          const int before = kind == "trifans" ? c[0] : c[i - 2];
          const bool flip = kind == "tristrips" && i % 2 == 1;
          mesh_.triangles.push_back(flip ? std::array<int, 3>{c[i - 1], before, c[i]}
                                         : std::array<int, 3>{before, c[i - 1], c[i]});
        }
      }
    });
  }

  static constexpr double kDegree = 3.14159265358979323846 / 180;

  const Element& root_;
  TriangleMesh& mesh_;
  std::unordered_map<std::string_view, const Element*> ids_;
  int instances_ = 0;
  std::size_t numbers_ = 0;
};

}  // namespace

std::string parse_dae(std::string_view text, TriangleMesh& mesh) {
  Diagnostics out;
  const auto document = xml::parse(text, {}, out);
  if (!document) {
    const Diagnostic& d = out.list().front();
    return (d.where.line > 0 ? "line " + std::to_string(d.where.line) + ": " : "") + d.message;
  }
  const Element& root = *document->RootElement();
  if (std::string_view(root.Name()) != "COLLADA") return "its root element is not COLLADA";
  try {
    Collada(root, mesh).read();
  } catch (const ColladaFault& fault) {
    return fault.what();
  }
  if (mesh.triangles.empty()) return "its scene has no triangles";
  return {};
}

}  // namespace sinew
