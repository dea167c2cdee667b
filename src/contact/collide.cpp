// src/contact/collide.cpp - the table of colliders
#include "sinew/contact/collide.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "contact/colliders.hpp"

namespace sinew {
namespace {

bool is_solid(const PlacedShape& s) { return s.kind != ShapeKind::plane && !s.surface; }

Collider find_plane_collider(const PlacedShape& a) {
  switch (a.kind) {
    case ShapeKind::sphere: return contact::sphere_plane;
    case ShapeKind::capsule: return contact::capsule_plane;
    case ShapeKind::box: return contact::box_plane;
    case ShapeKind::cylinder: return contact::cylinder_plane;
    case ShapeKind::ellipsoid: return contact::ellipsoid_plane;
    default: return a.polytope ? contact::polytope_plane : nullptr;  // a surface touches a plane with its hull
  }
}

}  // namespace

Collider find_collider(const PlacedShape& a, const PlacedShape& b) {
  using enum ShapeKind;
  if (b.kind == plane) return find_plane_collider(a);
  if (a.surface && b.surface && a.kind <= b.kind) return contact::surface_surface;
  if (!is_solid(a)) return nullptr;
  if (b.surface) return contact::convex_surface;
  struct Row {
    ShapeKind a, b;
    Collider collider;
  };
  static constexpr Row kOwn[] = {
      {sphere, sphere, contact::sphere_sphere},
      {sphere, capsule, contact::sphere_capsule},
      {sphere, box, contact::sphere_box},
      {sphere, cylinder, contact::sphere_cylinder},
      {sphere, ellipsoid, contact::sphere_ellipsoid},
      {capsule, capsule, contact::capsule_capsule},
      {box, box, contact::box_box},
  };
  for (const Row& r : kOwn) {
    if (r.a == a.kind && r.b == b.kind) return r.collider;
    if (r.b == a.kind && r.a == b.kind) return nullptr;
  }
  return a.kind <= b.kind ? contact::convex_convex : nullptr;
}

void collide(const PlacedShape& a, const PlacedShape& b, double reach, std::vector<TouchPoint>& out) {
  if (const Collider straight = find_collider(a, b)) return straight(a, b, reach, out);
  const Collider swapped = find_collider(b, a);
  if (!swapped)
    throw std::invalid_argument("collide: there is no collider for " + std::string(to_string(a.kind)) + " and " +
                                std::string(to_string(b.kind)));
  const std::size_t first = out.size();
  swapped(b, a, reach, out);
  for (std::size_t i = first; i < out.size(); ++i) {
    out[i].normal = -out[i].normal;
    std::swap(out[i].feature_a, out[i].feature_b);
  }
}

}  // namespace sinew
