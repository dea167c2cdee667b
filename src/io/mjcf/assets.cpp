// src/io/mjcf/assets.cpp - meshes and heightfields
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/heightfield_file.hpp"
#include "io/mjcf/work.hpp"

namespace sinew::mjcf {
namespace {

std::filesystem::path resolve(const Work& w, std::string_view file, const Node& n) {
  std::filesystem::path name(file);
  if (w.settings().strippath) name = name.filename();
  return find_file(w.folder(), std::filesystem::path(w.settings().meshdir) / name, n);
}

// Numbers of one attribute as triples.
template <class T, class Make>
std::vector<T> triples(Work& w, const Node& n, const std::vector<double>& values, const char* name, Make&& make) {
  std::vector<T> out;
  if (values.size() % 3 != 0)
    w.error(n, Code::bad_value, std::string(name) + " has " + std::to_string(values.size()) + " numbers",
            "give three each");
  for (std::size_t i = 0; i + 2 < values.size(); i += 3) out.push_back(make(values[i], values[i + 1], values[i + 2]));
  return out;
}

// Expresses the vertices in the reference frame, scales them, and flips the triangles if the scale mirrors.
void place(Mesh& m) {
  const Vec3<double> s = m.spec.scale;
  const Quaternion<double> back = conjugate(m.ref.quat);
  const bool turned = m.ref.quat.w != 1;
  if (turned || !(m.ref.pos == Vec3<double>{})) m.spec.file.clear();  // the file alone no longer describes the mesh
  for (Vec3<double>& v : m.spec.vertices) {
    v = v - m.ref.pos;
    if (turned) v = turn(back, v);
    v = {v.x * s.x, v.y * s.y, v.z * s.z};
  }
  if (s.x * s.y * s.z < 0)
    for (auto& t : m.spec.triangles) std::swap(t[1], t[2]);
}

void read_mesh_asset(Work& w, const Node& n) {
  check_attributes(n, "mesh", w.remarks, w.out);
  const Reader r(n, w.defaults().find(n, "class", w.defaults().top(), w.out), "mesh", w.out);
  Mesh m;
  m.node = &n;
  m.spec.where = n.where();
  const auto file = r.text("file");
  if (const auto name = r.text("name"))
    m.spec.name = *name;
  else if (file)
    m.spec.name = std::filesystem::path(*file).stem().string();
  if (!m.spec.name.empty()) m.spec.name.insert(0, w.at.prefix);
  if (m.spec.name.empty()) return w.error(n, Code::missing_attribute, "a mesh has neither name nor file", "name it");
  if (m.spec.name.size() > kMaxName) return w.error(n, Code::bad_value, "its name is too long", "shorten it");
  const std::vector<double> scale = r.list("scale");
  if (scale.size() > 3)
    w.warn(n, Code::value_adjusted, "scale has " + std::to_string(scale.size()) + " numbers: the first three are used",
           "keep three");
  if (scale.size() >= 3) m.spec.scale = {scale[0], scale[1], scale[2]};
  if (r.has("scale") && scale.size() < 3)
    w.error(n, Code::bad_value, "scale has " + std::to_string(scale.size()) + " numbers, must have 3",
            "write scale=\"1 1 1\"");
  m.inertia = static_cast<MeshInertia>(r.choice("inertia", {"convex", "exact", "legacy", "shell"}, 2));
  m.ref.pos = r.vec3("refpos").value_or(Vec3<double>{});
  std::array<double, 4> q{1, 0, 0, 0};
  if (r.numbers("refquat", q, 4) == 4 && std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3])) > 1e-14)
    m.ref.quat = normalized(Quaternion<double>{q[0], q[1], q[2], q[3]});

  if (file) {
    m.spec.file = w.may_open ? resolve(w, *file, n).string() : std::string(*file);
    if (w.may_open && !std::filesystem::exists(m.spec.file))
      w.warn(n, Code::mesh_unreadable, "file " + xml::quote_path(m.spec.file) + " does not exist",
             "check meshdir and file");
  } else if (r.has("builtin")) {
    w.warn(n, Code::unsupported_element, "builtin meshes are not made", "save the mesh to a file");
    m.state = MeshState::bad;
  } else if (r.has("vertex")) {
    bool finite = true;
    m.spec.vertices = triples<Vec3<double>>(w, n, r.list("vertex"), "vertex", [&](double x, double y, double z) {
      for (const double v : {x, y, z}) finite = finite && std::abs(v) < std::numeric_limits<float>::max();
      if (!finite) return Vec3<double>{};
      return Vec3<double>{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
    });
    if (!finite) w.error(n, Code::not_finite, "a vertex is not a finite float", "scale the mesh instead");
    const double count = static_cast<double>(m.spec.vertices.size());
    bool good = true;
    m.spec.triangles = triples<std::array<int, 3>>(w, n, r.list("face"), "face", [&](double a, double b, double c) {
      for (const double i : {a, b, c}) good = good && i >= 0 && i < count && i == std::floor(i);
      return good ? std::array<int, 3>{static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)}
                  : std::array<int, 3>{};
    });
    if (!good || m.spec.vertices.empty())
      return w.error(n, Code::bad_value, good ? "has no vertices" : "a face names no vertex",
                     "write indices below " + std::to_string(m.spec.vertices.size()));
    m.state = MeshState::read;
    place(m);
  } else {
    return w.error(n, Code::missing_attribute, "a mesh has neither file nor vertex", "write file=\"...\"");
  }
  enter(w, w.mesh_names, m.spec.name, static_cast<int>(w.meshes.size()), n);
  w.meshes.push_back(std::move(m));
}

void read_hfield(Work& w, const Node& n) {
  check_attributes(n, "hfield", w.remarks, w.out);
  const Reader r(n, w.out);
  HeightfieldSpec h;
  h.where = n.where();
  const auto file = r.text("file");
  if (const auto name = r.text("name"))
    h.name = *name;
  else if (file)
    h.name = std::filesystem::path(*file).stem().string();
  if (!h.name.empty()) h.name.insert(0, w.at.prefix);
  if (h.name.size() > kMaxName) return w.error(n, Code::bad_value, "its name is too long", "shorten it");
  if (h.name.empty()) return w.error(n, Code::missing_attribute, "a heightfield has neither name nor file", "name it");
  if (r.numbers("size", h.size, 4) == 0)
    w.error(n, Code::missing_attribute, "has no size", "write size=\"x y top bottom\"");
  h.rows = std::max(0, r.integer("nrow").value_or(0));
  h.cols = std::max(0, r.integer("ncol").value_or(0));
  const std::vector<double> e = r.list("elevation");
  if (!e.empty() && e.size() != static_cast<std::size_t>(h.rows) * static_cast<std::size_t>(h.cols)) {
    w.error(n, Code::bad_value, "elevation has " + std::to_string(e.size()) + " numbers, must have nrow * ncol",
            "add the rest");
  } else if (!e.empty()) {
    const auto cols = static_cast<std::ptrdiff_t>(h.cols);
    for (std::ptrdiff_t row = h.rows - 1; row >= 0; --row)  // the file's first row is the farthest in y
      h.elevation.insert(h.elevation.end(), e.begin() + row * cols, e.begin() + (row + 1) * cols);
    scale_heights(h.elevation);
  }
  if (file) {
    h.file = w.may_open ? resolve(w, *file, n).string() : std::string(*file);
    if (h.rows != 0 || h.cols != 0)
      w.warn(n, Code::value_adjusted, "nrow and ncol are those of the file, not of the text", "remove them");
    if (w.may_open && w.options.load_meshes) {
      if (const std::string problem = read_heightfield(h.file, h); !problem.empty())
        w.warn(n, Code::mesh_unreadable, "file " + xml::quote_path(h.file) + ": " + problem, "check the file");
    } else {
      w.remarks.count(Code::ignored_element, "hfield file", "the heights stay in their file", n);
    }
  }
  enter(w, w.hfield_names, h.name, static_cast<int>(w.spec.heightfields.size()), n);
  w.spec.heightfields.push_back(std::move(h));
}

}  // namespace

void read_assets(Work& w) {
  for (const Node& section : w.root().children) {
    if (section.tag() != "asset") continue;
    for (const Node& n : section.children) {
      if (w.full()) return;
      if (n.tag() == "mesh")
        read_mesh_asset(w, n);
      else if (n.tag() == "hfield")
        read_hfield(w, n);
      else if (n.tag() == "texture" || n.tag() == "material")
        w.remarks.count(Code::ignored_element, "asset <" + std::string(n.tag()) + ">", "looks are not kept", n);
      else if (n.tag() == "skin")
        w.remarks.count(Code::ignored_element, "asset <skin>", "looks are not kept", n);
      else if (n.tag() == "model")
        check_attributes(n, "asset/model", w.remarks, w.out);
      else
        w.warn(n, Code::unknown_element, "MJCF has no asset of this kind", "remove it");
    }
  }
  for (int i = 0; i < static_cast<int>(w.meshes.size()); ++i) {
    const Mesh& m = w.meshes[i];
    if (m.state != MeshState::unread) continue;
    const bool seen_from_elsewhere = m.ref.quat.w != 1 || !(m.ref.pos == Vec3<double>{});
    if (w.options.load_meshes || seen_from_elsewhere) need_mesh(w, i, *m.node);
  }
}

namespace {

// An unused name for a scaled copy, entered: base@1, base@2, ...
std::string enter_copy(Names& names, const std::string& base, std::size_t index) {
  for (int k = 1;; ++k)
    if (std::string name = base + '@' + std::to_string(k); names.emplace(name, static_cast<int>(index)).second)
      return name;
}

// Counts the numbers of a copy; false and one error when there are too many.
bool may_copy(Work& w, std::size_t count, const Node& n) {
  const bool before = w.copied <= kMaxCopied;
  w.copied += count;
  if (before && w.copied > kMaxCopied)
    w.error(
        n, Code::too_many_elements,
        "copies of meshes and heightfields in scaled frames have more than " + std::to_string(kMaxCopied) + " points",
        "use fewer different scales");
  return w.copied <= kMaxCopied;
}

// The vertices of a scaled copy, from those of its original.
bool fill_copy(Work& w, Mesh& m, const Node& user) {
  const MeshSpec* from = need_mesh(w, m.original, user);
  if (!from || !may_copy(w, from->vertices.size(), user)) return false;
  m.objects = w.meshes[m.original].objects;
  m.spec.triangles = from->triangles;
  m.spec.vertices.reserve(from->vertices.size());
  for (const Vec3<double>& v : from->vertices) m.spec.vertices.push_back(m.times * v);
  return true;
}

}  // namespace

const MeshSpec* need_mesh(Work& w, int mesh, const Node& user) {
  Mesh& m = w.meshes[mesh];
  if (m.state == MeshState::unread && m.original >= 0) {
    m.state = fill_copy(w, m, user) ? MeshState::read : MeshState::bad;
  } else if (m.state == MeshState::unread) {
    m.state = MeshState::bad;
    if (!w.may_open) {
      w.error(*m.node, Code::mesh_unreadable, "a text without a path cannot read mesh " + xml::quote(m.spec.file),
              "load the model from its file");
      return nullptr;
    }
    auto read = read_mesh(m.spec.file);
    if (!read.ok()) {
      const Diagnostic& d = read.diagnostics().list().front();
      w.error(*m.node, d.code, "file " + xml::quote_path(m.spec.file) + ": " + d.message, d.repair);
      return nullptr;
    }
    m.spec.vertices = std::move(read.value().vertices);
    m.spec.triangles = std::move(read.value().triangles);
    m.objects = std::move(read.value().objects);
    if (!m.objects.empty())
      w.warn(*m.node, Code::value_adjusted,
             "file " + xml::quote_path(m.spec.file) + " has " + std::to_string(m.objects.size()) +
                 " objects: all are used, each with its own volume; MuJoCo uses the faces of the first alone",
             "keep one object per file");
    place(m);
    m.state = MeshState::read;
  } else if (m.state == MeshState::bad && !w.out.has_errors()) {
    w.error(user, Code::mesh_unreadable, "mesh " + xml::quote(m.spec.name) + " is needed and cannot be made",
            "give it as a file");
  }
  return m.state == MeshState::read ? &m.spec : nullptr;
}

int find_scaled_mesh(Work& w, int mesh, double length) {
  if (length == 1) return mesh;
  const auto [it, fresh] = w.scaled_meshes.try_emplace({mesh, length}, static_cast<int>(w.meshes.size()));
  const int index = it->second;
  if (!fresh) return index;
  const Mesh& from = w.meshes[mesh];
  Mesh m;
  m.spec.name = enter_copy(w.mesh_names, from.spec.name, w.meshes.size());
  m.spec.file = from.spec.file;
  m.spec.where = from.spec.where;
  m.spec.scale = length * from.spec.scale;
  m.inertia = from.inertia;
  m.node = from.node;
  m.original = mesh, m.times = length;
  const bool read = from.state == MeshState::read;
  w.meshes.push_back(std::move(m));
  if (read) need_mesh(w, index, *w.meshes[index].node);
  return index;
}

int find_scaled_hfield(Work& w, int hfield, double length) {
  if (length == 1) return hfield;
  auto& list = w.spec.heightfields;
  const auto [it, fresh] = w.scaled_hfields.try_emplace({hfield, length}, static_cast<int>(list.size()));
  if (!fresh) return it->second;
  const HeightfieldSpec& from = list[static_cast<std::size_t>(hfield)];
  if (!may_copy(w, from.elevation.size(), w.root())) return it->second = hfield;
  HeightfieldSpec h = from;
  h.name = enter_copy(w.hfield_names, from.name, list.size());
  for (double& x : h.size) x *= length;
  list.push_back(std::move(h));
  return it->second;
}

const MeshMoments* need_moments(Work& w, int mesh, const Node& user) {
  Mesh& m = w.meshes[mesh];
  if (m.moments) return m.moments->size > 0 ? &*m.moments : nullptr;
  if (!need_mesh(w, mesh, user)) return nullptr;
  TriangleMesh t{m.spec.vertices, m.spec.triangles, m.objects};
  if (m.inertia == MeshInertia::convex || t.triangles.empty()) {
    auto hull = convex_hull(t.vertices);
    if (!hull.ok()) {
      m.state = MeshState::bad;
      w.error(*m.node, Code::mesh_volume, hull.diagnostics().list().front().message, "add points");
      return nullptr;
    }
    t = std::move(hull).value();
    if (m.spec.triangles.empty()) m.spec.vertices = t.vertices, m.spec.triangles = t.triangles;
  }
  const MeshMatter matter = m.inertia == MeshInertia::shell    ? MeshMatter::surface
                            : m.inertia == MeshInertia::legacy ? MeshMatter::unsigned_volume
                                                               : MeshMatter::signed_volume;
  m.moments = calc_moments(t, matter);
  if (m.moments->size > 1e-14) return &*m.moments;
  w.error(*m.node, Code::mesh_volume, "its volume is " + std::to_string(m.moments->size),
          m.inertia == MeshInertia::exact ? "turn the triangles outward" : "use inertia=\"shell\" for a flat mesh");
  return nullptr;
}

void read_meshes_for_rays(Work& w) {
  bool any = false;
  for (const Node& section : w.root().children)
    for (const Node& n : section.children) any = any || (section.tag() == "sensor" && n.tag() == "rangefinder");
  for (const Geom& g : w.geoms) {
    if (!any || g.mesh < 0) continue;
    Mesh& m = w.meshes[g.mesh];
    if (m.state == MeshState::unread && !(w.may_open && std::filesystem::exists(m.spec.file))) continue;
    if (m.state == MeshState::bad || !need_mesh(w, g.mesh, *g.node) || !m.spec.triangles.empty()) continue;
    auto hull = convex_hull(m.spec.vertices);
    if (hull.ok()) m.spec.vertices = hull.value().vertices, m.spec.triangles = hull.value().triangles;
  }
}

}  // namespace sinew::mjcf
