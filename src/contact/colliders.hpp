// src/contact/colliders.hpp - the colliders by the shape that a point is easiest found on
#pragma once
#include <algorithm>
#include <cmath>

#include "sinew/contact/collide.hpp"

namespace sinew::contact {

int sphere_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int capsule_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int box_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int cylinder_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int ellipsoid_plane(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);

int sphere_sphere(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int sphere_box(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int capsule_capsule(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int capsule_box(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);
int box_box(const PlacedShape& a, const PlacedShape& b, double reach, TouchPoint* out);

// What several of them share -----------------------------------------------------------------------------------------

using Vector = Vec3<double>;

inline Vector axis(const PlacedShape& s, int k) {  // of the shape, in the world
  return apply_inverse(s.X.E, k == 0 ? Vector{1, 0, 0} : k == 1 ? Vector{0, 1, 0} : Vector{0, 0, 1});
}
inline Vector to_world(const PlacedShape& s, const Vector& p) { return apply_inverse_to_point(s.X, p); }

// A sphere of the given radius on side a against the point p of side b, `fallback` where both are one.
inline bool add_ball(const Vector& centre, double radius, const Vector& p, double other_radius, const Vector& fallback,
                     double reach, int feature, TouchPoint& out) {
  const Vector d = centre - p;
  const double distance = norm(d), gap = distance - radius - other_radius;
  if (!(gap <= reach)) return false;
  const Vector normal = distance > 0 ? (1 / distance) * d : fallback;
  out = {centre - (radius + gap / 2) * normal, normal, gap, feature};
  return true;
}

// Nearest point of a box or cylinder (in its own frame) to a point p of that frame: on the surface, also for points
// inside. `depth` is negative inside, else the distance; `normal` points out of the shape, towards p.
struct Nearest {
  Vector point, normal;
  double depth = 0;
};
Nearest nearest_on_box(const std::array<double, 3>& half, const Vector& p);
Nearest nearest_on_cylinder(double radius, double half, const Vector& p);

}  // namespace sinew::contact
