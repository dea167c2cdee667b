// src/contact/collide.cpp
#include "sinew/contact/collide.hpp"

#include "colliders.hpp"

namespace sinew {

Collider find_collider(ShapeKind a, ShapeKind b) {
  using enum ShapeKind;
  struct Row {
    ShapeKind a, b;
    Collider collider;
  };
  static constexpr Row kColliders[] = {
      {sphere, plane, contact::sphere_plane},
      {capsule, plane, contact::capsule_plane},
      {box, plane, contact::box_plane},
      {cylinder, plane, contact::cylinder_plane},
      {ellipsoid, plane, contact::ellipsoid_plane},
      {sphere, sphere, contact::sphere_sphere},
      {sphere, capsule, contact::sphere_capsule},
      {sphere, box, contact::sphere_box},
      {sphere, cylinder, contact::sphere_cylinder},
      {capsule, capsule, contact::capsule_capsule},
      {capsule, box, contact::capsule_box},
      {box, box, contact::box_box},
  };
  for (const Row& r : kColliders)
    if (r.a == a && r.b == b) return r.collider;
  return nullptr;
}

}  // namespace sinew
