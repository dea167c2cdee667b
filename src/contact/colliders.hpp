// src/contact/colliders.hpp - colliders by pair, and what several of them share
#pragma once
#include "contact/solid.hpp"

namespace sinew::contact {

using Points = std::vector<TouchPoint>;

// b is a plane.
void sphere_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void capsule_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void box_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void cylinder_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void ellipsoid_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void polytope_plane(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);

void sphere_sphere(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void sphere_ellipsoid(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void capsule_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);
void box_box(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);

void convex_convex(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);   // any two solids
void convex_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);  // b has triangles
void surface_surface(const PlacedShape& a, const PlacedShape& b, double reach, Points& out);

inline Vector axis(const PlacedShape& s, int k) {  // of the shape, in the world
  const Mat3<double>& E = s.X.E.m;
  return k == 0 ? Vector{E.xx, E.xy, E.xz} : k == 1 ? Vector{E.yx, E.yy, E.yz} : Vector{E.zx, E.zy, E.zz};
}
inline Vector to_world(const PlacedShape& s, const Vector& p) { return apply_inverse_to_point(s.X, p); }

// The point of a shape's surface nearest to a point p, all in the shape's frame.
struct Nearest {
  Vector normal;        // out of the shape
  double distance = 0;  // along it; negative inside
};
Nearest nearest_on_box(const std::array<double, 3>& half, const Vector& p);
Nearest nearest_on_cylinder(double radius, double half, const Vector& p);
Nearest nearest_on_ellipsoid(const std::array<double, 3>& radii, const Vector& p);

// Of many points first .. last with the same normal, keeps the deepest, the outermost on all sides, and every corner of
// the polygon on which the shape stands: of what touches no support is lost. Returns their new end.
std::size_t thin_out(Points& points, std::size_t first, std::size_t last);

}  // namespace sinew::contact
