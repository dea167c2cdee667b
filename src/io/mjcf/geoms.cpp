// src/io/mjcf/geoms.cpp - geoms: shape, place, contact attributes; primitives fitted to meshes
#include <algorithm>
#include <cmath>

#include "io/mjcf/inertia.hpp"

namespace sinew::mjcf {
namespace {

enum Type { kPlane, kHfield, kSphere, kCapsule, kEllipsoid, kCylinder, kBox, kMesh, kSdf };
constexpr ShapeKind kKinds[] = {ShapeKind::plane,   ShapeKind::heightfield, ShapeKind::sphere,
                                ShapeKind::capsule, ShapeKind::ellipsoid,   ShapeKind::cylinder,
                                ShapeKind::box,     ShapeKind::mesh,        ShapeKind::mesh};

int sizes_needed(Type t) {
  switch (t) {
    case kSphere: return 1;
    case kCapsule:
    case kCylinder: return 2;
    case kEllipsoid:
    case kBox: return 3;
    default: return 0;
  }
}

// Size and frame from two end points.
bool place_between(const Reader& r, Type type, Geom& g) {
  if (!r.has("fromto")) return false;
  if (type != kCapsule && type != kCylinder && type != kEllipsoid && type != kBox) {
    r.error(Code::bad_value, "fromto is for capsule, cylinder, ellipsoid and box", "use pos and size");
    return false;
  }
  double length = 0;
  const auto frame = read_fromto(r, length);
  if (!frame) return false;
  g.frame = *frame;
  auto& s = g.shape.size;
  if (type == kCapsule || type == kCylinder)
    s = {s[0], length / 2, 0};
  else
    s = {s[0], s[0], length / 2};
  return true;
}

// Fits the shape to its mesh; shapes round about z get equal half sizes across it.
void fit(Work& w, const Reader& r, Type type, Geom& g) {
  const double scale = r.number("fitscale").value_or(1);
  std::array<double, 3> half{};
  Frame middle;
  if (w.settings().fitaabb) {
    const MeshSpec* m = need_mesh(w, g.mesh, r.node());
    if (!m || m->vertices.empty()) return;
    const Principal p = mesh_axes(w, g.mesh, r.node());
    Vec3<double> low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    for (const Vec3<double>& file : m->vertices) {
      const Vec3<double> v = turn(conjugate(p.frame.quat), file - p.frame.pos);
      low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
      high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
    }
    half = {(high.x - low.x) / 2, (high.y - low.y) / 2, (high.z - low.z) / 2};
    middle = p.frame * Frame{0.5 * (low + high), {}};
  } else {
    const Principal p = mesh_axes(w, g.mesh, r.node());
    if (!(p.mass > 0)) return;
    half = equivalent_box(p);
    middle = p.frame;
  }
  auto& s = g.shape.size;
  const double across = (half[0] + half[1]) / 2, widest = std::max(half[0], half[1]);
  const bool box = w.settings().fitaabb;
  switch (type) {
    case kSphere: s = {box ? std::max(widest, half[2]) : (half[0] + half[1] + half[2]) / 3, 0, 0}; break;
    case kCapsule:
      s = {box ? widest : across, box ? std::max(0.0, half[2] - widest) : std::max(0.0, half[2] - across / 2), 0};
      break;
    case kCylinder: s = {box ? widest : across, half[2], 0}; break;
    default: s = half; break;
  }
  for (double& x : s) x *= scale;
  g.frame = g.frame * middle;
}

// In a fluid a mesh stands for the ellipsoid that reaches as far as its vertices do from its centre of mass, along its
// principal axes: a shape of its own, which neither touches nor shows.
std::optional<Geom> make_fluid_ellipsoid(Work& w, Geom& g) {
  const Principal p = mesh_axes(w, g.mesh, *g.node);
  const MeshSpec* m = need_mesh(w, g.mesh, *g.node);
  if (!m || !(p.mass > 0)) return std::nullopt;
  Geom out = g;
  out.shape.name = g.shape.name.empty() ? "" : g.shape.name + "_in_fluid";
  out.shape.kind = ShapeKind::ellipsoid, out.shape.asset.clear(), out.shape.hull = false, out.mesh = -1;
  out.shape.collides = out.shape.visible = false, out.shape.contact_type = out.shape.contact_affinity = 0;
  out.mass = 0;
  out.frame = g.frame * p.frame;
  out.shape.size = {};
  for (const Vec3<double>& file : m->vertices) {
    const Vec3<double> v = turn(conjugate(p.frame.quat), file - p.frame.pos);
    const std::array<double, 3> reach{std::abs(v.x), std::abs(v.y), std::abs(v.z)};
    for (std::size_t i = 0; i < 3; ++i) out.shape.size[i] = std::max(out.shape.size[i], reach[i]);
  }
  g.shape.fluid_ellipsoid = false;
  return out;
}

void read_contact(const Reader& r, ShapeSpec& s) {
  std::array<double, 3> mu{s.friction, s.torsional_friction, s.rolling_friction};
  r.numbers("friction", mu, 1);
  s.friction = mu[0], s.torsional_friction = mu[1], s.rolling_friction = mu[2];
  s.fluid_ellipsoid = r.choice("fluidshape", {"none", "ellipsoid"}, 0) == 1;
  r.numbers("fluidcoef", s.fluid_coefficients, 1);
  s.friction_law = read_friction_law(r);
  s.priority = r.integer("priority").value_or(0);
  s.contact_type = r.integer("contype").value_or(1);
  s.contact_affinity = r.integer("conaffinity").value_or(1);
  s.collides = s.contact_type != 0 || s.contact_affinity != 0;
  s.margin = r.number("margin").value_or(0);
  s.group = r.integer("group").value_or(0);
  r.looks("rgba", s.rgba, 4);
  s.visible = s.rgba[3] > 0;
}

}  // namespace

FrictionLaw read_friction_law(const Reader& r) {
  const int n = r.integer("condim").value_or(3);
  for (const FrictionLaw law : {FrictionLaw::none, FrictionLaw::sliding, FrictionLaw::torsional, FrictionLaw::rolling})
    if (n == static_cast<int>(law)) return law;
  r.error(Code::bad_value, "has condim " + std::to_string(n),
          "write 1 (no friction), 3 (sliding), 4 (and spinning) or 6 (and rolling)");
  return FrictionLaw::sliding;
}

void read_geom(Work& w, const Node& n, const Class* from, int body, const Surroundings& around,
               const std::string& suffix) {
  check_attributes(n, "geom", w.remarks, w.out);
  const Reader r(n, from, "geom", w.out);
  const Type type = static_cast<Type>(r.choice(
      "type", {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"}, kSphere));
  if (type == kSdf) return w.remarks.count(Code::unsupported_element, "geom type sdf", "is left out", n);
  Geom g;
  g.node = &n;
  g.body = body;
  g.scale = around.scale;
  g.shape.name = full_name(w, n, suffix);
  g.shape.kind = kKinds[type];
  g.shape.where = n.where();
  g.shell = r.boolean("shellinertia").value_or(false);
  g.density = r.number("density").value_or(1000);
  g.mass = r.number("mass");
  if (g.density < 0 || g.mass.value_or(0) < 0)
    return w.error(n, Code::negative_mass, "mass or density is negative", "write a number >= 0");
  read_contact(r, g.shape);
  r.numbers("size", g.shape.size, 1);

  if (const auto mesh = r.text("mesh")) {
    g.mesh = find(w, w.mesh_names, *mesh, "mesh", n);
    if (g.mesh < 0) return;
  }
  if (type == kMesh && g.mesh < 0)
    return w.error(n, Code::missing_attribute, "a geom of type mesh names no mesh", "write mesh=\"...\"");
  const Scale& scale = w.scales[g.scale];
  if (type == kMesh) {
    g.mesh = find_scaled_mesh(w, g.mesh, scale.length);
    g.shape.asset = w.meshes[g.mesh].spec.name, g.shape.size = {};
    g.shape.hull = true;
  }
  if (type == kHfield) {
    const auto name = r.required_text("hfield");
    const int found = name ? find(w, w.hfield_names, *name, "hfield", n) : -1;
    if (found < 0) return;
    g.shape.asset = w.spec.heightfields[static_cast<std::size_t>(find_scaled_hfield(w, found, scale.length))].name;
  }

  if (!place_between(r, type, g)) g.frame = read_frame(r, w.settings());
  if (g.mesh >= 0 && type != kMesh && type != kPlane && type != kHfield) {
    fit(w, r, type, g);
    g.mesh = -1;
  }
  for (int i = 0; i < 3; ++i) {
    double& size = g.shape.size[i];
    if (i < sizes_needed(type) && !(size > 0))
      return w.error(n, Code::bad_shape_size, "size " + std::to_string(i + 1) + " must be > 0", "write size=\"...\"");
    if (i >= sizes_needed(type) && (type != kPlane || i == 2)) size = 0;
  }
  g.frame = place(around, w.scales, g.frame);
  scale_geom(g, scale, type == kMesh ? w.meshes[g.mesh].inertia == MeshInertia::shell : g.shell);
  if ((type == kPlane || type == kHfield) && g.shape.fluid_ellipsoid)
    return w.error(n, Code::bad_value, "a plane or a heightfield is no ellipsoid in a fluid", "remove fluidshape");
  std::optional<Geom> wet;
  if (type == kMesh && g.shape.fluid_ellipsoid) wet = make_fluid_ellipsoid(w, g);
  const auto add = [&](Geom&& geom) {
    const int index = static_cast<int>(w.geoms.size());
    enter(w, w.geom_names, geom.shape.name, index, n);
    w.bodies[body].geoms.push_back(index);
    w.geoms.push_back(std::move(geom));
  };
  add(std::move(g));
  if (wet) add(std::move(*wet));
}

}  // namespace sinew::mjcf
